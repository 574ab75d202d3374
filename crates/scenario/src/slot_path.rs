//! Conversion of a scenario on slots to a path, for engines that run real packets: its link becomes a slotted hop,
//! which has the same sample path under the same seed, and its TCP the nearest one by the RFCs.

use crate::arq::{Arq, SlotArq};
use crate::direction::DirectionSpec;
use crate::hop::HopSpec;
use crate::input_error::InputError;
use crate::path::{Path, PathScenario, one_flow};
use crate::profile::{PathTcp, Profile, write_over};
use crate::slot::SlotScenario;
use crate::stop::PathStop;
use airtcp_core::{Duration, Probability, Rate, Size, Span};
use airtcp_radio::ChannelSpec;
use airtcp_radio::channel::Iid;
use airtcp_tcp::{RuleSource, Variant};
use serde_json::json;

/// Lengths of a packet that a device for IPv4 can be set to carry, in bytes [RFC 791].
const MIN_PACKET: u64 = 68;
const MAX_PACKET: u64 = 65_535;
/// IP and TCP headers without options; an ACK.
const HEADERS: Size = Size::from_bytes(40);
/// [RFC 6298 2.5]
const LONGEST_TIMEOUT: Span = Span::from_nanos(60_000_000_000);

impl SlotScenario {
    /// The scenario as a path: its one hop, and the TCP of the RFCs with its window, its timeout as the
    /// shortest, one packet at first, no delayed ACK. `OldTahoe`, which the RFCs do not have, becomes Tahoe.
    ///
    /// # Errors
    /// If real programs cannot send such packets.
    pub fn to_path(&self) -> Result<PathScenario, InputError> {
        self.check_packets()?;
        Ok(PathScenario {
            title: self.title.clone(),
            profile: Profile::Rfc,
            case: self.case.clone(),
            tcp: self.path_tcp()?,
            path: Path { hop: vec![self.hop()] },
            flow: one_flow(),
            traffic: Vec::new(),
            live: None,
            stop: PathStop {
                time: self.duration_of_slots(self.stop.slots),
                warmup: self.duration_of_slots(self.stop.warmup),
                batches: self.stop.batches,
                replications: self.stop.replications,
                precision: None,
            },
        })
    }

    fn check_packets(&self) -> Result<(), InputError> {
        let bytes = self.packet_bits() / 8;
        let field = match &self.link.arq {
            None => "link.packet",
            Some(SlotArq { packet: Some(_), .. }) => "link.arq.packet",
            Some(_) => "link.arq.fragments",
        };
        if bytes < self.link.packet.bytes() {
            let message =
                format!("{bytes} B do not fill a fragment: at least {}", self.link.packet);
            return Err(InputError::new(field, message));
        }
        if (MIN_PACKET..=MAX_PACKET).contains(&bytes) {
            return Ok(());
        }
        let cut = if field == "link.packet" { "; link.arq cuts them into fragments" } else { "" };
        let message = format!(
            "packets of {bytes} B cannot carry the traffic of real programs (allowed: {MIN_PACKET} to {MAX_PACKET} B){cut}"
        );
        Err(InputError::new(field, message))
    }

    fn duration_of_slots(&self, slots: u64) -> Duration {
        Duration::from_span(self.slot() * slots.cast_signed())
    }

    /// The transport of profile `rfc`, with the values of the transport on slots in place of its own.
    fn path_tcp(&self) -> Result<PathTcp, InputError> {
        let timeout = self.duration_of_slots(self.tcp.timeout.into());
        let longest = Duration::from_span(LONGEST_TIMEOUT);
        let own = self.tcp.variant;
        let variant = if Variant::with_rules_of(RuleSource::Rfc).any(|v| v == own) {
            own
        } else {
            own.without_fast_recovery()
        };
        let mut tcp = Profile::Rfc.default_values()["tcp"].take();
        let keys = json!({
            "variant": variant,
            "window": self.tcp.window,
            "packet": Size::from_bytes(self.packet_bits() / 8),
            "ack": HEADERS,
            "header": HEADERS,
            "dupacks": self.tcp.dupacks,
            "initial_window": 1,
            "delayed_ack": Duration::ZERO,
            "limited_transmit": false,
            "initial_rto": timeout,
            "min_rto": timeout,
            "max_rto": timeout.max(longest),
        });
        write_over(&mut tcp, keys);
        Profile::Rfc.read_tcp(&tcp).map_err(|error| InputError::new("tcp", error.to_string()))
    }

    fn hop(&self) -> HopSpec {
        let loss_rate = self.ack.loss_rate;
        let loses = loss_rate > Probability::ZERO;
        HopSpec {
            near: None,
            far: None,
            link: None,
            forward: DirectionSpec {
                rate: Some(self.link.rate),
                delay: Some(Duration::ZERO),
                channel: Some(self.channel.clone()),
                arq: self.link.arq.as_ref().map(|arq| self.hop_arq(arq)),
                ..DirectionSpec::default()
            },
            slotted: true,
            gate: None,
            back: Some(DirectionSpec {
                rate: Some(Rate::MAX),
                delay: Some(self.duration_of_slots(self.ack.delay.into())),
                channel: loses.then_some(ChannelSpec::Iid(Iid { loss_rate })),
                ..DirectionSpec::default()
            }),
        }
    }

    fn hop_arq(&self, arq: &SlotArq) -> Arq {
        Arq {
            fragment: self.link.packet,
            overhead: None,
            attempts: arq.attempts,
            count: arq.count,
            feedback_delay: arq.feedback_delay.map(|slots| self.duration_of_slots(slots.into())),
            feedback_loss: arq.feedback_loss,
            in_order: arq.in_order,
        }
    }
}
