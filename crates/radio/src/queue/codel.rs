//! CoDel [RFC 8289]: when all packets of an interval have waited longer than the target, the packet at the head is
//! dropped. More drops follow after ever shorter times (the interval divided by the square root of the number of
//! drops), until a packet has waited less than the target.
//!
//! ECN-capable packets are marked instead of dropped, unless `ecn = false`. Nothing is dropped while at most `mtu`
//! bytes wait.
//!
//! ```toml
//! kind = "codel"
//! target = "5ms"
//! interval = "100ms"
//! ```

use super::backlog::{Backlog, PacketId};
use super::codel_law::{Controller, Setpoint};
use super::discipline::Discipline;
use super::fifo::Fifo;
use super::limit::limit_or;
use super::process::{Dequeued, Guarantees, Queue};
use super::spec::Spec;
use crate::link::losses::LossCause;
use crate::spec_error::SpecError;
use airtcp_core::{Duration, Instant, Rate, Size, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Packets that may wait if nobody says otherwise, as in Linux.
const DEFAULT_LIMIT: u32 = 1000;

/// Controlled delay.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "CoDelQueue")]
pub struct CoDel {
    /// Acceptable standing delay: the time in the queue that packets may exceed for no longer than one `interval`.
    /// Example: `"20ms"`.
    pub target: Duration,
    /// Time for which packets may wait longer than `target` before drops begin: about the longest round trip.
    /// Example: `"200ms"`.
    pub interval: Duration,
    /// Length of the longest packet; the queue drops nothing while no more than this waits. Example: `"1500B"`.
    pub mtu: Size,
    /// True if ECN-capable packets are marked instead of dropped. Example: `true`.
    pub ecn: bool,
    /// Limit in packets, counting the one in transmission. Absent: 1000, or no limit in packets if `bytes` is given.
    /// Example: `500`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 2, max = 1_000_000_000))]
    pub packets: Option<u32>,
    /// Limit on the bytes that wait. Absent: no limit in bytes. Example: `"64kB"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Size")]
    pub bytes: Option<Size>,
}

/// Milliseconds.
pub(super) const fn milliseconds(ms: i64) -> Duration {
    Duration::from_span(Span::from_nanos(1_000_000 * ms))
}

impl Default for CoDel {
    fn default() -> Self {
        let (target, interval, mtu) = (milliseconds(5), milliseconds(100), Size::from_bytes(1500));
        CoDel { target, interval, mtu, ecn: true, packets: None, bytes: None }
    }
}

impl Spec for CoDel {
    fn build(&self, _: Rate, _: Stream) -> Result<Box<dyn Queue>, SpecError> {
        Ok(Box::new(CoDelQueue {
            limit: limit_or(self.packets, self.bytes, DEFAULT_LIMIT)?,
            setpoint: Setpoint::new(self.target, self.interval, self.mtu, self.ecn)?,
            controller: Controller::new(),
            fifo: Fifo::default(),
        }))
    }
}

#[derive(Debug)]
struct CoDelQueue {
    limit: Discipline,
    setpoint: Setpoint,
    controller: Controller,
    fifo: Fifo,
}

impl Queue for CoDelQueue {
    fn guarantees(&self) -> Guarantees {
        Guarantees { drops_on_dequeue: true, ..Guarantees::default() }
    }

    fn enqueue(&mut self, id: PacketId, is_free: bool, backlog: &mut Backlog) {
        if self.limit.admits(self.fifo.waiting, backlog[id].bits, is_free) {
            self.fifo.push(id, backlog);
        } else {
            backlog.drop(id, LossCause::Queue);
        }
    }

    fn dequeue(&mut self, now: Instant, backlog: &mut Backlog) -> Dequeued {
        let next = self.controller.dequeue(&self.setpoint, now, &mut self.fifo, backlog);
        next.map_or(Dequeued::Empty, Dequeued::Send)
    }

    fn cut(&mut self, backlog: &mut Backlog) {
        self.fifo.drop_all(backlog);
    }
}
