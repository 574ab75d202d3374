//! Probing on the wire, packet by packet [lahanas reading, section 1]: the offer, a cycle, its teardown, and
//! packets that are no valid answers.

use crate::stack::net::{ADDRESSES, Faults, PORT, World, millis};
use crate::stack::script::{Script, THEIRS, plain};
use crate::stack::transfer::exchange;
use airtcp_core::Instant;
use airtcp_live::stack::{Connection, Ending, Peers, Settings, State};
use airtcp_live::wire::{Flags, Header, Options, Packet, ProbeKind, ProbeOption};
use airtcp_tcp::{SenderConfig, Variant};
use std::net::SocketAddrV4;

const A: Flags = Flags::ACK;

fn syn_with_probes() -> Options {
    Options { probes: true, ..Options::default() }
}

fn settings(variant: Variant) -> Settings {
    let sender = SenderConfig { variant, ..plain().sender };
    Settings { sender, ..plain() }
}

fn answer(kind: ProbeKind, number: u32) -> Options {
    Options { probe: Some(ProbeOption { answer: true, kind, number }), ..Options::default() }
}

/// A connection whose only segment has timed out: the first probe is under way.
fn probing(settings: Settings) -> Script {
    let mut script = Script::open_with(settings, syn_with_probes());
    script.write(&[1; 536]);
    script.says(&["P. 1001(536) ack 5001 win 65535"]);
    script.wait(1000);
    script.says(&[". 1537(0) ack 5001 win 65535 First probe 1"]);
    script
}

#[test]
fn a_syn_offers_answers_and_so_does_its_answer_if_it_was_asked() {
    let offers = |mut connection: Connection| {
        let bytes = connection.poll_transmit(Instant::START).expect("a SYN");
        Packet::parse(&bytes).expect("well-formed").header.options.probes
    };
    let socket = |i: usize| SocketAddrV4::new(ADDRESSES[i], PORT);
    let peers = Peers { local: socket(0), remote: socket(1) };
    assert!(offers(Connection::connect(peers, plain(), 1000)));
    for probes in [false, true] {
        let options = Options { probes, ..Options::default() };
        let syn = Header { seq: THEIRS, flags: Flags::SYN, options, ..Header::default() };
        assert_eq!(offers(Connection::accept(peers, plain(), 1000, &syn)), probes);
    }
}

#[test]
fn a_variant_that_probes_does_not_where_nobody_answers() {
    for variant in Variant::ALL.iter().filter(|variant| variant.capabilities().probes) {
        let mut script = Script::open(settings(*variant));
        script.write(&[1; 536]);
        script.wait(1000);
        let data = "P. 1001(536) ack 5001 win 65535";
        script.says(&[data, data]);
    }
}

#[test]
fn a_cycle_from_a_timeout_to_the_decision() {
    let mut script = probing(settings(Variant::TahoeProbing));
    script.wait(1000);
    script.says(&[". 1537(0) ack 5001 win 65535 First probe 2"]);
    // Of the other kind, of no probe at all.
    for (kind, number) in [(ProbeKind::Second, 2), (ProbeKind::First, 0), (ProbeKind::First, 3)] {
        script.get_with(A, 5001, 1001, b"", answer(kind, number));
        script.says(&[]);
    }
    script.get_with(A, 5001, 1001, b"", answer(ProbeKind::First, 2));
    script.says(&[". 1537(0) ack 5001 win 65535 Second probe 3"]);
    script.get_with(A, 5001, 1001, b"", answer(ProbeKind::Second, 3));
    script.says(&["P. 1001(536) ack 5001 win 65535"]);
    script.get(A, 5001, 1537, b"");
    script.wait(100_000);
    script.says(&[]);
}

/// The round trip takes longer than the probe timer, which learns from that: RTO = 2 s + 4 * 1 s at first, and
/// for the second one 2 s + 4 * 0.75 s.
#[test]
fn an_answer_that_the_timer_has_overtaken_is_one() {
    let mut script = probing(settings(Variant::TahoeProbing));
    script.wait(2000);
    script.says(&[
        ". 1537(0) ack 5001 win 65535 First probe 2",
        ". 1537(0) ack 5001 win 65535 First probe 3",
    ]);
    script.get_with(A, 5001, 1001, b"", answer(ProbeKind::First, 1));
    script.says(&[". 1537(0) ack 5001 win 65535 Second probe 4"]);
    script.wait(5999);
    for number in [2, 3] {
        script.get_with(A, 5001, 1001, b"", answer(ProbeKind::First, number));
    }
    script.says(&[]);
    script.get_with(A, 5001, 1001, b"", answer(ProbeKind::Second, 4));
    script.says(&["P. 1001(536) ack 5001 win 65535"]);
    script.wait(5999);
    script.says(&[]);
    script.wait(1);
    script.says(&[". 1537(0) ack 5001 win 65535 First probe 5"]);
}

#[test]
fn an_answer_that_an_ack_has_overtaken_is_one() {
    let mut script = Script::open_with(settings(Variant::RenoProbing), syn_with_probes());
    script.get_window(5001, 1001, 2000);
    script.write(&[1; 1072]);
    script.wait(1000);
    assert_eq!(script.last_said(), ". 2073(0) ack 5001 win 65535 First probe 1");
    script.get_window(5001, 1537, 2000);
    script.get_with(A, 5001, 1001, b"", answer(ProbeKind::First, 1));
    assert_eq!(script.last_said(), ". 2073(0) ack 5001 win 65535 Second probe 2");
}

#[test]
fn answers_are_no_duplicate_acks() {
    for variant in [Variant::Reno, Variant::RenoProbing] {
        let mut script = Script::open_with(settings(variant), syn_with_probes());
        script.write(&[1; 536]);
        script.says(&["P. 1001(536) ack 5001 win 65535"]);
        for number in 0..5 {
            script.get_with(A, 5001, 1001, b"", answer(ProbeKind::First, number));
        }
        script.says(&[]);
    }
}

#[test]
fn the_fin_waits_for_the_end_of_the_cycle() {
    let mut script = probing(settings(Variant::RenoProbing));
    script.close();
    script.get_with(A, 5001, 1537, b"", answer(ProbeKind::First, 1));
    script.says(&[". 1537(0) ack 5001 win 65535 Second probe 2"]);
    assert_eq!(script.state(), State::FinWait1);
    script.get_with(A, 5001, 1537, b"", answer(ProbeKind::Second, 2));
    script.says(&["F. 1537(0) ack 5001 win 65535"]);
}

#[test]
fn the_ack_of_the_last_byte_ends_a_cycle() {
    let mut script = probing(settings(Variant::SkipProbing));
    script.get(A, 5001, 1537, b"");
    script.wait(100_000);
    script.says(&[]);
    script.write(b"more");
    script.says(&["P. 1537(4) ack 5001 win 65535"]);
}

#[test]
fn a_reset_ends_a_cycle() {
    let mut script = probing(settings(Variant::AdaptiveProbing));
    script.get(Flags::RST, 5001, 0, b"");
    script.wait(100_000);
    script.says(&[]);
    assert_eq!(script.ending(), Some(Ending::Reset));
    let mut script = probing(settings(Variant::AdaptiveProbing));
    script.abort();
    script.wait(100_000);
    script.says(&["R. 1537(0) ack 5001 win 65535"]);
}

/// All data is acknowledged, the FIN waits, and nobody answers any more.
#[test]
fn silence_in_a_cycle_ends_the_connection() {
    let base = settings(Variant::TahoeProbing);
    let mut script = probing(Settings { patience: millis(100_000), ..base });
    script.close();
    script.get(A, 5001, 1537, b"");
    script.wait(99_000);
    assert_eq!(script.state(), State::FinWait1);
    script.wait(2000);
    assert_eq!(script.ending(), Some(Ending::TimedOut));
}

#[test]
fn a_window_that_closes_in_a_cycle_is_probed_after_it() {
    let mut script = Script::open_with(settings(Variant::TahoeProbing), syn_with_probes());
    script.write(&[1; 1000]);
    script.wait(1000);
    assert_eq!(script.last_said(), ". 1537(0) ack 5001 win 65535 First probe 1");
    script.get_window(5001, 1001, 536); // no more than what is under way
    script.get_with(A, 5001, 1001, b"", answer(ProbeKind::First, 1));
    assert_eq!(script.last_said(), ". 1537(0) ack 5001 win 65535 Second probe 2");
    script.forget();
    script.get_header(&closed(1537, answer(ProbeKind::Second, 2)), b"");
    script.says(&[]);
    script.wait(1000);
    script.says(&[". 1536(0) ack 5001 win 65535"]);
}

/// The dissector of Wireshark takes offers, probes and answers for options of an experiment.
#[test]
fn tshark_finds_nothing_to_complain_about() {
    let faults = Faults { loss: 0.05, ..Faults::default() };
    let mut world = World::new([Settings::rfc(Variant::SkipProbing); 2], faults, 1);
    world.log = Some(vec![]);
    exchange(&mut world, [100_000, 100_000]);
    let packets = world.log.take().expect("it was asked for");
    let options =
        packets.iter().map(|(_, bytes)| Packet::parse(bytes).expect("sane").header.options);
    let probes: Vec<ProbeOption> = options.filter_map(|options| options.probe).collect();
    for (kind, answer) in
        [(ProbeKind::First, false), (ProbeKind::Second, false), (ProbeKind::Second, true)]
    {
        assert!(probes.iter().any(|probe| (probe.kind, probe.answer) == (kind, answer)));
    }
    crate::capture::check(&packets, "probing");
}

/// An ACK of all before `ack` that closes the window.
fn closed(ack: u32, options: Options) -> Header {
    Header { seq: 5001, ack, flags: A, window: 0, options }
}
