//! Pareto's distribution of type I, with a smallest length: `P(T > t) = (min/t)^shape`.
//!
//! Its mean is `min shape/(shape - 1)`; give either `mean` or `min`.
//!
//! With `deviation` it is netem's distribution of shape 3, given by a mean and a deviation and cut at 4 deviations
//! above the mean; no length is below 0. netem's `delay 100ms 20ms 25% distribution pareto` is `mean = "100ms"`,
//! `deviation = "20ms"`, `correlation = 0.25`.
//!
//! ```toml
//! kind = "pareto"
//! shape = 1.5
//! mean = "30s"    # or: min = "10s"
//! ```

use super::draws::{Draws, nanos};
use super::spec::{Quantile, Spec, check_shape};
use super::table::{NetemTable, TableDistribution};
use crate::spec_error::SpecError;
use airtcp_core::{Duration, Probability};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Pareto distribution of type I.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ParetoLaw")]
pub struct Pareto {
    /// Tail index, a number above 1; up to 2 the variance is infinite. Absent: netem's distribution with `deviation`.
    /// Example: `2.5`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", range(min = 1, max = 1000))]
    pub shape: Option<f64>,
    /// Mean length. Absent: `min` must be given. Example: `"1s"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub mean: Option<Duration>,
    /// Shortest length. Absent: `mean` must be given. Example: `"200ms"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub min: Option<Duration>,
    /// Jitter as netem calls it, for netem's distribution in place of `shape`: the scale of its table; the standard
    /// deviation is 0.82 times that. Absent: `shape` must be given. Example: `"3ms"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub deviation: Option<Duration>,
    /// Correlation of successive draws as netem computes it, which has almost no effect on delays below a second;
    /// only with `deviation`. Absent: 0. Example: `0.25`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Probability")]
    pub correlation: Option<Probability>,
}

/// One of the two distributions.
enum ParetoForm {
    /// Pareto from a least length on.
    Exact {
        least: f64,
        shape: f64,
    },
    Netem(TableDistribution),
}

impl Pareto {
    fn checked_form(&self) -> Result<ParetoForm, SpecError> {
        let refuse = |field: &str, message: &str| Err(SpecError::new(field, message));
        let Some(deviation) = self.deviation else {
            let Some(shape) = self.shape else {
                return refuse("shape", "missing; give it, or deviation for netem's distribution");
            };
            if self.correlation.is_some() {
                return refuse(
                    "correlation",
                    "needs deviation, which selects netem's distribution",
                );
            }
            check_shape(shape)?;
            return Ok(ParetoForm::Exact { least: self.shortest_nanos(shape)?, shape });
        };
        if self.shape.is_some() {
            return refuse(
                "shape",
                "cannot be combined with deviation, which selects netem's distribution of shape 3",
            );
        }
        if self.min.is_some() {
            return refuse("min", "cannot be combined with deviation; give mean");
        }
        let Some(mean) = self.mean else {
            return refuse("mean", "missing; deviation needs a mean, which netem calls delay");
        };
        let correlation = self.correlation;
        Ok(ParetoForm::Netem(TableDistribution {
            table: NetemTable::Pareto,
            mean,
            deviation,
            correlation,
        }))
    }

    fn shortest_nanos(&self, shape: f64) -> Result<f64, SpecError> {
        match (self.mean, self.min) {
            (Some(mean), None) => Ok(nanos(mean) * (shape - 1.0) / shape),
            (None, Some(min)) => Ok(nanos(min)),
            (mean, _) => {
                let message = if mean.is_some() { "both given" } else { "missing" };
                Err(SpecError::new("mean", format!("{message}: give one of mean and min")))
            }
        }
    }
}

fn quantile_function(least: f64, shape: f64) -> impl Fn(f64) -> f64 + Send + 'static {
    move |u| least * libm::exp(-libm::log1p(-u) / shape)
}

impl Spec for Pareto {
    fn build(&self) -> Result<Draws, SpecError> {
        match self.checked_form()? {
            ParetoForm::Netem(tabled) => tabled.build(),
            ParetoForm::Exact { least, shape } => {
                Ok(Draws::from_quantile(quantile_function(least, shape)))
            }
        }
    }

    fn mean(&self) -> f64 {
        match self.checked_form() {
            Ok(ParetoForm::Netem(tabled)) => tabled.mean(),
            Ok(ParetoForm::Exact { least, shape }) => least * shape / (shape - 1.0),
            Err(_) => 0.0,
        }
    }

    fn bounds(&self) -> (f64, f64) {
        match self.checked_form() {
            Ok(ParetoForm::Netem(tabled)) => tabled.bounds(),
            Ok(ParetoForm::Exact { least, .. }) => (least, f64::INFINITY),
            Err(_) => (0.0, f64::INFINITY),
        }
    }

    fn is_random(&self) -> bool {
        !matches!(self.checked_form(), Ok(ParetoForm::Netem(tabled)) if !tabled.is_random())
    }

    fn quantile(&self) -> Option<Quantile> {
        match self.checked_form().ok()? {
            ParetoForm::Netem(tabled) => tabled.quantile(),
            ParetoForm::Exact { least, shape } => Some(Box::new(quantile_function(least, shape))),
        }
    }
}
