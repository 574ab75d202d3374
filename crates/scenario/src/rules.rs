//! Rules between the values of a packet-level scenario, which no single value can show.

use crate::hop_checks::check_hop;
use crate::input_error::InputError;
use crate::live::Live;
use crate::path::{Flow, PathScenario};
use crate::profile::PathTcp;
use crate::transport::{KeyPath, Sizes, WindowSize};
use crate::variants::check_variant;
use airtcp_core::Size;

impl PathScenario {
    /// Checks the rules between values, which no single value can show.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn validate(&self) -> Result<(), InputError> {
        self.check_tcp(&self.tcp, KeyPath(&|key| format!("tcp.{key}")))?;
        self.check_nodes()?;
        self.check_traffic()?;
        self.live.as_deref().map_or(Ok(()), Live::validate)?;
        for (i, hop) in self.path.hop.iter().enumerate() {
            check_hop(hop, &format!("path.hop[{i}]"), self.stop.time)?;
        }
        self.check_forced()?;
        self.check_queues()?;
        self.check_slots()?;
        for (i, flow) in self.flow.iter().enumerate() {
            self.check_flow(flow, &format!("flow[{i}]"))?;
        }
        self.stop.validate(self.flow_count())
    }

    fn check_flow(&self, flow: &Flow, place: &str) -> Result<(), InputError> {
        let tcp = self.tcp_of(flow);
        if flow.own.is_some() {
            check_given_once(flow, place)?;
            let key = |key: &str| flow_key_path(flow, place, key);
            let keys = KeyPath(&key);
            self.check_tcp(tcp, keys)?;
            self.check_fits(tcp, &keys.key("packet"))?;
        }
        if let Some(size) = flow.size {
            self.check_size(flow, size, place)?;
        }
        self.check_transfers(flow, place)?;
        let packets =
            flow.size.map(|size| size.bytes().div_ceil(tcp.numbers_per_packet())).or(flow.packets);
        match (packets, flow.milestone) {
            (Some(packets), Some(milestone)) if milestone > packets => Err(InputError::new(
                format!("{place}.milestone"),
                format!("{milestone} is beyond the end of the flow, which has {packets} packets"),
            )),
            _ => Ok(()),
        }
    }

    fn check_tcp(&self, tcp: &PathTcp, place: KeyPath<'_>) -> Result<(), InputError> {
        if let Some(recovery) = tcp.recovery() {
            check_variant(self.profile, recovery.variant, &place.key("variant"))?;
        }
        tcp.transport().check(place)?;
        self.check_window(tcp, &place.key("window"))
    }

    fn check_window(&self, tcp: &PathTcp, place: &str) -> Result<(), InputError> {
        let Sizes { window, header, .. } = tcp.sizes();
        match window {
            WindowSize::Bytes(size) if header.is_none() => {
                Err(InputError::new(place, self.size_refusal(size)))
            }
            WindowSize::Bytes(size) if size.bytes() < tcp.numbers_per_packet() => {
                let message =
                    format!("{size} holds no full packet: at least {}B", tcp.numbers_per_packet());
                Err(InputError::new(place, message))
            }
            _ => tcp.transport().check_window(place),
        }
    }

    fn size_refusal(&self, size: Size) -> String {
        let name = self.profile.entry().name;
        format!("{size} is a size, but profile {name} counts packets; give a whole number")
    }

    fn check_size(&self, flow: &Flow, size: Size, place: &str) -> Result<(), InputError> {
        let place = format!("{place}.size");
        if self.tcp_of(flow).headers().is_none() {
            let message = format!("{}, as flow.packets", self.size_refusal(size));
            return Err(InputError::new(place, message));
        }
        if flow.packets.is_some() {
            return Err(InputError::new(place, "give either this or packets"));
        }
        Ok(())
    }
}

/// Path of a key of the transport of `flow`, which is at `place`.
fn flow_key_path(flow: &Flow, place: &str, key: &str) -> String {
    let is_short = ["variant", "window"].contains(&key) && !flow.gives_tcp_key(key);
    if is_short { format!("{place}.{key}") } else { format!("{place}.tcp.{key}") }
}

/// Refuses a flow that gives a key of its transport at two places.
fn check_given_once(flow: &Flow, place: &str) -> Result<(), InputError> {
    let given = [("variant", flow.variant.is_some()), ("window", flow.window.is_some())];
    match given.iter().find(|(key, is_given)| *is_given && flow.gives_tcp_key(key)) {
        Some((key, _)) => {
            let message = format!("give either this or {place}.tcp.{key}");
            Err(InputError::new(format!("{place}.{key}"), message))
        }
        None => Ok(()),
    }
}
