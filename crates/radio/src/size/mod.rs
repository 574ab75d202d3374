//! Distributions of sizes: how many bytes a transfer has.

mod exponential;
mod fixed;
mod list;
mod log_normal;
mod pareto;
mod sizes;
mod spec;

use crate::spec_error::SpecError;
use airtcp_core::registry;

pub use exponential::Exponential;
pub use fixed::Fixed;
pub use list::List;
pub use log_normal::LogNormal;
pub use pareto::Pareto;
pub use sizes::Sizes;
pub use spec::Spec;

registry! {
    /// A distribution of sizes, by name.
    pub enum SizeSpec: Spec {
        "fixed" => Fixed(fixed::Fixed), "A constant size.", "airtcp";
        "exponential" => Exponential(exponential::Exponential), "Exponential sizes.", "airtcp";
        "pareto" => Pareto(pareto::Pareto), "Pareto's distribution, optionally bounded: most transfers are short, most bytes are in long ones.", "crovella1997";
        "log-normal" => LogNormal(log_normal::LogNormal), "Log-normal sizes: most are similar, a few are very large.", "downey2005";
        "list" => List(list::List), "Measured sizes, in their order.", "airtcp";
    }
}

impl Spec for SizeSpec {
    fn build(&self) -> Result<Sizes, SpecError> {
        self.spec().build()
    }

    fn mean(&self) -> f64 {
        self.spec().mean()
    }

    fn is_random(&self) -> bool {
        self.spec().is_random()
    }
}
