//! TCP without input or output: a sender and a receiver as plain state that a driver feeds with
//! segments and time. Knows no channel.

mod growth;
mod receiver;
pub mod recovery;
mod segment;
mod sender;
mod timers;
mod window;

pub use receiver::Receiver;
pub use recovery::Variant;
pub use segment::Segment;
pub use sender::{Counters, Sender, SenderConfig};
pub use window::Window;
