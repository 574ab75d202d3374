//! Captures: the transmissions of each direction of a connection or flow, their fates and delays.

mod both;
mod clean;
mod datagrams;
mod direction;
mod files;
mod oddity;
mod pieces;
mod receiver;
mod record;
mod sender;
mod transmission;

pub use datagrams::Numbering;
pub use files::Captures;
pub use oddity::Oddity;

use crate::row::Row;

/// Ways that delays were measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayMethod {
    /// Round-trip delays.
    RoundTrip,
    /// One-way delays between synchronised clocks.
    OneWay,
    /// One-way delays up to an unknown constant: only differences are meaningful.
    OneWayUnknownOffset,
}

impl DelayMethod {
    /// Its name in python/airtcp/measured/measurement.py.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            DelayMethod::RoundTrip => "round trip",
            DelayMethod::OneWay => "one way",
            DelayMethod::OneWayUnknownOffset => "one way with an unknown offset",
        }
    }
}

/// One direction of a connection or flow, as captures show it.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// Numbers of the files, from 0, that it was found in.
    pub files: Vec<usize>,
    /// True of TCP, false of UDP.
    pub is_tcp: bool,
    /// Addresses, and the place where the capture was taken.
    pub description: String,
    /// Time of its first packet in ns since 1970.
    pub began: i64,
    /// Its packets in the order in which they were sent; times count from the first.
    pub rows: Vec<Row>,
    /// Method by which their delays were measured.
    pub delays: DelayMethod,
    /// Packets that arrived behind ones sent later.
    pub reordered: u64,
    /// Copies.
    pub duplicated: u64,
    /// Odd things about it.
    pub oddities: Vec<Oddity>,
}
