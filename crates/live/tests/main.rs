//! The tests of airtcp-live, one program: to link one per file takes longer than to run it.

mod agreement;
mod capture;
mod codec;
mod emulator;
mod kernel;
mod slots;
mod stack;
