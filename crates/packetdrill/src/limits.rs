//! Limits on scripts. A script beyond one of them is refused, or fails.

/// Bytes of a script.
pub const TEXT: usize = 1 << 20;
/// Events of a script.
pub const EVENTS: usize = 20_000;
/// Largest nesting depth of expressions and of values in code.
pub const DEPTH: usize = 40;
/// Elements of a list, arguments of a call.
pub const ELEMENTS: usize = 4096;
/// All times of a script together, in seconds.
pub const SECONDS: i64 = 1_000_000;
/// Timers and packets of the host over a whole script.
pub const STEPS: u64 = 1_000_000;
/// Seconds that the player waits for a packet beyond its time: the longest retransmission timeout of Linux
/// is 120 s.
pub const SILENCE: i64 = 300;
/// Seconds that a call may block if the script does not call it blocking.
pub const BLOCKED: i64 = 3600;
/// Steps of the evaluator over a whole script.
pub const STEPS_OF_CODE: u64 = 1_000_000;
/// Bytes of a text that code makes.
pub const CODE_TEXT: usize = 1 << 16;
/// Bytes of all values that code makes over a whole script, copies included.
pub const CODE_BYTES: usize = 1 << 26;
/// Lines that code prints over a whole script.
pub const PRINTED: usize = 1000;
/// Bytes that code prints over a whole script.
pub const PRINTED_BYTES: usize = 1 << 18;
/// Characters of an assertion and of its message in a verdict; the rest is cut.
pub const CODE_SHOWN: usize = 1000;
/// Names whose values are in the verdict of an assertion without a message.
pub const NAMES_SHOWN: usize = 16;
