//! Whole transfers over links that lose, reorder and repeat, with invariants checked after each input.

use super::rig::{MSS, Rig, establishment};
use crate::congestion::NAMES;
use crate::sender::{AckIn, AckVerdict, Establishment, Outgoing, SenderOptions, WriteFlags};
use crate::sysctl::Sysctl;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A link and a peer.
#[derive(Clone, Debug)]
struct World {
    sack: bool,
    timestamps: bool,
    dsack: bool,
    control: &'static str,
    bytes: u64,
    write: u64,
    /// Per mille: data lost, ACKs lost, data late.
    loss: u32,
    ack_loss: u32,
    late: u32,
    delay_us: i64,
    /// The peer forgets what it holds out of order, per mille of segments.
    reneges: u32,
    /// The peer's window, and how often it is closed instead, per mille.
    window: u64,
    closed: u32,
    seed: u64,
}

fn worlds() -> impl Strategy<Value = World> {
    let link = (0..300_u32, 0..300_u32, 0..200_u32, 100..300_000_i64, any::<u64>());
    let peer = (any::<bool>(), any::<bool>(), any::<bool>(), 0..4_u32, 0..20_u32);
    let application = (1..200_000_u64, 1..20_000_u64);
    let window = (prop::sample::select(vec![1_u64 << 20, 20_000, 3000, 500]), 0..300_u32);
    (link, peer, application, window).prop_map(|(link, peer, application, window)| World {
        sack: peer.0,
        timestamps: peer.1,
        dsack: peer.2,
        control: NAMES[peer.3 as usize],
        bytes: application.0,
        write: application.1,
        loss: link.0,
        ack_loss: link.1,
        late: link.2,
        delay_us: link.3,
        reneges: peer.4.saturating_sub(15),
        window: window.0,
        closed: window.1.saturating_sub(100),
        seed: link.4,
    })
}

/// Arrival of something at the peer or at the sender.
#[derive(Clone, Debug)]
enum Arrival {
    Data(u64, u64, u32),
    Ack { ack: u64, sack: Vec<(u64, u64)>, echo: u32, window: u64 },
}

struct Peer {
    next: u64,
    held: Vec<(u64, u64)>,
    latest: Option<(u64, u64)>,
    seq: u64,
}

impl Peer {
    /// Takes [start, end); the ACK that it answers.
    fn take(&mut self, start: u64, end: u64, dsack: bool) -> (u64, Vec<(u64, u64)>) {
        let held = self.held.iter().any(|h| h.0 <= start && end <= h.1);
        let duplicate = end <= self.next || held;
        let mut blocks = Vec::new();
        if duplicate && dsack && start < end {
            blocks.push((start, end));
        }
        if !duplicate {
            self.held.push((start.max(self.next), end));
            self.held.sort_unstable();
            let mut merged: Vec<(u64, u64)> = Vec::new();
            for block in self.held.drain(..) {
                match merged.last_mut() {
                    Some(last) if block.0 <= last.1 => last.1 = last.1.max(block.1),
                    _ => merged.push(block),
                }
            }
            self.held = merged;
            if self.held[0].0 <= self.next {
                self.next = self.held.remove(0).1;
            }
            self.latest = Some((start, end));
        }
        let (mine, others): (Vec<_>, Vec<_>) = self
            .held
            .iter()
            .copied()
            .partition(|h: &(u64, u64)| self.latest.is_some_and(|l| h.0 <= l.0 && l.1 <= h.1));
        blocks.extend(mine.into_iter().chain(others));
        blocks.truncate(3);
        (self.next, blocks)
    }
}

struct Link {
    world: World,
    rig: Rig,
    peer: Peer,
    random: u64,
    arrivals: BTreeMap<(i64, u64), Arrival>,
    count: u64,
    /// When the last ACK arrived.
    heard: i64,
}

impl Link {
    fn chance(&mut self, per_mille: u32) -> bool {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 20) % 1000 < u64::from(per_mille)
    }

    fn put(&mut self, arrival: Arrival) {
        let late = if self.chance(self.world.late) { 3 } else { 1 };
        let at = self.rig.time + late * self.world.delay_us * 500;
        self.count += 1;
        self.arrivals.insert((at, self.count), arrival);
    }

    fn carry(&mut self) {
        for (_, outgoing) in std::mem::take(&mut self.rig.sent) {
            let Outgoing { seq, len, packets, mss, fin, .. } = outgoing;
            let stamp = (outgoing.departure.nanos() / 1_000_000) as u32;
            let end = seq + u64::from(len) + u64::from(fin);
            for n in 0..u64::from(packets) {
                let start = seq + n * u64::from(mss);
                let last = n + 1 == u64::from(packets);
                let end = if last { end } else { start + u64::from(mss) };
                if !self.chance(self.world.loss) {
                    self.put(Arrival::Data(start, end, stamp));
                }
            }
        }
    }

    fn arrive(&mut self, arrival: Arrival) {
        match arrival {
            Arrival::Data(start, end, stamp) => {
                if self.chance(self.world.reneges) {
                    self.peer.held.clear();
                }
                let (ack, mut sack) = self.peer.take(start, end, self.world.dsack);
                if !self.world.sack {
                    sack.clear();
                }
                if !self.chance(self.world.ack_loss) {
                    let closed = self.chance(self.world.closed);
                    let window = if closed { 0 } else { self.world.window };
                    self.put(Arrival::Ack { ack, sack, echo: stamp, window });
                }
            }
            Arrival::Ack { ack, sack, echo, window } => {
                if ack >= self.rig.s.una() {
                    self.heard = self.rig.time;
                }
                let now = self.rig.now();
                let verdict = self.rig.s.on_ack(
                    now,
                    &AckIn {
                        ack,
                        seq: self.peer.seq,
                        has_data: false,
                        window,
                        sack: &sack,
                        ts: self.world.timestamps.then_some((1, echo)),
                        ece: false,
                        header_predicted: sack.is_empty(),
                        syn: false,
                    },
                );
                assert_eq!(verdict, AckVerdict::Ok);
                self.rig.s.data_snd_check(now);
                self.rig.drain();
            }
        }
    }

    /// Runs until everything is acknowledged, or the sender gives up.
    fn run(&mut self) {
        let fin = self.world.bytes + 2;
        let mut inputs = 0;
        loop {
            self.carry();
            self.rig.check();
            if self.rig.s.una() == fin {
                return;
            }
            inputs += 1;
            assert!(inputs < 200_000, "no end: una {} of {fin}", self.rig.s.una());
            if self.rig.s.gave_up() {
                // rules/timers.md rule 11: a closed window, and no ACK for twice the largest RTO.
                assert!(self.rig.time - self.heard > 240_000_000_000, "given up too early");
                return;
            }
            let timer = self.rig.s.next_timer().nanos();
            let arrival = self.arrivals.first_key_value().map_or(i64::MAX, |(key, _)| key.0);
            assert!(timer.min(arrival) < i64::MAX, "nothing will ever happen");
            self.rig.time = self.rig.time.max(timer.min(arrival));
            if timer <= arrival {
                let now = self.rig.now();
                self.rig.s.on_timer(now);
                self.rig.drain();
            } else {
                let (_, arrival) = self.arrivals.pop_first().expect("something arrives");
                self.arrive(arrival);
            }
        }
    }
}

/// Carries out a transfer; the sender at its end.
fn transfer(world: World) -> Rig {
    // No number of losses in a row ends the connection.
    let sysctl = Sysctl { tcp_retries2: 20_000, ..Sysctl::default() };
    let e = Establishment {
        sack: world.sack,
        timestamps: world.timestamps.then_some(0),
        window: world.window,
        ..establishment(world.delay_us as u64)
    };
    let options = SenderOptions {
        control: world.control.to_owned(),
        write_size: world.write,
        ..SenderOptions::default()
    };
    let mut rig = Rig::with(&sysctl, options, &e);
    let now = rig.now();
    rig.s.write(now, world.bytes, WriteFlags::blocking_call());
    rig.s.close(now);
    rig.drain();
    let peer = Peer { next: 1, held: Vec::new(), latest: None, seq: 1 };
    let random = world.seed | 1;
    let mut link = Link { world, rig, peer, random, arrivals: BTreeMap::new(), count: 0, heard: 0 };
    link.run();
    assert!(link.rig.s.gave_up() || link.rig.s.counts() == [0, 0, 0, 0]);
    link.rig
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]
    /// Progress, and O, S, L, R and RACK's order as recounted, whatever the link does.
    #[test]
    fn transfers_end(world in worlds()) {
        transfer(world);
    }
}

#[test]
fn a_clean_link_carries_each_packet_once() {
    for control in NAMES {
        let mut rig = Rig::with(
            &Sysctl::default(),
            SenderOptions { control: (*control).to_owned(), ..SenderOptions::default() },
            &establishment(20_000),
        );
        let now = rig.now();
        rig.s.write(now, 1000 * MSS, WriteFlags::blocking_call());
        rig.drain();
        let mut next = 1;
        while next < 1 + 1000 * MSS {
            rig.wait_us(20_000);
            for (_, outgoing) in std::mem::take(&mut rig.sent) {
                assert_eq!(outgoing.seq, next, "{control}");
                next += u64::from(outgoing.len);
                rig.ack(next);
                rig.wait_us(50);
            }
        }
        assert_eq!(rig.info("tcpi_total_retrans"), 0);
        assert_eq!(rig.info("tcpi_delivered"), 1001);
    }
}

/// Shows that the transfers of the property above meet everything that can happen.
#[test]
fn transfers_meet_all_kinds_of_trouble() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let fields = [
        "tcpi_total_retrans",
        "tcpi_total_rto",
        "tcpi_total_rto_time",
        "tcpi_dsack_dups",
        "tcpi_reord_seen",
        "tcpi_rwnd_limited",
    ];
    let mut met = [0; 6];
    for _ in 0..60 {
        let world = worlds().new_tree(&mut runner).expect("a world").current();
        let rig = transfer(world);
        for (count, field) in met.iter_mut().zip(fields) {
            *count += i32::from(rig.info(field) > 0);
        }
    }
    assert!(met.iter().all(|count| *count >= 5), "{met:?}");
}
