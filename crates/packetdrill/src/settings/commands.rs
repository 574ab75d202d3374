//! The meaning of each command.

use super::orders::{Queue, SettingChange};
use super::standard::standard;
use crate::refusal::{shown, suggestion};

const COMMANDS: &[&str] = &[
    "defaults.sh",
    "sysctl",
    "set_sysctls.py",
    "echo",
    "tc",
    "ip",
    "ethtool",
    "nstat",
    "source",
    "sleep",
];
/// Attributes of a route that have a value.
const ROUTE_ATTRIBUTES: &[&str] = &[
    "initcwnd",
    "initrwnd",
    "quickack",
    "mtu",
    "advmss",
    "rto_min",
    "rtt",
    "rttvar",
    "cwnd",
    "ssthresh",
    "window",
    "reordering",
    "congctl",
    "features",
    "fastopen_no_cookie",
    "hoplimit",
];
const ROUTE_SELECTORS: &[&str] = &["via", "dev", "src", "proto", "scope", "table", "metric"];

type Changes = Result<Vec<SettingChange>, String>;

/// The changes that a command makes; its output goes `into` a file.
pub(super) fn changes_of_command(words: &[&str], into: Option<&str>) -> Changes {
    let Some((command, rest)) = words.split_first() else { return Ok(vec![]) };
    let name = command.rsplit('/').next().unwrap_or(command);
    if let (Some(file), false) = (into, name == "echo") {
        return Err(format!("{name} into {}: only echo writes a setting", shown(file)));
    }
    match name {
        "defaults.sh" => Ok(standard()),
        "source" | "." => changes_of_command(rest, into),
        "sysctl" => changes_of_sysctl(rest),
        "set_sysctls.py" => assignments(rest),
        "echo" => changes_of_echo(rest, into),
        "tc" => changes_of_tc(rest),
        "ip" => changes_of_ip(rest),
        "ethtool" => changes_of_ethtool(rest),
        // These tidy up, or make the file whose reading is zeros anyway.
        "true" | "rm" | "dd" if is_harmless(rest) => Ok(vec![]),
        _ if name.starts_with("sysctl_restore_") => Ok(vec![]),
        _ => {
            let hint = suggestion(name, COMMANDS);
            Err(format!("command {} is not supported{hint}", shown(command)))
        }
    }
}

/// True if the arguments of `rm` and `dd` concern only temporary files, which no script of this player
/// has.
fn is_harmless(words: &[&str]) -> bool {
    let file = |word: &str| word.starts_with("/tmp/") || word == "/dev/zero";
    words.iter().all(|word| match word.split_once('=') {
        Some(("if" | "of", path)) => file(path),
        Some(("bs" | "count" | "status", _)) => true,
        _ => *word == "-f" || file(word),
    })
}

fn changes_of_sysctl(words: &[&str]) -> Changes {
    let settings: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| !matches!(*word, "-q" | "-w" | "-e" | "-eq" | "-qw"))
        .collect();
    assignments(&settings)
}

/// `net.ipv4.tcp_ecn=1`, also with slashes and below `/proc/sys`.
fn assignments(words: &[&str]) -> Changes {
    if words.is_empty() {
        return Err("expected name=value".into());
    }
    let parse_word = |word: &&str| {
        let path = word.strip_prefix("/proc/sys/").unwrap_or(word);
        let (name, value) = path.split_once('=').unwrap_or_default();
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '_' | '-');
        if name.is_empty() || value.is_empty() || !name.chars().all(plain) {
            return Err(format!("{}: expected name=value", shown(word)));
        }
        let value: Vec<&str> = value.split_whitespace().collect();
        Ok(SettingChange::Sysctl(name.replace('/', "."), value.join(" ")))
    };
    words.iter().map(parse_word).collect()
}

/// `echo 3 > /sys/module/tcp_cubic/parameters/hystart_detect`, or into `/proc/sys`.
fn changes_of_echo(words: &[&str], into: Option<&str>) -> Changes {
    let value = words.join(" ");
    let Some(file) = into else { return Ok(vec![]) };
    let parts: Vec<&str> = file.split('/').collect();
    match parts.as_slice() {
        ["", "sys", "module", module, "parameters", parameter] => {
            Ok(vec![SettingChange::Module((*module).into(), (*parameter).into(), value)])
        }
        ["", "proc", "sys", name @ ..] if !name.is_empty() => {
            Ok(vec![SettingChange::Sysctl(name.join("."), value)])
        }
        _ => Err(format!(
            "echo into {}: expected /sys/module/MODULE/parameters/NAME or /proc/sys/NAME",
            shown(file)
        )),
    }
}

/// `tc qdisc add|replace|change|delete dev tun0 root [pfifo [limit n] | fq]`.
fn changes_of_tc(words: &[&str]) -> Changes {
    let queue = match words {
        ["qdisc", "delete" | "del", "dev", _, "root"] => Queue::Default,
        ["qdisc", "add" | "replace" | "change", "dev", _, "root", kind, rest @ ..] => {
            match (*kind, rest) {
                ("fq", []) => Queue::Fq,
                ("pfifo" | "bfifo", []) => Queue::Fifo { limit: None },
                ("pfifo", ["limit", packets]) => {
                    Queue::Fifo { limit: Some(parse_number(packets)?) }
                }
                _ => {
                    return Err(format!(
                        "queue {}: only pfifo [limit N], bfifo and fq are supported",
                        shown(kind)
                    ));
                }
            }
        }
        _ => return Err("tc: expected qdisc add|replace|delete dev tun0 root pfifo|fq".into()),
    };
    Ok(vec![SettingChange::Queue(queue)])
}

fn parse_number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{}: expected a number", shown(text)))
}

fn changes_of_ip(words: &[&str]) -> Changes {
    match words {
        ["-4" | "-6", rest @ ..] => changes_of_ip(rest),
        ["tcp_metrics" | "tcp_metric", "flush" | "f", ..] => Ok(vec![SettingChange::ForgetMetrics]),
        ["link", "set", "dev", _, "mtu", mtu] | ["link", "set", _, "mtu", mtu] => {
            Ok(vec![SettingChange::Mtu(parse_number(mtu)?)])
        }
        ["route" | "ro" | "r", "change" | "replace" | "add" | "append", rest @ ..] => {
            changes_of_route(rest)
        }
        _ => Err("ip: expected route, link set dev tun0 mtu, or tcp_metrics flush".into()),
    }
}

/// `ip route change 192.0.2.1/24 via 192.168.0.1 dev tun0 initcwnd 10 mtu lock 1400`.
fn changes_of_route(words: &[&str]) -> Changes {
    let mut changes = vec![];
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        let mut value = || {
            let value = words.next().ok_or_else(|| format!("{} without its value", shown(word)));
            match value {
                Ok("lock") => {
                    words.next().ok_or_else(|| format!("{} without its value", shown(word)))
                }
                other => other,
            }
        };
        if ROUTE_ATTRIBUTES.contains(&word) {
            changes.push(SettingChange::Route(word.into(), value()?.into()));
        } else if ROUTE_SELECTORS.contains(&word) {
            value()?;
        } else if !word.contains(['.', ':']) && !matches!(word, "default" | "local" | "unicast") {
            return Err(format!(
                "route: {} is not known{}",
                shown(word),
                suggestion(word, ROUTE_ATTRIBUTES)
            ));
        }
    }
    Ok(changes)
}

/// `ethtool -K tun0 tso off gso off`.
fn changes_of_ethtool(words: &[&str]) -> Changes {
    let ["-K", _, pairs @ ..] = words else {
        return Err("ethtool: expected -K tun0 NAME on|off".into());
    };
    let parse_pair = |pair: &[&str]| match pair {
        [name, "on"] => Ok(SettingChange::Offload((*name).into(), true)),
        [name, "off"] => Ok(SettingChange::Offload((*name).into(), false)),
        _ => Err("ethtool: expected NAME on|off".to_owned()),
    };
    pairs.chunks(2).map(parse_pair).collect()
}
