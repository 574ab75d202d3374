//! Hosts of a scenario of profile `linux`, as in the simulator.

use super::super::from_scenario::check_lengths;
use super::LinuxStack;
use airtcp_core::Stream;
use airtcp_linux::connection::Route;
use airtcp_scenario::{PathScenario, Profile};
use std::net::Ipv4Addr;

/// Bytes of an IPv4 header.
const IPV4: u32 = 20;

impl LinuxStack {
    /// Makes the host at `address` that sends the first flow of `scenario`, or receives it, in replication
    /// `replication` under `seed`: settings, route and the phase of its ticks are those of the simulator. `random`
    /// gives sequence numbers.
    ///
    /// # Errors
    ///
    /// One line, field first: the value that a wire cannot carry.
    pub fn for_scenario(
        scenario: &PathScenario,
        (seed, replication): (u64, u64),
        address: Ipv4Addr,
        sends: bool,
        random: Stream,
    ) -> Result<Self, String> {
        if scenario.profile != Profile::Linux {
            return Err("profile: linux has this stack, others have another".to_owned());
        }
        let Some(pair) = scenario.linux_ends(seed, replication).into_iter().next() else {
            return Err("flow: missing; give at least one".to_owned());
        };
        // Headers of another length are framing here, as for the other stack.
        let mtu = check_lengths(scenario)?.into();
        let mut host = if sends { pair.sender } else { pair.receiver };
        host.environment.route = Route { mtu, ip_header: IPV4, ..host.environment.route };
        Ok(LinuxStack::new(address, host, random))
    }
}
