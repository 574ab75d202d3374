//! Limits on scripts. A script beyond one of them is refused, or fails.

/// Bytes of a script.
pub const MAX_SCRIPT_BYTES: usize = 1 << 20;
/// Events of a script.
pub const MAX_EVENTS: usize = 20_000;
/// Largest nesting depth of expressions and of values in code.
pub const MAX_DEPTH: usize = 40;
/// Elements of a list, arguments of a call.
pub const MAX_ELEMENTS: usize = 4096;
/// All times of a script together, in seconds.
pub const MAX_SECONDS: i64 = 1_000_000;
/// Timers and packets of the host over a whole script.
pub const MAX_HOST_STEPS: u64 = 1_000_000;
/// Seconds that the player waits for a packet beyond its time: the longest retransmission timeout of Linux
/// is 120 s.
pub const MAX_SILENCE_SECONDS: i64 = 300;
/// Seconds that a call may block if the script does not call it blocking.
pub const MAX_BLOCKED_SECONDS: i64 = 3600;
/// Steps of the evaluator over a whole script.
pub const MAX_CODE_STEPS: u64 = 1_000_000;
/// Bytes of a text that code makes.
pub const MAX_CODE_TEXT_BYTES: usize = 1 << 16;
/// Bytes of all values that code makes over a whole script, copies included.
pub const MAX_CODE_BYTES: usize = 1 << 26;
/// Lines that code prints over a whole script.
pub const MAX_PRINTED_LINES: usize = 1000;
/// Bytes that code prints over a whole script.
pub const MAX_PRINTED_BYTES: usize = 1 << 18;
/// Characters of an assertion and of its message in a verdict; the rest is cut.
pub const MAX_CODE_SHOWN: usize = 1000;
/// Names whose values are in the verdict of an assertion without a message.
pub const MAX_NAMES_SHOWN: usize = 16;
