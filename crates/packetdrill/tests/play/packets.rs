//! Packets that match the expected ones, and packets that do not.

use super::fake::{CONNECTED, Fake, ISN, data};
use super::{failure, passes};
use airtcp_packetdrill::{Flags, Packet, TcpOption};

fn stamped(value: u32, echo: u32) -> Vec<TcpOption> {
    vec![TcpOption::Nop, TcpOption::Nop, TcpOption::Timestamps { value, echo }]
}

/// The failure, if any, of a script that expects `line` where `packets` are sent at 10 ms.
fn judged(line: &str, packets: &[Packet]) -> Option<String> {
    let later: Vec<(i64, Packet)> = packets.iter().map(|p| (10, p.clone())).collect();
    let text = format!("{CONNECTED}+.01 > {line}\n");
    let report = super::report(&text, &mut Fake::sending(&later));
    match report.verdict {
        airtcp_packetdrill::Verdict::Passes => None,
        airtcp_packetdrill::Verdict::Fails(failure) => Some(failure.actual),
        airtcp_packetdrill::Verdict::Refused(refusal) => panic!("{refusal}"),
    }
}

#[test]
fn each_field_counts_that_the_script_names() {
    let packet = Packet { urgent: 0, tos: 2, ttl: 64, ..data(1, 100, Flags::PSH) };
    for line in [
        "P. 1:101(100) ack 1",
        "P. 1:101(100) ack 1 win 100",
        "[ect0] P. 1:101(100) ack 1 <...>",
        "[ect01] P. 1:101(100) ack 1",
        "[tos 0x2] P. 1:101(100) ack 1",
        "(ttl 64) P. 1:101(100) ack 1",
    ] {
        assert_eq!(judged(line, std::slice::from_ref(&packet)), None, "{line}");
    }
    for (line, message) in [
        (". 1:101(100) ack 1", "flags P. instead of ."),
        ("P.7 1:101(100) ack 1", "ACE 0 instead of 7"),
        ("EP. 1:101(100) ack 1", "flags P. instead of EP."),
        ("P. 2:102(100) ack 1", "sequence number 1 instead of 2"),
        ("P. 1:101(100) ack 2", "acknowledgment 1 instead of 2"),
        ("P. 1:101(100) ack 1 win 101", "window 100 instead of 101"),
        ("P. 1:101(100) ack 1 urg 5", "urgent pointer 0 instead of 5"),
        ("P. 1:51(50) ack 1", "length 100 instead of 50"),
        ("P. 1:101(100) ack 1 <nop,nop,sackOK>", "no option nop"),
        ("[ce] P. 1:101(100) ack 1", "mark ect0 instead of ce"),
        ("[tos 0x4] P. 1:101(100) ack 1", "tos 2 instead of 4"),
        ("[ttl 63] P. 1:101(100) ack 1", "ttl 64 instead of 63"),
    ] {
        let actual =
            judged(line, std::slice::from_ref(&packet)).unwrap_or_else(|| panic!("{line}"));
        assert!(actual.contains(message), "{line}: {actual}");
    }
}

#[test]
fn options_count_in_their_order() {
    let options =
        vec![TcpOption::Mss(1000), TcpOption::SackPermitted, TcpOption::Nop, TcpOption::Nop];
    let packet = Packet { options, ..data(1, 0, Flags::default()) };
    let judge =
        |options: &str| judged(&format!(". 1:1(0) ack 1 {options}"), std::slice::from_ref(&packet));
    assert_eq!(judge("<mss 1000,sackOK,nop,nop>"), None);
    assert_eq!(judge("<...>"), None);
    for (options, message) in [
        ("", "an option more, mss 1000"),
        ("<nop,nop,sackOK,mss 1000>", "option mss 1000 instead of nop"),
        ("<mss 999,sackOK,nop,nop>", "option mss 1000 instead of mss 999"),
        ("<mss 1000>", "an option more, sackOK"),
    ] {
        let actual = judge(options).unwrap();
        assert!(actual.contains(message), "{options}: {actual}");
    }
}

#[test]
fn segments_are_joined_unless_the_script_is_strict() {
    let parts = [
        data(1, 100, Flags::default()),
        data(101, 100, Flags::default()),
        data(201, 50, Flags::PSH.with(Flags::FIN)),
    ];
    assert_eq!(judged("FP. 1:251(250) ack 1", &parts), None);
    for (line, parts, message) in [
        // the last one says which flags
        (". 1:251(250) ack 1", &parts[..], "flags FP. instead of ."),
        ("P. 1:301(300) ack 1", &parts[..2], "200 bytes came until"),
        (". 1:151(150) ack 1", &parts[..2], "length 200 instead of 150"),
        (
            "P. 1:301(300) ack 1",
            &[parts[0].clone(), parts[2].clone()],
            "sequence number 201 where 101",
        ),
    ] {
        let actual = judged(line, parts).unwrap();
        assert!(actual.contains(message), "{line}: {actual}");
    }
    let uneven = [
        data(1, 100, Flags::default()),
        data(101, 60, Flags::default()),
        data(161, 90, Flags::PSH),
    ];
    assert!(
        judged("P. 1:251(250) ack 1", &uneven).unwrap().contains("60 bytes after a segment of 100")
    );
    let text = format!("--strict_segments\n{CONNECTED}+.01 > FP. 1:251(250) ack 1");
    let strict = failure(&text, &mut Fake::sending(&parts.map(|part| (10, part))));
    assert!(strict.contains("instead of"), "{strict}");
}

#[test]
fn numbers_of_the_host_are_its_own() {
    let sack = vec![TcpOption::Nop, TcpOption::Nop, TcpOption::Sack(vec![(1001, 2001)])];
    let mut blocks = sack.clone();
    // The other end begins at 5000 here, so that the host's blocks lie there.
    blocks[2] = TcpOption::Sack(vec![(6001, 7001)]);
    let packets = [(10, Packet { options: blocks, ..data(1, 0, Flags::default()) })];
    let text = "
        0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
       +0 listen(3, 1) = 0
       +0 < S 5000:5000(0) win 1000
       +0 > S. 70:70(0) ack 5001 <mss 1460>
       +0 < . 1:1001(1000) ack 1 win 257 <nop,nop,sack 11:21>
     +.01 > . 1:1(0) ack 1 <nop,nop,sack 1001:2001>";
    let mut host = Fake::sending(&packets);
    passes(text, &mut host);
    let got = &host.received[1].1;
    assert_eq!((got.sequence, got.payload, got.acknowledgment), (5001, 1000, ISN.wrapping_add(1)));
    let block = (ISN.wrapping_add(11), ISN.wrapping_add(21));
    assert_eq!(got.options[2], TcpOption::Sack(vec![block]));
    assert_eq!((got.source, got.destination), (50_000, 8080));
}

#[test]
fn echoes_are_of_the_host_s_own_stamps() {
    let packets = [(10, Packet { options: stamped(987_654, 0), ..data(1, 0, Flags::default()) })];
    let text = |echo: u32| {
        format!(
            "{CONNECTED}+.01 > . 1:1(0) ack 1 <nop,nop,TS val 100 ecr 7>\n\
             +.01 < . 1:1(0) ack 1 win 257 <nop,nop,TS val 8 ecr {echo}>"
        )
    };
    let mut host = Fake::sending(&packets);
    passes(&text(100), &mut host);
    assert_eq!(host.received.last().unwrap().1.options, stamped(8, 987_654));
    let failure = failure(&text(101), &mut Fake::sending(&packets));
    assert!(failure.contains("no timestamp that the script calls 101"), "{failure}");
    let mut host = Fake::sending(&packets);
    passes(&format!("--tcp_ts_ecr_scaled\n{}", text(101)), &mut host);
    assert_eq!(host.received.last().unwrap().1.options, stamped(8, 987_655));
}

#[test]
fn stamps_count_where_the_script_says_how_long_a_tick_is() {
    let packet = |at: i64, value| {
        (at, Packet { options: stamped(value, 0), ..data(1, 0, Flags::default()) })
    };
    let packets = [packet(10, 5000), packet(110, 5110)];
    let text = format!(
        "{CONNECTED}+.01 > . 1:1(0) ack 1 <nop,nop,TS val 100 ecr 0>\n\
         +.1 > . 1:1(0) ack 1 <nop,nop,TS val 200 ecr 0>"
    );
    passes(&text, &mut Fake::sending(&packets));
    let failure =
        failure(&format!("--tcp_ts_tick_usecs=1000\n{text}"), &mut Fake::sending(&packets));
    assert!(failure.contains("TS val 210 instead of 200"), "{failure}");
}

#[test]
fn packets_of_other_connections_are_not_seen() {
    // The host answers on the first connection, the script looks at the second.
    let text = format!(
        "{CONNECTED}+0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 5\n+0 connect(5, ..., ...) = 0\n\
         +.01 > S 0:0(0) <...>"
    );
    let packets = [(10, data(1, 100, Flags::PSH))];
    let failure = failure(&text, &mut Fake::sending(&packets));
    assert!(failure.contains("nothing came"), "{failure}");
}

#[test]
fn a_packet_without_a_socket_fails() {
    let failure = failure("0 > . 1:1(0) ack 1", &mut Fake::default());
    assert!(failure.contains("a socket for this packet"), "{failure}");
}
