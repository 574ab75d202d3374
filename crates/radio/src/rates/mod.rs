//! Rates of a link that change with time.

mod autoregressive;
mod change;
mod course;
mod listing;
mod process;
mod random_walk;
mod sine;
mod spec;
mod steps;

use crate::spec_error::SpecError;
use airtcp_core::{Span, Stream, registry};

pub use autoregressive::{Autoregressive, RateLevel};
pub use change::{Changes, RateChange, RateOrZero};
pub use course::{RateCourse, Segment};
pub use process::Rates;
pub use random_walk::RandomWalk;
pub use sine::Sine;
pub use spec::Spec;
pub use steps::{AtEnd, Steps};

registry! {
    /// A rate that changes with time, by name.
    pub enum RatesSpec: Spec {
        "steps" => Steps(steps::Steps), "A list of rates, each of which holds from its time on.", "airtcp";
        "sine" => Sine(sine::Sine), "A rate that follows a sine wave around its mean.", "airtcp";
        "random-walk" => RandomWalk(random_walk::RandomWalk), "A random walk of the rate between two bounds.", "airtcp";
        "autoregressive" => Autoregressive(autoregressive::Autoregressive), "A rate of any distribution that is correlated in time.", "cario1996";
    }
}

impl Spec for RatesSpec {
    fn build(&self, stream: Stream) -> Result<Rates, SpecError> {
        self.spec().build(stream)
    }

    fn mean(&self) -> f64 {
        self.spec().mean()
    }

    fn shortest(&self) -> Span {
        self.spec().shortest()
    }

    fn is_random(&self) -> bool {
        self.spec().is_random()
    }
}
