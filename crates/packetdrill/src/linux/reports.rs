//! Messages about data that was sent: `SO_ZEROCOPY` and `SO_TIMESTAMPING`, read with `MSG_ERRQUEUE`.
//!
//! The device copies, so a zero-copy send is reported as copied, once all its data were acknowledged;
//! sends that end one after the other share a report. A timestamp is about the last byte of a call.

use crate::host::Answer;
use crate::symbols as s;
use crate::value::Value;
use airtcp_core::Instant;
use airtcp_linux::sender::Sender;
use std::collections::VecDeque;

#[derive(Debug)]
struct PendingMessage {
    /// The sequence number after the last byte of the call.
    end: u64,
    /// The number of the call among zero-copy sends.
    zerocopy_number: Option<u32>,
    /// The number of the last byte, as timestamps count.
    timestamp_number: Option<u32>,
    sent: bool,
}

#[derive(Debug)]
enum QueuedMessage {
    Copied { first: u32, last: u32 },
    Stamp { kind: i64, key: u32, at: Instant },
}

/// The messages of one socket.
#[derive(Debug, Default)]
pub(super) struct ErrorQueue {
    pub(super) zerocopy: bool,
    next_zerocopy_number: u32,
    /// The value of `SO_TIMESTAMPING`, and the number from which bytes count.
    stamps: Option<(i64, u64)>,
    waiting: VecDeque<PendingMessage>,
    queue: VecDeque<QueuedMessage>,
}

impl ErrorQueue {
    /// Sets `SO_TIMESTAMPING` on a socket whose oldest unacknowledged number is `una`.
    pub(super) fn enable_timestamps(&mut self, flags: i64, una: u64) {
        self.stamps = (flags != 0).then_some((flags, una));
    }

    /// Notes that a call has written bytes up to `end`.
    pub(super) fn on_write(&mut self, end: u64, zerocopy: bool) {
        let copied = (zerocopy && self.zerocopy).then_some(self.next_zerocopy_number);
        self.next_zerocopy_number += u32::from(copied.is_some());
        let stamped = self.stamps.map(|(_, from)| (end - 1 - from) as u32);
        if copied.is_some() || stamped.is_some() {
            self.waiting.push_back(PendingMessage {
                end,
                zerocopy_number: copied,
                timestamp_number: stamped,
                sent: false,
            });
        }
    }

    /// Notes the progress of sending and acknowledging; returns true if there are new messages.
    pub(super) fn advance(&mut self, sender: &Sender, at: Instant) -> bool {
        let flags = self.stamps.map_or(0, |(flags, _)| flags);
        let mut new = false;
        let queue = &mut self.queue;
        let mut stamp = |bit: i64, kind: i64, key: u32| {
            if flags & bit != 0 && flags & s::SOF_TIMESTAMPING_SOFTWARE != 0 {
                queue.push_back(QueuedMessage::Stamp { kind, key, at });
                new = true;
            }
        };
        for pending_report in self
            .waiting
            .iter_mut()
            .filter(|pending_report| sender.nxt() >= pending_report.end && !pending_report.sent)
        {
            pending_report.sent = true;
            if let Some(key) = pending_report.timestamp_number {
                stamp(s::SOF_TIMESTAMPING_TX_SCHED, s::SCM_TSTAMP_SCHED, key);
                stamp(s::SOF_TIMESTAMPING_TX_SOFTWARE, s::SCM_TSTAMP_SND, key);
            }
        }
        while self.waiting.front().is_some_and(|pending_report| sender.una() >= pending_report.end)
        {
            let Some(pending_report) = self.waiting.pop_front() else { break };
            if let Some(key) = pending_report.timestamp_number
                && flags & s::SOF_TIMESTAMPING_TX_ACK != 0
            {
                self.queue.push_back(QueuedMessage::Stamp { kind: s::SCM_TSTAMP_ACK, key, at });
                new = true;
            }
            if let Some(number) = pending_report.zerocopy_number {
                new = true;
                match self.queue.back_mut() {
                    Some(QueuedMessage::Copied { last, .. }) if *last + 1 == number => {
                        *last = number;
                    }
                    _ => {
                        self.queue.push_back(QueuedMessage::Copied { first: number, last: number });
                    }
                }
            }
        }
        new
    }

    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Reads a message: `recvmsg(MSG_ERRQUEUE)`.
    pub(super) fn read(&mut self) -> Answer {
        let Some(report) = self.queue.pop_front() else { return Answer::from_error(s::EAGAIN) };
        let only =
            self.stamps.is_some_and(|(flags, _)| flags & s::SOF_TIMESTAMPING_OPT_TSONLY != 0);
        let (truncated, control) = match report {
            QueuedMessage::Copied { first, last } => {
                let code = s::SO_EE_CODE_ZEROCOPY_COPIED;
                (false, vec![error_message(0, s::SO_EE_ORIGIN_ZEROCOPY, code, first.into(), last)])
            }
            QueuedMessage::Stamp { kind, key, at } => {
                let origin = s::SO_EE_ORIGIN_TIMESTAMPING;
                (!only, vec![value_of_time(at), error_message(s::ENOMSG, origin, 0, kind, key)])
            }
        };
        let flags = s::MSG_ERRQUEUE | if truncated { s::MSG_TRUNC } else { 0 };
        Answer { output: message(flags, control), ..Answer::from_result(0) }
    }
}

/// The output that `recvmsg` returns besides data.
pub(super) fn message(flags: i64, control: Vec<Value>) -> Value {
    value_of_fields([("msg_flags", Value::Int(flags)), ("msg_control", Value::List(control))])
}

/// A control message.
pub(super) fn control_message(level: i64, kind: i64, data: Value) -> Value {
    let (level, kind) = (Value::Int(level), Value::Int(kind));
    value_of_fields([("cmsg_level", level), ("cmsg_type", kind), ("cmsg_data", data)])
}

fn value_of_fields<const N: usize>(named: [(&str, Value); N]) -> Value {
    Value::Fields(named.map(|(name, value)| (name.to_owned(), value)).into())
}

fn error_message(errno: i64, origin: i64, code: i64, info: i64, data: u32) -> Value {
    let data = value_of_fields([
        ("ee_errno", Value::Int(errno)),
        ("ee_origin", Value::Int(origin)),
        ("ee_type", Value::Int(0)),
        ("ee_code", Value::Int(code)),
        ("ee_info", Value::Int(info)),
        ("ee_data", Value::Int(data.into())),
    ]);
    control_message(s::SOL_IP, s::IP_RECVERR, data)
}

fn value_of_time(at: Instant) -> Value {
    let (seconds, nanos) = (at.nanos() / 1_000_000_000, at.nanos() % 1_000_000_000);
    let data = value_of_fields([("scm_sec", Value::Int(seconds)), ("scm_nsec", Value::Int(nanos))]);
    control_message(s::SOL_SOCKET, s::SCM_TIMESTAMPING, data)
}
