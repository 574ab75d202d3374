//! The receiver in logical time, against the rules of `crates/linux/rules/receiver.md` and what a kernel showed.

use airtcp_core::Instant;
use airtcp_linux::receiver::{
    AckFields, BufferLimits, BufferMemory, NegotiatedOptions, Receiver, SenderPath,
};
use airtcp_linux::segment::{Segment, Timestamps};
use airtcp_linux::{Clock, Ecn, Flags, Sysctl, TimeInUnits};

const MSS: u32 = 1460;
const PATH: SenderPath = SenderPath { srtt8: 0, rto: 250 };

struct Bench {
    clock: Clock,
    receiver: Receiver,
    now: TimeInUnits,
}

fn negotiated() -> NegotiatedOptions {
    NegotiatedOptions {
        sack: true,
        timestamps: false,
        scaling: true,
        ecn: false,
        mss: MSS,
        advmss: MSS,
    }
}

impl Bench {
    fn new(negotiated: &NegotiatedOptions) -> Self {
        // Jiffies begin 1 ms after milliseconds do.
        let clock = Clock { phase: 1_000_000_000_000 - 1_000_000 };
        let now = clock.units_at(Instant::START);
        let limits = BufferLimits { buffer: None, clamp: 0, mss: MSS.into() };
        let mut receiver =
            Receiver::new(&Sysctl::default(), clock, BufferMemory::PerSegment, limits);
        receiver.on_syn();
        receiver.establish(now, negotiated);
        Bench { clock, receiver, now }
    }

    /// Goes to a time in milliseconds, and returns the ACKs that timers send on the way, with their times.
    fn until(&mut self, ms: f64) -> Vec<f64> {
        let until = Instant::from_nanos((ms * 1e6) as i64);
        let mut times = vec![];
        while self.receiver.next_timer() <= until {
            self.now = self.clock.units_at(self.receiver.next_timer());
            self.receiver.on_timer(self.now, &PATH);
            times.extend(self.acks().iter().map(|_| self.now.us as f64 / 1000.0));
        }
        self.now = self.clock.units_at(until);
        times
    }

    fn acks(&mut self) -> Vec<AckFields> {
        std::iter::from_fn(|| self.receiver.transmit()).collect()
    }

    /// Takes a segment, and returns the ACKs that leave at once.
    fn take(&mut self, segment: &Segment) -> Vec<AckFields> {
        self.receiver.on_data(self.now, segment, &PATH);
        self.receiver.check_ack(self.now, &PATH);
        self.acks()
    }

    fn data(&mut self, nth: u64) -> Vec<AckFields> {
        self.take(&data(nth))
    }

    /// 44 packets 10 ms apart, read at once; how many ACKs each one gets. Quick ACKs are used up then.
    fn settle(&mut self) -> Vec<usize> {
        let nth_segment = |nth: u64| {
            self.until(10.0 * nth as f64);
            let acks = self.data(nth).len();
            self.read();
            acks + self.acks().len()
        };
        (0..44).map(nth_segment).collect()
    }

    fn read(&mut self) {
        self.receiver.read(self.now, u64::MAX);
    }
}

/// The nth packet of a bulk transfer.
fn data(nth: u64) -> Segment {
    let seq = 1 + nth * u64::from(MSS);
    Segment { seq, len: MSS, size: MSS, flags: Flags::ACK, ..Segment::default() }
}

fn end(nth: u64) -> u64 {
    1 + (nth + 1) * u64::from(MSS)
}

/// Index: "22 in-order packets 10 ms apart: an ACK each, then one per two; a lone small one after 45 ms"
/// (rules 2 to 8, 24).
#[test]
fn acks_are_quick_at_first_then_one_per_two_and_then_delayed() {
    let mut bench = Bench::new(&negotiated());
    let answered = bench.settle();
    let wanted: Vec<usize> = (0..44).map(|nth| usize::from(nth < 22 || nth % 2 == 1)).collect();
    assert_eq!(answered, wanted, "22 as the kernel showed, on a device that stores segments apart");
    let small = Segment { seq: end(43), len: 100, size: 100, flags: Flags::ACK, ..data(0) };
    bench.until(440.0);
    assert!(bench.take(&small).is_empty());
    let times = bench.until(2000.0);
    assert_eq!(times.len(), 1);
    assert!((480.0..=484.0).contains(&times[0]), "{times:?}");
}

/// Index: "FIN before any data: ACK on the next tick" (rule 11).
#[test]
fn a_fin_before_any_data_is_acknowledged_on_the_next_tick() {
    let mut bench = Bench::new(&negotiated());
    bench.until(10.0);
    bench.receiver.on_fin();
    let fin = Segment { seq: 1, flags: Flags(Flags::ACK.0 | Flags::FIN.0), ..Segment::default() };
    assert!(bench.take(&fin).is_empty());
    let times = bench.until(100.0);
    assert_eq!(times.len(), 1);
    assert!(times[0] > 10.0 && times[0] <= 14.0, "{times:?}");
}

/// Index: "out-of-order packets without any receiver's RTT: an ACK each; old data: D-SACK first" (rules 10,
/// 16, 19).
#[test]
fn data_out_of_order_and_old_data_are_answered_at_once() {
    let mut bench = Bench::new(&negotiated());
    bench.data(0);
    for nth in 2..9 {
        bench.until(nth as f64 * 5.0);
        let mut acks = bench.data(nth);
        // Without an estimate of the round trip the compressed ACK waits for its slack only.
        let late = bench.until(nth as f64 * 5.0 + 0.2).len();
        assert_eq!(acks.len() + late, 1);
        if let Some(ack) = acks.pop() {
            assert_eq!(ack.ack, end(0));
            assert_eq!(ack.sack.as_slice(), [(end(1), end(nth))]);
        }
    }
    let acks = bench.data(0);
    assert_eq!(acks[0].sack.as_slice(), [(1, end(0)), (end(1), end(8))]);
    let acks = bench.data(1);
    assert_eq!((acks.len(), acks[0].ack), (1, end(8)), "a filled hole is acknowledged at once");
    assert!(acks[0].sack.is_empty());
}

/// Rule 10: the first three per hole leave at once, later ones when the timer lets them.
#[test]
fn acks_of_data_out_of_order_are_compressed() {
    let mut bench = Bench::new(&negotiated());
    bench.settle();
    let now = (45..65).map(|nth| bench.data(nth).len()).sum::<usize>();
    assert_eq!(now, 3);
    // No window has passed yet, so that the round trip is unknown: the slack alone.
    assert_eq!(bench.until(1000.0), [430.1]);
    assert_eq!(bench.receiver.next_timer(), Instant::NEVER);
    assert!((65..70).all(|nth| bench.data(nth).is_empty()), "still the same hole");
}

/// Rule 17: a third block, and a touched third block, make the compressed ACK leave first.
#[test]
fn a_new_block_hurries_a_compressed_ack() {
    let mut bench = Bench::new(&negotiated());
    bench.settle();
    for nth in [45, 46, 47] {
        assert_eq!(bench.data(nth).len(), 1);
    }
    assert!(bench.data(49).is_empty(), "compressed");
    let acks = bench.data(51);
    assert_eq!(acks.len(), 1, "sent before the list changes");
    let blocks = [(end(48), end(49)), (end(44), end(47))];
    assert_eq!(acks[0].sack.as_slice(), blocks);
}

/// Rule 9: an expired delayed ACK doubles the delay; rule 11: one reply makes it interactive.
#[test]
fn the_delay_adapts() {
    let mut bench = Bench::new(&negotiated());
    let ato = |bench: &Bench| bench.receiver.information(bench.now, "tcpi_ato").unwrap();
    bench.data(0);
    assert_eq!(ato(&bench), 40_000);
    let mut bench = Bench::new(&negotiated());
    bench.settle();
    let before = ato(&bench);
    let mut small = Segment { len: 100, size: 100, ..data(44) };
    assert!(bench.take(&small).is_empty());
    assert_eq!(bench.until(1000.0).len(), 1);
    assert_eq!(ato(&bench), 2 * before);
    bench.receiver.on_data_sent(bench.now);
    assert!(bench.receiver.is_quick_enabled(), "too late for a reply");
    small.seq += 100;
    bench.take(&small);
    bench.receiver.on_data_sent(bench.now);
    assert!(!bench.receiver.is_quick_enabled(), "a reply makes it interactive");
}

/// Rule 20.
#[test]
fn congestion_is_echoed_until_cwr() {
    let mut bench = Bench::new(&NegotiatedOptions { ecn: true, ..negotiated() });
    let marked = |nth: u64, ecn: Ecn| Segment { ecn, ..data(nth) };
    assert!(!bench.take(&marked(0, Ecn::Ect0))[0].ece);
    assert!(bench.take(&marked(1, Ecn::Ce))[0].ece);
    assert!(bench.take(&marked(2, Ecn::Ect0))[0].ece);
    let cwr = Segment { flags: Flags(Flags::ACK.0 | Flags::CWR.0), ..marked(3, Ecn::Ect0) };
    bench.receiver.on_cwr(&cwr);
    let acks = bench.take(&cwr);
    assert_eq!((acks.len(), acks[0].ece), (1, false));
}

/// Rules 15, 16, 22: a reader that stops closes the window, and a read opens it.
#[test]
fn a_reader_that_stops_closes_the_window() {
    let mut bench = Bench::new(&negotiated());
    let mut nth = 0;
    let mut last = None;
    while nth < 200 {
        bench.until(nth as f64);
        let acks = bench.data(nth);
        last = acks.last().copied().or(last);
        if bench.receiver.remaining() < MSS.into() {
            break;
        }
        nth += 1;
    }
    assert!(nth < 100, "131072 bytes of memory hold about 83 kB of data");
    let before = bench.receiver.remaining();
    bench.read();
    let acks = bench.acks();
    assert_eq!(acks.len(), 1, "a window update");
    assert!(bench.receiver.remaining() >= 2 * before);
    assert!(acks[0].window > last.unwrap().window);
}

/// Rule 26: a fast reader gets a larger buffer once there is an estimate of the round trip.
#[test]
fn the_window_grows_with_what_is_read() {
    let mut bench = Bench::new(&NegotiatedOptions {
        timestamps: true,
        mss: 1448,
        advmss: 1448,
        ..negotiated()
    });
    let first = bench.receiver.buffer();
    let mut nth = 0;
    for round in 1..12_u32 {
        let ms = 40 * round;
        bench.until(ms.into());
        // A window of data per round.
        let window = (bench.receiver.remaining() / u64::from(MSS)).max(1);
        for _ in 0..window {
            let timestamps = Some(Timestamps { value: ms, echo: ms - 40 });
            let segment = Segment { timestamps, ..data(nth) };
            bench.receiver.measure_rtt_from_echo(&segment, ms);
            bench.take(&segment);
            bench.read();
            bench.acks();
            nth += 1;
        }
    }
    assert!(bench.receiver.buffer() > 2 * first, "{}", bench.receiver.buffer());
    let rtt = bench.receiver.information(bench.now, "tcpi_rcv_rtt").unwrap();
    assert!((35_000..=40_000).contains(&rtt), "{rtt}");
}
