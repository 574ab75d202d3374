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
pub(crate) use inverse::{normal_cdf, normal_quantile};
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
        "fixed" => Fixed(fixed::Fixed), "A constant length.", "airtcp";
        "uniform" => Uniform(uniform::Uniform), "Lengths uniform between two bounds.", "kuusela2004";
        "exponential" => Exponential(exponential::Exponential), "Exponential lengths: the time to an event that may occur at any instant.", "kuusela2004";
        "pareto" => Pareto(pareto::Pareto), "Pareto's distribution of type I, with a smallest length; also netem's.", "kuusela2004, hemminger2005";
        "lomax" => Lomax(lomax::Lomax), "Pareto's distribution of type II, which begins at 0.", "lomax1954";
        "log-normal" => LogNormal(log_normal::LogNormal), "Log-normal lengths: most are similar, a few are very long.", "downey2005";
        "gamma" => Gamma(gamma::Gamma), "Gamma lengths above a shortest length.", "airtcp";
        "hyper-exponential" => HyperExponential(hyper_exponential::HyperExponential), "A mixture of exponential lengths with different means.", "feldmann1998";
        "normal" => Normal(normal::Normal), "Normal lengths from netem's table.", "hemminger2005";
        "paretonormal" => ParetoNormal(paretonormal::ParetoNormal), "A mixture of normal and Pareto, from netem's table.", "hemminger2005";
        "modulated" => Modulated(modulated::Modulated), "A Markov chain chooses the distribution of each draw.", "kuusela2004";
        "autoregressive" => Autoregressive(autoregressive::Autoregressive), "Correlated lengths of any distribution.", "airtcp";
        "values" => Values(values::Values), "Measured lengths, in their order.", "airtcp";
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

    fn is_finite(&self) -> bool {
        self.spec().is_finite()
    }

    fn is_random(&self) -> bool {
        self.spec().is_random()
    }
}
