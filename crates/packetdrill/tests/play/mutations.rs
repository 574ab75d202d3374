//! Scripts that were damaged at random end in a refusal of one line or in a verdict: no panic, no hang.
//!
//! The test plays 3000 of them; `AIRTCP_MUTATIONS=100000 cargo test -p airtcp-packetdrill --test all
//! mutations` plays more, also of the scripts in the folder `AIRTCP_PACKETDRILL`.

use super::fake::{Fake, data, ms, with};
use airtcp_core::{Instant, Stream};
use airtcp_packetdrill::{
    Answer, Definitions, Flags, Host, Linux, Report, Script, Value, Verdict, play, symbols,
};

/// A script with every part of the language.
const WHOLE: &str = r#"--tolerance_usecs=7000 // comment
--define=CC="reno"
--ip_version=ipv4
`../common/defaults.sh
sysctl -q net.ipv4.tcp_rmem="4096 131072 $((32*1024*1024))" > /dev/null 2>&1
echo 3 > /sys/module/tcp_cubic/parameters/hystart_detect; tc qdisc add dev tun0 root pfifo limit 0
ip route change 192.0.2.1/24 via 192.168.0.1 dev tun0 initcwnd 3
`
/* more */
    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0 setsockopt(3, SOL_SOCKET, SO_REUSEADDR, [1], 4) = 0
   +0 setsockopt(3, SOL_TCP, TCP_CONGESTION, CC, 4) = 0
   +0 bind(3, ..., ...) = 0
   +0 listen(3, 1) = 0
   +0 < S 0:0(0) win 32792 <mss 1460,sackOK,TS val 7 ecr 0,nop,wscale 7>
   +0 > S. 0:0(0) ack 1 <...>
  +.1 < . 1:1(0) ack 1 win 257 <nop,nop,sack 11:21 31:41>
   +0 accept(3, ..., ...) = 4
   +0 fcntl(4, F_SETFL, O_RDWR|O_NONBLOCK) = 0
   +0 write(4, ..., 300) = 300
+.01~+.02 > [noecn] P. 1:301(300) ack 1 win 100
   +0 < [ce] EAP.  1:1(0) ack 301 win 257 urg 4 <FO 0a0b,nop,nop,ECN e0b 1 ceb 2 e1b 3,nop,nop,eol>
 +.05 %{ x = tcpi_snd_cwnd
assert 5 <= x <= 15 and not tcpi_lost, 'cwnd=%d %s' % (x, "y")  # why
print(max(1, 2) * (3 - 4) // 5) }%
   +0...0.2 read(4, ..., 10) = -1 EAGAIN (Resource temporarily unavailable)
  +.2 poll([{fd=4, events=POLLIN|POLLOUT, revents=POLLOUT}], 1, 0) = 1
   +0 sendmsg(4, {msg_name(...)=..., msg_iov(2)=[{..., 5}, {..., 6}], msg_flags=0}, MSG_MORE) = 11
    * > .5 301:301(0) ack 1
   +0 < icmp unreachable frag_needed mtu 1200 [1:1001(1000)]
   +1 close(4) = 0
`/tmp/sysctl_restore_${PPID}.sh`
"#;

/// Pieces to insert where a script is damaged.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "...", "+", "0", "-1", "99999999999999999999", "1000000", "0x", "%{", "}%", "`", "\"", "(", ")", "[", "]",
    "{", "}", "<", ">", "*", "~", "|", "=", ",", ";", "\\", "\n", "'", "$((", "**", "<<", "%", "/*", "//", "#",
    "é", "\0", ".", "-", "1:1(0)", "win 1", "assert", "4294967295", "9223372036854775807", "1e999", "'%d'",
];

struct Dice(Stream);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        (self.0.next_u64() % n.max(1) as u64) as usize
    }

    /// A place between two characters.
    fn place(&mut self, text: &str) -> usize {
        let at = self.below(text.len() + 1);
        boundary(text, at)
    }
}

/// The place between two characters at `at` or before it.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

fn damaged(text: &str, dice: &mut Dice) -> String {
    let mut text = text.to_owned();
    for _ in 0..=dice.below(4) {
        let (a, b) = (dice.place(&text), dice.place(&text));
        let near = text.len().min(a + dice.below(12));
        let near = boundary(&text, near);
        let piece = PIECES[dice.below(PIECES.len())];
        match dice.below(6) {
            0 => text.replace_range(a..near, ""),
            1 => text.insert_str(a, piece),
            2 => text.replace_range(a..near, piece),
            3 => {
                let copy = text[a..near].to_owned();
                text.insert_str(b, &copy);
            }
            4 => text.insert_str(a, &piece.repeat(dice.below(200))),
            _ => {
                let (from, to) = (a.min(b), a.max(b));
                text.replace_range(from..boundary(&text, to.min(from + 80)), "");
            }
        }
    }
    text
}

fn host() -> Fake {
    let ace = Flags::ECE.with(Flags::AE);
    let mut host = Fake::sending(&[(110, data(1, 300, Flags::PSH)), (1000, data(301, 0, ace))]);
    host.fields.extend([("tcpi_snd_cwnd", 10), ("tcpi_lost", 0)]);
    let happened = with(1, Value::List(vec![Value::Int(symbols::POLLOUT)]));
    let results = [7, 0, 0, 8, 0, 300].map(|result| (0, Answer::from_result(result)));
    host.answers.extend(results);
    host.answers.push_back((200, Answer::from_error(symbols::EAGAIN)));
    host.answers.extend([(0, happened), (0, Answer::from_result(11))]);
    host
}

/// The verdict, or the refusal, in a line each.
fn judged(text: &str, host: &mut dyn Host) -> Result<Report, String> {
    let script = Script::parse("m.pkt", text, &Definitions::of_linux_selftests());
    script.map(|script| play(&script, host)).map_err(|refusal| refusal.to_string())
}

#[test]
fn the_script_that_is_damaged_is_understood() {
    let report = judged(WHOLE, &mut host()).unwrap();
    // All of it is as expected up to the message of ICMP, which this host does not take.
    let Verdict::Refused(refusal) = report.verdict else { panic!("{:?}", report.verdict) };
    assert_eq!(refusal.message, "this host takes no ICMP");
    assert_eq!(report.printed, ["-1"]);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "how many is the caller's")]
fn damaged_scripts_end_in_a_line_or_a_verdict() {
    let number = std::env::var("AIRTCP_MUTATIONS").ok().and_then(|n| n.parse().ok());
    let (mut refused, mut played) = (0, 0);
    let mut whole = vec![WHOLE.to_owned()];
    whole.extend(super::corpus::scripts().into_iter().map(|(_, text)| text));
    for nth in 0..number.unwrap_or(3000_u64) {
        let mut dice = Dice(Stream::new(nth, "mutations", 0));
        let text = damaged(&whole[dice.below(whole.len())], &mut dice);
        match judged(&text, &mut host()) {
            Err(line) => {
                assert!(line.starts_with("m.pkt:") && !line.contains('\n'), "{nth}: {line}");
                refused += 1;
            }
            Ok(report) => {
                if let Verdict::Fails(failure) = report.verdict {
                    assert!(failure.line >= 1 && failure.line <= text.lines().count() + 1, "{nth}");
                }
                played += 1;
            }
        }
    }
    // Both happen: the damage is neither too little nor too much.
    assert!(refused > 100 && played > 100, "{refused} refused, {played} played");
}

/// Statements by which values grow, and those that use them.
#[rustfmt::skip]
const GROWTH: &[&str] = &[
    "x = (x, x)", "x = (x, 1)", "x = [x]", "x = x, y", "y = (x, y, x)", "x = str(x)", "y = str((x, y))",
    "x = '%s%s' % (x, y)", "x = '%999d' % 1", "y = '%1000.1000f' % 1e300", "x = x + y", "x += x", "y = y * 3",
    "x = x ** 2", "y = 1 << 126", "print(x)", "print(x, y, x)", "print('%s' % (x,))", "x == y", "x in (y, x, y)",
    "y = max(x, y)", "y = min((x, x, y))", "x = x[0]", "y = len(x)", "assert x == y", "assert x, (x, y)",
    "assert not x, str(y)", "x = 'a'", "y = 1", "x = 'aaaaaaaa'", "x = x if y else (y, y)",
];

/// Code whose values grow: a few statements over and over, among others.
fn growing(dice: &mut Dice) -> String {
    let mut code = "x = 'a'; y = (1, 'b')\n".to_owned();
    for _ in 0..=dice.below(6) {
        let block: Vec<&str> =
            (0..=dice.below(3)).map(|_| GROWTH[dice.below(GROWTH.len())]).collect();
        let times = [1, 3, 30, 300, 20_000][dice.below(5)];
        code.push_str(&format!("{}\n", block.join("\n")).repeat(times));
    }
    code
}

/// No code exceeds its budget of memory and stack; otherwise the test is killed, which shows the fault.
#[test]
#[expect(clippy::disallowed_methods, reason = "how many is the caller's")]
fn code_that_grows_ends_in_a_line_or_a_verdict() {
    let number = std::env::var("AIRTCP_MUTATIONS").ok().and_then(|n| n.parse().ok());
    let begin = super::fake::CONNECTED;
    let (mut refused, mut other) = (0, 0);
    for nth in 0..number.unwrap_or(3000_u64) / 50 {
        let mut dice = Dice(Stream::new(nth, "mutations", 2));
        let text = format!("{begin} +0 %{{ {} }}%\n", growing(&mut dice));
        let report = judged(&text, &mut host()).map(|report| (report.verdict, report.printed));
        let Ok((verdict, printed)) = report else { continue };
        assert!(printed.iter().map(String::len).sum::<usize>() <= 1 << 18, "{nth}");
        match verdict {
            Verdict::Refused(refusal) => {
                assert!(refusal.line > 1 && refusal.message.len() < 200, "{nth}: {refusal}");
                refused += 1;
            }
            Verdict::Fails(failure) => {
                let (expected, actual) = (failure.expected, failure.actual);
                assert!(expected.len() + actual.len() < 40_000, "{nth}: {actual}");
                other += 1;
            }
            Verdict::Passes => other += 1,
        }
    }
    assert!(refused > 5 && other > 5, "{refused} refused, {other} others");
}

/// The scripts of this project.
#[expect(clippy::disallowed_methods, reason = "scripts lie in files")]
fn ours() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/packetdrill");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

/// A script with a few digits changed: it can still be read, and asks for things that no script does.
fn renumbered(text: &str, dice: &mut Dice) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let digits: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at].is_ascii_digit()).collect();
    for _ in 0..=dice.below(6) {
        bytes[digits[dice.below(digits.len())]] = b'0' + dice.below(10) as u8;
    }
    String::from_utf8(bytes).unwrap()
}

#[test]
#[expect(clippy::disallowed_methods, reason = "how many is the caller's")]
fn damaged_scripts_do_not_break_the_tcp_of_linux() {
    let number = std::env::var("AIRTCP_MUTATIONS").ok().and_then(|n| n.parse().ok());
    let mut whole = ours();
    whole.extend(super::corpus::scripts().into_iter().map(|(_, text)| text));
    let (mut refused, mut played) = (0, 0);
    for nth in 0..number.unwrap_or(2000_u64) {
        let mut dice = Dice(Stream::new(nth, "mutations", 1));
        let text = &whole[dice.below(whole.len())];
        let text = match dice.below(4) {
            0 => damaged(text, &mut dice),
            _ => renumbered(text, &mut dice),
        };
        match judged(&text, &mut Linux::new(nth, nth as usize)) {
            Err(line) => {
                assert!(line.starts_with("m.pkt:") && !line.contains('\n'), "{nth}: {line}");
                refused += 1;
            }
            Ok(_) => played += 1,
        }
    }
    assert!(refused > 100 && played > 400, "{refused} refused, {played} played");
}

/// A host that always has a timer due.
struct Restless(Fake);

impl Host for Restless {
    fn configure(
        &mut self,
        now: Instant,
        options: &airtcp_packetdrill::Options,
        changes: &[airtcp_packetdrill::SettingChange],
    ) -> Result<(), String> {
        self.0.configure(now, options, changes)
    }

    fn call(
        &mut self,
        now: Instant,
        call: &airtcp_packetdrill::Call,
    ) -> airtcp_packetdrill::Outcome {
        self.0.call(now, call)
    }

    fn poll_blocked_call(&mut self, now: Instant) -> Option<airtcp_packetdrill::Answer> {
        self.0.poll_blocked_call(now)
    }

    fn receive(&mut self, now: Instant, packet: &airtcp_packetdrill::Packet) {
        self.0.receive(now, packet);
    }

    fn transmit(&mut self, now: Instant) -> Option<airtcp_packetdrill::Packet> {
        self.0.transmit(now)
    }

    fn next_timer(&self) -> Instant {
        Instant::START + ms(1)
    }

    fn on_timer(&mut self, _: Instant) {}

    fn information(&self, now: Instant, fd: i64, field: &str) -> Option<i128> {
        self.0.information(now, fd, field)
    }
}

#[test]
fn a_host_that_never_rests_is_stopped() {
    let text = format!("{}+1 close(4) = 0", super::fake::CONNECTED);
    let report = judged(&text, &mut Restless(Fake::default())).unwrap();
    let Verdict::Fails(failure) = report.verdict else { panic!() };
    assert!(failure.actual.contains("1000000 packets and timers"), "{failure}");
}
