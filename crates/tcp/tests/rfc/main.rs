//! The source `Rfc`, clause by clause: ladder diagrams and worked sequences of times.

mod cubic;
mod detection;
mod ecn;
mod growth;
mod path;
mod rack_tlp;
mod receiver;
mod recovery;
mod reduction;
mod sack;
mod script;
mod slow_start;
mod spurious;
mod timer;
