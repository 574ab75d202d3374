//! The source `Rfc`, clause by clause: ladder diagrams and worked sequences of times.

mod controls;
mod cubic;
mod dctcp;
mod detection;
mod ecn;
mod growth;
mod hybla;
mod illinois;
mod ledbat;
mod path;
mod prague;
mod rack_tlp;
mod receiver;
mod recovery;
mod reduction;
mod rounds;
mod sack;
mod script;
mod slow_start;
mod spurious;
mod timer;
mod vegas;
mod veno;
mod westwood;
