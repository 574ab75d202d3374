//! The link is up and down in turn, up at first, each time for a fixed time.
//!
//! ```toml
//! kind = "periodic"
//! up = "2s"
//! down = "50ms"
//! loses = "nothing"    # packets wait
//! ```

use super::outages::{Outage, Outages};
use super::process::{GateProcess, OutageLosses};
use super::spec::Spec;
use crate::spec_error::SpecError;
use airtcp_core::{Duration, Instant, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Fixed up and down times, up from time 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Periodic {
    /// Time that the link is up, in every period. Example: `"10s"`.
    pub up: Duration,
    /// Time that the link is down, in every period. Example: `"500ms"`.
    pub down: Duration,
    /// Packets that an outage destroys: `all` that wait, are on the way or arrive meanwhile; or `nothing`, in which
    /// case packets wait until it ends. Example: `"nothing"`.
    #[serde(default)]
    pub loses: OutageLosses,
}

impl Spec for Periodic {
    fn build(&self, _: Stream) -> Result<GateProcess, SpecError> {
        SpecError::refuse_zero("up", self.up)?;
        SpecError::refuse_zero("down", self.down)?;
        let beat =
            PeriodicOutages { up: self.up.span(), down: self.down.span(), now: Instant::START };
        Ok(GateProcess::new(beat, self.loses))
    }

    fn is_random(&self) -> bool {
        false
    }
}

#[derive(Debug)]
struct PeriodicOutages {
    up: Span,
    down: Span,
    now: Instant,
}

impl Outages for PeriodicOutages {
    fn next(&mut self) -> Outage {
        let down = self.now + self.up;
        self.now = down + self.down;
        Outage { down, up: self.now }
    }

    fn skip_past(&mut self, now: Instant) {
        let period = self.up + self.down;
        if now > self.now {
            self.now = self.now + period * ((now - self.now).nanos() / period.nanos());
        }
    }
}
