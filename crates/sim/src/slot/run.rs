//! One run of a scenario: one seed, one replication, one row.

use super::connection::Connection;
use super::event_loop::drive;
use airtcp_core::{Instant, Span, Stream};
use airtcp_radio::channel::{Spec, SpecError};
use airtcp_radio::{ChannelSpec, Link, Process};
use airtcp_scenario::SlotScenario;
use airtcp_tcp::{Receiver, ReceiverConfig, SackConfig, Sender, Variant};
use std::sync::atomic::AtomicBool;

/// An ACK's length on the air: 40 bytes. It takes no airtime on the idealised way back.
const ACK_BITS: u64 = 320;

/// What was counted in one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Slots that passed.
    pub slots: u64,
    /// Slots in which the sender transmitted.
    pub transmissions: u64,
    /// Packets that reached the receiver for the first time.
    pub deliveries: u64,
    /// Arrivals of packets that the receiver had already.
    pub duplicates: u64,
    /// Packets handed to the application, in order.
    pub in_order: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Fast retransmits.
    pub fast_retransmits: u64,
}

impl Outcome {
    /// The columns of a table of runs.
    pub const NAMES: &'static [&'static str] = &[
        "slots",
        "transmissions",
        "deliveries",
        "duplicates",
        "in_order",
        "timeouts",
        "fast_retransmits",
    ];

    /// The values in that order.
    #[must_use]
    pub fn values(&self) -> Vec<i64> {
        let counted = [
            self.slots,
            self.transmissions,
            self.deliveries,
            self.duplicates,
            self.in_order,
            self.timeouts,
            self.fast_retransmits,
        ];
        counted.map(u64::cast_signed).to_vec()
    }
}

/// Runs replication `replication` of `scenario` under `seed`; `None` if cancelled.
///
/// # Errors
/// If the channel's values contradict each other.
pub fn run(
    scenario: &SlotScenario,
    seed: u64,
    replication: u64,
    cancel: &AtomicBool,
) -> Result<Option<Outcome>, SpecError> {
    let mut connection = connect(scenario, seed, replication)?;
    let end = Instant::START + scenario.slot() * scenario.stop.slots.cast_signed();
    if !drive(&mut connection, end, cancel) {
        return Ok(None);
    }
    let counters = connection.sender.counters();
    Ok(Some(Outcome {
        slots: scenario.stop.slots,
        transmissions: counters.transmissions,
        deliveries: connection.receiver.distinct(),
        duplicates: connection.receiver.duplicates(),
        in_order: connection.receiver.next_expected(),
        timeouts: counters.timeouts,
        fast_retransmits: counters.fast_retransmits,
    }))
}

type WirelessLink = Link<airtcp_tcp::Segment, Process>;

fn connect(
    scenario: &SlotScenario,
    seed: u64,
    replication: u64,
) -> Result<Connection<WirelessLink, WirelessLink>, SpecError> {
    let slot = scenario.slot();
    let down = Stream::new(seed, "flow0/down/channel", replication);
    let up = Stream::new(seed, "flow0/up/channel", replication);
    let channel = scenario.channel.build(slot, down)?;
    let mut sender = Sender::new(&scenario.sender()).expect("validated");
    let window = scenario.tcp.window.into();
    let sack = (scenario.tcp.variant == Variant::Sack).then_some(SackConfig::RFC2018);
    sender.offer(u64::MAX);
    Ok(Connection {
        sender,
        receiver: Receiver::new(&ReceiverConfig::immediate(window, ACK_BITS, sack)),
        data: Link::new(Some(scenario.link.rate), Span::ZERO, channel),
        acks: Link::new(None, slot * i64::from(scenario.ack.delay), ack_channel(scenario, up)?),
    })
}

/// Lost ACKs are independent of each other: one draw per ACK.
fn ack_channel(scenario: &SlotScenario, stream: Stream) -> Result<Process, SpecError> {
    let loss_rate = scenario.ack.loss_rate;
    if loss_rate.get() == 0.0 {
        return Ok(Process::Perfect);
    }
    ChannelSpec::independent_per_packet(loss_rate).build(scenario.slot(), stream)
}
