//! The tests of airtcp-tcp, one program: to link one per file takes longer than to run it.

mod ladder;
mod probing;
mod properties;
mod rfc;
