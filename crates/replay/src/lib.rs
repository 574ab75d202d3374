//! Replay of a real sender: a capture taken at its host shows the segments that came and that it sent. Our sender
//! gets the same ACKs, writes and ticks in logical time, and each segment that it sends is compared with that of the
//! kernel [docs/howto/explain_captures.md].

mod about;
mod application;
mod artefact;
mod change;
mod connection;
mod explain;
mod guess;
mod infer;
mod kernels;
mod lag;
mod memory;
mod packets;
mod place;
mod player;
mod progress;
mod search;
mod setup;
mod shown;
mod side;
mod spread;
mod state;
mod system;
mod trace;
mod verdict;

pub use about::About;
pub use airtcp_capture::{Place, Refusal, Whereabouts};
pub use application::Application;
pub use artefact::{Artefact, Repair};
pub use change::Change;
pub use connection::{Connection, Connections, Endpoints};
pub use explain::{Asked, Explained, Tried, explain, explain_watched, replay};
pub use progress::Progress;
pub use setup::{Setup, Unknown};
pub use trace::{Arrived, Event, Sent, Trace};
pub use verdict::{Difference, Kind, Piece, Status, Verdict};
