//! Strict priority: packets of the first band are sent before those of the second, and so on. A band is a list of flows
//! by their numbers, counted from 0; the numbers of cross-traffic follow those of flows. `"flow[0]"` means all flows of
//! the scenario's first `flow` table, `"traffic[0]"` all cross-traffic of its first `traffic` table. Flows in none of
//! the lists form the last band.
//!
//! All bands share the limit. A packet that finds the queue full is dropped, unless packets of a later band wait: then
//! the oldest packet of the last such band is dropped instead.
//!
//! ```toml
//! kind = "priority"
//! bands = [[0]]      # the first flow goes before all others
//! packets = 100
//! ```

use super::backlog::{Backlog, PacketId};
use super::discipline::Discipline;
use super::flows::Flows;
use super::limit::limit_or;
use super::process::{Dequeued, Guarantees, Order, Queue};
use super::spec::Spec;
use crate::link::losses::LossCause;
use crate::spec_error::SpecError;
use airtcp_core::{Instant, Rate, Size, Stream};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Packets that may wait if nobody says otherwise.
const USUAL: u32 = 1000;

/// Member of a band: a flow or a cross-traffic source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum BandMember {
    /// A flow, or after the flows a source of cross-traffic, by its number.
    Number(u32),
    /// All of a table of the scenario, such as `"traffic[0]"`.
    Table(String),
}

impl BandMember {
    /// Number of the flow or source. A scenario gives tables theirs before a queue is built.
    fn number(&self) -> Result<u32, SpecError> {
        match self {
            BandMember::Number(number) => Ok(*number),
            BandMember::Table(name) => {
                Err(SpecError::new("bands", format!("{name} is of a scenario, and there is none")))
            }
        }
    }
}

impl JsonSchema for BandMember {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "BandMember".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["integer", "string"],
            "minimum": 0,
            "maximum": u32::MAX,
            "examples": ["traffic[0]"],
        })
    }
}

/// Strict priority.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PriorityQueue")]
pub struct Priority {
    /// Flows of each band, the most important band first; all other flows form the last band. A flow is given by its
    /// number, cross-traffic by its table such as `"traffic[0]"`. Example: `[[0], ["traffic[0]"]]`.
    #[schemars(length(min = 1, max = 1000))]
    pub bands: Vec<Vec<BandMember>>,
    /// Limit in packets, counting the one in transmission. Absent: 1000, or no limit in packets if `bytes` is given.
    /// Example: `500`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 2, max = 1_000_000_000))]
    pub packets: Option<u32>,
    /// Limit on the bytes that wait. Absent: no limit in bytes. Example: `"64kB"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Size")]
    pub bytes: Option<Size>,
}

impl Spec for Priority {
    fn build(&self, _: Rate, _: Stream) -> Result<Box<dyn Queue>, SpecError> {
        let mut listed: Vec<(u32, usize)> = Vec::new();
        for (band, flows) in self.bands.iter().enumerate() {
            for flow in flows {
                listed.push((flow.number()?, band));
            }
        }
        listed.sort_unstable();
        if let Some(twice) = listed.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let (flow, first, second) = (twice[0].0, twice[0].1, twice[1].1);
            let message =
                format!("flow {flow} is in bands {first} and {second}; a flow has one band");
            return Err(SpecError::new("bands", message));
        }
        Ok(Box::new(PriorityQueue {
            limit: limit_or(self.packets, self.bytes, USUAL)?,
            bands_by_number: listed,
            last: self.bands.len(),
            flows: Flows::new(),
        }))
    }
}

#[derive(Debug)]
struct PriorityQueue {
    limit: Discipline,
    /// Flows with their bands, by number.
    bands_by_number: Vec<(u32, usize)>,
    last: usize,
    flows: Flows<()>,
}

impl PriorityQueue {
    fn band(&self, owner: u32) -> usize {
        let found = self.bands_by_number.binary_search_by_key(&owner, |one| one.0);
        found.map_or(self.last, |place| self.bands_by_number[place].1)
    }

    fn has_waiting(&mut self, band: usize) -> bool {
        self.flows.flow(band).fifo.packets() > 0
    }
}

impl Queue for PriorityQueue {
    fn guarantees(&self) -> Guarantees {
        Guarantees { order: Order::Owner, ..Guarantees::default() }
    }

    fn enqueue(&mut self, id: PacketId, is_free: bool, backlog: &mut Backlog) {
        let (band, bits) = (self.band(backlog[id].owner), backlog[id].bits);
        while !self.limit.admits(self.flows.waiting, bits, is_free) {
            let Some(later) = (band + 1..=self.last).rev().find(|later| self.has_waiting(*later))
            else {
                return backlog.drop(id, LossCause::Queue);
            };
            self.flows.drop_oldest(later, 1, backlog);
        }
        self.flows.push(band, id, backlog);
    }

    fn dequeue(&mut self, _: Instant, backlog: &mut Backlog) -> Dequeued {
        let Some(band) = (0..=self.last).find(|band| self.has_waiting(*band)) else {
            return Dequeued::Empty;
        };
        let next = self.flows.from(band, |flow| flow.fifo.pop(backlog));
        next.map_or(Dequeued::Empty, Dequeued::Send)
    }

    fn cut(&mut self, backlog: &mut Backlog) {
        self.flows.drop_all(backlog);
    }
}
