//! Files about measured links as columns, before any model.

mod row;

pub use row::{Fate, NO_DELAY, Row};
