//! `TCP_INFO` by the names of its fields [rules/sockets.md D].

use super::{Connection, State};
use crate::clock::TimeInUnits;

impl Connection {
    /// A field of `TCP_INFO`, or none of that name.
    #[must_use]
    pub fn tcp_info_field(&self, now: TimeInUnits, field: &str) -> Option<i128> {
        let peer = self.handshake.peer;
        Some(match field {
            "tcpi_state" if self.fast_open.open_before_ack && self.state == State::Established => {
                State::SynReceived.number().into()
            }
            "tcpi_state" => self.state.number().into(),
            "tcpi_options" => self.tcpi_options().into(),
            "tcpi_snd_wscale" => peer.scale.unwrap_or(0).into(),
            "tcpi_pmtu" => self.route.mtu.into(),
            "tcpi_segs_out" => self.counts.segments_sent.into(),
            "tcpi_segs_in" => self.counts.segments_received.into(),
            "tcpi_data_segs_out" => self.counts.data_segments_sent.into(),
            "tcpi_data_segs_in" => self.counts.data_segments_received.into(),
            "tcpi_fackets" => 0,
            _ => {
                let received = self.receiver.information(now, field);
                return received.or_else(|| self.sender.information(now, field));
            }
        })
    }

    /// The bits of `tcpi_options`.
    fn tcpi_options(&self) -> u8 {
        let peer = self.handshake.peer;
        let bits = [
            (self.stamps.is_enabled, 1),
            (peer.sack, 2),
            (peer.scale.is_some(), 4),
            (self.handshake.ecn, 8),
            (self.receiver.seen_ect(), 16),
            (self.fast_open.data_accepted, 32),
        ];
        bits.iter().filter(|(set, _)| *set).map(|(_, bit)| bit).sum()
    }
}
