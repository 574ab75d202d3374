//! A run from its first namespace to the last process in it.

use super::super::numbering::Numbering;
use super::super::way::ways;
use super::alike;
use super::children::{Cage, ended};
use super::driver::Driver;
use super::kernel;
use super::log::Log;
use super::namespace::{Side, enter_user_namespace};
use super::plan::Plan;
use super::report::Report;
use crate::lengths;
use airtcp_core::{Instant, Span};
use airtcp_scenario::PathScenario;
use nix::sys::prctl::{set_pdeathsig, set_timerslack};
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::Pid;
use std::os::fd::AsFd;

/// How long a server may take until it listens.
const PATIENCE: Span = Span::from_nanos(5_000_000_000);
/// How long a command may take to end once it was asked to.
const GRACE: Span = Span::from_nanos(2_000_000_000);
/// How often signals are looked for while packets come.
const LOOK: Span = Span::from_nanos(5_000_000);

/// Runs `plan` in this process, which must have one thread and nothing else to do: it ends with its parent.
///
/// # Errors
/// One line: what the kernel refuses, a path that contradicts itself, a program that cannot be started, a
/// device or a file that fails.
pub fn run(plan: &Plan) -> Result<Report, String> {
    let signals = block_signals().map_err(|error| format!("signals: {error}"))?;
    let ways = ways(&plan.scenario, plan.seed, plan.replication)
        .map_err(|error| format!("{}: {}", error.field, error.message))?;
    enter_user_namespace()?;
    let cage = Cage::new()?;
    let (near, mut unset) = Side::new(0, plan)?;
    let (far, unset_too) = Side::new(1, plan)?;
    let further = unset_too.into_iter().filter(|one| !unset.contains(one)).collect::<Vec<_>>();
    unset.extend(further);
    let sides = [near, far];
    let log = Log::new(plan.out.as_deref(), plan.snap).map_err(|error| format!("log: {error}"))?;
    let air = on_air(&plan.scenario);
    let driver = Driver::new(&sides, ways, usize::from(plan.sender_is_far), air, log);
    let report = Session { plan, cage: &cage, signals, driver }.run(unset);
    cage.end();
    report
}

/// SIGCHLD and what ends a run come as something to read. A parent that dies takes this process with it.
fn block_signals() -> nix::Result<SignalFd> {
    set_pdeathsig(Signal::SIGKILL)?;
    set_timerslack(1)?;
    let wanted = [Signal::SIGCHLD, Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP];
    let signals = SigSet::from_iter(wanted);
    signals.thread_block()?;
    SignalFd::with_flags(&signals, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)
}

/// What lower layers add to a packet, in bits; who numbers packets, if losses are forced.
fn on_air(scenario: &PathScenario) -> (u64, Option<Numbering>) {
    let below = 8 * lengths::below(scenario).max(0).cast_unsigned();
    let is_forced = scenario.path.hop.iter().any(|hop| {
        !hop.drop.is_empty() || hop.back.as_ref().is_some_and(|back| !back.drop.is_empty())
    });
    (below, is_forced.then(|| Numbering::new(alike::payload(scenario).into())))
}

struct Session<'a> {
    plan: &'a Plan,
    cage: &'a Cage,
    signals: SignalFd,
    driver: Driver<'a>,
}

/// How far the command is.
struct Progress {
    command: Pid,
    status: Option<i32>,
    signal: Option<i32>,
    time_over: bool,
    /// When the run ends, whatever the command does.
    until: Instant,
    /// Whether the command was asked to end.
    asked: bool,
}

impl Session<'_> {
    fn run(mut self, unset: Vec<String>) -> Result<Report, String> {
        self.start_server()?;
        let command = self.spawn(0, &self.plan.command)?;
        let seconds = self.plan.seconds.map_or(Instant::NEVER, |seconds| self.after(seconds));
        let begun = self.driver.clock.now();
        let mut progress = Progress {
            command,
            status: None,
            signal: None,
            time_over: false,
            until: seconds,
            asked: false,
        };
        let failed = |error: std::io::Error| format!("the emulator: {error}");
        self.drive(&mut progress).map_err(failed)?;
        let end = self.driver.finish().map_err(failed)?;
        let overruns = self.driver.sides.each_ref().map(Side::overruns);
        let mut report = Report {
            status: progress.status,
            signal: progress.signal,
            time_over: progress.time_over,
            seconds: (end - begun).seconds(),
            origin: self.driver.clock.origin(),
            end: end.nanos(),
            refused: self.driver.refused,
            overruns,
            unset,
            ..Report::default()
        };
        report.judge(&self.driver.log.lateness);
        report.fates = self.driver.log.fates;
        Ok(report)
    }

    fn after(&self, seconds: f64) -> Instant {
        self.driver.clock.now() + Span::from_nanos((seconds * 1e9) as i64)
    }

    fn spawn(&self, side: usize, words: &[String]) -> Result<Pid, String> {
        let started = self.cage.spawn(side, &self.driver.sides[side], words);
        started.map_err(|error| format!("{}: {error}", words[0]))
    }

    /// Starts the server, and waits until it listens.
    fn start_server(&self) -> Result<(), String> {
        let Some(server) = &self.plan.server else { return Ok(()) };
        let words = ["/bin/sh", "-c", server].map(str::to_owned);
        let server = self.spawn(1, &words)?;
        self.driver.sides[1].enter().map_err(|error| error.desc().to_owned())?;
        let limit = self.driver.clock.now() + PATIENCE;
        while !kernel::somebody_listens() && self.driver.clock.now() < limit {
            if let Some((_, status)) = ended().find(|(who, _)| *who == server) {
                return Err(format!("--server: it ended with exit code {status}"));
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        Ok(())
    }

    /// Until the command has ended or the time is over.
    fn drive(&mut self, progress: &mut Progress) -> std::io::Result<()> {
        let mut look = Instant::START;
        loop {
            let came = self.driver.step()?;
            if !came {
                self.driver.sleep(progress.until, self.signals.as_fd())?;
            }
            let now = self.driver.clock.now();
            if came && now < look {
                continue;
            }
            look = now + LOOK;
            self.read_signals(progress, now);
            if progress.status.is_some() || (progress.asked && now >= progress.until) {
                return Ok(());
            }
            if now >= progress.until {
                progress.time_over = true;
                progress.ask(now);
            }
        }
    }

    fn read_signals(&self, progress: &mut Progress, now: Instant) {
        while let Ok(Some(signal)) = self.signals.read_signal() {
            if signal.ssi_signo == Signal::SIGCHLD as u32 {
                let command = ended().find(|(who, _)| *who == progress.command);
                progress.status = progress.status.or(command.map(|(_, status)| status));
            } else {
                progress.signal = Some(signal.ssi_signo.cast_signed());
                progress.ask(now);
            }
        }
    }
}

impl Progress {
    /// Asks the command to end, once.
    fn ask(&mut self, now: Instant) {
        if !self.asked {
            self.asked = true;
            self.until = now + GRACE;
            let _ = kill(self.command, Signal::SIGTERM);
        }
    }
}
