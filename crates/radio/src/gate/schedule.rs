//! The link goes down and up in turn, at given instants; it is up at first.
//!
//! ```toml
//! kind = "schedule"
//! toggles = ["3s", "3.3s", "6.3s", "6.6s"]    # down, up, down, up
//! ```

use super::outages::{Outage, Outages};
use super::process::{GateProcess, OutageLosses};
use super::spec::Spec;
use crate::spec_error::SpecError;
use airtcp_core::{Duration, Instant, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Outages at given instants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// Times, in increasing order, at which the link goes down, up, down, and so on. After an odd number of them it
    /// stays down. Absent: `file` must be given. Example: `["10s", "10.5s"]`.
    #[schemars(length(min = 1))]
    pub toggles: Vec<Duration>,
    /// Packets that an outage destroys: `all` that wait, are on the way or arrive meanwhile; or `nothing`, in which
    /// case packets wait until it ends. Example: `"nothing"`.
    #[serde(default)]
    pub loses: OutageLosses,
}

impl Spec for Schedule {
    fn build(&self, _: Stream) -> Result<GateProcess, SpecError> {
        if let Some(pair) = self.toggles.windows(2).find(|pair| pair[0] >= pair[1]) {
            let message = format!("{} comes after {}, but times must increase", pair[1], pair[0]);
            return Err(SpecError::new("toggles", message));
        }
        let toggles: Vec<Instant> =
            self.toggles.iter().map(|t| Instant::START + t.span()).collect();
        Ok(GateProcess::new(ListedOutages(toggles.into_iter()), self.loses))
    }

    fn is_random(&self) -> bool {
        false
    }
}

#[derive(Debug)]
struct ListedOutages(std::vec::IntoIter<Instant>);

impl Outages for ListedOutages {
    fn next(&mut self) -> Outage {
        let mut toggle = || self.0.next().unwrap_or(Instant::NEVER);
        Outage { down: toggle(), up: toggle() }
    }
}
