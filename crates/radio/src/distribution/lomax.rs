//! Pareto's distribution of type II, also called Lomax's, which begins at 0: `P(T > t) = (1 + t/scale)^-shape`.
//!
//! Its mean is `scale/(shape - 1)`. Its tail is that of type I, but it has short lengths too.
//!
//! ```toml
//! kind = "lomax"
//! shape = 1.5
//! mean = "30s"
//! ```

use super::draws::{Draws, nanos};
use super::spec::{Quantile, Spec, check_shape};
use crate::spec_error::SpecError;
use airtcp_core::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Lomax distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "LomaxLaw")]
pub struct Lomax {
    /// Tail index, a number above 1; up to 2 the variance is infinite. Example: `2.5`.
    #[schemars(range(min = 1, max = 1000))]
    pub shape: f64,
    /// Mean length. Example: `"1s"`.
    pub mean: Duration,
}

impl Lomax {
    fn inverse(&self) -> impl Fn(f64) -> f64 + Send + 'static {
        let (scale, shape) = (nanos(self.mean) * (self.shape - 1.0), self.shape);
        move |u| scale * libm::expm1(-libm::log1p(-u) / shape)
    }
}

impl Spec for Lomax {
    fn build(&self) -> Result<Draws, SpecError> {
        check_shape(self.shape)?;
        Ok(Draws::from_quantile(self.inverse()))
    }

    fn mean(&self) -> f64 {
        nanos(self.mean)
    }

    fn bounds(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }

    fn quantile(&self) -> Option<Quantile> {
        Some(Box::new(self.inverse()))
    }
}
