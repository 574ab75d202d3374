//! Video in chunks: requests of the player, and playback with its stalls.
//!
//! A rule for choosing the bitrate is one file here, and one line of the registry in `choice.rs`.

mod buffer;
mod choice;
mod playback;
mod player;
mod settings;
mod throughput;
mod view;

pub use buffer::Buffer;
pub use choice::VideoChoice;
pub use playback::VideoCounts;
pub use player::Player;
pub use settings::Video;
pub use throughput::Throughput;
