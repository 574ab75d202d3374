//! The event loop: one connection, driven in simulated time.
//!
//! At one instant arrivals come first, then the timer, then the sender: a transmission that ends when
//! a timer does is still in time. A source clocked by the link is asked for its next packet only when
//! the link can take it (one packet per slot).

use super::connection::Connection;
use airtcp_core::{Cancel, Instant, Stage};
use airtcp_tcp::Segment;

/// Events between two looks at the cancel flag. Each may cost as much as the window is wide.
const EVENTS_PER_CHECK: u32 = 1 << 8;

/// Runs `connection` from `now`, the instant of its next event, until `end`. Arrivals at `end` itself are delivered;
/// other events at `end` are not. Returns the instant of the next event, or `None` if the run was cancelled before, or
/// if its link is full.
pub(crate) fn run_until<D, A>(
    connection: &mut Connection<D, A>,
    now: Instant,
    end: Instant,
    cancel: &Cancel,
) -> Option<Instant>
where
    D: Stage<Segment>,
    A: Stage<Segment>,
{
    // Answers of the link mean nothing once `cancel` is set, the end included.
    run_events(connection, now, end, cancel).filter(|_| !cancel.is_set())
}

fn run_events<D, A>(
    connection: &mut Connection<D, A>,
    mut now: Instant,
    end: Instant,
    cancel: &Cancel,
) -> Option<Instant>
where
    D: Stage<Segment>,
    A: Stage<Segment>,
{
    loop {
        for _ in 0..EVENTS_PER_CHECK {
            if now >= end {
                // Packets that were sent in the last slot arrive as the run ends.
                connection.receive(end);
                return Some(now);
            }
            now = step_to_next_event(connection, now);
        }
        if cancel.is_set() || connection.data.is_full() {
            return None;
        }
    }
}

/// Does all that happens at `now` and returns the instant of the next event.
#[inline]
fn step_to_next_event<D, A>(c: &mut Connection<D, A>, now: Instant) -> Instant
where
    D: Stage<Segment>,
    A: Stage<Segment>,
{
    loop {
        let data_due = c.receive(now);
        let acks_due = c.acknowledge(now);
        if c.sender.poll_timeout() <= now {
            c.sender.on_timer(now);
        }
        // Packets just sent may arrive at once, or set a new time to wake up.
        if !c.transmit(now) {
            return data_due.min(acks_due).min(c.sender.poll_timeout());
        }
    }
}
