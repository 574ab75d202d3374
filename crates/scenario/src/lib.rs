//! A scenario as plain data: one description of a link and a TCP for every engine.
//!
//! A document (TOML or JSON, as a `serde_json::Value`) is completed by its profile, checked against
//! the schema that the types below derive, and expanded along its sweep axes into points.

mod arq;
mod bands;
mod cases;
mod chance;
mod choices;
mod cite;
mod derived;
mod direction;
mod ends;
mod expand;
mod flow_tcp;
mod forced;
mod foreign;
mod hop;
mod hop_checks;
mod hops;
mod implied;
mod input_error;
mod linked;
mod links;
mod linux;
mod linux_ends;
mod live;
mod measured_paths;
mod names;
mod nodes;
mod path;
mod points;
mod profile;
mod profiles;
mod queue_checks;
mod rate_checks;
mod rate_table;
mod renamed;
mod rules;
mod scenario;
mod schema;
mod shortest;
mod slot;
mod slot_length;
mod slot_path;
mod sources;
mod stop;
mod traffic;
mod trains;
mod transfers;
mod transport;
mod value;
mod variants;

pub use arq::{Arq, Counting, SlotArq};
pub use cases::case_names;
pub use cite::{REFERENCES, citations};
pub use direction::{
    DelayChange, DirectionSpec, ForcedLoss, HopQueue, HopRates, HopReorder, QueueLimit, Reorder,
};
pub use hop::{EffectiveDirection, HopSpec};
pub use hops::place_of_hop;
pub use implied::ImpliedValues;
pub use input_error::InputError;
pub use links::{LinkProfile, Origin};
pub use linux::{CONGESTION_CONTROLS, Congestion, SysctlKeys};
pub use live::{Live, LiveStack};
pub use nodes::{EndNodes, Nodes, Routes};
pub use path::{Flow, Path, PathScenario};
pub use points::{Points, points};
pub use profile::{Family, PROFILES, PathTcp, Profile};
pub use profiles::{BsdTcp, LinuxHost, LinuxPair, LinuxTcp, Ns2Tcp, RfcTcp, ZorziTcp};
pub use rate_table::{MAX_RATES, RateColumns, SameTime, rate_lines};
pub use renamed::{RENAMED_KEYS, RenamedKey};
pub use scenario::Scenario;
pub use schema::document_schema;
pub use slot::{Ack, Analysis, LinkSpec, Method, SlotScenario};
pub use sources::CrossTraffic;
pub use stop::{PathStop, Precision, Stop};
pub use traffic::Traffic;
pub use trains::TrainSpec;
pub use transfers::{Arrival, Requests, Transfers};
pub use transport::{KeyPath, LossRecovery, Probing, Recovery, Sizes, Transport, WindowSize};
