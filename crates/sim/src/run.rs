//! One run of a scenario of either family: one seed, one replication, one row per part and flow.

use crate::network::{self, FlowCounts};
use crate::slot::{self, Outcome};
use airtcp_radio::SpecError;
use airtcp_scenario::{InputError, Scenario};
use std::sync::atomic::AtomicBool;

/// What was counted: for each part of the run, in it for each flow, the columns of [`count_names`], one
/// after the other.
pub type Counts = Vec<i64>;

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
/// If the values of a channel contradict each other.
pub fn run(
    scenario: &Scenario,
    seed: u64,
    replication: u64,
    cancel: &AtomicBool,
) -> Result<Option<Counts>, InputError> {
    match scenario {
        Scenario::Slot(scenario) => slot::run(scenario, seed, replication, cancel)
            .map(|done| done.map(|parts| parts.iter().flat_map(Outcome::values).collect()))
            .map_err(|e| refused(e.within("channel"))),
        Scenario::Path(scenario) => network::run(scenario, seed, replication, cancel)
            .map(|done| done.map(|rows| rows.iter().flat_map(FlowCounts::values).collect()))
            .map_err(refused),
    }
}

fn refused(error: SpecError) -> InputError {
    InputError { path: error.field, message: error.message }
}
