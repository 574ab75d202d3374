//! RFC 9937, step by step, and the examples of its predecessor RFC 6937 (section 4), which its algorithm keeps: twenty
//! segments in flight, a threshold of ten, and limited transmit of two segments before the fast retransmit.

use crate::rfc::script::{MSS, Script, config};
use airtcp_tcp::{Prr, PrrBase, Reduction, SenderConfig, Variant};

/// Packets 0 to 20 were sent and 0 was acknowledged, so that 1 to 20 are in flight: a window of twenty in congestion
/// avoidance, of segments of `mss` bytes. With one byte each numbers are segments, as in the figures of the RFC.
fn twenty(reduction: Reduction, mss: u32) -> Script {
    let config = SenderConfig {
        reduction,
        mss,
        rwnd: None,
        initial_window: 20,
        ssthresh: 20,
        ..config(Variant::Sack)
    };
    let mut script = Script::new(&config);
    script.send();
    assert_eq!(script.at(100).ack(1), "20");
    script
}

fn prr() -> Reduction {
    Reduction::named("prr").expect("it is registered")
}

/// Packets sent for the first time, again, or none: N, R and "-", as in the figures of the RFC.
fn letters(sent: &str, high: &mut u64) -> String {
    let letter = |number: &str| {
        let number: u64 = number.parse().expect("a number");
        if std::mem::replace(high, number.max(*high)) < number { 'N' } else { 'R' }
    };
    if sent.is_empty() { "-".to_owned() } else { sent.split(' ').map(letter).collect() }
}

/// Packets that the ACKs of packets `first` to 20 let out, one by one; `first` arrives after those that were lost.
fn figure(script: &mut Script, first: u64) -> String {
    let mut high = 20;
    let acks = first + 1..=21;
    let sent: Vec<_> =
        acks.map(|end| letters(&script.sack(1, &[(first, end)]), &mut high)).collect();
    sent.join(" ")
}

#[test]
fn a_single_loss_lets_every_second_ack_send() {
    let mut script = twenty(prr(), 1);
    assert_eq!(figure(&mut script, 2), "N N R - N - N - N - N - N - N - N - -");
    // At the end ten are in the network: the threshold. What the retransmission brings ends the recovery.
    script.at(200).ack(23);
    assert_eq!(script.window(), (10.0, 10.0), "section 6.2: cwnd = ssthresh");
}

/// Half a segment waits for the next ACK.
#[test]
fn in_bytes_a_share_is_rounded_up_to_a_byte() {
    let mut script = twenty(prr(), 1000);
    assert_eq!(figure(&mut script, 2), "N N R - - N - N - N - N - N - N - - N");
}

/// Nineteen are in the network after the fast retransmit; the thirteenth ACK leaves nine.
#[test]
fn without_it_half_a_window_is_silence() {
    let mut script = twenty(Reduction::default(), 1);
    assert_eq!(figure(&mut script, 2), "N N R - - - - - - - - - N N N N N N N");
}

/// Packets 1 to 15 are lost: the pipe falls below the threshold at once, and PRR-CRB lets out what is delivered.
#[test]
fn a_burst_of_losses_sends_what_is_delivered() {
    for mss in [1, 1000] {
        let mut script = twenty(prr(), mss);
        assert_eq!(figure(&mut script, 16), "N N R R R");
        let more = [22, 23].map(|end| script.sack(1, &[(16, end)]));
        assert_eq!(more, ["4", "5"]);
        // PRR-SSRB: a cumulative ACK without a further loss is safe, and lets out one segment more.
        let safe = [2, 3, 4].map(|next| script.at(200).sack(next, &[(16, 23)]));
        assert_eq!(safe, ["6 7", "8 9", "10 11"]);
    }
}

/// 1 to 11 are lost, and repairs arrive: with three more reports, which show 15 to be lost too, or not.
#[test]
fn an_ack_that_shows_a_further_loss_is_not_safe() {
    let sent = |blocks: &[(u64, u64)]| {
        let mut script = twenty(prr(), 1);
        for end in 13..=15 {
            script.sack(1, &[(12, end)]);
        }
        script.at(200).sack(2, blocks).split_whitespace().count()
    };
    assert_eq!(sent(&[(12, 18)]), 5, "four delivered, and one more");
    assert_eq!(sent(&[(16, 19), (12, 15)]), 4, "four delivered");
}

/// Linux: in proportion to the window, not to what was in flight, where the application uses less.
#[test]
fn the_base_is_what_was_in_flight_or_the_window() {
    let windows = |base| {
        let reduction = Reduction::Prr(Prr { base });
        let config =
            SenderConfig { reduction, initial_window: 40, ssthresh: 40, ..config(Variant::Sack) };
        // Twenty-one packets are offered: the window is not used.
        let mut script = Script::finite(&config, 21 * u64::from(MSS));
        script.send();
        script.at(100).ack(1);
        [3, 4, 5, 6, 7].map(|end| {
            script.sack(1, &[(2, end)]);
            script.window().0
        })
    };
    // The fast retransmit is forced; then ten of eighteen, without the two reported before, or ten of forty for each packet
    // delivered, less what was sent, which is never less than nothing, beyond 16 and 15 in the network.
    assert_eq!(windows(PrrBase::Flight), [40.0, 40.0, 17.0, 16.112, 15.667]);
    assert_eq!(windows(PrrBase::Window), [40.0, 40.0, 17.0, 16.0, 15.0]);
}

#[test]
fn a_timeout_ends_it() {
    let [mut script, mut plain] = [prr(), Reduction::default()].map(|reduction| {
        let mut script = twenty(reduction, 1000);
        figure(&mut script, 2);
        assert_eq!(script.timeout(), "1");
        assert_eq!(script.window().0, 1.0);
        script
    });
    assert_eq!(script.at(2000).ack(2), plain.at(2000).ack(2));
}
