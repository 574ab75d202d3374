//! Captures with bytes changed end in a refusal or a verdict: no panic, no replay without end.

use airtcp_core::Cancel;
use airtcp_replay::{UserFacts, explain};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A pcap of a handshake, 12 segments of data, ACKs with SACK, and a repetition.
fn capture() -> Vec<u8> {
    let mut file: Vec<u8> = vec![];
    for word in [0xA1B2_3C4D_u32, 0x0004_0002, 0, 0, 65535, 101] {
        file.extend(word.to_le_bytes());
    }
    let mut put = |us: u32, out: bool, seq: u32, ack: u32, flags: u8, options: &[u8], len: u16| {
        let header = 20 + options.len();
        let total = 20 + header as u16 + len;
        for word in [1000, us * 1000, 20 + header as u32, u32::from(total)] {
            file.extend(word.to_le_bytes());
        }
        file.extend([0x45, 0]);
        file.extend(total.to_be_bytes());
        file.extend([0, 0, 0x40, 0, 64, 6, 0, 0]);
        let (from, to) = if out { (1, 2) } else { (2, 1) };
        file.extend([10, 0, 0, from, 10, 0, 0, to, 0, from, 0, to]);
        file.extend(seq.to_be_bytes());
        file.extend(ack.to_be_bytes());
        file.extend([(header as u8 / 4) << 4, flags, 0xFF, 0xFF, 0, 0, 0, 0]);
        file.extend(options);
    };
    let syn = [2, 4, 5, 180, 1, 1, 4, 2];
    put(0, true, u32::MAX - 5000, 0, 2, &syn, 0);
    put(40_000, false, 700, u32::MAX - 4999, 18, &syn, 0);
    put(40_010, true, u32::MAX - 4999, 701, 16, &[], 0);
    let at = |number: u32| (u32::MAX - 4999).wrapping_add(number * 1460);
    for number in 0..10 {
        put(40_020 + number, true, at(number), 701, 16, &[], 1460);
    }
    put(81_000, false, 701, at(1), 16, &[], 0);
    put(81_010, true, at(10), 701, 16, &[], 1460);
    put(81_011, true, at(11), 701, 16, &[], 1460);
    for (turn, number) in (3..10).enumerate() {
        let mut sack = vec![1, 1, 5, 10];
        sack.extend(at(2).to_be_bytes());
        sack.extend(at(number).to_be_bytes());
        put(82_000 + turn as u32 * 500, false, 701, at(1), 16, &sack, 0);
    }
    put(83_000, true, at(1), 701, 16, &[], 1460);
    file
}

#[test]
fn a_capture_without_description_whose_numbers_wrap_is_replayed() {
    let explained = explain(&capture(), &UserFacts::default(), &Cancel::new()).unwrap();
    assert!(!explained.has_host_facts && explained.verdict.phase_inferred);
    assert_eq!(explained.verdict.segments, 13);
    assert!(explained.verdict.agrees(), "{:?}", explained.verdict.differences);
    assert!(
        explained.verdict.assumptions.iter().any(|message| message.contains("had no more to send"))
    );
}

/// Numbers that the seed of a part makes (xorshift).
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

fn mutated(original: &[u8], draws: &mut Draws) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..=draws.below(6) {
        let at = draws.below(bytes.len());
        match draws.below(5) {
            0 => bytes.truncate(at.max(1)),
            1 => bytes[at] ^= 1 << draws.below(8),
            2 => bytes[at] = [0, 1, 0x7F, 0x80, 0xFF][draws.below(5)],
            3 => drop(bytes.remove(at)),
            _ => bytes.insert(at, draws.below(256) as u8),
        }
        if bytes.is_empty() {
            bytes.push(0);
        }
    }
    bytes
}

/// Numbers of mutations, out of `count`, that are refused and that are judged.
fn outcomes(part: u64, count: usize) -> (usize, usize) {
    let (original, mut draws) = (capture(), Draws(0x9E37_79B9_7F4A_7C15 ^ part));
    let (mut refused, mut judged) = (0, 0);
    for _ in 0..count {
        let mut bytes = mutated(&original, &mut draws);
        if draws.below(2) == 0 {
            claim(&mut bytes, &mut draws);
        }
        let control = ["reno", "cubic", "bbr"][draws.below(3)].to_owned();
        let facts = UserFacts { control: Some(control), ..UserFacts::default() };
        match explain(&bytes, &facts, &Cancel::new()) {
            Ok(_) => judged += 1,
            Err(_) => refused += 1,
        }
    }
    (refused, judged)
}

/// Numbers that claim to be much, written over four bytes.
const CLAIMS: [u32; 6] = [u32::MAX, 1 << 31, (1 << 31) - 1, 1 << 30, 0xFFFF_0000, 0];

/// Writes claims over bytes.
fn claim(bytes: &mut Vec<u8>, draws: &mut Draws) {
    for _ in 0..=draws.below(4) {
        let at = draws.below(bytes.len().saturating_sub(4).max(1));
        let claim = CLAIMS[draws.below(CLAIMS.len())];
        let claim = if draws.below(2) == 0 { claim.to_be_bytes() } else { claim.to_le_bytes() };
        bytes.splice(at..(at + 4).min(bytes.len()), claim);
    }
}

#[test]
fn captures_with_hostile_numbers_are_read_in_bounded_time() {
    let (original, mut draws, over) = (capture(), Draws(0x5851_F42D_4C95_7F2D), Cancel::new());
    over.set(); // What is read is judged, and not replayed.
    let (mut refused, mut judged) = (0, 0);
    for _ in 0..10_000 {
        let mut bytes = mutated(&original, &mut draws);
        claim(&mut bytes, &mut draws);
        match explain(&bytes, &UserFacts::default(), &over) {
            Ok(_) => judged += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 1000 && judged > 1000, "refused {refused}, judged {judged}");
}

/// Parts in which mutations are made, whatever the number of threads.
const PARTS: usize = 20;

#[test]
#[expect(clippy::disallowed_methods, reason = "how many mutations is asked from outside")]
fn mutations_end_in_a_refusal_or_a_verdict() {
    let asked = std::env::var("AIRTCP_MUTATIONS").ok().and_then(|text| text.parse().ok());
    let each = asked.unwrap_or(300_usize).div_ceil(PARTS);
    let next = AtomicUsize::new(0);
    let work = || {
        let (mut refused, mut judged) = (0, 0);
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= PARTS {
                return (refused, judged);
            }
            let (more_refused, more_judged) = outcomes(part as u64, each);
            (refused, judged) = (refused + more_refused, judged + more_judged);
            println!("part {part}: {more_refused} refused, {more_judged} judged");
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (refused, judged) = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let each = threads.into_iter().map(|handle| handle.join().expect("no panic"));
        each.fold((0, 0), |sum, counts| (sum.0 + counts.0, sum.1 + counts.1))
    });
    assert_eq!(refused + judged, each * PARTS);
    assert!(refused > 0 && judged > 0, "refused {refused}, judged {judged}");
}
