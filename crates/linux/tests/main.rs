//! The tests of airtcp-linux, one program: to link one per file takes longer than to run it.

mod kernel;
mod prediction;
mod receiver;
