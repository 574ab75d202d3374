//! Exact throughput of idealised TCP variants on a two-state Markov channel.
//!
//! Models the slotted TCPs of \[zorzi\]: M. Zorzi, A. Chockalingam, R. R. Rao, "Throughput Analysis of TCP on Channels
//! with Memory". A slot carries one packet, ACKs are instant, the channel moves in every slot, also while the sender is
//! silent. Their semi-Markov chain on (window, channel) leaves out the receiver's memory, so it can only bracket the
//! throughput. Here the out-of-order buffer is part of the state, as a bit mask, and the answer is exact up to the
//! branches that are pruned; the solution reports their mass and a bound on its effect.
//!
//! Left out, as in \[zorzi\]: ACK losses and delays, timer backoff, delayed ACKs, and new packets sent during
//! recovery.
//!
//! A packet takes a slot, or, over a link layer that sends lost fragments again \[chockalingam\], the
//! slots that its fragments need; the cycles are the same.
//!
//! The pieces, from the inside out, are `channel` (powers of the chain), `link` (fates and durations of packets),
//! `timer` (the rest of a timer), `window` (window classes and their growth, [zorzi, section IV]), `receiver` (the mask)
//! and `phase2` (from a loss to the next cycle). Then follow `sack` (the recovery of SACK), `graph`, `explore`,
//! `frontier` and `rows` (the chain on window and mask, most probable states first), `stationary` (its stationary flow)
//! and `bound` (the error due to pruning).
//!
//! ```
//! use airtcp_analysis::exact::{solve, Problem, Variant};
//! let problem = Problem::new(Variant::Tahoe, 0.1, 0.9).with_window(6);
//! let solution = solve(&problem).unwrap();
//! assert!((solution.throughput - 0.165717).abs() < 1e-6);
//! ```

mod bound;
mod channel;
mod explore;
mod frontier;
mod graph;
mod link;
mod model;
mod phase2;
mod problem;
mod receiver;
mod rows;
mod sack;
mod solve;
mod stationary;
mod timer;
mod window;

pub use problem::{MAX_WINDOW, Options, Problem, Solution, SolveError, Variant};
pub use solve::{solve, solve_unless_interrupted};
