//! One run of a scenario of either family: one seed, one replication, one row per flow.

use crate::network::{self, FlowCounts};
use crate::slot::{self, Outcome};
use airtcp_scenario::Scenario;
use std::sync::atomic::AtomicBool;

/// What was counted: a row per flow, with the columns of [`count_names`].
pub type Rows = Vec<Vec<i64>>;

/// The columns of a scenario's rows.
#[must_use]
pub fn count_names(scenario: &Scenario) -> &'static [&'static str] {
    match scenario {
        Scenario::Slot(_) => Outcome::NAMES,
        Scenario::Path(_) => FlowCounts::NAMES,
    }
}

/// Runs replication `replication` of `scenario` under `seed`; `None` if cancelled.
///
/// # Errors
/// If the values of a channel contradict each other, in one line.
pub fn run(
    scenario: &Scenario,
    seed: u64,
    replication: u64,
    cancel: &AtomicBool,
) -> Result<Option<Rows>, String> {
    match scenario {
        Scenario::Slot(scenario) => slot::run(scenario, seed, replication, cancel)
            .map(|done| done.map(|outcome| vec![outcome.values()]))
            .map_err(|e| format!("channel.{}: {}", e.field, e.message)),
        Scenario::Path(scenario) => network::run(scenario, seed, replication, cancel)
            .map(|done| done.map(|flows| flows.iter().map(FlowCounts::values).collect()))
            .map_err(|e| format!("{}: {}", e.field, e.message)),
    }
}
