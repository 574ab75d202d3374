//! The tests of airtcp-tcp, one program: to link one per file takes longer than to run it.

mod ladder;
mod laws;
mod probing;
mod rfc;
