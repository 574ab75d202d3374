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
/// [linux/timers.md rule 2]; how many of them the third and the fourth level have.
const STEPS: i64 = 4;
const TICKS: i64 = 8;
/// Setups that are replayed with all trials, and not only as they are.
const FINALISTS: usize = 3;

/// The setup and the clock with which most is explained.
pub(crate) fn likeliest(trace: &Trace, setup: &Setup, cancel: &Cancel) -> (Setup, Clock) {
    let phases = |_: &Setup| (0..STEPS * TICKS).map(|step| Clock { phase: step * TICK / STEPS });
    let mut setups = setups(trace, setup);
    if setups.len() > FINALISTS {
        let plain = |setup: &Setup| {
            phases(setup).map(|clock| search::plain(trace, setup, clock)).max().unwrap_or(0)
        };
        setups.sort_by_cached_key(|setup| std::cmp::Reverse(plain(setup)));
        setups.truncate(FINALISTS);
    }
    let mut best: Option<(usize, Setup, Clock)> = None;
    let mut judge = |setup: &Setup, clock: Clock| {
        let explained = search::run(trace, setup, clock, 1, cancel).explained;
        if best.as_ref().is_none_or(|best| explained > best.0) {
            best = Some((explained, setup.clone(), clock));
        }
        best.as_ref().map_or(0, |best| best.0)
    };
    let segments = trace.sent().count();
    for setup in &setups {
        for clock in phases(setup) {
            if judge(setup, clock) == segments || cancel.is_set() {
                break;
            }
        }
    }
    let (_, setup, clock) = best.expect("there are phases to try");
    (setup, clock)
}

/// What may have been, the likeliest first.
fn setups(trace: &Trace, setup: &Setup) -> Vec<Setup> {
    let begins = [Begin::AsSentUnlessAcked, Begin::AtOnce, Begin::AsSent];
    let mut applications = vec![setup.application.clone()];
    if setup.infers_writes {
        for begin in begins {
            let application = Application::by_push(trace, setup.origin, begin);
            if !applications.contains(&application) {
                applications.push(application);
            }
        }
    }
    let is_cut = applications.len() > 1;
    let nagle = if setup.infers_nodelay && is_cut {
        vec![false, true]
    } else {
        vec![setup.options.nodelay]
    };
    let with = |application: Application, nodelay: bool| {
        let mut one = Setup { application, ..setup.clone() };
        one.options.nodelay = nodelay;
        one
    };
    let all = applications.into_iter();
    all.flat_map(|application| nagle.iter().map(move |&nodelay| (application.clone(), nodelay)))
        .map(|(application, nodelay)| with(application, nodelay))
        .collect()
}
