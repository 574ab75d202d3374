//! Progress of a run: the programs that have ended, those that were asked to end, and the time at
//! which the run goes on without them.

use super::builtin_end::BuiltinEnd;
use super::children::exited_children;
use super::end::End;
use airtcp_core::{Instant, Span};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Time that an end has to finish its work.
const GRACE: Span = Span::from_nanos(2_000_000_000);

pub(super) struct Progress {
    /// The time at which the next stage begins in any case.
    pub(super) deadline: Instant,
    /// The signal that ended the run, if one did.
    pub(super) signal: Option<i32>,
    /// True if the time of the run was over before the command ended.
    pub(super) time_over: bool,
    stage: Stage,
    /// True if the run waits for both ends.
    waits_for_both: bool,
    command: Child,
    server: Child,
}

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    /// The command or the sender is at work.
    Running,
    /// Command and sender have ended; the other end may still receive packets of theirs.
    Ending,
    /// All programs were asked to end.
    StopRequested,
}

/// A program, if there is one, and the exit code once it has ended.
struct Child {
    pid: Option<Pid>,
    status: Option<i32>,
}

impl Progress {
    pub(super) fn new(
        command: Option<Pid>,
        server: Option<Pid>,
        together: bool,
        until: Instant,
    ) -> Self {
        let child = |pid: Option<Pid>| Child { pid, status: None };
        let (command, server, stage) = (child(command), child(server), Stage::Running);
        Progress {
            deadline: until,
            signal: None,
            time_over: false,
            stage,
            waits_for_both: together,
            command,
            server,
        }
    }

    /// Exit code of the command, 0 where there is none; `None` if it had to be killed.
    pub(super) fn status(&self) -> Option<i32> {
        if self.command.pid.is_none() { Some(0) } else { self.command.status }
    }

    /// Records a signal: a program has ended, or the run was asked to end.
    pub(super) fn on_signal(&mut self, now: Instant, signal: i32) {
        if signal != Signal::SIGCHLD as i32 {
            self.signal = Some(signal);
            self.deadline = now;
            return;
        }
        for (who, status) in exited_children() {
            for child in [&mut self.command, &mut self.server] {
                if child.pid == Some(who) {
                    child.status = Some(status);
                }
            }
        }
    }

    /// Moves to the next stage when that is due; returns true once the run is over.
    pub(super) fn is_over(&mut self, now: Instant, ends: &mut [End; 2]) -> bool {
        let sent = ends.iter().filter_map(End::builtin).all(|own| own.has_sent().unwrap_or(true));
        let done = sent && self.command.is_over();
        let all = done && self.server.is_over();
        match self.stage {
            Stage::Running if done && !self.waits_for_both => return true,
            Stage::Running if done => self.enter_stage(Stage::Ending, now),
            Stage::Running if now >= self.deadline => {
                self.time_over = self.signal.is_none();
                self.request_stop(now, ends);
            }
            Stage::Ending
                if all
                    && ends.iter().filter_map(End::builtin).all(BuiltinEnd::is_connection_over) =>
            {
                return true;
            }
            Stage::Ending if now >= self.deadline => self.request_stop(now, ends),
            Stage::StopRequested => {
                return now >= self.deadline || if self.waits_for_both { all } else { done };
            }
            Stage::Running | Stage::Ending => {}
        }
        false
    }

    /// Asks both ends to finish: a program gets a signal, except a server that still serves.
    fn request_stop(&mut self, now: Instant, ends: &mut [End; 2]) {
        self.enter_stage(Stage::StopRequested, now);
        let server = self.server.pid.filter(|_| self.waits_for_both);
        for pid in self.command.pid.into_iter().chain(server) {
            let _ = kill(pid, Signal::SIGTERM);
        }
        ends.iter_mut().filter_map(End::builtin_mut).for_each(|own| own.stop(now));
    }

    fn enter_stage(&mut self, stage: Stage, now: Instant) {
        (self.stage, self.deadline) = (stage, now + GRACE);
    }
}

impl Child {
    fn is_over(&self) -> bool {
        self.pid.is_none() || self.status.is_some()
    }
}
