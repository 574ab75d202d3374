//! The tests of airtcp-analysis, one program: to link one per file takes longer than to run it.

mod exact;
mod oracle;
mod slots;
