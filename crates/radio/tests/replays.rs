//! Recorded losses that begin at random entries, and their blocks. Statistical checks: fixed seeds, five standard errors.

use airtcp_core::{Instant, Span, Stream};
use airtcp_radio::channel::Spec;
use airtcp_radio::{Channel, ChannelSpec, Fate, Process, Transmission};
use serde_json::{Value, json};

/// No two rotations are alike, nor two pieces of 4 entries.
const LOST: [u8; 8] = [1, 1, 1, 1, 0, 1, 0, 0];
const SLOT: i64 = 10;

/// The trace of [`LOST`] with these keys.
fn trace(keys: &Value) -> Value {
    let mut document = json!({"kind": "trace", "lost": LOST, "start": "random"});
    for (key, value) in keys.as_object().unwrap() {
        document[key] = value.clone();
    }
    document
}

fn process(document: &Value, run: u64) -> Process {
    let spec: ChannelSpec = serde_json::from_value(document.clone()).unwrap();
    spec.build(Span::from_nanos(SLOT), Stream::new(3, "replays", run)).unwrap()
}

fn fate(channel: &mut Process, start: i64, length: i64) -> u8 {
    let [start, end] = [start, start + length].map(Instant::from_nanos);
    u8::from(channel.fate_of(Transmission { start, end, bits: 8 }) == Fate::Erased)
}

/// Fates of the first `n` slots.
fn path(document: &Value, run: u64, n: usize) -> Vec<u8> {
    let mut channel = process(document, run);
    (0..n as i64).map(|slot| fate(&mut channel, SLOT * slot, SLOT)).collect()
}

/// `n` entries from `place` on, round the list.
fn piece(place: usize, n: usize) -> Vec<u8> {
    LOST.iter().cycle().skip(place).take(n).copied().collect()
}

/// The place of the piece of the list that this is.
fn place_of(found: &[u8]) -> usize {
    let place = (0..LOST.len()).find(|place| piece(*place, found.len()) == found);
    place.unwrap_or_else(|| panic!("{found:?} is no piece of the list"))
}

/// Checks that all places are equally likely.
fn check_even(places: &[usize]) {
    let (n, p) = (places.len() as f64, 1.0 / LOST.len() as f64);
    for place in 0..LOST.len() {
        let share = places.iter().filter(|one| **one == place).count() as f64 / n;
        assert!((share - p).abs() < 5.0 * (p * (1.0 - p) / n).sqrt(), "{place}: {share}");
    }
}

#[test]
fn every_run_begins_at_an_entry_of_its_own_and_goes_round() {
    for clock in ["packet", "slot", "10ns"] {
        let document = trace(&json!({"clock": clock}));
        let places: Vec<usize> =
            (0..8000).map(|run| place_of(&path(&document, run, 3 * LOST.len()))).collect();
        check_even(&places);
    }
}

#[test]
fn a_record_that_does_not_repeat_ends_where_the_list_does() {
    let once = trace(&json!({"repeat": false}));
    let again = trace(&json!({}));
    for run in 0..50 {
        let place = place_of(&path(&again, run, LOST.len()));
        let mut expected = LOST[place..].to_vec();
        expected.resize(20, 0);
        assert_eq!(path(&once, run, 20), expected);
    }
}

#[test]
fn blocks_begin_at_entries_of_their_own() {
    for clock in ["packet", "slot", "10ns"] {
        let document = trace(&json!({"clock": clock, "block": 4}));
        let places: Vec<usize> = path(&document, 1, 40_000).chunks(4).map(place_of).collect();
        check_even(&places);
        // Independent of the block before: the mean product of deviations is 0, of variance 5.25^2/n.
        let off = |place: usize| place as f64 - 3.5;
        let products = places.windows(2).map(|pair| off(pair[0]) * off(pair[1]));
        let mean = products.sum::<f64>() / places.len() as f64;
        assert!(mean.abs() < 5.0 * 5.25 / (places.len() as f64).sqrt(), "{mean}");
    }
}

/// A block longer than the list goes round it.
#[test]
fn a_block_may_be_longer_than_the_list() {
    let document = trace(&json!({"block": 20}));
    let found = path(&document, 2, 400);
    let places: Vec<usize> = found.chunks(20).map(place_of).collect();
    assert!(places.iter().any(|place| *place != places[0]));
}

#[test]
fn a_transmission_meets_every_entry_that_it_covers() {
    let document = trace(&json!({"clock": "10ns", "block": 2}));
    let alone = path(&document, 5, 3000);
    for length in [1, 2, 3, 5, 9] {
        let mut channel = process(&document, 5);
        for first in (0..3000 - length).step_by(length) {
            let covered = &alone[first..first + length];
            let found = fate(&mut channel, SLOT * first as i64, SLOT * length as i64);
            assert_eq!(found, covered.iter().copied().max().unwrap(), "{length} from {first}");
        }
    }
}

/// A transmission of years over a record without loss takes no time, in whatever blocks.
#[test]
fn a_record_without_loss_is_passed_at_once() {
    let document =
        json!({"kind": "trace", "lost": [0, 0], "clock": "1ns", "start": "random", "block": 1});
    let mut channel = process(&document, 1);
    assert_eq!(fate(&mut channel, 0, 1 << 60), 0);
}

#[test]
fn without_the_new_keys_a_trace_is_written_as_before() {
    let document = json!({"kind": "trace", "lost": LOST});
    let spec: ChannelSpec = serde_json::from_value(document).unwrap();
    let written = serde_json::to_value(spec).unwrap();
    let expected = json!({"kind": "trace", "lost": LOST, "clock": "packet", "repeat": true});
    assert_eq!(written, expected);
}
