//! Windows: closed, silly, scaled and shrunk ones, on both sides; the ACKs that are duplicates; numbers
//! that wrap.

use crate::stack::net::{Faults, World};
use crate::stack::script::{Script, plain};
use crate::stack::transfer::exchange;
use airtcp_core::Stream;
use airtcp_live::stack::{Ending, Settings, State};
use airtcp_live::wire::{Flags, Options, SackBlocks};
use airtcp_tcp::Variant;

const A: Flags = Flags::ACK;

#[test]
fn a_closed_window_is_probed_ever_more_slowly_until_it_opens() {
    let mut script = Script::open(plain());
    script.get_window(5001, 1001, 0);
    script.write(b"abc");
    script.says(&[]);
    // An acknowledged segment calls for an answer; after the RTO, and twice as long each time.
    for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
        script.wait(1000 * seconds - 1);
        script.says(&[]);
        script.wait(1);
        script.says(&[". 1000(0) ack 5001 win 65535"]);
        script.get_window(5001, 1001, 0);
    }
    script.get_window(5001, 1001, 1000);
    script.says(&["P. 1001(3) ack 5001 win 65535"]);
}

#[test]
fn a_closed_window_is_waited_for_as_long_as_there_are_answers() {
    let patience = airtcp_core::Span::from_nanos(200_000_000_000);
    let mut script = Script::open(Settings { patience, ..plain() });
    script.get_window(5001, 1001, 0);
    script.write(b"abc");
    for _ in 0..100 {
        script.wait(60_000);
        script.get_window(5001, 1001, 0);
    }
    assert_eq!(script.state(), State::Established);
    script.wait(400_000);
    assert_eq!(script.ending(), Some(Ending::TimedOut));
}

/// Half the largest window is worth a segment; less is not, but for the timer [RFC 9293 3.8.6.2.1].
#[test]
fn silly_windows_are_not_used_at_once() {
    let mut script = Script::open(plain()); // the other end has shown a window of 1024, its MSS is 536
    script.get_window(5001, 1001, 100);
    script.write(&[1; 400]);
    script.says(&[]);
    script.wait(1000);
    script.says(&[". 1001(100) ack 5001 win 65535"]);
    script.get_window(5001, 1101, 512);
    script.says(&["P. 1101(300) ack 5001 win 65535"]);
}

#[test]
fn a_full_window_is_used_up_in_full_segments_only() {
    let mut script = Script::open(plain());
    script.write(&[1; 5000]);
    script.says(&[". 1001(536) ack 5001 win 65535"]);
    script.get_window(5001, 1537, 1100);
    script.says(&[". 1537(536) ack 5001 win 65535", ". 2073(536) ack 5001 win 65535"]);
}

/// No host should take back a window; one that does finds the data sent before still in the network.
#[test]
fn a_window_that_shrinks_holds_back_what_comes_after() {
    let mut script = Script::open(plain());
    script.get_window(5001, 1001, 5000);
    script.write(&[1; 3000]);
    let sent = |seq| format!(". {seq}(536) ack 5001 win 65535");
    script.says(&[&sent(1001), &sent(1537), &sent(2073), &sent(2609), &sent(3145)]);
    script.get_window(5001, 3681, 100);
    script.says(&[]);
    script.wait(1000);
    script.says(&[". 3681(100) ack 5001 win 65535"]);
    script.get_window(5001, 3781, 2000);
    script.says(&["P. 3781(220) ack 5001 win 65535"]);
}

#[test]
fn a_reader_opens_the_window_by_full_segments() {
    let mut script = Script::open(Settings { receive_buffer: 2000, ..plain() });
    for seq in [5001, 5537, 6073] {
        script.get(A, seq, 1001, &[1; 536]);
    }
    script.get(A, 6609, 1001, &[1; 392]);
    script.wait(100);
    script.says(&[". 1001(0) ack 6073 win 928", ". 1001(0) ack 7001 win 0"]);
    assert_eq!(script.read_some(535).len(), 535);
    script.says(&[]);
    assert_eq!(script.read_some(1).len(), 1);
    script.says(&[". 1001(0) ack 7001 win 536"]);
    assert_eq!(script.read().len(), 1464);
    script.says(&[". 1001(0) ack 7001 win 2000"]);
}

#[test]
fn data_for_a_closed_window_brings_its_ack_and_an_answer() {
    let mut script = Script::open(Settings { receive_buffer: 4, ..plain() });
    script.get(A, 5001, 1001, b"full");
    script.write(b"abc");
    script.says(&["P. 1001(3) ack 5005 win 0"]);
    script.get(A, 5005, 1004, b"x");
    script.says(&[". 1004(0) ack 5005 win 0"]);
    script.close();
    script.says(&["F. 1004(0) ack 5005 win 0"]); // "abc" was acknowledged
    assert_eq!(script.read(), b"full");
}

#[test]
fn windows_are_scaled_once_both_have_said_so() {
    let settings = Settings { scaling: true, receive_buffer: 1 << 20, ..plain() };
    let scale = |shift| Options { scale: Some(shift), ..Options::default() };
    let mut script = Script::open_with(settings, scale(15)); // 14 at most [RFC 7323 2.3]
    script.get_window(5001, 1001, 1);
    script.write(&[1; 20_000]);
    let sent: Vec<String> =
        (0..10).map(|i| format!(". {}(536) ack 5001 win 32768", 1001 + 536 * i)).collect();
    script.says(&sent.iter().map(String::as_str).collect::<Vec<_>>()); // the initial window
    let mut script = Script::open(settings); // the other end does not scale
    script.write(b"a");
    script.says(&["P. 1001(1) ack 5001 win 65535"]);
}

#[test]
fn a_reader_without_scaling_is_not_flooded_by_updates() {
    let mut script = Script::open(Settings { receive_buffer: 1 << 20, ..plain() });
    script.get(A, 5001, 1001, b"abc");
    assert_eq!(script.read(), b"abc");
    script.says(&[]);
    script.wait(100);
    script.says(&[". 1001(0) ack 5004 win 65532"]);
}

#[test]
fn segments_are_as_long_as_the_other_end_takes() {
    for (mss, payload) in [(Some(1000), 1000), (Some(9000), 1460), (Some(1), 48), (None, 536)] {
        let mut script = Script::open_with(plain(), Options { mss, ..Options::default() });
        script.get_window(5001, 1001, 5000);
        script.write(&[1; 5000]);
        script.get_window(5001, 1001 + payload, 5000);
        assert!(script.first_said().starts_with(&format!(". 1001({payload}) ")));
    }
}

#[test]
fn numbers_wrap_within_a_transfer() {
    // Seeds under which both hosts begin less than 200 kB before the end of the numbers.
    let near_end = |i: u64| {
        let mut seeds = (0..).map(|seed| Stream::new(seed, "initial", i));
        seeds.find(|s| s.clone().next_u64() >> 32 > u64::from(u32::MAX) - 200_000).expect("one")
    };
    for variant in [Variant::NewReno, Variant::Sack] {
        let faults = Faults { loss: 0.05, reorder: 0.05, ..Faults::default() };
        let initial = [near_end(0), near_end(1)];
        let mut world = World::with([Settings::rfc(variant); 2], faults, 1, &initial);
        exchange(&mut world, [600_000, 500_000]);
    }
}

#[test]
fn numbers_wrap_within_a_handshake() {
    let mut script = Script::connect_from(plain(), u32::MAX);
    script.says(&["S 4294967295(0) win 65535"]);
    script.get(Flags::SYN.union(A), u32::MAX, 0, b"");
    script.says(&[". 0(0) ack 0 win 65535"]);
    script.get(A, 0, 0, b"abc");
    script.write(b"def");
    script.says(&["P. 0(3) ack 3 win 65532"]);
}

/// A duplicate ACK has no data and the window of the ACK before it [RFC 5681 2].
#[test]
fn the_third_bare_duplicate_brings_a_retransmission() {
    let mut script = Script::open(plain());
    script.get_window(5001, 1001, 10_000);
    script.write(&[1; 5 * 536]);
    assert_eq!(script.answers(), 5);
    script.get_window(5001, 1537, 10_000);
    script.get_window(5001, 1537, 9999); // a new window
    script.get_window(5001, 1537, 9999);
    script.get_window(5001, 1537, 9999);
    script.get(A, 5001, 1537, b"x"); // data
    assert_eq!(script.answers(), 5);
    script.get_window(5002, 1537, 1024);
    assert_eq!(script.answers(), 6);
    assert_eq!(script.last_said(), ". 1537(536) ack 5002 win 65534");
}

/// Reported data counts whatever the window [RFC 6675, section 2]; a report about data that was never
/// sent does not.
#[test]
fn sack_blocks_bring_a_retransmission() {
    let permitted = Options { sack_permitted: true, ..Options::default() };
    let mut settings = plain();
    settings.sender.variant = Variant::Sack;
    let mut script = Script::open_with(settings, permitted);
    script.get_window(5001, 1001, 10_000);
    script.write(&[1; 5 * 536]);
    let blocks = |left, right| {
        let mut sack = SackBlocks::default();
        sack.push(left, right);
        Options { sack, ..Options::default() }
    };
    for (left, right) in [(1537, 2073), (1537, 2609), (2609, 9000), (3145, 2609), (0, 500)] {
        script.get_with(A, 5001, 1001, b"", blocks(left, right));
        assert_eq!(script.answers(), 5, "{left}..{right}");
    }
    script.get_with(A, 5001, 1001, b"", blocks(1537, 3145));
    assert_eq!(script.last_said(), ". 1001(536) ack 5001 win 65535");
    assert_eq!(script.answers(), 6);
}
