//! The plan of a run: the scenario, the programs, and the settings.

use super::kernel_from_scenario;
use crate::lengths;
use airtcp_scenario::PathScenario;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::os::fd::RawFd;
use std::path::PathBuf;

/// Shortest MTU of a device for IPv4 [RFC 791 3.2].
const MIN_MTU: u16 = 68;

/// A run of the emulator.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The scenario: its path, the headers that its packets add on the wire, and their payload for
    /// forced losses.
    pub scenario: PathScenario,
    /// Seed of the random streams of the path.
    pub seed: u64,
    /// Number of the replication, which selects the random streams.
    pub replication: u64,
    /// Longest duration of the run in seconds.
    pub seconds: Option<f64>,
    /// The command: when it ends, the run ends.
    pub command: Option<Program>,
    /// A server on the other side, which listens before the command starts.
    pub server: Option<Program>,
    /// The user who runs both programs; `None`: the user of this process.
    pub user: Option<User>,
    /// Seconds that the server has to begin listening; the command starts then in any case.
    pub patience: f64,
    /// If true, both ends of a transfer have to report before the run ends.
    #[serde(rename = "together")]
    pub waits_for_both_ends: bool,
    /// The tasks of our own stack on the near and the far side; `None`: the kernel's TCP is there.
    pub builtin_tasks: [Option<Task>; 2],
    /// If true, the scenario's sender is on the far side.
    pub sender_is_far: bool,
    /// MTU of both devices in bytes; `None`: the length of the scenario's packet.
    pub mtu: Option<u16>,
    /// True if the kernel's TCP is configured by the scenario.
    #[serde(rename = "alike")]
    pub is_kernel_configured: bool,
    /// Further kernel settings of both namespaces: names under /proc/sys, and values.
    pub settings: Vec<(String, String)>,
    /// The folder for log and captures; `None`: neither is written.
    pub output_folder: Option<PathBuf>,
    /// Bytes of every packet that the captures keep.
    pub snap_length: u32,
    /// Process id of the caller, which waits for the report; the run ends when it dies.
    pub parent: i32,
}

impl Plan {
    /// MTU of both devices.
    pub(super) fn device_mtu(&self) -> Result<u16, String> {
        let packet = lengths::packet_length(&self.scenario);
        let fits = u16::try_from(packet).ok().filter(|bytes| *bytes >= MIN_MTU);
        self.mtu.or(fits).ok_or(format!(
            "tcp.packet: an IP packet of {packet} B: from {MIN_MTU} to {} B on a device; --mtu gives another",
            u16::MAX
        ))
    }

    /// Attributes of the route to the other side.
    pub(super) fn route(&self) -> Route {
        if self.is_kernel_configured {
            kernel_from_scenario::route(&self.scenario)
        } else {
            Route::default()
        }
    }

    /// All kernel settings: the later of two of a name counts.
    pub(super) fn kernel_settings(&self) -> Vec<(String, String)> {
        let mut all = if self.is_kernel_configured {
            kernel_from_scenario::settings(&self.scenario)
        } else {
            Vec::new()
        };
        // ping(8) is set-user-ID, which has no effect under another user, or needs this: icmp(7).
        let everybody = ("net.ipv4.ping_group_range".to_owned(), "0 2147483647".to_owned());
        all.extend(self.user.iter().map(|_| everybody.clone()));
        all.extend(self.settings.iter().cloned());
        all
    }
}

/// A program to run in the namespace of a side.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// The side of the program: 0 near, 1 far.
    pub side: usize,
    /// The name of the program and its arguments.
    pub words: Vec<String>,
    /// File descriptor of the open terminal that the program gets instead of this process's.
    pub terminal: Option<RawFd>,
}

/// A user of this machine.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct User {
    /// Name of the user.
    pub name: String,
    /// User id.
    pub uid: u32,
    /// Id of the user's group.
    pub gid: u32,
    /// Ids of all groups of the user.
    pub groups: Vec<u32>,
    /// All environment variables of the user's programs, apart from the addresses.
    pub environment: BTreeMap<String, String>,
}

/// The part of our own stack in the built-in transfer.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// Sends data.
    Send(Bulk),
    /// Receives data.
    Receive,
}

/// The data to send in the built-in transfer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bulk {
    /// A file with the content, which is repeated.
    pub content: PathBuf,
    /// Bytes to send; `None`: without end.
    pub size: Option<u64>,
    /// Seconds from the first data segment to the end of the transfer; `None`: it ends when all is
    /// sent.
    pub seconds: Option<f64>,
}

/// TCP attributes of a route; `None` leaves the kernel's own value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// Initial congestion window in packets.
    pub initcwnd: Option<u32>,
    /// Shortest retransmission timeout in milliseconds.
    pub rto_min: Option<u32>,
    /// 1: the receiver delays no ACK.
    pub quickack: Option<u32>,
    /// Largest window that a receiver advertises, in bytes.
    pub window: Option<u32>,
    /// First window that a receiver advertises, in packets.
    pub initrwnd: Option<u32>,
}
