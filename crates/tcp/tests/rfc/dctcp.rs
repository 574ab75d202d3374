//! RFC 8257, worked by hand: the average of marks, what an echo leaves of the window, and what the receiver echoes.

use crate::rfc::rounds::avoiding;
use crate::rfc::script::{MSS, ms};
use airtcp_core::{Instant, Span};
use airtcp_tcp::{Receiver, ReceiverConfig, Sack, Sender, SenderConfig};

fn at(n: i64) -> Instant {
    Instant::START + ms(n)
}

/// A sender that is acknowledged packet by packet, 100 ms after all it may send was sent.
pub(crate) struct Acked {
    pub(crate) sender: Sender,
    packets: u64,
}

impl Acked {
    pub(crate) fn new(growth: &str, window: u32) -> Self {
        let config = SenderConfig { ecn: true, ..avoiding(growth, window) };
        let mut sender = Sender::new(&config).expect("a variant");
        sender.write(u64::MAX);
        let mut acked = Acked { sender, packets: 0 };
        acked.send(0);
        acked
    }

    fn send(&mut self, time: i64) {
        while self.sender.poll_data(at(time)).is_some() {}
    }

    /// ACKs of so many packets, marked or not; the window after them, in segments.
    pub(crate) fn ack(&mut self, time: i64, packets: u64, marked: bool) -> f64 {
        for _ in 0..packets {
            self.packets += 1;
            let next = self.packets * u64::from(MSS);
            if marked {
                self.sender.on_marked_ack(at(time), next, &Sack::default(), 0);
            } else {
                self.sender.on_ack(at(time), next, &Sack::default(), 0);
            }
            self.send(time);
        }
        self.window()
    }

    pub(crate) fn window(&self) -> f64 {
        self.sender.view().cwnd.to_f64() / f64::from(MSS)
    }
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} and {expected}");
}

/// `alpha = 15/16` after the first ACK. The ACK of packet 17 ends the window of the first 16, of which one was marked:
/// `alpha = 15/16 * 15/16 + 1/16 * 1/16`.
#[test]
fn an_echo_leaves_the_window_less_half_of_the_share_of_marks() {
    let mut flow = Acked::new("dctcp", 16);
    assert_eq!(flow.ack(100, 16, false), 17.0);
    let alpha = (15.0 * 15.0 + 1.0) / 256.0;
    close(flow.ack(200, 1, true), 17.0 * (1.0 - alpha / 2.0));
}

#[test]
fn it_answers_once_per_window_of_data() {
    let mut flow = Acked::new("dctcp", 16);
    flow.ack(100, 16, false);
    let reduced = flow.ack(200, 1, true);
    assert_eq!(flow.ack(200, 15, true), reduced, "echoes of one window of data");
    assert!(flow.ack(300, 2, true) < reduced);
}

/// With all bytes marked alpha tends to 1 and an echo halves, with none to 0; a loss halves whatever alpha is.
#[test]
fn the_share_is_averaged_with_weight_of_a_sixteenth() {
    let mut flow = Acked::new("dctcp", 10);
    for round in 1..200 {
        let (packets, marked) = (flow.window() as u64, round > 150);
        flow.ack(100 * round, packets, marked);
    }
    assert_eq!(flow.window(), 2.0, "marks alone: down to two segments");
    let mut calm = Acked::new("dctcp", 10);
    for round in 1..=40 {
        calm.ack(100 * round, calm.window() as u64, false);
    }
    let before = calm.window();
    let left = calm.ack(5000, 1, true) / before;
    assert!((0.95..1.0).contains(&left), "(15/16)^40 / 2 is .04: {left}");
}

#[test]
fn a_loss_halves() {
    let mut flow = Acked::new("dctcp", 16);
    flow.ack(100, 16, false);
    flow.sender.on_timer(flow.sender.poll_timeout());
    let threshold = flow.sender.view().ssthresh.to_f64();
    assert_eq!(threshold, 8.5 * f64::from(MSS));
}

/// Section 3.2: the ACK that waits says what it answers, and the next one what differs.
#[test]
fn an_ack_that_waits_leaves_before_a_packet_that_differs() {
    let receive = |exact_marks| {
        let mut receiver = Receiver::new(&ReceiverConfig {
            delayed_ack: Span::from_nanos(100_000_000),
            exact_marks,
            ..ReceiverConfig::immediate(64, 320, None)
        });
        let packets = [false, true, true, true, false, false, false, true];
        let mut acks = Vec::new();
        for (seq, marked) in packets.into_iter().enumerate() {
            receiver.on_marks(marked, false);
            receiver.on_data(at(0), seq as u64, 1, 0);
            acks.extend(std::iter::from_fn(|| receiver.poll_ack()));
        }
        acks.into_iter().map(|ack| (ack.next, ack.marked)).collect::<Vec<_>>()
    };
    let exact = [(1, false), (3, true), (4, true), (6, false), (7, false)];
    assert_eq!(receive(true), exact);
    assert_eq!(receive(false), [(2, true), (4, true), (6, true), (8, true)]);
}
