//! Interface of the network to the two ends of a flow, whatever TCP they are: packets to carry, the fate of those that
//! arrive, and when to wake them. They report the fate of packets to the flow's [`FlowMeter`].

use super::counts::FlowCounts;
use super::meter::FlowMeter;
use super::observer::SenderView;
use super::packet::{Carried, FlowPacket, LinkPacket, Packet};
use airtcp_core::{Instant, Span};

/// Data packet, ACK or cross-traffic on a link that all of them use.
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

    /// Two ends; the sender has `amount` sequence numbers to send, or data without end (`None`).
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

    /// Returns whether all data of the transfer are acknowledged.
    fn is_complete(&self) -> bool;

    /// Handles a timer of the sender that is due; if the retransmission timer expires, returns whether that is known
    /// to be spurious.
    fn on_sender_timer(&mut self, now: Instant, meter: &mut FlowMeter) -> Option<bool>;

    /// A timer of the receiver is due.
    fn on_receiver_timer(&mut self, now: Instant);

    /// Expiry of the sender's next timer.
    fn sender_timeout(&self) -> Instant;

    /// Expiry of the receiver's next timer.
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

    /// Returns whether `packet` is a probe.
    fn is_probe(packet: &Self::Data) -> bool;

    /// The answer to a probe that arrives.
    fn answer_probe(&mut self, packet: &Self::Data, meter: &mut FlowMeter) -> Self::Ack;

    /// A packet arrives at the receiver. Returns when its data was first sent if they are new, [`Instant::NEVER`] if not,
    /// and how many expiries it shows to be spurious.
    fn on_data(
        &mut self,
        now: Instant,
        packet: &Self::Data,
        meter: &mut FlowMeter,
    ) -> (Instant, u32);

    /// The ACK that is due, if any; `born` is the time at which the data that triggered it were first sent.
    fn poll_ack(
        &mut self,
        now: Instant,
        flow: u32,
        born: Instant,
        meter: &mut FlowMeter,
    ) -> Option<Self::Ack>;

    /// A packet arrives at the sender. Returns whether it acknowledges anything for the first time.
    fn on_ack(&mut self, now: Instant, packet: &Self::Ack, meter: &mut FlowMeter) -> bool;

    /// The packet for which the retransmission timer runs.
    fn timed_packet(&self, flow: u32) -> Packet;

    /// Adds the counts kept by the ends to those of `meter`.
    fn add_counts(&self, counts: &mut FlowCounts, meter: &FlowMeter);

    /// State of the sender, for observers.
    fn sender_view(&self) -> SenderView<'_>;
}
