//! The tests of airtcp-replay, one program: to link one per file takes longer than to run it.

mod artefacts;
mod bombs;
mod common;
mod foreign;
mod hostile;
mod mutations;
mod place;
mod resumption;
mod spread;
mod system;
