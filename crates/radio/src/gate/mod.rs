//! A gate says when a link is up: a process of outages, the same for both directions of a hop.

mod on_off;
mod outages;
mod periodic;
mod process;
mod schedule;
mod spec;
mod spikes;

use crate::spec_error::SpecError;
use airtcp_core::{Stream, registry};

pub use on_off::{OnOff, StayLength};
pub use outages::{Outage, Outages};
pub use periodic::Periodic;
pub use process::{GateProcess, OutageLosses};
pub use schedule::Schedule;
pub use spec::{Direction, Spec};
pub use spikes::{Spikes, Timing};

registry! {
    /// A process of outages, by name.
    pub enum GateSpec: Spec {
        "on-off" => OnOff(on_off::OnOff), "Up and down in turn, for exponential times or times of any other distribution.", "elaarag2000";
        "periodic" => Periodic(periodic::Periodic), "Up and down in turn, for fixed times.", "elaarag2000";
        "schedule" => Schedule(schedule::Schedule), "Down and up in turn, at given instants.", "airtcp";
        "spikes" => Spikes(spikes::Spikes), "Delay spikes: everything is held for a while, nothing is lost.", "kuusela2004";
    }
}

impl Spec for GateSpec {
    fn build(&self, stream: Stream) -> Result<GateProcess, SpecError> {
        self.spec().build(stream)
    }

    fn direction(&self) -> Direction {
        self.spec().direction()
    }

    fn is_random(&self) -> bool {
        self.spec().is_random()
    }
}
