//! The host obeys the options of a script that change packets, and ICMP; it refuses by name what it
//! cannot do.

use airtcp_core::Cancel;
use airtcp_packetdrill::{Definitions, Script, Verdict, play_on_linux};

fn verdict(text: &str) -> Verdict {
    let script = Script::parse("t.pkt", text, &Definitions::of_linux_selftests()).unwrap();
    play_on_linux(&script, &Cancel::new()).unwrap().verdict
}

fn failure(text: &str) -> String {
    match verdict(text) {
        Verdict::Fails(failure) => failure.to_string(),
        other => panic!("{other:?}\n{text}"),
    }
}

fn refusal(text: &str) -> String {
    Script::parse("t.pkt", text, &Definitions::default()).unwrap_err().message
}

fn assert_passes(text: &str) {
    let verdict = verdict(text);
    assert!(matches!(verdict, Verdict::Passes), "{verdict:?}\n{text}");
}

const KEY: &str = "a1a1a1a1-b2b2b2b2-c3c3c3c3-d4d4d4d4";

/// A server that a client asks for a cookie.
fn asks(options: &str, key: &str, cookie: &str) -> String {
    format!(
        "{options}\n`sysctl -q net.ipv4.tcp_fastopen=0x603; \
         sysctl -q net.ipv4.tcp_fastopen_key={key}`\n\
         0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 bind(3, ..., ...) = 0\n+0 listen(3, 1) = 0\n\
         +0 < S 0:0(0) win 32792 <mss 1460,sackOK,FO>\n\
         +0 > S. 0:0(0) ack 1 <mss 1460,nop,nop,sackOK,FO {cookie},nop,nop>\n"
    )
}

#[test]
fn cookies_follow_from_the_addresses_of_the_script() {
    assert_passes(&asks("--mtu=1500", KEY, "3021b9d889017eeb"));
    assert_passes(&asks(
        "--local_ip=192.168.0.1 --remote_ip=192.0.2.1/24",
        KEY,
        "3021b9d889017eeb",
    ));
    let key = "a0bf63f7-ed803d81-cd641d30-cebc4a90";
    assert_passes(&asks("--local_ip=192.168.0.2\n--remote_ip=10.248.0.2", key, "00abaaabe8e954c2"));
    assert_passes(&asks("--ip_version=ipv6 --mtu=1520", KEY, "c1d1e9742a47a9bc"));
}

#[test]
fn addresses_that_are_none_are_refused_by_name() {
    for (option, why) in [
        ("--local_ip=10.0.0", "local_ip '10.0.0': is no address such as 192.0.2.1"),
        ("--remote_ip=fd3d::1", "remote_ip fd3d::1: is no address of ip_version ipv4"),
        ("--dry_run", "dry_run asks not to be played"),
    ] {
        let message = refusal(&format!("{option}\n0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n"));
        assert!(message.contains(why), "{message}");
    }
}

const CLIENT: &str = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 fcntl(3, F_SETFL, O_RDWR|O_NONBLOCK) = 0
+0 connect(3, ..., ...) = -1 EINPROGRESS (Operation now in progress)
+0 > S 0:0(0) <mss 1460,sackOK,TS val 100 ecr 0,nop,wscale 10>
";

#[test]
fn a_smaller_mtu_is_heard_before_the_handshake_is_over() {
    let answer = "+.01 < S. 0:0(0) ack 1 win 5792 <mss 1460,sackOK,nop,nop,nop,wscale 2>
+0 > . 1:1(0) ack 1
+0 write(3, ..., 1520) = 1520
+0 > . 1:761(760) ack 1
+0 > P. 761:1521(760) ack 1
";
    let told = "+.01 < icmp unreachable frag_needed mtu 800 [0:0(0)]\n";
    assert_passes(&format!("--strict_segments\n{CLIENT}{told}{answer}"));
    assert!(failure(&format!("--strict_segments\n{CLIENT}{answer}")).contains("1:1461(1460)"));
}

#[test]
fn a_route_may_ask_for_no_cookie_and_for_fewer_hops() {
    let route = "`ip route change 192.0.2.0/24 dev tun0 hoplimit 9 fastopen_no_cookie 1; \
                 sysctl -q net.ipv4.tcp_fastopen=0x603`\n";
    assert_passes(&format!(
        "{route}0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 bind(3, ..., ...) = 0\n\
         +0 listen(3, 1) = 0\n+0 < S 0:1000(1000) win 32792 <mss 1460,sackOK,nop,nop>\n\
         +0 > [ttl 9] S. 0:0(0) ack 1001 <mss 1460,nop,nop,sackOK>\n"
    ));
}

#[test]
fn lines_go_on_behind_a_backslash() {
    assert_passes(
        "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 bind(3, ..., ...) = 0\n\
         +0 listen(3, 1) = 0\n+0 < S 0:0(0) win 32792\\\n<mss 1000,\\\nsackOK,nop,nop>\n\
         +0 > S. 0:0(0) ack 1\\\n<...>\n",
    );
    assert_passes(
        "`sysctl -q\\\n net.ipv4.tcp_sack=0;\\\nsysctl -q net.ipv4.tcp_time\\\nstamps=0`\n\
         0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 bind(3, ..., ...) = 0\n\
         +0 listen(3, 1) = 0\n+0 < S 0:0(0) win 32792 <mss 1000>\n+0 > S. 0:0(0) ack 1 <mss 1460>\n",
    );
}

#[test]
fn a_burst_that_ends_early_says_which_window_ended_it() {
    let message = failure(
        "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 bind(3, ..., ...) = 0\n\
         +0 listen(3, 1) = 0\n+0 < S 0:0(0) win 4380 <mss 1460>\n+0 > S. 0:0(0) ack 1 <...>\n\
         +.1 < . 1:1(0) ack 1 win 4380\n+0 accept(3, ..., ...) = 4\n+0 write(4, ..., 7300) = 7300\n\
         * > P. 1:7301(7300) ack 1\n",
    );
    assert!(message.contains("sequence number 1 where 4381 would go on"), "{message}");
    assert!(
        message.contains("3 segments went under a cwnd of 10 and a window of 4380 bytes"),
        "{message}"
    );
}
