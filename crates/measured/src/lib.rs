//! Files about measured links as columns, before any model.

pub mod capture;
mod row;

pub use row::{Fate, NO_DELAY, Row};
