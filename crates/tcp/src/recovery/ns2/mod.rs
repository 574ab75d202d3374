//! The variants of ns as the papers used it, 1998 to 2000 [ns2 reading, sections 2, 4
//! and 5]. Packets are numbered; the window never loses what it gains beyond the advertised one;
//! recovery inflates beside the window, not in it.

mod newreno;
mod reduction;
mod reno;
mod sack;
mod tahoe;
mod verbs;

pub(super) use newreno::NewReno;
pub(super) use reno::Reno;
pub(super) use sack::Sack;
pub(super) use tahoe::Tahoe;
