//! What a capture does not say of its host, found by how far our sender then gets without a difference: what the
//! application wrote when, whether Nagle's rule held, and the phase of the ticks.

use crate::application::{Application, Begin};
use crate::search;
use crate::setup::Setup;
use crate::trace::Trace;
use airtcp_core::Cancel;
use airtcp_linux::Clock;
use airtcp_linux::clock::TICK;

/// Steps of a tick that are tried, and ticks between two buckets of the wheel's second level
/// [linux/timers.md rule 2]; each further level has so many times the ticks. Levels that timeouts reach.
const STEPS: i64 = 4;
const TICKS: i64 = 8;
const LEVELS: u32 = 3;
/// Setups that are replayed with all trials, and not only as they are.
const FINALISTS: usize = 3;
/// A send buffer in bytes that nobody waits for.
const AMPLE: u64 = 1 << 30;

/// The setup and the clock with which most is explained.
pub(crate) fn likeliest(trace: &Trace, setup: &Setup, cancel: &Cancel) -> (Setup, Clock) {
    let phases: Vec<Clock> =
        (0..STEPS * TICKS).map(|step| Clock { phase: step * TICK / STEPS }).collect();
    let mut setups = setups(trace, setup);
    if setups.len() > FINALISTS {
        let plain = |setup: &Setup| {
            phases.iter().map(|&clock| search::plain(trace, setup, clock)).max().unwrap_or(0)
        };
        setups.sort_by_cached_key(|setup| std::cmp::Reverse(plain(setup)));
        setups.truncate(FINALISTS);
    }
    let mut judge = Judge { trace, cancel, segments: trace.sent().count(), best: None };
    for setup in &setups {
        judge.hear(setup, phases.iter().copied());
    }
    for level in 1..=LEVELS {
        let (_, setup, clock) = judge.best.clone().expect("there are phases to try");
        let bucket = TICK * TICKS.pow(level);
        let later = (1..TICKS).map(|step| Clock { phase: clock.phase + step * bucket });
        judge.hear(&setup, later);
    }
    let (_, setup, clock) = judge.best.expect("there are phases to try");
    (setup, clock)
}

/// Keeps the first of those with which most is explained.
struct Judge<'a> {
    trace: &'a Trace,
    cancel: &'a Cancel,
    segments: usize,
    best: Option<(usize, Setup, Clock)>,
}

impl Judge<'_> {
    fn hear(&mut self, setup: &Setup, clocks: impl Iterator<Item = Clock>) {
        for clock in clocks {
            let most = self.best.as_ref().map_or(0, |best| best.0);
            if self.best.is_some() && (most == self.segments || self.cancel.is_set()) {
                return;
            }
            let explained = search::run(self.trace, setup, clock, 1, self.cancel).explained;
            if self.best.is_none() || explained > most {
                self.best = Some((explained, setup.clone(), clock));
            }
        }
    }
}

/// What may have been, the likeliest first.
fn setups(trace: &Trace, setup: &Setup) -> Vec<Setup> {
    let applications = applications(trace, setup);
    let is_cut = applications.len() > 1;
    let nagle = match (setup.unknown.nodelay, is_cut) {
        (true, true) => vec![false, true],
        _ => vec![setup.options.nodelay],
    };
    let buffers = match setup.unknown.sndbuf {
        true => vec![None, Some(AMPLE)],
        false => vec![setup.options.sndbuf],
    };
    let mut all = vec![];
    for &sndbuf in &buffers {
        for application in &applications {
            for &nodelay in &nagle {
                let mut one = Setup { application: application.clone(), ..setup.clone() };
                (one.options.nodelay, one.options.sndbuf) = (nodelay, sndbuf);
                all.push(one);
            }
        }
    }
    all
}

fn applications(trace: &Trace, setup: &Setup) -> Vec<Application> {
    let mut all = vec![setup.application.clone()];
    if setup.unknown.writes {
        for begin in [Begin::AsSentUnlessAcked, Begin::AtOnce, Begin::AsSent] {
            let application = Application::by_push(trace, setup.origin, begin);
            if !all.contains(&application) {
                all.push(application);
            }
        }
    }
    all
}
