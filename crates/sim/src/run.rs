//! One run of a scenario of either family: one seed, one replication, one row per part and flow.

use crate::network::{self, FlowCounts, TrafficCounts, TransferCounts};
use crate::slot::{self, SlotCounts};
use airtcp_core::{Cancel, Column};
use airtcp_radio::{ArqCounters, LinkCounts, SpecError, VideoCounts};
use airtcp_scenario::{InputError, Scenario};

/// Counts: for each part of the run, in it for each flow, the columns of [`count_names`], one
/// after the other.
pub type Counts = Vec<i64>;

/// Columns of a scenario's rows: the columns of its family, and the columns of ARQ if it has a link layer.
#[must_use]
pub fn count_names(scenario: &Scenario) -> Vec<&'static str> {
    let of_family = match scenario {
        Scenario::Slot(_) => SlotCounts::COLUMNS,
        Scenario::Path(_) => FlowCounts::COLUMNS,
    };
    let columns = RowColumns::for_scenario(scenario);
    let link = ArqCounters::COLUMNS.iter().filter(|_| columns.has_arq_columns);
    let transfers = TransferCounts::COLUMNS.iter().filter(|_| columns.has_transfer_columns);
    let video = VideoCounts::COLUMNS.iter().filter(|_| columns.has_video_columns);
    let all = of_family.iter().chain(link).chain(transfers).chain(video);
    all.map(|column| column.name).collect()
}

/// All columns of all kinds of rows; columns with the same name have the same rule.
pub fn count_columns() -> impl Iterator<Item = &'static Column> {
    let flows = [SlotCounts::COLUMNS, FlowCounts::COLUMNS, ArqCounters::COLUMNS];
    let others = [TransferCounts::COLUMNS, VideoCounts::COLUMNS];
    let records = [LinkCounts::COLUMNS, TrafficCounts::COLUMNS];
    flows.into_iter().chain(others).chain(records).flatten()
}

/// Columns beside the columns of the family.
#[derive(Clone, Copy)]
struct RowColumns {
    has_arq_columns: bool,
    has_transfer_columns: bool,
    has_video_columns: bool,
}

impl RowColumns {
    fn for_scenario(scenario: &Scenario) -> Self {
        let transfers = matches!(scenario, Scenario::Path(path) if path.has_transfers());
        let video = matches!(scenario, Scenario::Path(path) if path.has_video());
        RowColumns {
            has_arq_columns: has_arq(scenario),
            has_transfer_columns: transfers,
            has_video_columns: video,
        }
    }

    /// The values of a row of a path.
    fn values(self, counts: &FlowCounts) -> Vec<i64> {
        let mut values = row(counts.values(), &counts.link, self.has_arq_columns);
        if self.has_transfer_columns {
            values.extend(counts.transfers.values());
        }
        if self.has_video_columns {
            values.extend(counts.video.values());
        }
        values
    }
}

fn has_arq(scenario: &Scenario) -> bool {
    match scenario {
        Scenario::Slot(scenario) => scenario.link.arq.is_some(),
        Scenario::Path(scenario) => scenario.has_arq(),
    }
}

/// The values of a row.
fn row(mut values: Vec<i64>, link: &ArqCounters, retransmits: bool) -> Vec<i64> {
    values.extend(link.values().iter().filter(|_| retransmits));
    values
}

/// Runs replication `replication` of `scenario` under `seed`; `None` if cancelled.
///
/// # Errors
/// If the values of a channel contradict each other, or if the run would hold more packets than fit.
pub fn run(
    scenario: &Scenario,
    seed: u64,
    replication: u64,
    cancel: &Cancel,
) -> Result<Option<Counts>, InputError> {
    let columns = RowColumns::for_scenario(scenario);
    let retransmits = columns.has_arq_columns;
    let with_link = |values, link: &ArqCounters| row(values, link, retransmits);
    match scenario {
        Scenario::Slot(scenario) => slot::run(scenario, seed, replication, cancel)
            .map(|done| {
                done.map(|parts| {
                    parts.iter().flat_map(|p| with_link(p.values(), &p.link)).collect()
                })
            })
            .map_err(error_in_slot_scenario),
        Scenario::Path(scenario) => network::run(scenario, seed, replication, cancel)
            .map(|done| done.map(|rows| rows.iter().flat_map(|r| columns.values(r)).collect()))
            .map_err(error_in_slot_scenario),
    }
}

/// The columns of the rows of links, and of the rows of cross-traffic.
#[must_use]
pub fn link_names() -> (Vec<&'static str>, Vec<&'static str>) {
    (Column::names(LinkCounts::COLUMNS), Column::names(TrafficCounts::COLUMNS))
}

/// Runs it with its links: what [`run`] gives; then for each part, in it for each link (both directions of a hop,
/// forward first, hop by hop), and after them for each part and source of cross-traffic, the columns of [`link_names`].
///
/// # Errors
/// As [`run`]; on slots there is no path; and if queues were so long for so long that 64 bits do not hold it.
pub fn run_with_links(
    scenario: &Scenario,
    seed: u64,
    replication: u64,
    cancel: &Cancel,
) -> Result<Option<Counts>, InputError> {
    let Scenario::Path(path) = scenario else {
        let message = "counts of links need packets on a path, not slots";
        return Err(error_in_slot_scenario(SpecError::new("profile", message)));
    };
    let done =
        network::run_with_links(path, seed, replication, cancel).map_err(error_in_slot_scenario)?;
    let Some(parts) = done else { return Ok(None) };
    let columns = RowColumns::for_scenario(scenario);
    let rows = parts.flows.iter().flat_map(|r| columns.values(r));
    let mut counts: Counts = rows.collect();
    for link in &parts.links {
        if !link.fits_table() {
            let message = "too much waited for too long to count it in 64 bits: a shorter run";
            return Err(error_in_slot_scenario(SpecError::new("stop.time", message)));
        }
        counts.extend(link.values());
    }
    counts.extend(parts.traffic.iter().flat_map(TrafficCounts::values));
    Ok(Some(counts))
}

fn error_in_slot_scenario(error: SpecError) -> InputError {
    InputError { path: error.field, message: error.message }
}
