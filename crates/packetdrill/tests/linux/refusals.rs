//! Features that this host does not have are refused by name before anything is played.

use airtcp_packetdrill::{Definitions, Linux, Script, Verdict, play};

/// The reason why a script is refused.
fn refused(text: &str) -> String {
    let script = Script::parse("t.pkt", text, &Definitions::default()).unwrap();
    match play(&script, &mut Linux::default()).verdict {
        Verdict::Refused(refusal) => refusal.message,
        other => panic!("{other:?}\n{text}"),
    }
}

#[test]
fn calls_options_and_settings_are_refused_by_name() {
    let begin = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 bind(3, ..., ...) = 7\n";
    for (line, reason) in [
        ("+0 setsockopt(3, SOL_TCP, TCP_ULP, \"tls\", 4) = 0", "TCP_ULP"),
        ("+0 getsockopt(3, SOL_TCP, TCP_CC_INFO, ..., ...) = 0", "TCP_CC_INFO"),
        ("+0 pipe([5, 6]) = 0", "pipe"),
        ("+0 sendto(3, ..., 10, MSG_OOB, ..., ...) = 10", "0x1"),
        ("+0 `sysctl -q net.ipv4.tcp_sock=1`", "'tcp_sock'; did you mean tcp_sack?"),
        (
            "+0 `sysctl -q net.ipv4.tcp_ecn=3`",
            "tcp_ecn: this host does not support '3'; supported: 0, 1, 2",
        ),
        ("+0 `sysctl -q net.ipv4.tcp_congestion_control=vegas`", "reno, cubic, bbr"),
        (
            "+0 `sysctl -q net.ipv4.tcp_congestion_control=bbr3`",
            "support 'bbr3' (it is a draft's, and no kernel has it); supported: reno, cubic, bbr",
        ),
        ("+0 `tc qdisc add dev tun0 root pfifo limit 5`", "give 0 (every send fails)"),
        ("+0 `echo 7 > /sys/module/tcp_vegas/parameters/alpha`", "'tcp_vegas'"),
        ("+0 `echo 7 > /sys/module/tcp_cubic/parameters/hystart_detekt`", "hystart_detect"),
        ("+0 `ip route change 192.0.2.1/24 dev tun0 ssthresh 7`", "ssthresh"),
    ] {
        // The second line would fail if it were played.
        let message = refused(&format!("{begin}{line}\n"));
        assert!(message.contains(reason), "{line}: {message}");
    }
}
