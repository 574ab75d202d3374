//! A network namespace without a name, which vanishes with the last process in it, and its TUN device.

use super::error_text::error_text;
use super::kernel;
use super::netlink::{loopback_up, set_backlog, set_route};
use super::plan::Plan;
use nix::net::if_::if_nametoindex;
use nix::sched::{CloneFlags, setns, unshare};
use nix::unistd::{getgid, getuid};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::net::Ipv4Addr;
use tun_rs::{DeviceBuilder, SyncDevice};

/// Addresses of the near and the far side.
pub(super) const ADDRESSES: [Ipv4Addr; 2] =
    [Ipv4Addr::new(10, 77, 0, 1), Ipv4Addr::new(10, 77, 0, 2)];
const DEVICE: &str = "airtcp0";
const TUN: &str = "/dev/net/tun";
/// Packets that a device holds until the driver reads them: more than a window, so that only the scenario's
/// queues overflow.
const BACKLOG: u32 = 100_000;

/// One side of the path.
pub(super) struct Side {
    pub(super) namespace: File,
    pub(super) device: SyncDevice,
    /// Default congestion control of sockets.
    pub(super) control: Option<String>,
}

/// Becomes root of a new user namespace, unless the process may make network namespaces already; returns true
/// if it did. The process keeps its user id in there. It must have one thread.
pub(super) fn enter_user_namespace() -> Result<bool, String> {
    if getuid().is_root() && unshare(CloneFlags::CLONE_NEWNET).is_ok() {
        return Ok(false);
    }
    let (user, group) = (getuid(), getgid());
    unshare(CloneFlags::CLONE_NEWUSER).map_err(|error| {
        format!("needs root, or a kernel that lets users make user namespaces ({})", error.desc())
    })?;
    let write = |file: &str, text: String| {
        fs::write(format!("/proc/self/{file}"), text)
            .map_err(|error| format!("/proc/self/{file}: {}", error_text(error)))
    };
    write("setgroups", "deny".to_owned())?;
    write("uid_map", format!("{user} {user} 1"))?;
    write("gid_map", format!("{group} {group} 1"))?;
    Ok(true)
}

impl Side {
    /// Makes side `number` in a namespace of its own, and moves the thread into it; also returns the plan's
    /// kernel settings that the kernel refused.
    pub(super) fn new(number: usize, plan: &Plan) -> Result<(Self, Vec<String>), String> {
        unshare(CloneFlags::CLONE_NEWNET)
            .map_err(|error| format!("no network namespace can be made ({})", error.desc()))?;
        let namespace = namespace_of_this_thread()?;
        let device = device(number, plan.device_mtu()?)?;
        let refused_settings = kernel::apply_settings(&plan.kernel_settings());
        let refused =
            |error: io::Error| format!("rtnetlink of the new namespace: {}", error_text(error));
        loopback_up().map_err(refused)?;
        let index = if_nametoindex(DEVICE).map_err(|error| error.desc().to_owned())?;
        set_backlog(index, BACKLOG).map_err(refused)?;
        set_route(ADDRESSES[1 - number], index, &plan.route()).map_err(refused)?;
        let control = kernel::read_setting("net.ipv4.tcp_congestion_control");
        Ok((Side { namespace, device, control }, refused_settings))
    }

    /// Moves the thread to this side.
    pub(super) fn enter_namespace(&self) -> nix::Result<()> {
        setns(&self.namespace, CloneFlags::CLONE_NEWNET)
    }

    /// Packets that its device dropped before they were read.
    pub(super) fn overruns(&self) -> u64 {
        self.enter_namespace().map_or(0, |()| kernel::overruns(DEVICE))
    }
}

#[expect(clippy::disallowed_methods, reason = "a namespace is a file")]
fn namespace_of_this_thread() -> Result<File, String> {
    let path = "/proc/thread-self/ns/net";
    File::open(path).map_err(|error| format!("{path}: {}", error_text(error)))
}

fn device(number: usize, mtu: u16) -> Result<SyncDevice, String> {
    let refused = |error: io::Error| format!("{TUN}: {}", error_text(error));
    OpenOptions::new().read(true).write(true).open(TUN).map_err(device_error)?;
    let builder = DeviceBuilder::new().name(DEVICE).mtu(mtu);
    let device = builder.ipv4(ADDRESSES[number], 24, None).build_sync().map_err(refused)?;
    device.set_nonblocking(true).map_err(refused)?;
    Ok(device)
}

fn device_error(error: io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => {
            format!(
                "{TUN}: this user may not open it; root may, and may allow it (chmod 666 {TUN})"
            )
        }
        io::ErrorKind::NotFound => format!("{TUN}: is not there; root may make it (modprobe tun)"),
        _ => format!("{TUN}: {}", error_text(error)),
    }
}
