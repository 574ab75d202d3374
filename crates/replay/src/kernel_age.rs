//! Rules in which older kernels differ, tried if the capture allows an older kernel.

use crate::setup::Setup;
use crate::trace::{Event, Trace};

/// An age of Linux, by the rules in which it differs from the one that our sender follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct KernelAge {
    /// Tails are not probed: before 3.10.
    pub without_tail_probes: bool,
    /// Initial window in packets [RFC 3390]: before 2.6.39.
    pub small_initial_window: Option<u32>,
    /// The device cuts no bursts, so that none is held back until it is larger: before 4.17.
    pub without_offload: bool,
    /// Buffers keep 320 bytes for headers, as where wireless devices are configured, and not 256: the send buffer of full
    /// segments begins and grows twice as large [crates/linux/rules/sockets.md rule 1].
    pub large_headers: bool,
}

/// Largest burst where buffers keep 320 bytes for headers.
const LARGE_HEADER_BURST: u32 = 65_215;

/// Largest SYN window of kernels before 4.20; later kernels advertise 64 KiB.
const OLD_WINDOW: u16 = 29_200;

impl KernelAge {
    /// Candidate kernels, first the one that our sender follows. Older ones are added after losses or where a probe was
    /// due, after a small initial flight, and if the first window is that of an older kernel.
    pub(crate) fn candidates(trace: &Trace) -> Vec<KernelAge> {
        let ours = KernelAge::default();
        let mut all = vec![ours];
        if has_losses(trace) || is_silent(trace) {
            all.push(KernelAge { without_tail_probes: true, ..ours });
        }
        let small = if trace.mss() > SMALL_WINDOW_MSS { 3 } else { 4 };
        if first_flight(trace) == Some(small) {
            all.push(KernelAge {
                without_tail_probes: true,
                small_initial_window: Some(small),
                ..ours
            });
        }
        if trace.first_window <= OLD_WINDOW && !trace.sends_bursts {
            all.extend(
                all.clone().into_iter().map(|kernel| KernelAge { without_offload: true, ..kernel }),
            );
        }
        all
    }

    /// This kernel, and the same kernel with more space for headers.
    pub(crate) fn with_header_sizes(self) -> [KernelAge; 2] {
        [self, KernelAge { large_headers: true, ..self }]
    }

    pub(crate) fn apply(self, setup: &mut Setup) {
        if self.large_headers {
            setup.options.gso_max_size = LARGE_HEADER_BURST;
        }
        if self.without_tail_probes {
            setup.sysctl.tcp_recovery = 0;
            setup.sysctl.tcp_early_retrans = 0;
        }
        if self.without_offload {
            setup.options.gso_max_segs = 1;
        }
        setup.initial_window = self.small_initial_window.or(setup.initial_window);
        setup.kernel = self;
    }

    /// Words of a replay for the kernel.
    pub(crate) fn description(self) -> Vec<String> {
        let mut lines = vec![];
        match self.small_initial_window {
            Some(packets) => lines.push(format!(
                "the sender is a Linux before 2.6.39: {packets} packets to begin with, no probes for lost tails"
            )),
            None if self.without_tail_probes => {
                lines.push("the sender is a Linux before 3.10: no probes for lost tails".to_owned());
            }
            None => {}
        }
        if self.without_offload {
            lines.push(
                "the sender is a Linux before 4.17 whose device cuts no bursts, so that none waits for more"
                    .to_owned(),
            );
        }
        if self.large_headers {
            lines.push("buffers of the sender's kernel keep 320 bytes for headers".to_owned());
        }
        lines
    }
}

/// Largest MSS for which the initial window is four packets [RFC 3390].
const SMALL_WINDOW_MSS: u32 = 1095;

/// Number of packets before the first ACK, if all but the last are full and more data followed.
fn first_flight(trace: &Trace) -> Option<u32> {
    let mut flight = 0;
    for event in &trace.events {
        match event {
            Event::Sent(sent) if sent.len == trace.mss() => flight += 1,
            Event::Arrived(arrived) if arrived.ack > 1 => {
                return trace.sent_segments().nth(flight as usize).map(|_| flight);
            }
            Event::Sent(_) => return None,
            Event::Arrived(_) => {}
        }
    }
    None
}

/// Returns true if the sender was silent for two round trips with data outstanding; recent kernels send a tail loss
/// probe then.
fn is_silent(trace: &Trace) -> bool {
    let rtt = trace.establishment.rtt_us.unwrap_or(0) as i64 * 1000;
    let (mut end, mut acked) = (1, 1);
    trace.events.windows(2).any(|pair| {
        match &pair[0] {
            Event::Sent(sent) => {
                end = end.max(sent.seq + u64::from(sent.len) + u64::from(sent.fin));
            }
            Event::Arrived(arrived) => acked = acked.max(arrived.ack),
        }
        acked < end && pair[1].time().saturating_sub(pair[0].time()) > 2 * rtt
    })
}

/// Returns true if data were retransmitted or reported missing.
fn has_losses(trace: &Trace) -> bool {
    let mut highest = 0;
    trace.events.iter().any(|event| match event {
        Event::Arrived(arrived) => arrived.blocks > 0,
        Event::Sent(sent) => {
            let is_old = sent.len > 0 && sent.seq < highest;
            highest = highest.max(sent.seq + u64::from(sent.len));
            is_old
        }
    })
}

#[cfg(test)]
#[path = "../tests/common/mod.rs"]
mod common;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Connections;

    const RECENT: KernelAge = KernelAge {
        without_tail_probes: false,
        small_initial_window: None,
        without_offload: false,
        large_headers: false,
    };
    const UNPROBED: KernelAge = KernelAge { without_tail_probes: true, ..RECENT };

    use super::common::{MSS, Packet, RTT, handshake, pcap, slow_start};

    fn kernels(packets: &[Packet]) -> Vec<KernelAge> {
        let bytes = pcap(packets, 65_535);
        let connections = Connections::read(&bytes).unwrap();
        let senders = connections.data_directions(None).unwrap();
        KernelAge::candidates(
            &Trace::from_connection(&connections.connection(&senders[0])).unwrap(),
        )
    }

    #[test]
    fn ten_packets_without_a_loss_are_of_a_recent_kernel() {
        assert_eq!(kernels(&slow_start(MSS, MSS, 60)), [RECENT]);
    }

    #[test]
    fn three_packets_to_begin_with_may_be_of_an_old_one() {
        let mut packets = handshake(MSS, MSS);
        let of_sender =
            |at: u32| Packet::of_sender(RTT + u64::from(at), 1 + at * u32::from(MSS), MSS);
        packets.extend((0..3).map(of_sender));
        packets.push(Packet::of_receiver(2 * RTT, 1 + u32::from(MSS)));
        packets.push(Packet { us: 2 * RTT + 20, ..of_sender(3) });
        assert_eq!(
            kernels(&packets),
            [RECENT, KernelAge { small_initial_window: Some(3), ..UNPROBED }]
        );
    }

    #[test]
    fn a_tail_that_is_not_probed_may_be_of_an_older_one() {
        let mut packets = slow_start(MSS, MSS, 60);
        let last = packets.iter().rfind(|packet| packet.out).unwrap().clone();
        packets.push(Packet::of_receiver(last.us + 3 * RTT, last.seq + u32::from(MSS)));
        assert_eq!(kernels(&packets), [RECENT, UNPROBED]);
    }

    #[test]
    fn what_comes_back_may_be_of_an_older_one() {
        let mut packets = slow_start(MSS, MSS, 60);
        let last = packets.last().unwrap().clone();
        packets.push(Packet { us: last.us + 300_000, ..last });
        assert_eq!(kernels(&packets), [RECENT, UNPROBED]);
    }
}
