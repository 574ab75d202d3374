//! Flat fading: the complex gain of a link as a function of time, of mean power 1.
//!
//! A [`GainPath`] is asked for the gain at instants that increase, as far apart as one likes. What it answers is a
//! function of its stream and the instant alone: questions in between change nothing. It is made on a
//! grid of 64 points per cycle of the Doppler shift by a [`Generator`], and is a cubic through
//! four points in between, which is off by less than 3e-6 of the mean amplitude.

mod clarke;
mod edge;
mod generator;
mod interpolate;
mod jakes;
mod noise;
mod path;
mod sliding;
mod spectrum;

pub use clarke::Clarke;
pub use generator::Generator;
pub use jakes::{Jakes, MAX_OSCILLATORS};
pub use path::{GainPath, Segment, check_cycles};
pub use spectrum::POINTS_PER_CYCLE;
