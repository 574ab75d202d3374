//! Handshake, teardown, resets and forged segments, packet by packet [RFC 9293, RFC 5961, RFC 7323]. The
//! other end is the script: its SYN has number 5000, ours 1000.

use crate::stack::script::{Script, THEIRS, plain};
use airtcp_live::stack::{Ending, Settings, State};
use airtcp_live::wire::{Flags, Options, ProbeKind, ProbeOption, Timestamps};

const A: Flags = Flags::ACK;
const S: Flags = Flags::SYN;
const R: Flags = Flags::RST;
const F: Flags = Flags::FIN;

#[test]
fn active_open() {
    let mut script = Script::connect(plain());
    script.says(&["S 1000(0) win 65535"]);
    script.get(S.union(A), THEIRS, 1001, b"");
    script.says(&[". 1001(0) ack 5001 win 65535"]);
    assert_eq!(script.state(), State::Established);
    script.get(S.union(A), THEIRS, 1001, b""); // our ACK was lost
    script.says(&[". 1001(0) ack 5001 win 65535"]);
}

#[test]
fn passive_open_and_a_lost_answer() {
    let mut script = Script::accept(plain());
    script.says(&["S. 1000(0) ack 5001 win 65535"]);
    script.get(S, THEIRS, 0, b"");
    script.says(&["S. 1000(0) ack 5001 win 65535"]);
    assert_eq!(script.state(), State::SynReceived);
    script.get(A, THEIRS + 1, 1001, b"hello");
    assert_eq!((script.state(), script.read()), (State::Established, b"hello".to_vec()));
}

#[test]
fn simultaneous_open() {
    let mut script = Script::connect(plain());
    script.says(&["S 1000(0) win 65535"]);
    script.get(S, THEIRS, 0, b"");
    script.says(&["S. 1000(0) ack 5001 win 65535"]);
    script.get(S.union(A), THEIRS, 1001, b"");
    script.says(&[". 1001(0) ack 5001 win 65535"]);
    script.get(A, THEIRS + 1, 1001, b"");
    assert_eq!(script.state(), State::Established);
}

#[test]
fn a_syn_is_repeated_ever_more_slowly_and_then_given_up() {
    let mut script = Script::connect(Settings { syn_retries: 3, ..plain() });
    for wait in [1000, 2000, 4000, 8000] {
        script.says(&["S 1000(0) win 65535"]);
        script.wait(wait - 1);
        script.says(&[]);
        script.wait(1);
    }
    script.says(&[]);
    assert_eq!(script.ending(), Some(Ending::TimedOut));
}

#[test]
fn after_a_repeated_syn_one_segment_is_sent_and_waited_for_longer() {
    let mut script = Script::connect(plain());
    script.says(&["S 1000(0) win 65535"]);
    script.wait(1000);
    script.says(&["S 1000(0) win 65535"]);
    script.get(S.union(A), THEIRS, 1001, b"");
    script.says(&[". 1001(0) ack 5001 win 65535"]);
    script.write(&[7; 2000]);
    script.says(&[". 1001(536) ack 5001 win 65535"]); // RFC 5681 3.1; nobody named an MSS
    script.wait(2999);
    script.says(&[]);
    script.wait(1); // RFC 6298 5.7
    script.says(&[". 1001(536) ack 5001 win 65535"]);
}

#[test]
fn in_syn_sent_only_who_saw_the_syn_may_answer() {
    for wrong in [1000, 1002] {
        let mut script = Script::connect(plain());
        script.says(&["S 1000(0) win 65535"]);
        script.get(S.union(A), THEIRS, wrong, b"");
        script.says(&[&format!("R {wrong}(0) win 0")]);
        script.get(R.union(A), THEIRS, wrong, b"");
        script.get(R, THEIRS, 0, b"");
        script.get(A, THEIRS + 1, 1001, b"data before a SYN");
        script.says(&[]);
        assert_eq!(script.state(), State::SynSent);
        script.get(R.union(A), 0, 1001, b"");
        assert_eq!(script.ending(), Some(Ending::Refused));
    }
}

#[test]
fn in_syn_received_a_reset_must_fit_exactly() {
    let mut script = Script::accept(plain());
    script.says(&["S. 1000(0) ack 5001 win 65535"]);
    script.get(R, THEIRS + 1000, 0, b"");
    script.says(&[". 1001(0) ack 5001 win 65535"]);
    script.get(R, THEIRS.wrapping_sub(1), 0, b"");
    script.says(&[]);
    script.get(A, THEIRS + 1, 999, b"");
    script.says(&["R 999(0) win 0"]);
    assert_eq!(script.state(), State::SynReceived);
    script.get(R, THEIRS + 1, 0, b"");
    assert_eq!(script.ending(), Some(Ending::Refused));
}

/// The window of a SYN is never shifted, the window of any other segment always [RFC 7323 2.2].
#[test]
fn the_window_of_a_challenge_is_shifted_where_both_scale() {
    let settings = Settings { scaling: true, receive_buffer: 1 << 20, ..plain() };
    let options = Options { scale: Some(0), ..Options::default() };
    let mut script = Script::accept_with(settings, options);
    assert!(script.last_said().contains("win 65535"));
    script.get(R, THEIRS + 1000, 0, b"");
    assert_eq!(script.last_said(), ". 1001(0) ack 5001 win 2047"); // 65535 >> 5
}

#[test]
fn active_close() {
    let mut script = Script::open(plain());
    script.write(b"by");
    script.write(b"e"); // waits, as Nagle says
    script.says(&["P. 1001(2) ack 5001 win 65535"]);
    script.close();
    script.says(&["FP. 1003(1) ack 5001 win 65535"]);
    assert_eq!(script.state(), State::FinWait1);
    script.get(A, 5001, 1005, b"");
    assert_eq!(script.state(), State::FinWait2);
    script.get(A, 5001, 1005, b"more"); // this direction is open
    assert_eq!(script.read(), b"more");
    script.get(F.union(A), 5005, 1005, b"");
    script.says(&[". 1005(0) ack 5006 win 65530"]); // the FIN takes a number; silly window steps are not said
    assert_eq!((script.state(), script.at_end()), (State::TimeWait, true));
    script.wait(200_000);
    script.get(F.union(A), 5005, 1005, b""); // our ACK was lost: the wait begins again
    script.says(&[". 1005(0) ack 5006 win 65530"]);
    script.get(R, 5006, 0, b""); // RFC 1337
    script.wait(239_999);
    assert_eq!(script.state(), State::TimeWait);
    script.wait(1);
    assert_eq!(script.ending(), Some(Ending::Finished));
}

#[test]
fn passive_close() {
    let mut script = Script::open(plain());
    script.get(F.union(A), 5001, 1001, b"last words");
    script.says(&[". 1001(0) ack 5012 win 65524"]);
    assert_eq!((script.state(), script.at_end()), (State::CloseWait, false));
    assert_eq!(script.read(), b"last words");
    assert!(script.at_end());
    script.write(b"ok");
    script.says(&["P. 1001(2) ack 5012 win 65524"]);
    script.close();
    script.says(&["F. 1003(0) ack 5012 win 65524"]);
    assert_eq!(script.state(), State::LastAck);
    script.get(A, 5012, 1004, b"");
    assert_eq!(script.ending(), Some(Ending::Finished));
}

#[test]
fn simultaneous_close() {
    let mut script = Script::open(plain());
    script.close();
    script.says(&["F. 1001(0) ack 5001 win 65535"]);
    script.get(F.union(A), 5001, 1001, b"");
    script.says(&[". 1002(0) ack 5002 win 65534"]);
    assert_eq!(script.state(), State::Closing);
    script.get(A, 5002, 1002, b"");
    assert_eq!(script.state(), State::TimeWait);
}

#[test]
fn a_fin_that_answers_a_fin() {
    let mut script = Script::open(plain());
    script.close();
    script.says(&["F. 1001(0) ack 5001 win 65535"]);
    script.get(F.union(A), 5001, 1002, b"");
    script.says(&[". 1002(0) ack 5002 win 65534"]);
    assert_eq!(script.state(), State::TimeWait);
}

#[test]
fn a_lost_fin_is_sent_again_and_an_early_one_waits_for_the_data() {
    let mut script = Script::open(plain());
    script.get(F.union(A), 5004, 1001, b"def");
    script.says(&[". 1001(0) ack 5001 win 65535"]);
    assert_eq!(script.state(), State::Established);
    script.get(A, 5001, 1001, b"abc");
    script.says(&[". 1001(0) ack 5008 win 65528"]);
    assert_eq!((script.state(), script.read()), (State::CloseWait, b"abcdef".to_vec()));
    script.close();
    script.says(&["F. 1001(0) ack 5008 win 65528"]);
    script.wait(1000);
    script.says(&["F. 1001(0) ack 5008 win 65528"]);
}

#[test]
fn closing_before_the_connection_is_open() {
    let mut script = Script::connect(plain());
    script.says(&["S 1000(0) win 65535"]);
    script.close();
    assert_eq!(script.ending(), Some(Ending::Aborted));
    let mut script = Script::accept(plain());
    script.close();
    script.says(&["S. 1000(0) ack 5001 win 65535"]);
    script.get(A, 5001, 1001, b"");
    script.says(&["F. 1001(0) ack 5001 win 65535"]);
}

#[test]
fn giving_up_resets_the_other_end() {
    let mut script = Script::open(plain());
    script.write(b"abc");
    script.says(&["P. 1001(3) ack 5001 win 65535"]);
    script.abort();
    script.says(&["R. 1004(0) ack 5001 win 65535"]);
    assert_eq!(script.ending(), Some(Ending::Aborted));
}

#[test]
fn a_reset_ends_the_connection_only_if_it_fits_exactly() {
    let mut script = Script::open(plain());
    for outside in [0, 5000, 5001 + 65_535, 5001 + (1 << 31)] {
        script.get(R, outside, 0, b"");
        script.says(&[]);
    }
    for inside in [5002, 5001 + 65_534] {
        script.get(R, inside, 0, b"");
        script.says(&[". 1001(0) ack 5001 win 65535"]);
    }
    assert_eq!(script.state(), State::Established);
    script.get(R, 5001, 0, b"");
    script.says(&[]);
    assert_eq!(script.ending(), Some(Ending::Reset));
}

#[test]
fn challenges_are_limited() {
    let mut script = Script::open(plain());
    for (wait, answers) in [(0, 10), (4999, 0), (1, 10)] {
        script.wait(wait);
        let before = script.answers();
        for i in 0..100 {
            script.get([R, S, S.union(A)][i % 3], 6000, 1001, b"");
        }
        assert_eq!(script.answers() - before, answers);
    }
    assert_eq!(script.state(), State::Established);
}

#[test]
fn a_syn_within_the_connection_is_challenged() {
    for seq in [0, 5000, 5001, 6000, 5001 + (1 << 31)] {
        let mut script = Script::open(plain());
        script.get(S, seq, 0, b"");
        script.says(&[". 1001(0) ack 5001 win 65535"]);
        assert_eq!(script.state(), State::Established);
    }
}

/// The first ACK that is out of date by more than any window, and the first one for data that was never
/// sent.
#[test]
fn data_needs_a_plausible_ack() {
    let mut script = Script::open(plain());
    let before = |distance| 1001_u32.wrapping_sub(distance);
    for ack in [before(1025), 1002, before(1 << 31)] {
        script.get(A, 5001, ack, b"forged");
        script.says(&[". 1001(0) ack 5001 win 65535"]);
    }
    script.get(Flags::default(), 5001, 1001, b"forged");
    script.says(&[]);
    assert_eq!(script.read(), b"");
    script.get(A, 5001, before(1024), b"old ack");
    assert_eq!(script.read(), b"old ack");
}

#[test]
fn only_what_lies_in_the_window_is_taken() {
    let mut script = Script::open(Settings { receive_buffer: 10, ..plain() });
    let ack = |seq, window| format!(". 1001(0) ack {seq} win {window}");
    for outside in [5011, 5001 + (1 << 30)] {
        script.get(A, outside, 1001, b"forged");
        script.says(&[&ack(5001, 10)]);
    }
    script.get(A, 5010, 1001, b"9 and more");
    script.says(&[&ack(5001, 10)]);
    script.get(A, 4996, 1001, b"-----012");
    script.says(&[&ack(5004, 7)]);
    script.get(A, 5002, 1001, b"12");
    script.says(&[&ack(5004, 7)]);
    script.get(A, 5004, 1001, b"3456789");
    script.says(&[&ack(5011, 0)]);
    assert_eq!(script.read(), b"0123456789");
}

#[test]
fn segments_of_another_time_are_refused() {
    let stamps = |value| {
        let timestamps = Some(Timestamps { value, echo: 0 });
        Options { timestamps, ..Options::default() }
    };
    let mut script = Script::open_with(Settings { timestamps: true, ..plain() }, stamps(u32::MAX));
    let send = |script: &mut Script, options, seq, data: &[u8]| {
        script.get_with(A, seq, 1001, data, options);
    };
    send(&mut script, stamps(10), 5001, b"a"); // the clock of the other end wraps
    send(&mut script, stamps(10), 5002, b"b");
    assert_eq!((script.read(), script.answers()), (b"ab".to_vec(), 0));
    script.wait(100);
    assert_eq!(script.answers(), 1); // the ACK was delayed
    send(&mut script, stamps(10), 5003, b"c");
    send(&mut script, stamps(u32::MAX), 5004, b"forged"); // PAWS
    assert_eq!(script.answers(), 2);
    send(&mut script, Options::default(), 5004, b"forged"); // RFC 7323 3.2
    assert_eq!((script.read(), script.answers()), (b"c".to_vec(), 2));
    script.get(R, 5004, 0, b""); // resets need none
    assert_eq!(script.ending(), Some(Ending::Reset));
}

#[test]
fn an_ack_may_wait_for_a_second_full_segment() {
    let mut script = Script::open(plain());
    script.get(A, 5001, 1001, &[0; 536]);
    script.wait(99);
    script.says(&[]);
    script.wait(1);
    script.says(&[". 1001(0) ack 5537 win 64999"]);
    script.get(A, 5537, 1001, &[0; 536]);
    script.get(A, 6073, 1001, &[0; 536]);
    script.says(&[". 1001(0) ack 6609 win 63927"]);
    script.get(A, 6609, 1001, &[0; 536]);
    script.write(b"piggyback");
    script.says(&["P. 1001(9) ack 7145 win 63391"]);
    script.wait(100);
    script.says(&[]);
}

/// A probe is answered at once, whatever waits, and its answer is not answered [lahanas reading, section 1].
#[test]
fn a_probe_is_answered_at_once() {
    let mut script = Script::open(plain());
    script.get(A, 5001, 1001, b"abc");
    let probe = |answer| {
        let probe = Some(ProbeOption { answer, kind: ProbeKind::Second, number: 7 });
        Options { probe, ..Options::default() }
    };
    script.get_with(A, 5004, 1001, b"", probe(false));
    script.says(&[". 1001(0) ack 5004 win 65532 Second probe 7 answered"]);
    script.get_with(A, 5004, 1001, b"", probe(true));
    script.says(&[]);
}
