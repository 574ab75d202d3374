//! A script as it was read: options, settings and events in their order.

use crate::call::Call;
use crate::code::Program;
use crate::options::Options;
use crate::packet::{Flags, Icmp, TcpOption};
use crate::settings::{CommandOrders, SettingChange};
use crate::value::Value;
use airtcp_core::{Instant, Span};

/// A script that the parser has understood as a whole.
#[derive(Clone, Debug)]
pub struct Script {
    pub(crate) name: String,
    pub(crate) options: Options,
    /// The orders of the script's first command, and its line.
    pub(crate) settings: (usize, CommandOrders),
    pub(crate) events: Vec<Event>,
}

impl Script {
    /// Name of the script, as the caller gave it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Options in the first lines of the script.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Settings that the script's first command changes.
    #[must_use]
    pub fn settings(&self) -> &[SettingChange] {
        &self.settings.1.changes
    }

    /// Number of events.
    #[must_use]
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// True if the script has no events.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }
}

/// An action at its time.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) time: Time,
    pub(crate) action: Action,
}

/// Time of an event: from the start, or from the event before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Time {
    Any,
    At(Instant),
    After(Span),
    Between(Instant, Instant),
    AfterBetween(Span, Span),
}

#[derive(Clone, Debug)]
pub(crate) enum Action {
    Inbound(Segment),
    Outbound(Segment),
    InboundIcmp(Icmp),
    Call(Box<ScriptedCall>),
    Command(CommandOrders),
    Code(Program),
}

/// Expectation for the byte with DSCP and ECN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tos {
    #[default]
    Any,
    Ecn(u8),
    /// ECT(0) or ECT(1).
    Ect,
    Whole(u8),
}

/// Expectation for the IP header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct IpFields {
    pub(crate) tos: Tos,
    pub(crate) ttl: Option<u8>,
    pub(crate) flow_label: Option<u32>,
}

/// A segment as a script writes it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Segment {
    pub(crate) ip: IpFields,
    pub(crate) ports: Option<(u16, u16)>,
    pub(crate) flags: Flags,
    /// True if the three flags of ECN are one number: ACE [RFC 9768].
    pub(crate) counts_ace: bool,
    pub(crate) sequence: u32,
    pub(crate) payload: u16,
    pub(crate) acknowledgment: u32,
    pub(crate) window: Option<u16>,
    pub(crate) urgent: u16,
    /// `None` stands for any options.
    pub(crate) options: Option<Vec<TcpOption>>,
}

/// A call with the result that the script expects.
#[derive(Clone, Debug)]
pub(crate) struct ScriptedCall {
    pub(crate) name: String,
    pub(crate) call: Call,
    pub(crate) result: i64,
    pub(crate) error: Option<i64>,
    pub(crate) output: Value,
    /// End of a blocking call: from the start or, for a relative time, from the event before.
    pub(crate) end: Option<Span>,
}
