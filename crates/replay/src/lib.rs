//! Replay of a real sender: a capture at its host shows the segments that arrived and those that it sent. Our sender
//! gets the same ACKs, writes and ticks in logical time, and each segment that it sends is compared with that of the
//! kernel [docs/howto/explain_captures.md].

mod application;
mod artefact;
mod captured_segments;
mod connection;
mod explain;
mod host_facts;
mod infer;
mod interfaces;
mod kernel_age;
mod lag;
mod packets;
mod place;
mod player;
mod prior_side;
mod progress;
mod rule_change;
mod search;
mod setup;
mod side;
mod state;
mod state_guess;
mod system;
mod trace;
mod verdict;

pub use airtcp_capture::{AnswerTimes, CapturePoint, Refusal};
pub use application::Application;
pub use artefact::{Artefact, UncapturedRetransmission};
pub use connection::{Connection, Connections, Endpoints};
pub use explain::{Explanation, TriedControl, UserFacts, explain, explain_with_progress, replay};
pub use host_facts::HostFacts;
pub use progress::Progress;
pub use rule_change::RuleChange;
pub use setup::{Setup, UnknownFacts};
pub use trace::{ArrivedSegment, Event, SentSegment, Trace};
pub use verdict::{ComparedSegment, Difference, DifferenceKind, SenderStatus, Verdict};
