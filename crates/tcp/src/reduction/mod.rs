//! Reduction of the window to the threshold during a recovery: a choice by the rules of the RFCs, for variants that know
//! what is in the network.

mod at_once;
mod prr;

pub use at_once::AtOnce;
pub use prr::{Prr, PrrBase};

airtcp_core::registry! {
    /// A reduction that a scenario can name.
    #[derive(Copy)]
    pub enum Reduction or name {
        "at-once" => AtOnce(at_once::AtOnce),
            "The window falls to the threshold when recovery begins.",
            "rfc5681, rfc6675";
        "prr" => Prr(prr::Prr),
            "Proportional rate reduction: the window falls gradually with each delivery, and is the threshold when recovery ends.",
            "rfc9937";
    }
}

impl Default for Reduction {
    fn default() -> Self {
        Reduction::AtOnce(AtOnce {})
    }
}

impl Reduction {
    /// Returns whether it uses SACK blocks: the variant must read them.
    #[must_use]
    pub fn needs_sack(&self) -> bool {
        matches!(self, Reduction::Prr(_))
    }

    /// The name in files.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.entry().name
    }
}
