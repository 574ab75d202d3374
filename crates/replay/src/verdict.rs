//! The findings of a replay.

use crate::artefact::Artefact;
use crate::place;
use airtcp_capture::AnswerTimes;
use serde_json::{Value, json};

/// A segment as it is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComparedSegment {
    /// Time at which the segment left, in ns since the sender was established.
    pub time: i64,
    /// First number: the first byte has 1.
    pub seq: u64,
    /// Bytes.
    pub len: u32,
    /// FIN.
    pub fin: bool,
}

impl ComparedSegment {
    fn json(self) -> Value {
        json!({"time": self.time as f64 / 1e9, "seq": self.seq, "bytes": self.len, "fin": self.fin})
    }

    fn text(self) -> String {
        let fin = if self.fin { " with FIN" } else { "" };
        format!("{} bytes from {}{fin} at {:.6} s", self.len, self.seq, self.time as f64 / 1e9)
    }
}

/// Our sender as the difference was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SenderStatus {
    /// Congestion window in packets.
    pub cwnd: u32,
    /// Slow-start threshold in packets.
    pub ssthresh: u32,
    /// Open, Disorder, CWR, Recovery, Loss.
    pub state: &'static str,
    /// Packets in flight.
    pub in_flight: u32,
    /// Packets out, SACKed, lost, retransmitted.
    pub counts: [u32; 4],
    /// Oldest number not acknowledged, next new one.
    pub una: u64,
    /// See `una`.
    pub nxt: u64,
    /// SRTT in us, RTO in ms.
    pub srtt_us: u32,
    /// See `srtt_us`.
    pub rto_ms: u64,
    /// Purpose of the timer.
    pub timer: &'static str,
    /// Time at which the timer fires, in ns since the sender was established.
    pub timer_at: Option<i64>,
    /// Pacing rate in bytes per second.
    pub pacing_rate: u64,
}

impl SenderStatus {
    fn json(&self) -> Value {
        json!({
            "cwnd": self.cwnd, "ssthresh": self.ssthresh, "state": self.state,
            "in_flight": self.in_flight, "packets_out": self.counts[0], "sacked": self.counts[1],
            "lost": self.counts[2], "retrans": self.counts[3], "una": self.una, "nxt": self.nxt,
            "srtt": f64::from(self.srtt_us) / 1e6, "rto": self.rto_ms as f64 / 1e3,
            "timer": self.timer, "timer_at": self.timer_at.map(|at| at as f64 / 1e9),
            "pacing_rate": self.pacing_rate,
        })
    }

    fn text(&self) -> String {
        let ssthresh = match self.ssthresh {
            airtcp_linux::congestion::INFINITE_SSTHRESH => "infinite".to_owned(),
            packets => packets.to_string(),
        };
        let timer = self.timer_at.map_or_else(String::new, |at| {
            format!(", {} timer at {:.6} s", self.timer, at as f64 / 1e9)
        });
        let [out, sacked, lost, retrans] = self.counts;
        format!(
            "{}, cwnd {}, ssthresh {ssthresh}, in flight {} (out {out}, SACKed {sacked}, lost {lost}, \
             retransmitted {retrans}), una {}, nxt {}, SRTT {:.3} ms, RTO {} ms{timer}",
            self.state,
            self.cwnd,
            self.in_flight,
            self.una,
            self.nxt,
            f64::from(self.srtt_us) / 1e3,
            self.rto_ms
        )
    }
}

/// Kinds of difference between the kernel and our sender at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// The kernel sent a segment, our sender nothing.
    Missing,
    /// Our sender sent a segment, the kernel nothing.
    Extra,
    /// Both sent, from different numbers.
    Order,
    /// Both sent from the same number, different lengths.
    Length,
    /// Both sent one segment, at different times.
    Time,
}

impl DifferenceKind {
    /// Name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            DifferenceKind::Missing => "missing",
            DifferenceKind::Extra => "extra",
            DifferenceKind::Order => "order",
            DifferenceKind::Length => "length",
            DifferenceKind::Time => "time",
        }
    }
}

/// A difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The number of the kernel's segment, from 0.
    pub index: usize,
    /// The kind of difference.
    pub kind: DifferenceKind,
    /// The segment that the kernel sent.
    pub kernel_segment: Option<ComparedSegment>,
    /// The segment that our sender sent or would have sent.
    pub our_segment: Option<ComparedSegment>,
    /// Cause that made our sender send: an ACK, a write, a timer.
    pub trigger: &'static str,
    /// State of our sender at that place.
    pub status: SenderStatus,
}

impl Difference {
    fn json(&self) -> Value {
        json!({
            "index": self.index, "kind": self.kind.name(), "kernel": self.kernel_segment.map(ComparedSegment::json),
            "ours": self.our_segment.map(ComparedSegment::json), "cause": self.trigger, "sender": self.status.json(),
        })
    }

    /// Describes the difference in a line or two.
    #[must_use]
    pub fn text(&self) -> String {
        let shown = |piece: Option<ComparedSegment>| {
            piece.map_or("nothing".to_owned(), ComparedSegment::text)
        };
        format!(
            "segment {}, {}: the kernel sent {}, ours {}{}\n  ours: {}",
            self.index,
            self.kind.name(),
            shown(self.kernel_segment),
            shown(self.our_segment),
            if self.trigger.is_empty() { String::new() } else { format!(" ({})", self.trigger) },
            self.status.text()
        )
    }
}

/// The findings of a replay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Segments of the kernel.
    pub segments: usize,
    /// Segments explained by our sender.
    pub explained: usize,
    /// Differences near gaps of the capture, which are not held against the sender.
    pub unjudged: usize,
    /// Differences, in order.
    pub differences: Vec<Difference>,
    /// The segment at which the replay ended after the most differences allowed.
    pub stopped_at: Option<usize>,
    /// Most by which the kernel's segments were earlier, and later (`latest`), than those of our sender, in ns.
    pub earliest: i64,
    /// See `earliest`.
    pub latest: i64,
    /// Phase of the ticks in ns; `inferred` is true if it was found by trial.
    pub phase: i64,
    /// See `phase`.
    pub phase_inferred: bool,
    /// Number of times that an edge of a tick, or the phase of BBR's cycle, was chosen by trial.
    pub trials_adopted: usize,
    /// Assumptions, in words.
    pub assumptions: Vec<String>,
    /// Reasons why the sender cannot be Linux; then differences do not concern our rules.
    pub against_linux: Vec<String>,
    /// Place where the capture was taken.
    pub place: AnswerTimes,
    /// Artefacts of capturing.
    pub artefacts: Vec<Artefact>,
}

impl Verdict {
    /// Returns true if there is no difference.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.differences.is_empty()
    }

    /// The verdict as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({
            "segments": self.segments, "explained": self.explained, "unjudged": self.unjudged,
            "differences": self.differences.iter().map(Difference::json).collect::<Vec<_>>(),
            "earliest": self.earliest as f64 / 1e9, "latest": self.latest as f64 / 1e9,
            "phase": self.phase as f64 / 1e9, "phase_inferred": self.phase_inferred,
            "aligned": self.trials_adopted, "stopped": self.stopped_at, "assumed": self.assumptions,
            "against_linux": self.against_linux, "taken": place::place_to_json(self.place),
            "artefacts": self.artefacts.iter().map(Artefact::json).collect::<Vec<_>>(),
        })
    }
}
