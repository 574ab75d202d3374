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

pub use airtime::{Airtimes, MAX_ROUNDING_ERROR, airtime, relative_rounding_error};
pub use cancel::{Cancel, CancelCheck};
pub use counts::{Column, CombineRule, Count, TableCell};
pub use ecn::Ecn;
pub use event_time::EventTime;
pub use near_units::quoted_alternatives;
pub use probability::Probability;
pub use registry::{RegistryEntry, name_or_table, name_to_table, one_of, tagged_schema};
pub use rng::Stream;
#[doc(hidden)]
pub use serde_json as json;
pub use stage::{Payload, PollResult, Stage};
pub use time::{Instant, Span};
pub use units::{
    Decibels, Duration, Frequency, Quantity, Rate, Size, UnitError, is_same_unit,
    nearest_spellings, normalise_unit, parse_number_with_unit, unit_by_spelling,
};
