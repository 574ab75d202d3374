//! A scenario as plain data: one description of a link and a TCP for every engine.
//!
//! A document (TOML or JSON, as a `serde_json::Value`) is completed by its profile, checked against
//! the schema that the types below derive, and expanded along its sweep axes into points.

mod cite;
mod expand;
mod input_error;
mod profile;
mod schema;
mod spec;
mod value;

pub use cite::{REFERENCES, citations};
pub use expand::points;
pub use input_error::InputError;
pub use profile::{PROFILES, Profile};
pub use schema::document_schema;
pub use spec::{Ack, Analysis, LinkSpec, Method, Scenario, Stop, Tcp};
