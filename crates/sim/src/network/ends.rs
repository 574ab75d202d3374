//! Interface of the network to the two ends of a flow, whatever TCP they are: packets to carry, the fate of those that
//! arrive, and when to wake them. What happens to packets they tell the flow's [`Meter`].

use super::counts::FlowCounts;
use super::meter::FlowMeter;
use super::observer::SenderView;
use super::packet::{Carried, FlowPacket, LinkPacket, Packet};
use airtcp_core::{Instant, Span};

/// Packet of either kind on a link that everybody uses.
pub(super) type LinkPacketOf<E> = Carried<<E as Ends>::Data, <E as Ends>::Ack>;

/// Sender and receiver of a flow.
pub(super) trait Ends: Sized {
    /// Configuration of both.
    type Config;
    /// Packet that the sender hands to links.
    type Data: FlowPacket + LinkPacket<Data = Self::Data, Ack = Self::Ack>;
    /// Packet that the receiver hands to links.
    type Ack: FlowPacket + LinkPacket<Data = Self::Data, Ack = Self::Ack>;

    /// Limit on the data that the sender may send after an input, computed once per input.
    type SendAllowance: Copy;

    /// Two ends of which the sender has `amount` sequence numbers to send, `None`: without end.
    fn new(config: &Self::Config, amount: Option<u64>) -> Self;

    /// Sequence numbers per full packet.
    fn mss(config: &Self::Config) -> u32;

    /// The tick of the sender's timers, if they count in ticks.
    fn tick(config: &Self::Config) -> Option<Span>;

    /// Returns whether the application of the sender has begun.
    fn has_begun(&self) -> bool;

    /// Begins the transfer.
    fn begin(&mut self, now: Instant);

    /// The application writes `amount` more sequence numbers.
    fn write(&mut self, now: Instant, amount: u64);

    /// Returns whether everything that there is to send has been acknowledged.
    fn is_complete(&self) -> bool;

    /// Handles a timer of the sender that is due; if the retransmission timer expires, returns whether that is known
    /// to be spurious.
    fn on_sender_timer(&mut self, now: Instant, meter: &mut FlowMeter) -> Option<bool>;

    /// A timer of the receiver is due.
    fn on_receiver_timer(&mut self, now: Instant);

    /// Time at which the sender is to be woken.
    fn sender_timeout(&self) -> Instant;

    /// Time at which the receiver is to be woken.
    fn receiver_timeout(&self) -> Instant;

    /// Number of starts of the sender's timer.
    fn timer_starts(&self) -> u32;

    /// Allowance of the sender until its next input, for [`Ends::poll_data`].
    fn allowance(&mut self, now: Instant) -> Self::SendAllowance;

    /// The sender's next packet that it may send, and whether its data was sent before.
    fn poll_data(
        &mut self,
        now: Instant,
        allowance: Self::SendAllowance,
        flow: u32,
        meter: &mut FlowMeter,
    ) -> Option<(Self::Data, bool)>;

    /// The probe that is due, if there is one.
    fn poll_probe(&mut self, now: Instant, flow: u32, meter: &mut FlowMeter) -> Option<Self::Data>;

    /// Returns whether that is what `packet` is.
    fn is_probe(packet: &Self::Data) -> bool;

    /// The answer to one that arrives.
    fn answer_probe(&mut self, packet: &Self::Data, meter: &mut FlowMeter) -> Self::Ack;

    /// A packet arrives at the receiver. Returns when its data was first sent if they are new, [`Instant::NEVER`] if not,
    /// and how many expiries it shows to be spurious.
    fn on_data(
        &mut self,
        now: Instant,
        packet: &Self::Data,
        meter: &mut FlowMeter,
    ) -> (Instant, u32);

    /// The ACK that is due, if there is one; `born` is that of the new data that calls for it.
    fn poll_ack(
        &mut self,
        now: Instant,
        flow: u32,
        born: Instant,
        meter: &mut FlowMeter,
    ) -> Option<Self::Ack>;

    /// A packet arrives at the sender. Returns whether it acknowledges anything for the first time.
    fn on_ack(&mut self, now: Instant, packet: &Self::Ack, meter: &mut FlowMeter) -> bool;

    /// The packet that the retransmission timer runs for.
    fn timed_packet(&self, flow: u32) -> Packet;

    /// Add the counts that the ends keep themselves to those of `meter`.
    fn add_counts(&self, counts: &mut FlowCounts, meter: &FlowMeter);

    /// The sender, for those who look.
    fn sender_view(&self) -> SenderView<'_>;
}
