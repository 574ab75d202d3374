//! A run from its first namespace to the last process in it.

use super::super::numbering::Numbering;
use super::super::one_way_path::directions;
use super::builtin_end::BuiltinEnd;
use super::children::{ProcessNamespace, exited_children};
use super::driver::Driver;
use super::end::End;
use super::error_text::error_text;
use super::kernel;
use super::kernel_from_scenario;
use super::log::Log;
use super::namespace::{Side, enter_user_namespace};
use super::plan::{Plan, Program};
use super::progress::Progress;
use super::report::Report;
use crate::lengths;
use airtcp_core::{Instant, Span};
use airtcp_scenario::{HopSpec, PathScenario};
use nix::sys::prctl::{set_pdeathsig, set_timerslack};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::{Pid, getppid};
use std::os::fd::AsFd;

/// Interval between two checks for signals while packets keep coming.
const POLL_INTERVAL: Span = Span::from_nanos(5_000_000);

/// Runs `plan` in this process, which must have one thread and nothing else to do: it ends with its parent.
///
/// # Errors
///
/// One line: the kernel refuses a request, the path contradicts itself, a program cannot be started, or a
/// device or a file fails.
pub fn run(plan: &Plan) -> Result<Report, String> {
    let signals = block_signals().map_err(|error| format!("signals: {}", error_text(error)))?;
    if getppid().as_raw() != plan.parent {
        return Err("nobody waits for the run any more".to_owned()); // It has ended before that.
    }
    let directions = directions(&plan.scenario, plan.seed, plan.replication)
        .map_err(|error| format!("{}: {}", error.field, error.message))?;
    let cage = plan
        .builtin_tasks
        .iter()
        .any(Option::is_none)
        .then(|| make_process_namespace(plan))
        .transpose()?;
    let (near, mut refused) = make_end(0, plan)?;
    let (far, refused_too) = make_end(1, plan)?;
    let further =
        refused_too.into_iter().filter(|text| !refused.contains(text)).collect::<Vec<_>>();
    refused.extend(further);
    let log = Log::new(plan.output_folder.as_deref(), plan.snap_length)
        .map_err(|error| format!("out: {error}"))?;
    let air = bits_and_numbering(&plan.scenario);
    let driver = Driver::new([near, far], directions, usize::from(plan.sender_is_far), air, log);
    let report = Session { plan, cage: cage.as_ref(), signals, driver }.run(refused);
    if let Some(cage) = cage {
        cage.kill_all();
    }
    report
}

/// Makes the process namespace for the programs, with the right to make network namespaces for them.
fn make_process_namespace(plan: &Plan) -> Result<ProcessNamespace, String> {
    let has_one_user = enter_user_namespace()?;
    match &plan.user {
        Some(user) if has_one_user => {
            Err(format!("--user {}: needs root that may make network namespaces", user.name))
        }
        user => ProcessNamespace::new(user.as_ref()),
    }
}

/// Makes one end of the path; also returns the plan's kernel settings that the kernel refused there.
fn make_end(number: usize, plan: &Plan) -> Result<(End, Vec<String>), String> {
    if let Some(task) = &plan.builtin_tasks[number] {
        return Ok((End::Builtin(Box::new(BuiltinEnd::new(number, plan, task)?)), vec![]));
    }
    let (side, refused) = Side::new(number, plan)?;
    Ok((End::Kernel(side), refused))
}

/// Blocks SIGCHLD and the signals that end a run, and returns a descriptor to read them from. A parent that
/// dies takes this process with it.
fn block_signals() -> nix::Result<SignalFd> {
    set_pdeathsig(Signal::SIGKILL)?;
    set_timerslack(1)?;
    let wanted = [Signal::SIGCHLD, Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP];
    let signals = SigSet::from_iter(wanted);
    signals.thread_block()?;
    SignalFd::with_flags(&signals, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)
}

/// The bits that lower layers add to a packet; and the numbering of packets, if losses are forced.
fn bits_and_numbering(scenario: &PathScenario) -> (u64, Option<Numbering>) {
    let below = 8 * lengths::lower_layer_bits(scenario).max(0).cast_unsigned();
    let mut directions = scenario.path.hop.iter().flat_map(HopSpec::directions);
    let is_forced = directions.any(|direction| !direction.drop.is_empty());
    (below, is_forced.then(|| Numbering::new(kernel_from_scenario::payload(scenario).into())))
}

struct Session<'a> {
    plan: &'a Plan,
    cage: Option<&'a ProcessNamespace>,
    signals: SignalFd,
    driver: Driver,
}

impl Session<'_> {
    fn run(mut self, refused: Vec<String>) -> Result<Report, String> {
        let (server, interrupted) = self.start_server()?;
        let command = match interrupted {
            None => self.spawn(self.plan.command.as_ref())?,
            Some(_) => None,
        };
        let begun = self.driver.clock.now();
        for (number, end) in self.driver.ends.iter_mut().enumerate() {
            end.builtin_mut().into_iter().for_each(|own| own.start(number, begun));
        }
        let until = self.plan.seconds.map_or(Instant::NEVER, |seconds| begun + span(seconds));
        let mut progress = Progress::new(command, server, self.plan.waits_for_both_ends, until);
        let failed = |error: std::io::Error| format!("the emulator: {}", error_text(error));
        match interrupted {
            None => self.drive_path(&mut progress).map_err(failed)?,
            Some(signal) => progress.on_signal(begun, signal),
        }
        let end = self.driver.finish().map_err(failed)?;
        let ends = &self.driver.ends;
        let mut report = Report {
            status: progress.status(),
            signal: progress.signal,
            time_over: progress.time_over,
            seconds: (end - begun).seconds(),
            origin: self.driver.clock.origin(),
            end: end.nanos(),
            refused: self.driver.refused_packets,
            overruns: ends.each_ref().map(End::overruns),
            refused_settings: refused,
            control: ends[usize::from(self.plan.sender_is_far)]
                .side()
                .and_then(|side| side.control.clone()),
            own: ends.each_ref().map(|end| end.builtin().and_then(BuiltinEnd::outcome)),
            ..Report::default()
        };
        report.set_validity(&self.driver.log.lateness);
        (report.fates, report.copies) = (self.driver.log.fates, self.driver.log.copies);
        Ok(report)
    }

    /// Starts a program, if there is one; its side has a namespace in that case.
    fn spawn(&self, program: Option<&Program>) -> Result<Option<Pid>, String> {
        let Some(program) = program else { return Ok(None) };
        let (name, user) = (&program.words[0], self.plan.user.as_ref());
        let side = self.driver.ends.get(program.side).and_then(End::side);
        let (Some(side), Some(cage)) = (side, self.cage) else {
            return Err(format!("{name}: has no namespace to run in"));
        };
        let started = cage.spawn(program, side, user);
        let whose = user.map_or(String::new(), |user| format!(" as {}", user.name));
        started.map(Some).map_err(|error| format!("{name}{whose}: {}", error_text(error)))
    }

    /// Starts the server, and waits until it listens, or until a signal ends the run first.
    fn start_server(&self) -> Result<(Option<Pid>, Option<i32>), String> {
        let program = self.plan.server.as_ref();
        let server = self.spawn(program)?;
        let side = program.and_then(|program| self.driver.ends[program.side].side());
        let (Some(started), Some(side)) = (server, side) else { return Ok((None, None)) };
        side.enter_namespace().map_err(error_text)?;
        let limit = self.driver.clock.now() + span(self.plan.patience);
        while !kernel::has_listener() && self.driver.clock.now() < limit {
            if let Some((_, status)) = exited_children().find(|(who, _)| *who == started) {
                return Err(format!("--server: it ended with exit code {status}"));
            }
            let signal = std::iter::from_fn(|| self.signals.read_signal().ok().flatten())
                .map(|signal| signal.ssi_signo.cast_signed())
                .find(|signal| *signal != Signal::SIGCHLD as i32);
            if signal.is_some() {
                return Ok((server, signal));
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        Ok((server, None))
    }

    /// Drives the path until the run is over.
    fn drive_path(&mut self, progress: &mut Progress) -> std::io::Result<()> {
        let mut look = Instant::START;
        loop {
            let came = self.driver.step()?;
            let now = self.driver.clock.now();
            if !came || now >= look {
                look = now + POLL_INTERVAL;
                while let Ok(Some(signal)) = self.signals.read_signal() {
                    progress.on_signal(now, signal.ssi_signo.cast_signed());
                }
                if progress.is_over(now, &mut self.driver.ends) {
                    return Ok(());
                }
            }
            if !came {
                self.driver.sleep(progress.deadline, self.signals.as_fd())?;
            }
        }
    }
}

fn span(seconds: f64) -> Span {
    Span::from_nanos((seconds * 1e9) as i64)
}
