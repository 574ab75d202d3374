//! The core for a page in a browser: a question goes in as JSON, an answer comes out as a JSON head and
//! binary columns. It computes nothing itself.
//!
//! A page holds one instance per worker. Work there cannot be interrupted from within: to cancel it, the page
//! ends the worker.

pub mod abi;
mod answer;
mod desk;
mod document;
mod exact;
mod point;
mod trace;

pub use answer::Answer;
pub use desk::Desk;
