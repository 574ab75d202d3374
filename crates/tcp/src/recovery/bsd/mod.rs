//! The classic variants as in BSD around 1990 [lahanas reading, section 3]. Windows count bytes; a
//! fast retransmit resends one segment and goes on where it was.

mod reno;
mod tahoe;
mod verbs;

pub(super) use reno::Reno;
pub(super) use tahoe::Tahoe;
