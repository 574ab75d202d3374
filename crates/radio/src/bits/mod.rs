//! Bit errors from the signal-to-noise ratio, and lost packets from bit errors.

mod bch;
mod bch_table;
mod error_table;
mod modulation;
mod word;

pub use bch::{Code, Coding};
pub use error_table::ErrorTable;
pub use modulation::Modulation;
pub use word::Word;
pub(crate) use word::bounds_of_any_error;
