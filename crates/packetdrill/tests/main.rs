//! The tests of airtcp-packetdrill, one program: to link one per file takes longer than to run it.

mod linux;
mod play;
