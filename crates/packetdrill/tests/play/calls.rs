//! Calls: their results, errors and outputs, and the time that they block.

use super::fake::{CONNECTED, Fake, data, with};
use super::{failure, passes};
use airtcp_packetdrill::{Answer, Call, Flags, Value, Verdict, symbols};

/// A script that makes one call on a socket.
fn made(line: &str) -> String {
    format!("0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 {line}")
}

/// The verdict on one call that gets this answer.
fn judged(line: &str, answer: Answer) -> Verdict {
    let mut host = Fake::answering(&[(0, Answer::from_result(7)), (0, answer)]);
    super::report(&made(line), &mut host).verdict
}

#[test]
fn results_and_errors_must_agree() {
    let pass = |line: &str, answer| assert_eq!(judged(line, answer), Verdict::Passes, "{line}");
    pass("read(3, ..., 10) = 10", Answer::from_result(10));
    pass(
        "read(3, ..., 10) = -1 EAGAIN (Resource temporarily unavailable)",
        Answer::from_error(symbols::EAGAIN),
    );
    pass("accept(3, ..., ...) = 4", Answer::from_result(99));
    pass("getsockopt(3, SOL_SOCKET, SO_SNDBUF, [42000], [4]) = 0", with(0, list(&[42_000])));
    pass("getsockopt(3, SOL_SOCKET, SO_SNDBUF, ..., ...) = 0", Answer::from_result(0));
    pass("ioctl(3, SIOCINQ, [5]) = 0", with(0, list(&[5])));
    pass("poll([{fd=3, events=POLLIN|POLLOUT, revents=POLLOUT}], 1, 0) = 1", with(1, list(&[4])));
    pass("shutdown(3, SHUT_WR) = -1 (a note)", Answer::from_error(symbols::ENOTCONN));
    for (line, answer, actual) in [
        ("read(3, ..., 10) = 10", Answer::from_result(9), "result 9"),
        ("read(3, ..., 10) = 10", Answer::from_error(symbols::EAGAIN), "result -1 EAGAIN"),
        ("read(3, ..., 10) = -1 EINVAL", Answer::from_error(symbols::EAGAIN), "result -1 EAGAIN"),
        ("accept(3, ..., ...) = 4", Answer::from_error(symbols::EMFILE), "result -1 EMFILE"),
        ("getsockopt(3, SOL_SOCKET, SO_SNDBUF, [1], [4]) = 0", with(0, list(&[2])), "[2]"),
        ("poll([{fd=3, events=POLLIN, revents=POLLIN}], 1, 0) = 1", with(1, list(&[8])), "[8]"),
    ] {
        let Verdict::Fails(failure) = judged(line, answer) else { panic!("{line}") };
        assert!(failure.actual.contains(actual), "{line}: {failure}");
        assert_eq!(failure.line, 2);
    }
}

fn list(numbers: &[i64]) -> Value {
    Value::List(numbers.iter().map(|number| Value::Int(*number)).collect())
}

#[test]
fn messages_are_compared_field_by_field() {
    let line = "recvmsg(3, {msg_name(...)=..., msg_iov(1)=[{..., 10}], msg_flags=MSG_TRUNC,
        msg_control=[{cmsg_level=SOL_SOCKET, cmsg_type=SCM_TIMESTAMPING,
                      cmsg_data={scm_sec=0,scm_nsec=20000000}}]}, 0) = 10";
    let answer = |nanos: i64, level: i64| {
        let fields = |pairs: Vec<(&str, Value)>| {
            Value::Fields(pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
        };
        let time = fields(vec![("scm_sec", Value::Int(0)), ("scm_nsec", Value::Int(nanos))]);
        let control = fields(vec![
            ("cmsg_level", Value::Int(level)),
            ("cmsg_type", Value::Int(symbols::SCM_TIMESTAMPING)),
            ("cmsg_data", time),
        ]);
        let flags = Value::Int(symbols::MSG_TRUNC);
        with(10, fields(vec![("msg_flags", flags), ("msg_control", Value::List(vec![control]))]))
    };
    assert_eq!(judged(line, answer(23_900_000, symbols::SOL_SOCKET)), Verdict::Passes);
    for wrong in [answer(24_100_000, symbols::SOL_SOCKET), answer(20_000_000, symbols::SOL_IP)] {
        assert!(matches!(judged(line, wrong), Verdict::Fails(_)));
    }
}

#[test]
fn descriptors_of_the_host_replace_those_of_the_script() {
    let mut host = Fake::default();
    passes(&format!("{CONNECTED}+0 write(4, ..., 10) = 10\n+0 close(4) = 0"), &mut host);
    let Some(Call::Send { fd, buffers, .. }) = host.called.get(4) else {
        panic!("{:?}", host.called)
    };
    assert_eq!((*fd, buffers.total()), (102, 10));
    assert_eq!(host.called[5], Call::Close { fd: 102 });
    let failure =
        failure(&format!("{CONNECTED}+0 close(4) = 0\n+0 close(4) = 0"), &mut Fake::default());
    assert!(failure.contains("descriptor 4"), "{failure}");
}

#[test]
fn a_blocking_call_ends_at_its_time() {
    let blocked =
        |after| Fake::answering(&[(0, Answer::from_result(7)), (after, Answer::from_result(0))]);
    let text = made("...0.2 connect(3, ..., ...) = 0").replace("+0 ...", "0...");
    for (after, fits) in [(175, true), (225, true), (174, false), (226, false), (0, false)] {
        if fits {
            passes(&text, &mut blocked(after));
        } else {
            let failure = failure(&text, &mut blocked(after));
            assert!(failure.contains("connect to return at 0.2 s"), "{failure}");
        }
    }
    // Beside other events, whose times go on.
    let beside = format!("{text}\n.1 getsockopt(3, SOL_SOCKET, SO_ERROR, ..., ...) = 0");
    let failure = failure(&beside, &mut blocked(200));
    assert!(
        failure.contains("line 3: expected this at 0.1 s; it is reached at 0.2 s"),
        "{failure}"
    );
}

#[test]
fn packets_come_and_go_while_a_call_blocks() {
    let text = format!(
        "{CONNECTED}+0...0.05 read(4, ..., 10) = 10\n+.02 > P. 1:101(100) ack 1\n\
        +.01 < . 1:1(0) ack 101 win 257"
    );
    let mut host = Fake::sending(&[(20, data(1, 100, Flags::PSH))]);
    host.answers =
        [Answer::from_result(7), Answer::from_result(8)].map(|answer| (0, answer)).into();
    host.answers.push_back((50, Answer::from_result(10)));
    passes(&text, &mut host);
}

#[test]
fn a_call_that_still_blocks_at_the_end_fails() {
    let text = made("...0.2 connect(3, ..., ...) = 0").replace("+0 ...", "0...");
    let mut host = Fake::answering(&[(0, Answer::from_result(7)), (1100, Answer::from_result(0))]);
    let failure = failure(&text, &mut host);
    assert!(failure.contains("line 2") && failure.contains("still blocks at the end"), "{failure}");
}

#[test]
fn a_call_that_blocks_unexpectedly_delays_what_follows() {
    let text = made("connect(3, ..., ...) = 0\n.1 close(3) = 0");
    let host =
        |after| Fake::answering(&[(0, Answer::from_result(7)), (after, Answer::from_result(0))]);
    passes(&text, &mut host(50));
    let late = failure(&text, &mut host(150));
    assert!(late.contains("line 3: expected this at 0.1 s; it is reached at 0.15 s"), "{late}");
    let never = failure(&text, &mut host(4_000_000));
    assert!(never.contains("still blocks after 3600 s"), "{never}");
}

#[test]
fn code_sees_the_fields_of_its_time_and_says_its_line() {
    let mut host = Fake::default();
    host.fields.insert("tcpi_snd_cwnd", 10);
    let text = |body: &str| format!("{CONNECTED}+0 %{{ {body} }}%");
    passes(&text("x = tcpi_snd_cwnd\nassert x == 10"), &mut host);
    let failed = failure(
        &text("print('cwnd', tcpi_snd_cwnd)\nassert tcpi_snd_cwnd == 7, tcpi_snd_cwnd"),
        &mut host,
    );
    assert_eq!(failed, "line 10: expected tcpi_snd_cwnd == 7 at 0 s; 10");
    let missing = failure(&text("assert tcpi_rtt > 0"), &mut host);
    assert!(missing.contains("the host has no field 'tcpi_rtt'"), "{missing}");
    let report = super::report(&text("print('cwnd', tcpi_snd_cwnd)"), &mut host);
    assert_eq!(report.printed, ["cwnd 10"]);
    let early = failure(
        "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 close(3) = 0\n+0 %{ assert 1 }%",
        &mut Fake::default(),
    );
    assert!(early.contains("no descriptor"), "{early}");
}
