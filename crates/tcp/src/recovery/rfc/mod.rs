//! The variants of the RFCs, in bytes.
//!
//! The flight at a loss is what was sent since the last go-back and is not acknowledged, but no more
//! than the window, the uninflated one: that leaves out what limited transmit sent [RFC 5681 3.2,
//! step 2] and what recovery did. RFC 5681's FlightSize is an upper bound ("no more than", 3.1); with
//! it alone a second loss in a row could raise the threshold, which must fall twice (4.3).

mod newreno;
mod pipe;
mod proportion;
mod reno;
mod resent;
mod sack;
mod tahoe;
mod time_based;
mod verbs;

pub(super) use newreno::NewReno;
pub(super) use reno::Reno;
pub(super) use sack::Sack;
pub(super) use tahoe::Tahoe;
pub(super) use time_based::TimeBasedRecovery;
