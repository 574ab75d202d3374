//! Likelihood of losses under a hidden Markov chain with a loss probability per state.
//!
//! A chain of few states moves by steps; a packet meets the state of its step and is lost with that state's
//! probability. With T the transition matrix and D the diagonal matrix of the probabilities of what was seen, packets
//! that arrive at equal distances g and have one fate multiply the row vector of forward probabilities by (T^g D)^n
//! \[rabiner1989\]. So the observations become a [`Program`]: matrices made of one another, and the order in which they
//! act. An evaluation costs two or three products of a vector and a matrix per run of equal fates, however long it is,
//! and its exact derivative ([`Evaluation`]) three to four times that.

mod evaluate;
mod matrix;
mod program;
mod simulate;

pub use evaluate::{Evaluation, evaluate};
pub use program::{Fate, PacketFates, Program};
pub use simulate::simulate;
