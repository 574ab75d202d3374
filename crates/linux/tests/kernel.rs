//! CUBIC and BBR driven by what a running kernel met, ACK by ACK, against what it did: the state that
//! `TCP_INFO` and `TCP_CC_INFO` showed of it after each.

use airtcp_core::Instant;
use airtcp_linux::TimeInUnits;
use airtcp_linux::congestion::{
    Bbr, CaState, Cubic, INFINITE_SSTHRESH, Mode, Module, RateSample, TcpSock, Window,
};

const MSS: u32 = 1460;

/// The numbers of each line of a recording that is not a comment; words and dashes are -1.
fn lines(recording: &str) -> Vec<Vec<i64>> {
    let numbers = |line: &str| line.split(' ').map(|word| word.parse().unwrap_or(-1)).collect();
    recording.lines().filter(|line| !line.starts_with('#')).map(numbers).collect()
}

fn window() -> Window {
    Window {
        cwnd: 10,
        cwnd_count: 0,
        clamp: u32::MAX,
        ssthresh: INFINITE_SSTHRESH,
        prior_cwnd: 0,
        pacing_rate: u64::MAX,
        app_limited: 0,
    }
}

fn tcp_sock(us: i64, jiffies: i64) -> TcpSock {
    let now = TimeInUnits {
        instant: Instant::from_nanos(us * 1000),
        us: us as u64,
        jiffies: jiffies as u64,
    };
    TcpSock {
        now,
        una: 1,
        nxt: 1,
        mss: MSS,
        packets_out: 0,
        in_flight: 0,
        srtt8: 0,
        min_rtt: u32::MAX,
        delivered: 0,
        delivered_us: us as u64,
        lost: 0,
        state: CaState::Open,
        cwnd_limited: true,
        cwnd_used: true,
        sack: true,
        last_sent: 0,
        departure: 0,
        paced: false,
        gso_max_size: 65_215,
        max_pacing_rate: u64::MAX,
    }
}

/// The kernel's cube root is an estimate, so that its K may be up to 0.16 % off the exact one
/// [rules/cubic.md rule 9]: an increase may come an ACK or a few early or late.
#[test]
fn cubic_has_the_kernels_window_after_every_ack() {
    let recording = lines(include_str!("kernel/cubic.txt"));
    let [_, mut us, mut jiffies] = recording[0][..] else { panic!("no start") };
    let (mut cubic, mut w) = (Cubic::default(), window());
    cubic.init(&tcp_sock(us, jiffies), &mut w);
    w.pacing_rate = 1_000_000; // slow enough that HyStart allows its full millisecond
    let (mut una, mut recovering, mut growths, mut equal, mut reductions) = (1, false, 0, 0, 0);
    for line in &recording[1..] {
        let [wait, ticks, acked, outstanding, rtt, delivered, cwnd, ssthresh] = line[..] else {
            panic!("{line:?}")
        };
        (us, jiffies, una) = (us + wait, jiffies + ticks, una + acked as u64 * u64::from(MSS));
        let nxt = una + outstanding as u64 * u64::from(MSS);
        let f = TcpSock { una, nxt, ..tcp_sock(us, jiffies) };
        if rtt >= 0 {
            cubic.pkts_acked(&f, &mut w, rtt);
        }
        if delivered < 0 {
            if !recovering || w.ssthresh != ssthresh as u32 {
                w.ssthresh = cubic.ssthresh(&f, &mut w);
                w.cwnd_count = 0;
                reductions += 1;
            }
            assert_eq!(i64::from(w.ssthresh), ssthresh, "as reduction {reductions} begins");
            recovering = true;
            continue;
        }
        if std::mem::take(&mut recovering) {
            w.cwnd = w.ssthresh;
        }
        if delivered > 0 {
            cubic.cong_avoid(&f, &mut w, delivered as u32);
        }
        growths += 1;
        equal += u32::from(i64::from(w.cwnd) == cwnd);
        assert!((i64::from(w.cwnd) - cwnd).abs() <= 1, "ACK {growths}: {} and {cwnd}", w.cwnd);
        assert_eq!(i64::from(w.ssthresh), ssthresh, "ACK {growths}");
    }
    assert_eq!((growths, reductions), (3580, 8));
    assert!(equal >= 3550, "{equal}");
}

#[test]
fn bbr_has_the_kernels_window_rate_and_gains_after_every_ack() {
    let recording = lines(include_str!("kernel/bbr.txt"));
    let mut phases = recording[0][1..].iter().map(|&phase| phase as u32);
    let [_, mut us, mut jiffies, mut delivered, srtt8, pacing_rate, min_rtt] = recording[1][..]
    else {
        panic!("no start")
    };
    let (mut bbr, mut w) = (Bbr::default(), window());
    bbr.force_phase(phases.next());
    let connection =
        TcpSock { srtt8: srtt8 as u32, min_rtt: min_rtt as u32, ..tcp_sock(us, jiffies) };
    bbr.init(&TcpSock { delivered: delivered as u32, ..connection }, &mut w);
    assert_eq!(w.pacing_rate, pacing_rate as u64);
    let (mut cycling, mut modes) = (false, Vec::new());
    for (number, line) in recording[2..].iter().enumerate() {
        let (input, output) = line.split_at(9);
        let [wait, ticks, departs, before, after, sampled, interval_us, rtt_us, limited] =
            input[..]
        else {
            panic!("{line:?}")
        };
        (us, jiffies, delivered) = (us + wait, jiffies + ticks, delivered + 1);
        let f = TcpSock {
            delivered: delivered as u32,
            in_flight: after as u32,
            departure: (us + departs) * 1000,
            srtt8: srtt8 as u32,
            ..tcp_sock(us, jiffies)
        };
        let sample = RateSample {
            prior_delivered: (delivered - sampled) as u32,
            prior_us: 0,
            delivered: sampled as i32,
            interval_us,
            rtt_us,
            losses: 0,
            acked_sacked: 1,
            prior_in_flight: before as u32,
            app_limited: limited != 0,
            ack_delayed: false,
            tx_in_flight: 0,
            lost: 0,
        };
        bbr.cong_control(&f, &mut w, &sample);
        let info = bbr.bbr_info(&f).expect("it is BBR");
        let seen = [
            i64::from(w.cwnd),
            w.pacing_rate as i64,
            info.bw as i64,
            i64::from(info.min_rtt),
            i64::from(info.pacing_gain),
            i64::from(info.cwnd_gain),
        ];
        assert_eq!(seen, output, "ACK {number} in {:?}", bbr.mode);
        if modes.last() != Some(&bbr.mode) {
            modes.push(bbr.mode);
        }
        if std::mem::replace(&mut cycling, bbr.mode == Mode::ProbeBw) && !cycling {
            bbr.force_phase(phases.next());
        }
    }
    assert_eq!(modes, [Mode::Startup, Mode::Drain, Mode::ProbeBw, Mode::ProbeRtt, Mode::ProbeBw]);
    assert_eq!(recording.len(), 2 + 2033);
}
