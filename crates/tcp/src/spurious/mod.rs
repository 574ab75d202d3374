//! Spurious timeouts: what finds them out, and what is then done. A [`Guard`] stands before a variant's
//! loss recovery and leaves it alone until a timeout turns out to have been spurious. Without one a
//! sender runs no code from here.

mod detection;
mod detector;
mod eifel;
mod f_rto;
mod guard;
mod response;
mod verdict;

pub use detection::Detection;
pub(crate) use guard::Guard;
