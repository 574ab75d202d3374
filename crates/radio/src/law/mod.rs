//! Laws of lengths of time: how long something lasts, or how long until it happens again.

mod exponential;
mod fixed;
mod lomax;
mod modulated;
mod pareto;
mod uniform;
mod values;

use crate::spec_error::SpecError;
use airtcp_core::{Span, Stream, registry};

pub use exponential::Exponential;
pub use fixed::Fixed;
pub use lomax::Lomax;
pub use modulated::Modulated;
pub use pareto::Pareto;
pub use uniform::Uniform;
pub use values::Values;

registry! {
    /// A law of lengths of time, by name.
    pub enum LawSpec: Spec {
        "fixed" => Fixed(fixed::Fixed), "Always the same length.", "airtcp";
        "uniform" => Uniform(uniform::Uniform), "Evenly spread between two lengths.", "kuusela2004";
        "exponential" => Exponential(exponential::Exponential), "Exponential lengths: an event that may come at any time.", "kuusela2004";
        "pareto" => Pareto(pareto::Pareto), "Pareto's law of type I, from a least length on.", "kuusela2004";
        "lomax" => Lomax(lomax::Lomax), "Pareto's law of type II, from 0 on.", "lomax1954";
        "modulated" => Modulated(modulated::Modulated), "A chain that changes the law with every draw.", "kuusela2004";
        "values" => Values(values::Values), "Lengths as measured.", "airtcp";
    }
}

/// What every registered law can do. Lengths are in nanoseconds.
pub trait Spec {
    /// Its draws, from the first on.
    ///
    /// # Errors
    /// If the values contradict each other.
    fn build(&self) -> Result<Draws, SpecError>;

    /// The mean in the long run, of a law that can be built.
    fn mean(&self) -> f64;

    /// The shortest and the longest length, of a law that can be built.
    fn bounds(&self) -> (f64, f64);

    /// Whether there is a last length.
    fn ends(&self) -> bool {
        false
    }

    /// Whether chance decides the lengths. A law that can be built and says no has the same lengths on
    /// every stream.
    fn is_random(&self) -> bool {
        true
    }
}

impl Spec for LawSpec {
    fn build(&self) -> Result<Draws, SpecError> {
        self.spec().build()
    }

    fn mean(&self) -> f64 {
        self.spec().mean()
    }

    fn bounds(&self) -> (f64, f64) {
        self.spec().bounds()
    }

    fn ends(&self) -> bool {
        self.spec().ends()
    }

    fn is_random(&self) -> bool {
        self.spec().is_random()
    }
}

/// Lengths one after the other.
pub struct Draws(Box<Draw>);

type Draw = dyn FnMut(&mut Stream) -> Option<f64> + Send;

impl Draws {
    fn new(draw: impl FnMut(&mut Stream) -> Option<f64> + Send + 'static) -> Self {
        Draws(Box::new(draw))
    }

    /// Independent draws: `quantile` of a uniform number in [0, 1).
    fn by_quantile(quantile: impl Fn(f64) -> f64 + Send + 'static) -> Self {
        Draws::new(move |stream| Some(quantile(stream.uniform())))
    }

    /// The next length, at least a nanosecond; `None` after the last.
    pub fn next(&mut self, stream: &mut Stream) -> Option<Span> {
        self.raw(stream).map(|length| Span::from_nanos((length.round() as i64).max(1)))
    }

    /// The next length, which may be none at all; `None` after the last.
    pub(crate) fn next_or_zero(&mut self, stream: &mut Stream) -> Option<Span> {
        self.raw(stream).map(|length| Span::from_nanos(length.round() as i64))
    }

    fn raw(&mut self, stream: &mut Stream) -> Option<f64> {
        (self.0)(stream)
    }
}

impl std::fmt::Debug for Draws {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Draws").finish_non_exhaustive()
    }
}

fn nanos(duration: airtcp_core::Duration) -> f64 {
    duration.span().nanos() as f64
}

/// A shape for which there is a mean.
fn check_shape(shape: f64) -> Result<(), SpecError> {
    if shape > 1.0 {
        return Ok(());
    }
    Err(SpecError::new("shape", format!("{shape} gives an infinite mean: above 1")))
}
