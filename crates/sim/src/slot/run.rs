//! One run of a scenario: one seed, one replication, one row per part.

use super::connection::Connection;
use super::event_loop::run_until;
use airtcp_core::{Cancel, Instant, Span, Stage, Stream, counts};
use airtcp_radio::channel::{Spec, SpecError};
use airtcp_radio::{ArqCounters, ArqHop, Channel, ChannelSpec, HopConfig, Link, MAX_HELD, Process};
use airtcp_scenario::SlotScenario;
use airtcp_tcp::{Receiver, ReceiverConfig, SackConfig, Segment, Sender};

/// An ACK's length on the air: 40 bytes. It takes no airtime on the idealised way back.
const ACK_BITS: u64 = 320;

counts! {
    /// Counts of a part of a run.
    pub struct SlotCounts {
        /// Slots that passed.
        slots: u64, sum => ["slots" sum: slots];
        /// Packets that the sender transmitted, each in a slot, or in one per fragment.
        transmissions: u64, sum => ["transmissions" sum: transmissions];
        /// Packets that reached the receiver for the first time.
        deliveries: u64, sum => ["deliveries" sum: deliveries];
        /// Arrivals of packets that the receiver had already.
        duplicates: u64, sum => ["duplicates" sum: duplicates];
        /// Packets handed to the application, in order.
        in_order: u64, sum => ["in_order" sum: in_order];
        /// Retransmission timeouts.
        timeouts: u64, sum => ["timeouts" sum: timeouts];
        /// Fast retransmits.
        fast_retransmits: u64, sum => ["fast_retransmits" sum: fast_retransmits];
        /// Transmissions of a link layer that retransmits: a table of its own.
        link: ArqCounters, sum => [];
    }
}

/// Runs replication `replication` of `scenario` under `seed`; returns the counts of each part in order of time, `None`
/// if cancelled.
///
/// # Errors
/// If the channel's values contradict each other, or if more is held than fits; the field is the path.
pub fn run(
    scenario: &SlotScenario,
    seed: u64,
    replication: u64,
    cancel: &Cancel,
) -> Result<Option<Vec<SlotCounts>>, SpecError> {
    let stream = |name: &str| Stream::new(seed, name, replication);
    let channel = scenario.channel.build(scenario.slot(), stream("flow0/down/channel"));
    let mut channel = channel.map_err(|e| e.within("channel"))?;
    channel.watch(cancel);
    let acks = ack_channel(scenario, stream("flow0/up/channel"))?;
    Ok(match &scenario.link.arq {
        None => {
            let data = Link::new(Some(scenario.link.rate), Span::ZERO, channel);
            count_parts(&mut connect_ends(scenario, data, acks), scenario, cancel)
        }
        Some(arq) => {
            let feedback = stream("flow0/down/feedback");
            let arq = arq.config(scenario.link.packet, scenario.slot(), feedback);
            let hop = HopConfig { channel, ..HopConfig::new(scenario.link.rate, Span::ZERO) };
            let mut data = ArqHop::new(hop, arq);
            data.watch(cancel);
            let mut connection = connect_ends(scenario, data, acks);
            let parts = count_parts(&mut connection, scenario, cancel);
            if connection.data.is_full() {
                return Err(too_many_outstanding_error());
            }
            parts
        }
    })
}

fn too_many_outstanding_error() -> SpecError {
    let message = format!(
        "more than {MAX_HELD} packets and fragments to be sent again, which is more than a run may hold: a \
         smaller window, fewer fragments, or a shorter feedback_delay"
    );
    SpecError::new("link.arq", message)
}

/// A way for data packets whose link layer may keep counts.
trait DataLink: Stage<Segment> {
    fn arq_counters(&self) -> ArqCounters {
        ArqCounters::default()
    }
}

impl DataLink for WirelessLink {}

impl DataLink for ArqHop<Segment> {
    fn arq_counters(&self) -> ArqCounters {
        self.arq_counters(0)
    }
}

fn count_parts<D: DataLink>(
    connection: &mut Connection<D, WirelessLink>,
    scenario: &SlotScenario,
    cancel: &Cancel,
) -> Option<Vec<SlotCounts>> {
    let mut parts = Vec::with_capacity(scenario.stop.batches as usize);
    let mut next = Instant::START;
    let mut before = None;
    for slots in scenario.stop.part_ends() {
        let end = Instant::START + scenario.slot() * slots.cast_signed();
        next = run_until(connection, next, end, cancel)?;
        let counted = outcome_so_far(connection, slots);
        // The first mark is the end of the warm-up.
        parts.extend(before.map(|before| counted.since(&before)));
        before = Some(counted);
    }
    Some(parts)
}

/// Counts from the start.
fn outcome_so_far<D: DataLink, A>(connection: &Connection<D, A>, slots: u64) -> SlotCounts {
    let counters = connection.sender.counters();
    SlotCounts {
        slots,
        transmissions: counters.transmissions,
        deliveries: connection.receiver.new_packets(),
        duplicates: connection.receiver.duplicates(),
        in_order: connection.receiver.next_expected(),
        timeouts: counters.timeouts,
        fast_retransmits: counters.fast_retransmits,
        link: connection.data.arq_counters(),
    }
}

type WirelessLink = Link<Segment, Process>;

fn connect_ends<D>(
    scenario: &SlotScenario,
    data: D,
    acks: WirelessLink,
) -> Connection<D, WirelessLink> {
    let mut sender = Sender::new(&scenario.sender()).expect("validated");
    let window = scenario.tcp.window.into();
    let sack = scenario.tcp.variant.capabilities().sacks.then_some(SackConfig::RFC2018);
    sender.write(u64::MAX);
    let receiver = Receiver::new(&ReceiverConfig::immediate(window, ACK_BITS, sack));
    Connection { sender, receiver, data, acks }
}

/// Lost ACKs are independent of each other: one draw per ACK.
fn ack_channel(scenario: &SlotScenario, stream: Stream) -> Result<WirelessLink, SpecError> {
    let (slot, loss_rate) = (scenario.slot(), scenario.ack.loss_rate);
    let channel = if loss_rate.value() == 0.0 {
        Process::Perfect
    } else {
        ChannelSpec::independent_per_packet(loss_rate).build(slot, stream)?
    };
    Ok(Link::new(None, slot * i64::from(scenario.ack.delay), channel))
}
