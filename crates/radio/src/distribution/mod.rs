//! Distributions of durations: how long something lasts, or how long until it happens again.

mod autoregressive;
pub(crate) mod correlated;
mod draws;
mod exponential;
mod fixed;
mod gamma;
mod hyper_exponential;
mod inverse;
mod log_normal;
mod lomax;
mod modulated;
mod normal;
mod pareto;
mod paretonormal;
mod remainder;
mod spec;
mod table;
mod uniform;
mod values;

use crate::spec_error::SpecError;
use airtcp_core::registry;

pub use autoregressive::Autoregressive;
pub use draws::Draws;
pub use exponential::Exponential;
pub use fixed::Fixed;
pub use gamma::Gamma;
pub use hyper_exponential::HyperExponential;
pub(crate) use inverse::{normal_below, normal_quantile};
pub use log_normal::LogNormal;
pub use lomax::Lomax;
pub use modulated::Modulated;
pub use normal::Normal;
pub use pareto::Pareto;
pub use paretonormal::ParetoNormal;
pub use spec::{Quantile, Spec};
pub use uniform::Uniform;
pub use values::Values;

registry! {
    /// A distribution of lengths of time, by name.
    pub enum DistributionSpec: Spec {
        "fixed" => Fixed(fixed::Fixed), "Always the same length.", "airtcp";
        "uniform" => Uniform(uniform::Uniform), "Evenly spread between two lengths.", "kuusela2004";
        "exponential" => Exponential(exponential::Exponential), "Exponential lengths: an event that may come at any time.", "kuusela2004";
        "pareto" => Pareto(pareto::Pareto), "Pareto's distribution of type I, from a least length on; netem's.", "kuusela2004, hemminger2005";
        "lomax" => Lomax(lomax::Lomax), "Pareto's distribution of type II, from 0 on.", "lomax1954";
        "log-normal" => LogNormal(log_normal::LogNormal), "Log-normal lengths: many alike, and a long tail.", "downey2005";
        "gamma" => Gamma(gamma::Gamma), "Gamma lengths, from a shift on.", "airtcp";
        "hyper-exponential" => HyperExponential(hyper_exponential::HyperExponential), "A mixture of exponential lengths of several means.", "feldmann1998";
        "normal" => Normal(normal::Normal), "Normal lengths by netem's table.", "hemminger2005";
        "paretonormal" => ParetoNormal(paretonormal::ParetoNormal), "Between normal and Pareto, by netem's table.", "hemminger2005";
        "modulated" => Modulated(modulated::Modulated), "A chain that changes the distribution with every draw.", "kuusela2004";
        "autoregressive" => Autoregressive(autoregressive::Autoregressive), "Each length depends on the one before; any distribution for one by itself.", "airtcp";
        "values" => Values(values::Values), "Lengths as measured.", "airtcp";
    }
}

impl Spec for DistributionSpec {
    fn build(&self) -> Result<Draws, SpecError> {
        self.spec().build()
    }

    fn mean(&self) -> f64 {
        self.spec().mean()
    }

    fn bounds(&self) -> (f64, f64) {
        self.spec().bounds()
    }

    fn quantile(&self) -> Option<Quantile> {
        self.spec().quantile()
    }

    fn ends(&self) -> bool {
        self.spec().ends()
    }

    fn is_random(&self) -> bool {
        self.spec().is_random()
    }
}
