//! From the signal-to-noise ratio to bit errors, and from bit errors to lost packets.

mod bch;
mod bch_table;
mod error_table;
mod modulation;
mod word;

pub use bch::{Code, Coding};
pub use error_table::ErrorTable;
pub use modulation::Modulation;
pub use word::Word;
pub(crate) use word::any_bounds;
