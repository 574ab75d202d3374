//! Two hosts, and a network between them that loses, doubles, changes, reorders and holds packets.

use airtcp_core::{Instant, Span, Stream};
use airtcp_live::stack::{Peers, Settings, Stack};
use airtcp_live::wire::{Flags, Header, Options, Packet, ProbeKind, ProbeOption};
use airtcp_tcp::{RuleSource, Spurious, Variant};
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddrV4};

pub(crate) const ADDRESSES: [Ipv4Addr; 2] =
    [Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2)];
pub(crate) const PORT: u16 = 5001;
const CLIENT: u16 = 40_000;

pub(crate) fn millis(n: i64) -> Span {
    Span::from_nanos(n * 1_000_000)
}

/// The variants that a host may have.
pub(crate) fn variants() -> impl Iterator<Item = Variant> {
    Variant::with_rules_of(RuleSource::Rfc)
}

/// The variants, each with every detector of spurious timeouts that it can be combined with.
pub(crate) fn watched() -> impl Iterator<Item = (Variant, Spurious)> {
    let each = |v| Spurious::ALL.iter().map(move |d| (v, *d));
    variants().flat_map(each).filter(|(v, d)| *d == Spurious::None || !v.capabilities().probes)
}

/// The faults that may happen to a packet: probabilities, and times within each period.
#[derive(Clone, Copy, Default)]
pub(crate) struct Faults {
    pub(crate) loss: f64,
    pub(crate) duplicate: f64,
    pub(crate) corrupt: f64,
    pub(crate) reorder: f64,
    /// Period and duration, in ms, of times at which packets are held.
    pub(crate) spike: Option<(i64, i64)>,
    /// Period and duration, in ms, of times at which packets are destroyed.
    pub(crate) outage: Option<(i64, i64)>,
    /// Probability that somebody on the path adds a forged probe or answer with right numbers.
    pub(crate) forge: f64,
}

/// The network and its hosts.
pub(crate) struct World {
    pub(crate) now: Instant,
    pub(crate) hosts: [Stack; 2],
    air: BTreeMap<(Instant, u64), (usize, Vec<u8>)>,
    faults: Faults,
    fates: [Stream; 2],
    serial: u64,
    /// Number of packets that each host has sent.
    pub(crate) sent: [u64; 2],
    /// The packets that the hosts have sent, if a test wants to see them.
    pub(crate) log: Option<Vec<(Instant, Vec<u8>)>>,
    /// The hosts' first sequence numbers, once they have sent something.
    pub(crate) initial: [u32; 2],
}

impl World {
    pub(crate) fn new(settings: [Settings; 2], faults: Faults, seed: u64) -> Self {
        World::with(settings, faults, seed, &[0, 1].map(|i| Stream::new(seed, "initial", i)))
    }

    /// A world whose hosts draw their initial sequence numbers from `initial`.
    pub(crate) fn with(
        settings: [Settings; 2],
        faults: Faults,
        seed: u64,
        initial: &[Stream; 2],
    ) -> Self {
        let host = |i: usize| {
            Stack::new(ADDRESSES[i], settings[i], initial[i].clone()).expect("sane settings")
        };
        World {
            now: Instant::START,
            hosts: [host(0), host(1)],
            air: BTreeMap::new(),
            faults,
            fates: [0, 1].map(|i| Stream::new(seed, "fates", i)),
            serial: 0,
            sent: [0; 2],
            log: None,
            initial: [0; 2],
        }
    }

    /// Host 1 listens, host 0 calls: the connection as host 0 and as host 1 name it.
    pub(crate) fn call(&mut self) -> [Peers; 2] {
        self.hosts[1].listen(PORT);
        let remote = SocketAddrV4::new(ADDRESSES[1], PORT);
        let peers = self.hosts[0].connect(CLIENT, remote).expect("there is room");
        self.drain();
        [peers, Peers { local: peers.remote, remote: peers.local }]
    }

    /// Sends everything that the hosts have to send.
    pub(crate) fn drain(&mut self) {
        for from in [0, 1] {
            while let Some(bytes) = self.hosts[from].poll_transmit(self.now) {
                if self.sent[from] == 0 {
                    self.initial[from] = Packet::parse(&bytes).expect("well-formed").header.seq;
                }
                self.sent[from] += 1;
                self.log.iter_mut().for_each(|log| log.push((self.now, bytes.clone())));
                self.launch(from, bytes);
            }
        }
    }

    /// Goes on to the next event; false if there is none.
    pub(crate) fn step(&mut self) -> bool {
        let timer = self.hosts[0].poll_timeout().min(self.hosts[1].poll_timeout());
        let arrival = self.air.keys().next().map_or(Instant::NEVER, |key| key.0);
        if timer.min(arrival) == Instant::NEVER {
            return false;
        }
        self.now = self.now.max(timer.min(arrival));
        if arrival <= timer {
            let (_, (to, bytes)) = self.air.pop_first().expect("something arrives");
            self.hosts[to].on_packet(self.now, &bytes);
        } else {
            self.hosts.iter_mut().for_each(|host| host.on_timer(self.now));
        }
        self.drain();
        true
    }

    fn launch(&mut self, from: usize, mut bytes: Vec<u8>) {
        let Faults { loss, duplicate, corrupt, reorder, spike, outage, forge } = self.faults;
        let fates = &mut self.fates[from];
        let ms = self.now.nanos() / 1_000_000;
        let within = |(period, length): (i64, i64)| ms % period >= period - length;
        let copies = 1 + u64::from(fates.chance(duplicate));
        if forge > 0.0 && fates.chance(forge) {
            let forged = forged(&bytes, fates);
            self.serial += 1;
            self.air.insert((self.now + millis(10), self.serial), (1 - from, forged));
        }
        if fates.chance(corrupt) {
            let at = fates.next_u64() as usize % bytes.len();
            bytes[at] ^= 1 + (fates.next_u64() % 255) as u8;
        }
        if fates.chance(loss) || outage.is_some_and(within) {
            return;
        }
        for copy in 0..copies {
            let held = match spike.filter(|s| within(*s)) {
                Some((period, _)) => millis(period - ms % period),
                None if fates.chance(reorder) => millis(1 + (fates.next_u64() % 8) as i64),
                None => Span::ZERO,
            };
            self.serial += 1;
            let due = self.now + millis(10 + copy as i64) + held;
            self.air.insert((due, self.serial), (1 - from, bytes.clone()));
        }
    }
}

/// A probe or an answer behind the segment in `bytes`; half the numbers are of the first few.
fn forged(bytes: &[u8], dice: &mut Stream) -> Vec<u8> {
    let packet = Packet::parse(bytes).expect("well-formed");
    let kind = if dice.chance(0.5) { ProbeKind::First } else { ProbeKind::Second };
    let number = dice.next_u64() as u32;
    let number = if dice.chance(0.5) { number % 8 } else { number };
    let probe = Some(ProbeOption { answer: dice.chance(0.7), kind, number });
    let options = Options { probe, ..packet.header.options };
    let seq = packet.header.seq.wrapping_add(packet.length());
    let header = Header { seq, flags: Flags::ACK, options, ..packet.header };
    Packet { header, payload: &[], ..packet }.write(0)
}
