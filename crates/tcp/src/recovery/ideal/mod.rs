//! The idealised variants [zorzi, sections II and IV; SACK: section V].

mod fast;
mod newreno;
mod oldtahoe;
mod reno;
mod sack;
mod tahoe;
mod verbs;

pub(super) use newreno::NewReno;
pub(super) use oldtahoe::OldTahoe;
pub(super) use reno::Reno;
pub(super) use sack::Sack;
pub(super) use tahoe::Tahoe;
