//! Writes of the application above a sender, as far as a capture shows them.

use crate::trace::{Event, SentSegment, Trace};

/// Behaviour of the application above the sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Application {
    /// Writes, each with its time by the host's clock (ns) and its bytes; then the time of the close, if the
    /// application closed.
    Writes(Vec<(i64, u64)>, Option<i64>),
    /// The application always had data to send, from the first segment on; the last segment may close the connection.
    Bulk,
}

/// Assumptions on the time at which an application began a write; a capture shows only the end of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteStart {
    /// At the end of the previous write.
    AtOnce,
    /// When the first segment of the write left.
    AsSent,
    /// When the first segment of the write left, if nothing arrived since the last segment of the previous write;
    /// otherwise when that last segment left.
    AsSentUnlessAcked,
    /// When the first segment of the write left, unless an arriving segment triggered it; a segment without a trigger
    /// also begins a write.
    AsSentUnlessCaused,
    /// When the first segment of the write left, or just before the arrival that triggered it; each burst begins a
    /// write.
    PerBurst,
}

/// Longest time (ns) between an arrival and the segments that it triggers, and between segments of one burst.
const BURST_GAP: i64 = 300_000;

impl WriteStart {
    /// Text for this assumption in the report of a replay.
    pub(crate) const fn description(self) -> &'static str {
        match self {
            WriteStart::AtOnce => "wrote without a pause; short segments with PSH end its writes",
            WriteStart::AsSent => "wrote as segments left; short ones with PSH end its writes",
            WriteStart::AsSentUnlessAcked | WriteStart::AsSentUnlessCaused => {
                "wrote as segments left that nothing else caused, or as the previous write had left"
            }
            WriteStart::PerBurst => {
                "wrote each burst as it left, or just before the ACK that freed it"
            }
        }
    }
}

/// State of the trace before a segment with new data.
#[derive(Clone, Copy, Debug)]
struct TraceState {
    /// Time of the last event.
    time: i64,
    /// True if the last event is an arriving segment.
    last_is_arrival: bool,
    /// True if an arriving segment triggered the burst to which the new segment belongs.
    caused_by_arrival: bool,
    /// True if a segment has arrived since the last write ended.
    arrival_since_write: bool,
    /// True if a write ended; `cut_at` is the time at which its last segment left.
    write_ended: bool,
    write_ended_at: i64,
}

impl TraceState {
    /// Start of the write whose first segment is being examined; `None` if the segment belongs to the previous write.
    fn write_start(
        &self,
        begin: WriteStart,
        at: i64,
        origin: i64,
        last: Option<&(i64, u64)>,
    ) -> Option<i64> {
        let time = at - origin;
        let Some(&(last, _)) = last else { return Some(time) };
        let in_burst = at - self.time <= BURST_GAP;
        let (was_held, begins) = match begin {
            WriteStart::AtOnce => (true, self.write_ended),
            WriteStart::AsSent => (false, self.write_ended),
            WriteStart::AsSentUnlessAcked => (self.arrival_since_write, self.write_ended),
            WriteStart::AsSentUnlessCaused => {
                (in_burst && self.caused_by_arrival, self.write_ended || !in_burst)
            }
            WriteStart::PerBurst if self.last_is_arrival && in_burst => {
                return Some(self.time - origin - 1);
            }
            WriteStart::PerBurst => (false, self.write_ended || self.last_is_arrival || !in_burst),
        };
        let held_since =
            if begin == WriteStart::AtOnce { last } else { self.write_ended_at - origin };
        begins.then_some(if was_held { held_since.max(last) } else { time })
    }
}

impl Application {
    /// One write of all data, at the time of the first data segment. It is finite if the capture shows its end. A FIN
    /// without data is the application's close.
    pub(crate) fn single_write(trace: &Trace, origin: i64) -> Application {
        let Some(first) = trace.sent_segments().next() else { return Application::Bulk };
        Application::with_end_after_last_write(
            trace,
            origin,
            vec![(first.time - origin, trace.data_end() - 1)],
        )
    }

    /// Writes that end where a segment shorter than the others has PSH [crates/linux/rules/sending.md]: nothing else cuts data
    /// there.
    pub(crate) fn writes_by_push(trace: &Trace, origin: i64, begin: WriteStart) -> Application {
        let full = trace.mss();
        let (mut writes, mut highest) = (Vec::<(i64, u64)>::new(), 1);
        let mut before = TraceState {
            time: trace.start,
            last_is_arrival: true,
            caused_by_arrival: false,
            arrival_since_write: false,
            write_ended: true,
            write_ended_at: 0,
        };
        for event in &trace.events {
            let time = event.time();
            let Event::Sent(sent) = event else {
                before = TraceState {
                    time,
                    last_is_arrival: true,
                    caused_by_arrival: true,
                    arrival_since_write: true,
                    ..before
                };
                continue;
            };
            let end = sent.seq + u64::from(sent.len);
            // Where what was not captured ended writes, nobody knows: behind it one begins.
            let ends = [sent.seq, end].into_iter().filter(|_| sent.len > 0);
            for (end, ends_write) in ends.zip([true, sent.psh && sent.len < full]) {
                if end > highest {
                    if let Some(began) = before.write_start(begin, time, origin, writes.last()) {
                        writes.push((began, 0));
                    }
                    writes.last_mut().expect("the first segment begins a write").1 += end - highest;
                    highest = end;
                    before.write_ended = ends_write;
                    before.arrival_since_write &= !before.write_ended;
                    before.write_ended_at =
                        if before.write_ended { time } else { before.write_ended_at };
                }
            }
            before.caused_by_arrival &= time - before.time <= BURST_GAP;
            (before.time, before.last_is_arrival) = (time, false);
        }
        Application::with_end_after_last_write(trace, origin, writes)
    }

    fn with_end_after_last_write(
        trace: &Trace,
        origin: i64,
        mut writes: Vec<(i64, u64)>,
    ) -> Application {
        let Some(&(begins, _)) = writes.last() else { return Application::Bulk };
        let fin = trace.sent_segments().find(|sent| sent.fin);
        if fin.is_some() || is_acknowledged(trace, trace.data_end()) || ends_with_short_push(trace)
        {
            let closes = |fin: &SentSegment| if fin.len > 0 { begins } else { fin.time - origin };
            return Application::Writes(writes, fin.map(closes));
        }
        if writes.len() == 1 {
            return Application::Bulk;
        }
        writes.last_mut().expect("there is one").1 = ENDLESS;
        Application::Writes(writes, None)
    }
}

impl Application {
    /// The application made finite: its last write ends with the data sent. `None` if it is finite already.
    pub(crate) fn with_end_of_data(&self, trace: &Trace, origin: i64) -> Option<Application> {
        let data = trace.data_end() - 1;
        match self {
            Application::Bulk => {
                let first = trace.sent_segments().next()?;
                Some(Application::Writes(vec![(first.time - origin, data)], None))
            }
            Application::Writes(writes, end) => {
                let (last, before) = writes.split_last().filter(|(last, _)| last.1 == ENDLESS)?;
                let written: u64 = before.iter().map(|write| write.1).sum();
                let rest = (last.0, data.checked_sub(written)?);
                Some(Application::Writes([before, &[rest]].concat(), *end))
            }
        }
    }
}

/// Bytes that stand for a write without end.
pub(crate) const ENDLESS: u64 = 1 << 50;

/// Returns true if the last data segment is short and has PSH, which marks the end of a write as in `writes_by_push`.
fn ends_with_short_push(trace: &Trace) -> bool {
    let last = trace.sent_segments().max_by_key(|sent| sent.seq + u64::from(sent.len));
    last.is_some_and(|last| last.psh && last.len < trace.mss())
}

fn is_acknowledged(trace: &Trace, end: u64) -> bool {
    trace.events.iter().any(|event| match event {
        Event::Arrived(arrived) => arrived.ack >= end,
        Event::Sent(_) => false,
    })
}
