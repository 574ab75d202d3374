//! The kernel in the calling thread's network namespace: its settings, its counters, and its
//! listening sockets.

use super::error_text::error_text;
use std::fs;
use std::path::Path;

/// Applies settings, names under /proc/sys and values; returns those that the kernel refused, and
/// why.
pub(super) fn apply_settings(settings: &[(String, String)]) -> Vec<String> {
    let failed = |(name, value): &(String, String)| {
        let path = Path::new("/proc/sys").join(name.replace('.', "/"));
        let error = fs::write(path, value).err()?;
        Some(format!("{name} = {value}: {}", error_text(error)))
    };
    settings.iter().filter_map(failed).collect()
}

/// The value of a setting; `None` if it cannot be read.
#[expect(clippy::disallowed_methods, reason = "the kernel answers in files")]
pub(super) fn read_setting(name: &str) -> Option<String> {
    let path = Path::new("/proc/sys").join(name.replace('.', "/"));
    fs::read_to_string(path).ok().map(|value| value.trim().to_owned())
}

/// Packets that `device` dropped before they were read.
pub(super) fn overruns(device: &str) -> u64 {
    let found = socket_table("dev").lines().find_map(|line| {
        let (name, numbers) = line.split_once(':')?;
        // Eight columns of what was received, then bytes, packets, errors, drops of what was sent.
        (name.trim() == device).then(|| numbers.split_whitespace().nth(11)?.parse().ok())?
    });
    found.unwrap_or(0)
}

/// True if some socket takes packets from others: one of TCP that listens, or one of UDP.
pub(super) fn has_listener() -> bool {
    let listening = |name: &str| {
        socket_table(name).lines().skip(1).any(|line| line.split_whitespace().nth(3) == Some("0A"))
    };
    let bound = |name: &str| socket_table(name).lines().count() > 1;
    listening("tcp") || listening("tcp6") || bound("udp") || bound("udp6")
}

#[expect(clippy::disallowed_methods, reason = "the kernel answers in files")]
fn socket_table(name: &str) -> String {
    fs::read_to_string(format!("/proc/thread-self/net/{name}")).unwrap_or_default()
}
