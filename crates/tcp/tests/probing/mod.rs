//! Probing variants and the profile they come from, segment by segment.

mod bsd;
mod cycle;
mod outcomes;
mod pitfalls;
mod script;
