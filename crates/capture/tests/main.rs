//! The tests of airtcp-capture, one program: to link one per file takes longer than to run it.

mod pieces;
