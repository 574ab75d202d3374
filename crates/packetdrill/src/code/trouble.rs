//! Reasons for which an expression has no value.

use super::datum::Datum;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Trouble {
    /// The value cannot be computed.
    Wrong(String),
    /// The value would cost more than a script may.
    Excess(String),
}

pub(super) type Evaluated = Result<Datum, Trouble>;

impl From<String> for Trouble {
    fn from(what: String) -> Self {
        Trouble::Wrong(what)
    }
}

impl From<&str> for Trouble {
    fn from(what: &str) -> Self {
        Trouble::Wrong(what.into())
    }
}
