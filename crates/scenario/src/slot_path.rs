//! A scenario on slots in the terms of a path, for what runs real packets: its link as a hop, its TCP as
//! what comes nearest by the RFCs. What such a hop cannot say is that time is divided into slots:
//! [`SlotScenario::hops`] is the link itself.

use crate::arq::{Arq, SlotArq};
use crate::input_error::InputError;
use crate::path::{Back, HopSpec, Path, PathScenario, PathTcp, WindowSize, one_flow};
use crate::profile::Profile;
use crate::slot::SlotScenario;
use crate::stop::PathStop;
use airtcp_core::{Duration, Probability, Rate, Size, Span};
use airtcp_radio::ChannelSpec;
use airtcp_tcp::{Detection, GrowthLaw};

/// Lengths of a packet that a device for IPv4 can be told to carry, in bytes [RFC 791].
const SHORTEST: u64 = 68;
const LONGEST: u64 = 65_535;
/// IP and TCP headers without options; an ACK.
const HEADERS: Size = Size::from_bytes(40);
/// [RFC 6298 2.5]
const LONGEST_TIMEOUT: Span = Span::from_nanos(60_000_000_000);

impl SlotScenario {
    /// Checks that its packets can be those of real programs.
    ///
    /// # Errors
    /// If they are too short or too long.
    pub fn check_packets(&self) -> Result<(), InputError> {
        let bytes = self.packet_bits() / 8;
        if (SHORTEST..=LONGEST).contains(&bytes) {
            return Ok(());
        }
        let field = match &self.link.arq {
            None => "link.packet",
            Some(SlotArq { packet: Some(_), .. }) => "link.arq.packet",
            Some(_) => "link.arq.fragments",
        };
        let cut =
            if self.link.arq.is_none() { "; link.arq cuts them into shorter ones" } else { "" };
        Err(InputError::new(
            field,
            format!(
                "packets of {bytes} B: those of real programs have {SHORTEST} to {LONGEST} B{cut}"
            ),
        ))
    }

    /// The scenario in the terms of a path: its one hop, and the TCP of the RFCs with its window, its
    /// timeout as the shortest, one packet at first, no delayed ACK.
    #[must_use]
    pub fn as_path(&self) -> PathScenario {
        let time = self.slot() * self.stop.slots.cast_signed();
        PathScenario {
            title: self.title.clone(),
            profile: Profile::Rfc,
            tcp: self.path_tcp(),
            path: Path { hop: vec![self.hop()] },
            flow: one_flow(),
            stop: PathStop {
                time: Duration::from_span(time),
                warmup: Duration::from_span(self.slot() * self.stop.warmup.cast_signed()),
                batches: self.stop.batches,
                replications: self.stop.replications,
                precision: self.stop.precision.clone(),
            },
        }
    }

    fn path_tcp(&self) -> PathTcp {
        let timeout = self.slot() * i64::from(self.tcp.timeout);
        PathTcp {
            variant: self.tcp.variant,
            window: WindowSize::Packets(self.tcp.window),
            ssthresh: None,
            packet: Size::from_bytes(self.packet_bits() / 8),
            ack: HEADERS,
            dupacks: self.tcp.dupacks,
            framing: None,
            tick: None,
            boot: None,
            header: Some(HEADERS),
            growth: Some(GrowthLaw::Reno),
            spurious: Some(Detection::None),
            initial_window: Some(1),
            delayed_ack: Some(Duration::ZERO),
            limited_transmit: Some(false),
            initial_rto: Some(Duration::from_span(timeout)),
            min_rto: Some(Duration::from_span(timeout)),
            max_rto: Some(Duration::from_span(timeout.max(LONGEST_TIMEOUT))),
            probing: None,
        }
    }

    fn hop(&self) -> HopSpec {
        let loses = self.ack.loss_rate > Probability::ZERO;
        HopSpec {
            rate: self.link.rate,
            delay: Duration::ZERO,
            queue: None,
            exit: None,
            channel: Some(self.channel.clone()),
            arq: self.link.arq.as_ref().map(|arq| self.hop_arq(arq)),
            gate: None,
            drop: Vec::new(),
            delays: Vec::new(),
            back: Some(Back {
                rate: Some(Rate::FASTEST),
                delay: Some(Duration::from_span(self.ack_delay())),
                channel: loses.then(|| ChannelSpec::independent_per_packet(self.ack.loss_rate)),
                ..Back::default()
            }),
        }
    }

    fn hop_arq(&self, arq: &SlotArq) -> Arq {
        let delay = |slots: u32| Duration::from_span(self.slot() * slots.into());
        Arq {
            fragment: self.link.packet,
            overhead: None,
            attempts: arq.attempts,
            count: arq.count,
            feedback_delay: arq.feedback_delay.map(delay),
            feedback_loss: arq.feedback_loss,
            in_order: arq.in_order,
        }
    }
}
