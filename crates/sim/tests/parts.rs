//! The parts of a run: what they count is what the whole counts, cut at the instants of their ends.

use airtcp_core::{Cancel, CombineRule};
use airtcp_scenario::{Scenario, points};
use airtcp_sim::{count_columns, count_names, run};
use serde_json::{Value, json};

/// The rows of one run.
fn rows(scenario: &Scenario) -> Vec<Vec<i64>> {
    let counts = run(scenario, 3, 1, &Cancel::new()).unwrap().unwrap();
    counts.chunks(count_names(scenario).len()).map(<[i64]>::to_vec).collect()
}

/// The points of `document` with other values in their stop rule.
fn stopped(document: &Value, stop: &Value) -> Vec<Scenario> {
    let mut document = document.clone();
    document["stop"] = stop.clone();
    points(&document).unwrap_or_else(|e| panic!("{e}: {document}"))
}

/// One row per flow: counts add up, and a milestone is reached in one part at most. Quantiles do not add up: the
/// last part has the quantiles of all parts so far.
fn total(scenario: &Scenario, rows: &[Vec<i64>], flows: usize) -> Vec<Vec<i64>> {
    let place = |sought: &str| count_names(scenario).iter().position(|name| *name == sought);
    let milestone = place("milestone_ns");
    let quantiles = [
        (place("delay_median_ns"), place("delay_median_so_far_ns")),
        (place("delay_p95_ns"), place("delay_p95_so_far_ns")),
        (place("delay_least_ns"), place("delay_least_ns")),
    ];
    let mut total = rows[..flows].to_vec();
    for (i, row) in rows.iter().enumerate().skip(flows) {
        for (column, (sum, count)) in total[i % flows].iter_mut().zip(row).enumerate() {
            if Some(column) == milestone {
                assert!(*sum == -1 || *count == -1, "a milestone that is reached twice");
                *sum = (*sum).max(*count);
            } else {
                *sum += count;
            }
        }
        for (part, so_far) in quantiles.iter().filter_map(|(part, so_far)| part.zip(*so_far)) {
            (total[i % flows][part], total[i % flows][so_far]) = (row[so_far], row[so_far]);
        }
    }
    total
}

/// The rows without quantiles, which begin anew after a warm-up.
fn without_quantiles(scenario: &Scenario, rows: &[Vec<i64>]) -> Vec<Vec<i64>> {
    let names = count_names(scenario);
    let counts = |row: &Vec<i64>| {
        let named = row.iter().zip(&names).filter(|(_, name)| !is_quantile(name));
        named.map(|(count, _)| *count).collect()
    };
    rows.iter().map(counts).collect()
}

fn is_quantile(name: &str) -> bool {
    name.starts_with("delay_")
}

fn slots() -> Value {
    json!({
        "profile": "zorzi",
        "tcp": {"variant": ["oldtahoe", "tahoe", "reno", "newreno", "sack"], "inflation": [false, true]},
        "channel": {"kind": "rayleigh-two-state", "doppler": 0.01, "loss_rate": 0.1},
        "ack": {"delay": [0, 3], "loss_rate": 0.01},
    })
}

/// One flow goes on for ever, one begins in the middle, one ends early.
fn path(profile: &str, growth: &Value) -> Value {
    let mut tcp = json!({"variant": ["tahoe", "reno", "newreno", "sack"]});
    if !growth.is_null() {
        tcp["congestion"] = growth.clone();
    }
    json!({
        "profile": profile,
        "tcp": tcp,
        "path": {"hop": [
            {"rate": "1.5Mbps", "delay": "10ms", "queue": 20},
            {
                "rate": "0.8Mbps", "delay": "100ms", "queue": 20,
                "channel": {"kind": "sojourn", "good": "100packets", "bad": "8bits"},
                "gate": {"kind": "on-off", "up": "5s", "down": "0.3s"},
            },
        ]},
        "flow": [{"milestone": 500}, {"start": "12.5s"}, {"packets": 100}],
    })
}

fn documents() -> [(Value, usize); 3] {
    [(slots(), 1), (path("ns2", &Value::Null), 3), (path("rfc", &json!(["reno", "cubic"])), 3)]
}

/// `n` slots, or tenths of a second: a length of either family.
fn length(flows: usize, n: u64) -> (&'static str, Value) {
    if flows == 1 { ("slots", n.into()) } else { ("time", format!("{}s", n as f64 / 10.0).into()) }
}

fn stop(flows: usize, end: u64, warmup: u64, batches: u64) -> Value {
    let (key, value) = length(flows, end);
    json!({key: value, "warmup": length(flows, warmup).1, "batches": batches, "replications": 1})
}

#[test]
fn parts_add_up_to_the_whole() {
    for (document, flows) in documents() {
        let whole = stopped(&document, &stop(flows, 300, 0, 1));
        for batches in [2, 7, 300] {
            let cut = stopped(&document, &stop(flows, 300, 0, batches));
            for (whole, cut) in whole.iter().zip(&cut) {
                let parts = rows(cut);
                assert_eq!(parts.len(), batches as usize * flows);
                assert_eq!(total(cut, &parts, flows), rows(whole), "{cut:?}");
            }
        }
    }
}

#[test]
fn every_part_is_the_difference_of_two_shorter_runs() {
    for (document, flows) in documents() {
        let cut = stopped(&document, &stop(flows, 300, 60, 4));
        let shorter = [60, 120, 180, 240, 300].map(|end| {
            stopped(&document, &stop(flows, end, 0, 1)).iter().map(rows).collect::<Vec<_>>()
        });
        for (i, cut) in cut.iter().enumerate() {
            for (part, now) in rows(cut).chunks(flows).enumerate() {
                let until = |mark: usize| shorter[mark][i].clone();
                let joined = [until(part), now.to_vec()].concat();
                let counts = |rows: &[Vec<i64>]| without_quantiles(cut, rows);
                let joined = total(cut, &joined, flows);
                assert_eq!(counts(&joined), counts(&until(part + 1)), "part {part}, {cut:?}");
            }
        }
    }
}

#[test]
fn a_part_is_as_long_as_its_flow_is_there() {
    let document = path("ns2", &Value::Null);
    let parts = rows(&stopped(&document, &stop(3, 300, 60, 4))[0]);
    let seconds = |flow: usize| parts.iter().skip(flow).step_by(3).map(|row| row[0]).collect();
    let of: [Vec<i64>; 3] = [seconds(0), seconds(1), seconds(2)];
    let second = 1_000_000_000;
    assert_eq!(of[0], [6 * second; 4]);
    // It begins after 12.5 s; the parts end after 12, 18, 24, 30 s.
    assert_eq!(of[1], [0, 5 * second + second / 2, 6 * second, 6 * second]);
    // It has ended and the run goes on.
    assert_eq!(of[2], of[0]);
}

#[test]
fn what_comes_after_the_last_flow_is_empty() {
    let mut document = path("rfc", &Value::Null);
    document["flow"] = json!([{"packets": 100}, {"packets": 50, "start": "1s"}]);
    for scenario in stopped(&document, &stop(2, 100_000, 0, 1000)) {
        let all = rows(&scenario);
        assert_eq!(all.len(), 2000);
        let milestone = count_names(&scenario).iter().position(|n| *n == "milestone_ns").unwrap();
        let reached: Vec<_> = all.iter().filter(|row| row[milestone] > 0).collect();
        assert_eq!(reached.len(), 2);
        let mut nothing = vec![0; count_names(&scenario).len()];
        nothing[milestone] = -1;
        let empty = without_quantiles(&scenario, &[nothing]);
        assert!(
            all[1000..]
                .iter()
                .all(|row| without_quantiles(&scenario, std::slice::from_ref(row)) == empty)
        );
        // The run is over with its last flow: that is the sum of the times.
        let time: i64 = all.iter().step_by(2).map(|row| row[0]).sum();
        let last = reached[0][milestone].max(reached[1][milestone] + 1_000_000_000);
        assert_eq!(time, last);
    }
}

/// On slots what was sent in the last slot of a part arrives in that part.
#[test]
fn a_clean_link_delivers_a_packet_in_every_slot_of_every_part() {
    let document = json!({
        "profile": "zorzi", "tcp": {"variant": "reno"}, "channel": {"kind": "iid", "loss_rate": 0},
    });
    let parts = rows(&stopped(&document, &stop(1, 1000, 3, 10))[0]);
    let lengths: Vec<_> = parts.iter().map(|row| row[0]).collect();
    assert_eq!(lengths, [99, 100, 100, 99, 100, 100, 99, 100, 100, 100]);
    for part in parts {
        assert_eq!(part, [part[0], part[0], part[0], 0, part[0], 0, 0]);
    }
}

#[test]
fn columns_of_one_name_are_taken_together_by_one_rule() {
    for column in count_columns() {
        for other in count_columns().filter(|other| other.name == column.name) {
            assert_eq!(column.rule, other.rule, "{}", column.name);
        }
        if let CombineRule::SoFar(of) = column.rule {
            let latest = count_columns().find(|other| other.name == of).map(|other| other.rule);
            assert_eq!(latest, Some(CombineRule::Latest), "{}", column.name);
        }
    }
}
