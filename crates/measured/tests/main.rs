//! The tests of airtcp-measured, one program: to link one per file takes longer than to run it.

mod datagrams;
