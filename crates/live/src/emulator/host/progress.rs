//! How far a run is: who has ended, who was asked to, and when it goes on without them.

use super::children::ended;
use super::end::End;
use super::own::Own;
use airtcp_core::{Instant, Span};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// How long an end may take to do what is left to do.
const GRACE: Span = Span::from_nanos(2_000_000_000);

pub(super) struct Progress {
    /// When the next stage begins, whatever happens.
    pub(super) until: Instant,
    /// The signal that ended the run, if one did.
    pub(super) signal: Option<i32>,
    /// Whether the time was over first.
    pub(super) time_over: bool,
    stage: Stage,
    /// Whether the run waits for both ends.
    together: bool,
    command: Child,
    server: Child,
}

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    /// Command or sender are at work.
    Running,
    /// They have ended; the other end may still hear of it.
    Ending,
    /// All were asked to end.
    Asked,
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
        Progress { until, signal: None, time_over: false, stage, together, command, server }
    }

    /// Exit code of the command, 0 where there is none; `None` if it had to be killed.
    pub(super) fn status(&self) -> Option<i32> {
        if self.command.pid.is_none() { Some(0) } else { self.command.status }
    }

    /// A signal came: a program has ended, or somebody wants the run to end.
    pub(super) fn on_signal(&mut self, now: Instant, signal: i32) {
        if signal != Signal::SIGCHLD as i32 {
            self.signal = Some(signal);
            self.until = now;
            return;
        }
        for (who, status) in ended() {
            for child in [&mut self.command, &mut self.server] {
                if child.pid == Some(who) {
                    child.status = Some(status);
                }
            }
        }
    }

    /// Whether the run is over. Goes on to its next stage when that is due.
    pub(super) fn is_over(&mut self, now: Instant, ends: &mut [End; 2]) -> bool {
        let sent = ends.iter().filter_map(End::own).all(|own| own.has_sent().unwrap_or(true));
        let done = sent && self.command.is_over();
        let all = done && self.server.is_over();
        match self.stage {
            Stage::Running if done && !self.together => return true,
            Stage::Running if done => self.enter(Stage::Ending, now),
            Stage::Running if now >= self.until => {
                self.time_over = self.signal.is_none();
                self.ask(now, ends);
            }
            Stage::Ending if all && ends.iter().filter_map(End::own).all(Own::is_quiet) => {
                return true;
            }
            Stage::Ending if now >= self.until => self.ask(now, ends),
            Stage::Asked => return now >= self.until || if self.together { all } else { done },
            Stage::Running | Stage::Ending => {}
        }
        false
    }

    /// Asks everybody to end: the programs by a signal, of which a server that serves on is spared.
    fn ask(&mut self, now: Instant, ends: &mut [End; 2]) {
        self.enter(Stage::Asked, now);
        let server = self.server.pid.filter(|_| self.together);
        for pid in self.command.pid.into_iter().chain(server) {
            let _ = kill(pid, Signal::SIGTERM);
        }
        ends.iter_mut().filter_map(End::own_mut).for_each(|own| own.stop(now));
    }

    fn enter(&mut self, stage: Stage, now: Instant) {
        (self.stage, self.until) = (stage, now + GRACE);
    }
}

impl Child {
    fn is_over(&self) -> bool {
        self.pid.is_none() || self.status.is_some()
    }
}
