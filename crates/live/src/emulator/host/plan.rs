//! What to run.

use super::alike;
use crate::lengths;
use airtcp_scenario::PathScenario;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::os::fd::RawFd;
use std::path::PathBuf;

/// Shortest MTU of a device for IPv4 [RFC 791 3.2].
const LEAST_MTU: u16 = 68;

/// A run of the emulator.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The path; what its packets add on the wire, and their payload for forced losses.
    pub scenario: PathScenario,
    /// Seed of the path's streams.
    pub seed: u64,
    /// Replication of them.
    pub replication: u64,
    /// The run ends after so many seconds at the latest.
    pub seconds: Option<f64>,
    /// The program with whose end the run ends.
    pub command: Option<Program>,
    /// A program on the other side, which listens before the command starts.
    pub server: Option<Program>,
    /// Who runs both; none: who runs this process.
    pub user: Option<User>,
    /// How many seconds it may take to do so: the command starts then, whether it listens or not.
    pub patience: f64,
    /// Whether both ends of a transfer have to report before the run ends.
    pub together: bool,
    /// What our own stack does on the near and the far side; none: the kernel's TCP is there.
    pub own: [Option<Task>; 2],
    /// Whether the scenario's sender is on the far side.
    pub sender_is_far: bool,
    /// MTU of both devices in bytes. Absent: the scenario's packet.
    pub mtu: Option<u16>,
    /// Whether the kernel's TCP gets the settings of the scenario.
    pub alike: bool,
    /// Kernel settings of both namespaces besides: names under /proc/sys, and values.
    pub settings: Vec<(String, String)>,
    /// The folder for log and captures; none: neither is written.
    pub out: Option<PathBuf>,
    /// Bytes of every packet in the captures.
    pub snap: u32,
    /// Number of the process that waits for the report, and with which the run ends.
    pub parent: i32,
}

impl Plan {
    /// MTU of both devices.
    pub(super) fn device_mtu(&self) -> Result<u16, String> {
        let packet = lengths::packet(&self.scenario);
        let fits = u16::try_from(packet).ok().filter(|bytes| *bytes >= LEAST_MTU);
        self.mtu.or(fits).ok_or(format!(
            "tcp.packet: an IP packet of {packet} B: from {LEAST_MTU} to {} B on a device; --mtu gives another",
            u16::MAX
        ))
    }

    /// Attributes of the route to the other side.
    pub(super) fn route(&self) -> Route {
        if self.alike { alike::route(&self.scenario) } else { Route::default() }
    }

    /// All kernel settings: the later of two of a name counts.
    pub(super) fn kernel_settings(&self) -> Vec<(String, String)> {
        let mut all = if self.alike { alike::settings(&self.scenario) } else { Vec::new() };
        // ping(8) is set-user-ID, which has no effect under another user, or needs this: icmp(7).
        let everybody = ("net.ipv4.ping_group_range".to_owned(), "0 2147483647".to_owned());
        all.extend(self.user.iter().map(|_| everybody.clone()));
        all.extend(self.settings.iter().cloned());
        all
    }
}

/// A program, in the namespace of a side.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// 0: near, 1: far.
    pub side: usize,
    /// Its name and its arguments.
    pub words: Vec<String>,
    /// Number of the open terminal that it has in place of this process's.
    pub terminal: Option<RawFd>,
}

/// A user of this machine.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct User {
    /// Its name.
    pub name: String,
    /// Its number.
    pub uid: u32,
    /// The number of its group.
    pub gid: u32,
    /// Those of all its groups.
    pub groups: Vec<u32>,
    /// All variables that its programs have, beside the addresses.
    pub environment: BTreeMap<String, String>,
}

/// The part of our own stack in the built-in transfer.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// It sends.
    Send(Bulk),
    /// It receives.
    Receive,
}

/// What is sent.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bulk {
    /// A file with the content, which is repeated.
    pub content: PathBuf,
    /// Bytes to send; none: without end.
    pub size: Option<u64>,
    /// It ends so many seconds after the first data segment; none: when all is sent.
    pub seconds: Option<f64>,
}

/// Attributes of a route.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// First window in packets.
    pub initcwnd: Option<u32>,
    /// Shortest retransmission timeout in milliseconds.
    pub rto_min: Option<u32>,
    /// 1: no ACK is delayed.
    pub quickack: Option<u32>,
    /// Most that a receiver advertises, in bytes.
    pub window: Option<u32>,
    /// First window that a receiver advertises, in packets.
    pub initrwnd: Option<u32>,
}
