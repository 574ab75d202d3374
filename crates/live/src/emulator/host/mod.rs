//! The emulator on Linux: namespaces, devices, the programs in them, and the driver in real time.

mod alike;
mod capture;
mod children;
mod clock;
mod driver;
mod kernel;
mod log;
mod namespace;
mod netlink;
mod plan;
mod report;
mod session;

pub use plan::{Plan, Route};
pub use report::Report;
pub use session::run;
