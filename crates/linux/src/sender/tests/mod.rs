//! The sender against a peer that a test plays, in logical time.

mod kernel;
mod limits;
mod marks;
mod recovery;
pub(super) mod rig;
mod transfer;
mod undo;
