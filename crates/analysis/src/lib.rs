//! Numerics of the analytic models that are too slow in Python.
//!
//! [`exact`] solves the idealised TCP variants of Zorzi, Chockalingam and Rao on a two-state
//! Markov channel without their approximations. [`hidden_chain`] has the likelihood of measured losses,
//! [`loss_scales`] how they are dispersed.

pub mod exact;
pub mod hidden_chain;
pub mod loss_scales;
