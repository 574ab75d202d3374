//! The tests of airtcp-web, one program: to link one per file takes longer than to run it.

mod desk;
mod reader;
