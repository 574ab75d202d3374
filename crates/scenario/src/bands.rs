//! Members of the bands of a priority queue: flows and cross-traffic by number, or all of a table by its name.
//!
//! Rows of results are numbered, flows first and cross-traffic after them. Queues number connections, of which a flow whose
//! transfers arrive has many. So the bands are written anew for every run.

use crate::direction::HopQueue;
use crate::input_error::InputError;
use crate::path::PathScenario;
use crate::scenario::Scenario;
use crate::transfers::Transfers;
use airtcp_core::{Rate, Stream};
use airtcp_radio::queue::{BandMember, Priority, Spec as _};
use airtcp_radio::{QueueSpec, SpecError};
use std::collections::HashMap;
use std::ops::Range;

/// A table of flows or of cross-traffic, and its rows among all.
#[derive(Debug)]
struct RowTable {
    name: String,
    rows: Range<usize>,
}

impl PathScenario {
    /// The tables of flows, and after them the tables of cross-traffic.
    fn row_tables(&self) -> Vec<RowTable> {
        let flows = self.flow.iter().enumerate().map(|(i, one)| (format!("flow[{i}]"), one.count));
        let traffic = self.traffic.iter().enumerate();
        let traffic = traffic.map(|(i, one)| (format!("traffic[{i}]"), one.count));
        let mut next = 0;
        let table = |(name, count): (String, u32)| {
            let rows = next..next + count as usize;
            next = rows.end;
            RowTable { name, rows }
        };
        flows.chain(traffic).map(table).collect()
    }

    /// Checks the queue at `place`: all members of its bands exist, and each once.
    pub(crate) fn check_priority(&self, queue: &Priority, place: &str) -> Result<(), InputError> {
        let owners = ConnectionNumbers::assign(self.row_tables(), |_| 1);
        for (band, members) in queue.bands.iter().enumerate() {
            for (i, member) in members.iter().enumerate() {
                owners.check(member, &format!("{place}.bands[{band}][{i}]"))?;
            }
        }
        let built = owners.with_connection_numbers(queue).build(Rate::MAX, Stream::new(0, "", 0));
        built.map(drop).map_err(|error| InputError::within(error, place))
    }

    /// The priority queues, each with the path of its bands.
    fn priority_queues(&self) -> Vec<(String, &Priority)> {
        let mut found = Vec::new();
        for (i, hop) in self.path.hop.iter().enumerate() {
            for (direction, place) in hop.directions().zip(["queue", "back.queue"]) {
                if let Some(HopQueue::Kind(QueueSpec::Priority(priority))) = &direction.queue {
                    found.push((format!("path.hop[{i}].{place}.bands"), priority));
                }
            }
        }
        found
    }

    /// The numbers of connections in replication `replication` under `seed`, for queues that name them.
    ///
    /// # Errors
    /// The errors of [`PathScenario::transfers`].
    pub(crate) fn connection_numbers(
        &self,
        seed: u64,
        replication: u64,
    ) -> Result<ConnectionNumbers, SpecError> {
        let mut each = vec![1; self.flow_count() as usize];
        if self.flow.iter().any(|flow| flow.arrivals.is_some()) {
            for (number, transfers) in each.iter_mut().zip(self.transfers(seed, replication)?) {
                if let Transfers::Arrivals(all) = transfers {
                    *number = all.len() as u32;
                }
            }
        }
        Ok(ConnectionNumbers::assign(self.row_tables(), |row| each.get(row).copied().unwrap_or(1)))
    }

    /// True if some queue sorts flows into bands by name or number.
    pub(crate) fn has_bands(&self) -> bool {
        !self.priority_queues().is_empty()
    }
}

/// The connections of each row of a run.
#[derive(Debug, Default)]
pub(crate) struct ConnectionNumbers {
    rows: Vec<Range<u32>>,
    tables: Vec<RowTable>,
}

impl ConnectionNumbers {
    /// Numbers the connections of all rows; `connections` gives how many a row has.
    fn assign(tables: Vec<RowTable>, connections: impl Fn(usize) -> u32) -> Self {
        let last = tables.last().map_or(0, |table| table.rows.end);
        let mut next = 0;
        let range = |row| {
            let first = next;
            next += connections(row);
            first..next
        };
        ConnectionNumbers { rows: (0..last).map(range).collect(), tables }
    }

    fn check(&self, member: &BandMember, place: &str) -> Result<(), InputError> {
        match member {
            BandMember::Number(number) if *number as usize >= self.rows.len() => {
                let last = self.rows.len().saturating_sub(1);
                let message = format!(
                    "there is no flow {number}: flows and then cross-traffic are numbered from 0 to {last}"
                );
                Err(InputError::new(place, message))
            }
            BandMember::Table(name) if self.tables.iter().all(|table| table.name != *name) => {
                let names: Vec<&str> = self.tables.iter().map(|table| &*table.name).collect();
                Err(InputError::unknown(place, "table", name, &names))
            }
            _ => Ok(()),
        }
    }

    /// A queue whose bands name all connections of its members, by number.
    pub(crate) fn with_connection_numbers(&self, priority: &Priority) -> Priority {
        let of_band =
            |band: &Vec<BandMember>| band.iter().flat_map(|one| self.connections(one)).collect();
        Priority { bands: priority.bands.iter().map(of_band).collect(), ..priority.clone() }
    }

    fn connections(&self, member: &BandMember) -> Vec<BandMember> {
        let rows = match member {
            BandMember::Number(number) => *number as usize..*number as usize + 1,
            BandMember::Table(name) => {
                let table = self.tables.iter().find(|table| table.name == *name);
                table.map_or(0..0, |table| table.rows.clone())
            }
        };
        let ranges = self.rows.get(rows).into_iter().flatten();
        ranges.flat_map(Clone::clone).map(BandMember::Number).collect()
    }
}

/// Flow numbers in bands and the tables they mean: a number that means two tables at two points is refused.
#[derive(Debug, Default)]
pub(crate) struct BandMeanings(HashMap<(String, String), Vec<Meaning>>);

/// The name of a table of flows, and the place of the numbered flow in that table.
type Meaning = (String, usize);

impl BandMeanings {
    /// Checks a point against those before it.
    pub(crate) fn check(&mut self, scenario: &Scenario) -> Result<(), InputError> {
        let Some(path) = scenario.path() else { return Ok(()) };
        for (place, priority) in path.priority_queues() {
            let tables = path.row_tables();
            let members = priority.bands.iter().flatten();
            let here: Vec<Meaning> = members.map(|one| member_meaning(&tables, one)).collect();
            let key = (place, format!("{:?}", priority.bands));
            let known = self.0.entry(key.clone()).or_insert_with(|| here.clone());
            if let Some(i) = (0..here.len()).find(|i| known[*i] != here[*i]) {
                return Err(ambiguity_error(&key.0, &priority.bands, i, [&known[i].0, &here[i].0]));
            }
        }
        Ok(())
    }
}

fn member_meaning(tables: &[RowTable], member: &BandMember) -> Meaning {
    match member {
        BandMember::Table(name) => (name.clone(), 0),
        BandMember::Number(number) => {
            let row = *number as usize;
            let table = tables.iter().find(|table| table.rows.contains(&row));
            table
                .map_or_else(Meaning::default, |table| (table.name.clone(), row - table.rows.start))
        }
    }
}

/// Error for member `i` of the bands, counted over all bands, whose number means two tables.
fn ambiguity_error(
    place: &str,
    bands: &[Vec<BandMember>],
    i: usize,
    tables: [&String; 2],
) -> InputError {
    let places = bands.iter().enumerate();
    let mut places = places.flat_map(|(band, all)| (0..all.len()).map(move |i| (band, i)));
    let (band, within) = places.nth(i).expect("it is a member");
    let [first, other] = tables;
    let number = match &bands[band][within] {
        BandMember::Number(number) => number.to_string(),
        BandMember::Table(name) => name.clone(),
    };
    let message = format!(
        "{number} means {first} at one point and {other} at another, as flows are numbered before cross-traffic; write \"{first}\" or \"{other}\", which means all of that table"
    );
    InputError::new(format!("{place}[{band}][{within}]"), message)
}
