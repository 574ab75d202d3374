//! What the application of a sender wrote, and what of it a capture shows.

use crate::trace::{Event, Sent, Trace};

/// What the application did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Application {
    /// It wrote so much at these times of the host's clock, in ns; and then, perhaps, that there is no more.
    Writes(Vec<(i64, u64)>, Option<i64>),
    /// It always had more, from the first segment on; the last one may say that there is no more.
    Bulk,
}

/// When an application began a write of which a capture shows only where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Begin {
    /// As soon as the previous one had ended.
    AtOnce,
    /// As its first segment left.
    AsSent,
    /// As its first segment left if nothing came since the previous one's last; otherwise at once.
    AsSentUnlessAcked,
}

impl Application {
    /// All at once as the first data are sent, and if something shows where they end, no more. A FIN without
    /// data was asked for as it is sent.
    pub(crate) fn in_one(trace: &Trace, origin: i64) -> Application {
        let Some(first) = trace.sent().next() else { return Application::Bulk };
        Application::ending(trace, origin, vec![(first.time - origin, end(trace) - 1)])
    }

    /// Writes that end where a segment shorter than the others has PSH [linux/sending.md]: nothing else cuts data
    /// there.
    pub(crate) fn by_push(trace: &Trace, origin: i64, begin: Begin) -> Application {
        let (mut writes, mut from, mut acked) = (vec![], 1, false);
        let mut at = None;
        let mut highest = 1;
        for event in &trace.events {
            let Event::Sent(sent) = event else {
                acked = true;
                continue;
            };
            if sent.len == 0 || sent.seq < highest {
                continue;
            }
            let time = sent.time - origin;
            let began = *at.get_or_insert(match (writes.last(), begin) {
                (None, _) | (_, Begin::AsSent) => time,
                (_, Begin::AsSentUnlessAcked) if !acked => time,
                (Some(&(before, _)), _) => before,
            });
            highest = sent.seq + u64::from(sent.len);
            if sent.psh && sent.len < trace.largest {
                writes.push((began, highest - from));
                (from, at, acked) = (highest, None, false);
            }
        }
        if let Some(began) = at {
            writes.push((began, highest - from));
        }
        Application::ending(trace, origin, writes)
    }

    fn ending(trace: &Trace, origin: i64, mut writes: Vec<(i64, u64)>) -> Application {
        let Some(&(begins, _)) = writes.last() else { return Application::Bulk };
        let fin = trace.sent().find(|sent| sent.fin);
        if fin.is_some() || is_acknowledged(trace, end(trace)) {
            let closes = |fin: &Sent| if fin.len > 0 { begins } else { fin.time - origin };
            return Application::Writes(writes, fin.map(closes));
        }
        if writes.len() == 1 {
            return Application::Bulk;
        }
        writes.last_mut().expect("there is one").1 = ENDLESS;
        Application::Writes(writes, None)
    }
}

/// Bytes that stand for a write without end.
pub(crate) const ENDLESS: u64 = 1 << 50;

/// The number after the last byte that was sent.
fn end(trace: &Trace) -> u64 {
    trace.sent().map(|sent| sent.seq + u64::from(sent.len)).max().unwrap_or(1)
}

fn is_acknowledged(trace: &Trace, end: u64) -> bool {
    trace.events.iter().any(|event| match event {
        Event::Arrived(arrived) => arrived.ack >= end,
        Event::Sent(_) => false,
    })
}
