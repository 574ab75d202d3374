//! Numerics of the analytic models that are too slow in Python.
//!
//! [`exact`] solves the idealised TCP variants of Zorzi, Chockalingam and Rao on a two-state
//! Markov channel without their approximations.

pub mod exact;
