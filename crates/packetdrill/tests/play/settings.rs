//! The parts of a script's commands that reach the host, and those that are refused before the
//! script is played.

use super::fake::{CONNECTED, Fake};
use super::passes;
use airtcp_packetdrill::{Definitions, Queue, Script, SettingChange, Verdict, standard};

#[test]
fn settings_reach_the_host_in_their_order() {
    let text = format!(
        "`../common/defaults.sh\nsysctl -q net.ipv4.tcp_ecn=1 # on\n`\n{CONNECTED}\
         +0 `tc qdisc replace dev tun0 root pfifo limit 0`\n`/tmp/sysctl_restore_${{PPID}}.sh`"
    );
    let mut host = Fake::default();
    passes(&text, &mut host);
    let mut wanted = standard();
    wanted.push(SettingChange::Sysctl("net.ipv4.tcp_ecn".into(), "1".into()));
    wanted.push(SettingChange::Queue(Queue::Fifo { limit: Some(0) }));
    assert_eq!(host.changes, wanted);
}

#[test]
fn what_a_host_does_not_have_is_refused_with_its_line() {
    let mut host = Fake::default();
    host.refuses = Some("no ECN".into());
    let text = format!("// a\n`sysctl -q net.ipv4.tcp_ecn=1`\n{CONNECTED}");
    let Verdict::Refused(refusal) = super::report(&text, &mut host).verdict else { panic!() };
    assert_eq!(refusal.to_string(), "t.pkt:2:1: no ECN");
    let text = format!("{CONNECTED}  +0 < icmp unreachable frag_needed mtu 1200 [1:1001(1000)]");
    let Verdict::Refused(refusal) = super::report(&text, &mut Fake::default()).verdict else {
        panic!()
    };
    assert_eq!(refusal.to_string(), "t.pkt:9:3: this host takes no ICMP");
}

#[test]
fn counters_count_since_they_were_looked_at() {
    let host = || Fake::counting("TcpExtA", 3);
    let text = |second: u64| {
        format!(
            "0 `nstat -n`\n+1 `nstat -s | grep TcpExtA | grep -q \" 3 \"`\n\
             +1 `nstat | grep TcpExtA | grep -q \" 6 \"`\n+1 `nstat | grep TcpExtA | grep -q \" {second} \"`"
        )
    };
    passes(&format!("{} ", text(3)), &mut host());
    let failed = super::failure(&text(9), &mut host());
    assert_eq!(failed, "line 4: expected counter TcpExtA at 9; it is at 3");
    let Verdict::Refused(refusal) = super::report(&text(3), &mut Fake::default()).verdict else {
        panic!()
    };
    assert_eq!(refusal.to_string(), "t.pkt:2:1: this host has no counter 'TcpExtA'");
}

#[test]
fn what_is_not_understood_is_refused_before_it_is_played() {
    let socket = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n";
    for (text, place, message) in [
        ("".to_owned(), "1:1", "expected an event, found the end of the script"),
        ("+.1 close(3) = 0".into(), "1:1", "the first event is at time 0"),
        (
            format!("{socket}1 close(3) = 0\n.5 close(3) = 0"),
            "3:1",
            "before that of the event before",
        ),
        (format!("{socket}+0 clos(3) = 0"), "2:4", "call 'clos' is not known; did you mean close?"),
        (format!("{socket}+0 close(3, 4) = 0"), "2:4", "expected 1 arguments, found 2"),
        (
            format!("{socket}+0 close(\"a\") = 0"),
            "2:4",
            "argument 1: expected a number, found '\"a\"'",
        ),
        (format!("{socket}+0 close(3) = -1 EAGIAN"), "2:18", "did you mean EAGAIN?"),
        (
            format!("{socket}+0 setsockopt(3, SOL_SOCKET, SO_SNDBUFF, [1], 4) = 0"),
            "2:30",
            "SO_SNDBUF?",
        ),
        (format!("{socket}+0 < . 1:1(0) ack 1"), "2:20", "the window of an inbound packet"),
        (
            format!("{socket}+0 < . 1:1(0) ack 1 win 70000"),
            "2:25",
            "from 0 to 65535, found '70000'",
        ),
        (format!("{socket}+0 < . 1:2(0) ack 1 win 7"), "2:10", "1:2(0): 1 + 0 is 1"),
        (format!("{socket}+0 < X. 1:1(0) ack 1 win 7"), "2:6", "flags 'X.'"),
        (format!("{socket}+0 < . 1:1(0) ack 1 win 7 <mss 5,nop>"), "2:27", "multiple of 4"),
        (format!("{socket}+0 < . 1:1(0) ack 1 win 7 <mssx 5>"), "2:28", "did you mean mss?"),
        (format!("{socket}+0 < . 1:1(0) ack 1 win 7 <...>"), "2:27", "outbound packets only"),
        (format!("{socket}+0 > udp (5)"), "2:6", "outbound udp is not understood"),
        (
            format!("{socket}* < . 1:1(0) ack 1 win 7"),
            "2:1",
            "'*' is a time of outbound packets only",
        ),
        (format!("{socket}+0~+1 close(3) = 0"), "2:1", "ranges are times of outbound packets only"),
        (format!("{socket}+0 `reboot`"), "2:5", "command 'reboot' is not supported"),
        (
            format!("{socket}+0 %{{\nassert tcpi_snd_cwmd == 1\n}}%"),
            "3:8",
            "did you mean tcpi_snd_cwnd?",
        ),
        (format!("{socket}+0 %{{ import os }}%"), "2:7", "'import' is not understood"),
        ("--tolerance_usec=4\n0 close(3) = 0".into(), "1:3", "did you mean tolerance_usecs?"),
        (
            "--ip_version=ipv5\n0 close(3) = 0".into(),
            "1:14",
            "only ipv4, ipv4-mapped-ipv6 and ipv6 are supported",
        ),
    ] {
        let refusal =
            Script::parse("t.pkt", &text, &Definitions::default()).unwrap_err().to_string();
        assert!(refusal.starts_with(&format!("t.pkt:{place}: ")), "{text}\n{refusal}");
        assert!(refusal.contains(message) && !refusal.contains('\n'), "{text}\n{refusal}");
    }
}

#[test]
fn limits_end_a_script_that_is_too_large() {
    let refused =
        |text: &str| Script::parse("t", text, &Definitions::default()).unwrap_err().message;
    assert!(refused(&" ".repeat((1 << 20) + 1)).contains("bytes"));
    let many = "+0 close(3) = 0\n".repeat(20_001);
    assert!(refused(&many).contains("20000 events"));
    let far = "+0 close(3) = 0\n".to_owned() + &"+999999 close(3) = 0\n".repeat(2);
    assert!(refused(&far).contains("1000000 s"));
    let deep = format!("0 close({}", "[".repeat(100_000));
    assert!(refused(&deep).contains("levels"));
    let wide = format!("0 close({}1) = 0", "1,".repeat(5000));
    assert!(refused(&wide).contains("4096 elements"));
}
