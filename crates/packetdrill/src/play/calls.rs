//! Calls, from their arguments to their effect on the script's sockets and descriptors.

use super::answers;
use super::clock::{TimeWindow, seconds};
use super::player::{PendingCall, Player, SECOND, Step, failure};
use crate::call::Call;
use crate::host::{Answer, Outcome};
use crate::limits;
use crate::script::{Event, ScriptedCall, Time};
use crate::symbols;
use crate::value::Value;
use airtcp_core::Instant;

impl<'s> Player<'s, '_> {
    pub(super) fn call(
        &mut self,
        event: &'s Event,
        asked: &'s ScriptedCall,
        offset: Instant,
    ) -> Step {
        if self.pending.is_some() {
            let actual = "the call before it still blocks";
            return Err(failure(event.line, format!("{} to begin", asked.name), actual));
        }
        let mut call = asked.call.clone();
        for fd in call.descriptors() {
            let known = self.descriptors.get(fd).copied();
            *fd = known.ok_or_else(|| {
                failure(
                    event.line,
                    format!("descriptor {fd}"),
                    "the script has opened none of that number",
                )
            })?;
        }
        self.prepare_call(&asked.call);
        let relative = matches!(event.time, Time::After(_));
        let from = if relative { offset } else { Instant::START };
        let end = asked.end.map(|end| from + end);
        let pending = PendingCall { line: event.line, call: asked, started_at: self.now, end };
        let outcome = self.host.call(self.now, &call);
        match outcome {
            Outcome::Returned(answer) => self.returned(&pending, &answer)?,
            Outcome::Blocked => self.pending = Some(pending),
        }
        self.drain_host()?;
        if end.is_none() && self.pending.is_some() {
            self.await_return(limits::MAX_BLOCKED_SECONDS * SECOND)?;
            if self.pending.take().is_some() {
                let actual = format!("it still blocks after {} s", limits::MAX_BLOCKED_SECONDS);
                return Err(failure(event.line, format!("{} to return", asked.name), actual));
            }
        }
        Ok(())
    }

    /// Updates the socket's state before a call is made, since packets may arrive before the call returns.
    pub(super) fn prepare_call(&mut self, call: &Call) {
        let port = self.script.options.connect_port;
        match call {
            Call::Connect { fd, family } | Call::Send { fd, family, addressed: true, .. } => {
                self.sockets.on_connect(*fd, port, *family == Some(symbols::AF_UNSPEC));
            }
            _ => {}
        }
    }

    pub(super) fn returned(&mut self, pending: &PendingCall, answer: &Answer) -> Step {
        let PendingCall { line, call: expected_call, started_at: begun, end } = pending;
        let name = &expected_call.name;
        answers::check_answer(expected_call, answer, &self.script.options).map_err(|actual| {
            let expected = format!("{name} with {}", answers::expected_text(expected_call));
            failure(*line, expected, format!("{actual} came at {} s", seconds(self.now)))
        })?;
        if let Some(end) = end {
            let window = TimeWindow { bounds: Some((*end, *end)), at: *end };
            let tolerance = window.tolerance(&self.script.options, Some(*begun));
            window.check(self.now, tolerance).map_err(|actual| {
                let expected = format!("{name} to return at {} s", seconds(*end));
                failure(*line, expected, format!("it returned {actual}"))
            })?;
        }
        self.check_result(*line, expected_call, answer)
    }

    /// Notes the effect of a call that has returned on the script's sockets and descriptors.
    pub(super) fn check_result(
        &mut self,
        line: usize,
        expected_call: &ScriptedCall,
        answer: &Answer,
    ) -> Step {
        if answer.result < 0 {
            return Ok(());
        }
        if matches!(expected_call.call, Call::Accept { .. }) {
            // Scripts give a new connection the number of an old one that they never close.
            self.descriptors.insert(expected_call.result, answer.result);
        } else if expected_call.call.makes_descriptor() {
            self.map_descriptor(line, expected_call.result, answer.result)?;
        }
        match (&expected_call.call, &expected_call.output, &answer.output) {
            (Call::Socket { .. }, ..) => self.sockets.on_socket_created(expected_call.result),
            (Call::Listen { fd, .. }, ..) => self.sockets.on_listen(*fd),
            (Call::Accept { .. }, ..) => self.sockets.on_accept(expected_call.result),
            (Call::Close { fd }, ..) => {
                self.descriptors.remove(fd);
                self.sockets.on_close(*fd);
            }
            (Call::Pipe, Value::List(wanted), Value::List(made)) => {
                for (script, live) in wanted.iter().zip(made) {
                    if let (Some(script), Some(live)) = (script.int(), live.int()) {
                        self.map_descriptor(line, script, live)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn map_descriptor(&mut self, line: usize, script: i64, live: i64) -> Step {
        if self.descriptors.insert(script, live).is_none() {
            return Ok(());
        }
        Err(failure(line, format!("a new descriptor {script}"), "the script has that number open"))
    }
}
