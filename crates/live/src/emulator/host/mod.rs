//! The emulator on Linux: the driver in real time, and the ends of the path: namespaces with the programs in
//! them, or our own stack.

mod builtin_end;
mod capture;
mod children;
mod clock;
mod driver;
mod end;
mod error_text;
mod identity;
mod ip;
mod kernel;
mod kernel_from_scenario;
mod log;
mod namespace;
mod netlink;
mod plan;
mod progress;
mod receiving;
mod report;
mod sending;
mod session;
mod tcp;
mod terminal;

pub use plan::{Bulk, Plan, Program, Route, Task, User};
pub use report::{Outcome, ReceiverOutcome, Report, SenderOutcome};
pub use session::run;
