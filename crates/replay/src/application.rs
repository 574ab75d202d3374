//! Writes of the application above a sender, as far as a capture shows them.

use crate::trace::{Event, SentSegment, Trace};

/// Behaviour of the application above the sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Application {
    /// It made these writes: time by the host's clock, in ns, and bytes. It closed at the second time, if there is one.
    Writes(Vec<(i64, u64)>, Option<i64>),
    /// It always had data to send, from the first segment on; the last segment may close the connection.
    Bulk,
}

/// Assumptions on when an application began a write, of which a capture shows only the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteStart {
    /// As soon as the previous write had ended.
    AtOnce,
    /// As the first segment of the write left.
    AsSent,
    /// As the first segment of the write left, if nothing came since the last segment of the previous write left; if
    /// something came, as that last segment left.
    AsSentUnlessAcked,
    /// As the first segment of the write left, unless a segment that came caused it; and a segment that nothing caused
    /// begins a write as well.
    AsSentUnlessCaused,
    /// As the first segment of the write left, or just before the segment that came and caused it; each burst begins a
    /// write.
    PerBurst,
}

/// Within so many ns something that came causes segments, and one of a burst follows another.
const BURST_GAP: i64 = 300_000;

impl WriteStart {
    /// Words of a replay for it.
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
struct StateBefore {
    /// Time of the last event.
    time: i64,
    /// True if the last event is a segment that came.
    last_is_arrival: bool,
    /// True if a segment that came caused the burst to which the new segment belongs.
    caused_by_arrival: bool,
    /// True if a segment came since the last write ended.
    arrival_since_write: bool,
    /// True if a write ended; `cut_at` is the time at which its last segment left.
    write_ended: bool,
    write_ended_at: i64,
}

impl StateBefore {
    /// Time at which the write began of which a segment is the first; `None` if it belongs to the last write.
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
    /// All at once as the first data are sent, and if something shows where they end, no more. A FIN without
    /// data was asked for as it is sent.
    pub(crate) fn single_write(trace: &Trace, origin: i64) -> Application {
        let Some(first) = trace.sent().next() else { return Application::Bulk };
        Application::with_end(trace, origin, vec![(first.time - origin, trace.data_end() - 1)])
    }

    /// Writes that end where a segment shorter than the others has PSH [crates/linux/rules/sending.md]: nothing else cuts data
    /// there.
    pub(crate) fn writes_by_push(trace: &Trace, origin: i64, begin: WriteStart) -> Application {
        let full = trace.mss();
        let (mut writes, mut highest) = (Vec::<(i64, u64)>::new(), 1);
        let mut before = StateBefore {
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
                before = StateBefore {
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
        Application::with_end(trace, origin, writes)
    }

    fn with_end(trace: &Trace, origin: i64, mut writes: Vec<(i64, u64)>) -> Application {
        let Some(&(begins, _)) = writes.last() else { return Application::Bulk };
        let fin = trace.sent().find(|sent| sent.fin);
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
    /// The application with an end where the data sent end; nothing if it has an end already.
    pub(crate) fn with_end_of_data(&self, trace: &Trace, origin: i64) -> Option<Application> {
        let data = trace.data_end() - 1;
        match self {
            Application::Bulk => {
                let first = trace.sent().next()?;
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

/// Says that the last data end with a segment shorter than others that has PSH: the end of a write, as in `by_push`.
fn ends_with_short_push(trace: &Trace) -> bool {
    let last = trace.sent().max_by_key(|sent| sent.seq + u64::from(sent.len));
    last.is_some_and(|last| last.psh && last.len < trace.mss())
}

fn is_acknowledged(trace: &Trace, end: u64) -> bool {
    trace.events.iter().any(|event| match event {
        Event::Arrived(arrived) => arrived.ack >= end,
        Event::Sent(_) => false,
    })
}
