//! Plays replication 0 of a scenario under seed 1 and prints, as JSON, what its cost is divided by: the data packets
//! sent, and the ACKs that arrived back or the slots that passed.
//!
//! `cargo run --release -p airtcp-sim --example packets -- FILE.json [trace]`: a document as JSON, of which the first point is
//! played; `trace` writes down every event. `bench/instructions/count.py` counts its instructions.

use airtcp_core::Cancel;
use airtcp_scenario::{PathScenario, Scenario, points};
use airtcp_sim::network::trace;
use airtcp_sim::{Counts, count_names, run};
use std::process::ExitCode;

/// Codes of the events of a trace: `send`, `resend`, `ack`.
const SENT_CODES: [u64; 2] = [0, 1];
const ACKED_CODES: [u64; 1] = [2];

fn main() -> ExitCode {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let given: Vec<&str> = given.iter().map(String::as_str).collect();
    let played = match given[..] {
        [file] => packet_counts(file, false),
        [file, "trace"] => packet_counts(file, true),
        _ => Err("usage: packets FILE.json [trace]".into()),
    };
    match played {
        Ok(line) => println!("{line}"),
        Err(message) => {
            eprintln!("packets: {message}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

fn packet_counts(file: &str, traces: bool) -> Result<String, String> {
    let of_file = |message: String| format!("{file}: {message}");
    let scenario = first_point(file).map_err(of_file)?;
    if traces {
        let path = scenario.path().ok_or_else(|| of_file("slots have no trace".into()))?;
        return counts_from_trace(path).map_err(of_file);
    }
    let counts = run(&scenario, 1, 0, &Cancel::new()).map_err(|e| of_file(e.to_string()))?;
    Ok(counts_from_meter(&scenario, &counts.expect("nobody cancels")))
}

#[expect(clippy::disallowed_methods, reason = "the file is the caller's")]
fn first_point(file: &str) -> Result<Scenario, String> {
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    let document = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    Ok(points(&document).map_err(|e| e.to_string())?.swap_remove(0))
}

fn counts_from_trace(path: &PathScenario) -> Result<String, String> {
    let table =
        trace(path, 1, 0, &Cancel::new()).map_err(|e| format!("{}: {}", e.field, e.message))?;
    let events = table.expect("nobody cancels").events;
    let number = |codes: &[u64]| {
        let code = |record: &[u64; 4]| record[3] >> 48 & 0xFF;
        events.iter().filter(|record| codes.contains(&code(record))).count() as i64
    };
    Ok(line("acks", number(&SENT_CODES), number(&ACKED_CODES)))
}

fn counts_from_meter(scenario: &Scenario, counts: &Counts) -> String {
    let names = count_names(scenario);
    let sum = |name: &str| {
        let named = counts.iter().zip(names.iter().cycle());
        named.filter(|(_, word)| **word == name).map(|(count, _)| count).sum()
    };
    match scenario {
        Scenario::Slot(_) => line("slots", sum("transmissions"), sum("slots")),
        Scenario::Path(_) => line("acks", sum("sent"), sum("acks_arrived")),
    }
}

fn line(other: &str, packets: i64, others: i64) -> String {
    format!(r#"{{"packets": {packets}, "{other}": {others}}}"#)
}
