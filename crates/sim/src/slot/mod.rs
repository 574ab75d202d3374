//! The slotted simulator: one connection over one hop whose source is clocked by the link.

mod connection;
mod event_loop;
mod run;

pub use run::{SlotCounts, run};
