//! The vocabulary of airtcp: integer time, units, named random streams, the path element
//! ([`Stage`]) and the registry macro. Knows neither TCP nor radio.

mod airtime;
mod cancel;
mod counts;
mod ecn;
mod event_time;
mod near_units;
mod probability;
mod registry;
pub mod rng;
mod stage;
mod time;
mod units;

pub use airtime::{Airtimes, ROUNDING, airtime, rounding};
pub use cancel::{Cancel, CancelCheck};
pub use counts::{Cell, Column, Count, Rule};
pub use ecn::Ecn;
pub use event_time::EventTime;
pub use near_units::choice_of;
pub use probability::Probability;
pub use registry::{Entry, as_table, name_or, one_of, tagged_schema};
pub use rng::Stream;
#[doc(hidden)]
pub use serde_json as json;
pub use stage::{Next, Payload, Stage};
pub use time::{Instant, Span};
pub use units::{
    Decibels, Duration, Frequency, Quantity, Rate, Size, UnitError, is_spelled, nearest_spellings,
    quantity, respelled, unit_spelled,
};
