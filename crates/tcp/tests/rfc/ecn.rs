//! RFC 3168, section 6.1: what an echo of a mark does to the window, and what the receiver echoes.

use crate::rfc::script::{MSS, config, ms};
use airtcp_core::{Ecn, Instant};
use airtcp_tcp::{
    CongestionSpec, Data, Receiver, ReceiverConfig, Sack, Sender, SenderConfig, Variant,
};

fn sender(ecn: bool) -> Sender {
    let mut sender =
        Sender::new(&SenderConfig { ecn, ..config(Variant::Sack) }).expect("a variant");
    sender.write(u64::MAX);
    sender
}

fn at(n: i64) -> Instant {
    Instant::START + ms(n)
}

/// All that it may send, as numbers of packets with C where one confirms a reduction.
fn send(sender: &mut Sender, now: Instant) -> String {
    let shown = |data: Data| {
        let confirms = if data.cwr { "C" } else { "" };
        format!("{}{confirms}", data.seq / u64::from(MSS))
    };
    let all = std::iter::from_fn(|| sender.poll_data(now)).map(shown);
    all.collect::<Vec<_>>().join(" ")
}

fn ack(sender: &mut Sender, now: Instant, packets: u64, marked: bool) -> String {
    let next = packets * u64::from(MSS);
    if marked {
        sender.on_marked_ack(now, next, &Sack::default(), 0);
    } else {
        sender.on_ack(now, next, &Sack::default(), 0);
    }
    send(sender, now)
}

fn window(sender: &Sender) -> u64 {
    sender.view().cwnd.floor() / u64::from(MSS)
}

#[test]
fn an_echo_halves_the_window_once_per_window_of_data() {
    let mut sender = sender(true);
    assert_eq!(send(&mut sender, at(0)), "0 1 2 3 4 5 6 7 8 9");
    // Flight and window are ten: the threshold is five, and nothing is sent again.
    assert_eq!(ack(&mut sender, at(100), 1, true), "");
    assert_eq!(window(&sender), 5);
    for packets in 2..5 {
        assert_eq!(ack(&mut sender, at(100), packets, true), "");
    }
    assert_eq!(window(&sender), 5, "echoes of one window of data");
    assert_eq!(ack(&mut sender, at(101), 6, false), "10C", "the first new data confirms");
    // Six segments acknowledged without an echo are more than a window of five: it grows by one.
    assert_eq!(ack(&mut sender, at(101), 10, false), "11 12 13 14 15");
    // A window of data after the reduction: from six to three, with packets 11 to 15 under way.
    assert_eq!(ack(&mut sender, at(200), 11, true), "");
    assert_eq!(window(&sender), 3);
    // Three acknowledged without an echo: four from 14 on.
    assert_eq!(ack(&mut sender, at(201), 14, false), "16C 17");
    assert_eq!(sender.counters().retransmissions, 0);
}

#[test]
fn an_ack_that_echoes_does_not_open_the_window() {
    let grown = |marked| {
        let config = SenderConfig { ecn: true, ssthresh: 1000, ..config(Variant::Sack) };
        let mut sender = Sender::new(&config).expect("a variant");
        sender.write(u64::MAX);
        send(&mut sender, at(0));
        ack(&mut sender, at(100), 1, true);
        let before = sender.view().cwnd;
        for packets in 2..9 {
            ack(&mut sender, at(101), packets, marked);
        }
        sender.view().cwnd > before
    };
    assert!(grown(false) && !grown(true));
}

#[test]
fn only_new_data_takes_marks() {
    let mut sender = sender(true);
    let first = sender.poll_data(at(0)).expect("data");
    assert!(first.ecn == Ecn::Ect0 && !first.cwr);
    send(&mut sender, at(0));
    sender.on_timer(sender.poll_timeout());
    let again = sender.poll_data(at(5000)).expect("the timer sends it again");
    assert!(again.is_retransmission && again.ecn == Ecn::NotEct && !again.cwr);
    let mut plain = self::sender(false);
    assert_eq!(plain.poll_data(at(0)).expect("data").ecn, Ecn::NotEct);
    plain.on_marked_ack(at(100), u64::from(MSS), &Sack::default(), 0);
    assert_eq!(window(&plain), 10, "who has not agreed to it ignores echoes");
}

#[test]
fn a_control_that_counts_marks_takes_them_with_whatever_it_sends() {
    for (growth, ect) in [("reno", Ecn::NotEct), ("dctcp", Ecn::Ect0), ("prague", Ecn::Ect1)] {
        let growth = CongestionSpec::named(growth).expect("it is registered").into();
        let config = SenderConfig { ecn: true, growth, ..config(Variant::Sack) };
        let mut sender = Sender::new(&config).expect("a variant");
        sender.write(u64::MAX);
        let first = if ect == Ecn::NotEct { Ecn::Ect0 } else { ect };
        assert_eq!(sender.poll_data(at(0)).expect("data").ecn, first);
        send(&mut sender, at(0));
        sender.on_timer(sender.poll_timeout());
        let again = sender.poll_data(at(5000)).expect("the timer sends it again");
        assert!(again.is_retransmission && again.ecn == ect && !again.cwr);
    }
}

#[test]
fn a_loss_and_a_mark_of_one_window_are_one_reduction() {
    let mut sender = sender(true);
    send(&mut sender, at(0));
    sender.on_timer(sender.poll_timeout());
    let threshold = sender.view().ssthresh;
    ack(&mut sender, at(1100), 1, true);
    assert_eq!(sender.view().ssthresh, threshold);
}

#[test]
fn the_receiver_echoes_until_the_reduction_is_confirmed() {
    let mut receiver = Receiver::new(&ReceiverConfig::immediate(64, 320, None));
    let mut takes = |seq, marked, confirms| {
        receiver.on_marks(marked, confirms);
        receiver.on_data(at(0), seq, 1, 0);
        receiver.poll_ack().expect("every packet is acknowledged").marked
    };
    assert!(!takes(0, false, false));
    assert!(takes(1, true, false) && takes(2, false, false));
    assert!(!takes(3, false, true), "confirmed");
    assert!(takes(4, true, true), "and marked again");
}
