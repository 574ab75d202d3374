//! Replay of a capture, from its bytes to a verdict.

use crate::connection::{Connection, Connections, Endpoints};
use crate::host_facts::HostFacts;
use crate::infer;
use crate::progress::{Progress, Watch};
use crate::rule_change::RuleChange;
use crate::search::{self, ReplayLimits};
use crate::setup::Setup;
use crate::trace::Trace;
use crate::verdict::Verdict;
use airtcp_capture::Refusal;
use airtcp_core::Cancel;
use airtcp_linux::congestion::{DRAFT_NAMES, KERNEL_NAMES};
use std::cell::Cell;

/// Facts about the sender that the user gives beside the capture; fields without a value are inferred from the capture.
#[derive(Clone, Debug)]
pub struct UserFacts {
    /// Congestion control.
    pub control: Option<String>,
    /// `TCP_NODELAY`.
    pub nodelay: Option<bool>,
    /// `SO_SNDBUF` as it is in force, in bytes.
    pub sndbuf: Option<u64>,
    /// Settings by name.
    pub sysctl: Vec<(String, String)>,
    /// Rules in which our sender is to differ from Linux, by name.
    pub changes: Vec<String>,
    /// Differences after which the replay ends.
    pub differences: usize,
    /// The connection by its number in the file; none: the connection with most data that can be replayed.
    pub connection: Option<usize>,
}

impl Default for UserFacts {
    fn default() -> Self {
        UserFacts {
            control: None,
            nodelay: None,
            sndbuf: None,
            sysctl: vec![],
            changes: vec![],
            differences: 100,
            connection: None,
        }
    }
}

/// A congestion control that was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TriedControl {
    /// Name of the control.
    pub control: String,
    /// Segments that it explains up to the first difference, and in all.
    pub before_first_difference: usize,
    /// See `first`.
    pub explained: usize,
    /// Differences, and places that could not be judged.
    pub differences: usize,
}

/// Findings of a replay, and the connection that they are about.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// Number of the connection in the file, from 0.
    pub connection: usize,
    /// Direction from the sender to the receiver.
    pub endpoints: Endpoints,
    /// Congestion control of our sender.
    pub control: String,
    /// The controls that were tried, where the user gave none; the first is `control`.
    pub tried_controls: Vec<TriedControl>,
    /// True if the capture describes its host, socket and application itself.
    pub has_host_facts: bool,
    /// The findings.
    pub verdict: Verdict,
}

/// Controls that are tried where the user gives none, Linux's default first.
const CONTROLS: [&str; 3] = ["cubic", "reno", "bbr"];

/// Events that are replayed in trials, each time that setups are judged: where others may explain as much, and where
/// this is the one.
const TRIAL_BUDGET: u64 = 1_000_000;
const LARGE_TRIAL_BUDGET: u64 = 16_000_000;

/// Replays the busiest sender of a capture.
///
/// # Errors
/// If the bytes are no capture or lack something that a replay needs, or if the request cannot be met.
pub fn explain(bytes: &[u8], facts: &UserFacts, cancel: &Cancel) -> Result<Explanation, Refusal> {
    explain_with_progress(bytes, facts, cancel, &Progress::default())
}

/// [`explain`] with a progress meter that another thread may read.
///
/// # Errors
/// See there.
pub fn explain_with_progress(
    bytes: &[u8],
    facts: &UserFacts,
    cancel: &Cancel,
    progress: &Progress,
) -> Result<Explanation, Refusal> {
    let (connection, mut trace) = choose_connection(bytes, facts.connection)?;
    let about = connection.comment.as_deref().and_then(HostFacts::parse);
    let mut setup = setup(&trace, about.as_ref(), facts).map_err(Refusal::Content)?;
    for name in &facts.changes {
        let change = RuleChange::from_name(name).map_err(Refusal::Content)?;
        change.apply(&mut setup, &mut trace);
        trace.assumptions.push(format!("a rule of our sender changed: {name}"));
    }
    let is_known =
        facts.control.is_some() || about.as_ref().is_some_and(|host| host.control.is_some());
    let (control, tried, verdict) = match is_known {
        true => (
            setup.options.control.clone(),
            vec![],
            replay_under_setup(
                &trace,
                &setup,
                facts.differences,
                LARGE_TRIAL_BUDGET,
                cancel,
                progress,
            )
            .0,
        ),
        false => try_controls(&trace, &setup, facts.differences, cancel, progress),
    };
    let described = about.is_some();
    Ok(Explanation {
        connection: connection.number,
        endpoints: connection.endpoints,
        control,
        tried_controls: tried,
        has_host_facts: described,
        verdict,
    })
}

/// The replayable direction with the most data.
fn choose_connection(bytes: &[u8], asked: Option<usize>) -> Result<(Connection, Trace), Refusal> {
    let connections = Connections::read(bytes)?;
    let mut refusal = None;
    for sender in connections.data_directions(asked)? {
        let connection = connections.connection(&sender);
        match Trace::from_connection(&connection) {
            Ok(mut trace) => {
                trace.assumptions.splice(
                    0..0,
                    connection_choice_text(&connection, connections.len(), refusal.as_ref()),
                );
                return Ok((connection, trace));
            }
            Err(why) => refusal = refusal.or(Some((sender.number, sender.endpoints, why))),
        }
    }
    Err(refusal.expect("there is a sender").2)
}

/// Words for the choice among several connections: the one with most data or, if that cannot be replayed, why not.
fn connection_choice_text(
    taken: &Connection,
    all: usize,
    refused: Option<&(usize, Endpoints, Refusal)>,
) -> Option<String> {
    if let Some((number, endpoints, why)) = refused {
        return Some(format!(
            "connection {} of {all}: of connection {number}, from {} with most data, the capture {why}",
            taken.number, endpoints.source
        ));
    }
    (all > 1).then(|| format!("connection {} of {all}, which has most data", taken.number))
}

/// Tries the congestion controls. Returns the best one, the results of all (best first), and the verdict of the best.
/// All are tried with a small budget; if none explains everything, the promising ones get a larger budget.
fn try_controls(
    trace: &Trace,
    setup: &Setup,
    most: usize,
    cancel: &Cancel,
    progress: &Progress,
) -> (String, Vec<TriedControl>, Verdict) {
    let under = |control: &'static str, budget: u64| {
        let mut setup = setup.clone();
        control.clone_into(&mut setup.options.control);
        let (verdict, spent) = replay_under_setup(trace, &setup, most, budget, cancel, progress);
        ControlAttempt { tried: summarize(control, &verdict), verdict, budget_exhausted: spent }
    };
    let mut all = in_parallel(CONTROLS.to_vec(), |control| under(control, TRIAL_BUDGET));
    sort_attempts(&mut all);
    if all[0].tried.differences > 0 {
        for found in
            in_parallel(promising_controls(&all), |control| under(control, LARGE_TRIAL_BUDGET))
        {
            all.retain(|attempt| attempt.tried.control != found.tried.control);
            all.push(found);
        }
        sort_attempts(&mut all);
    }
    let tried: Vec<TriedControl> = all.iter().map(|attempt| attempt.tried.clone()).collect();
    let mut verdict = all.swap_remove(0).verdict;
    verdict.assumptions.push(control_assumption(&tried, verdict.segments));
    (tried[0].control.clone(), tried, verdict)
}

/// Findings under a control; `spent` is true if more work might find more.
struct ControlAttempt {
    tried: TriedControl,
    verdict: Verdict,
    budget_exhausted: bool,
}

/// The controls that get a larger budget, in the order of [`CONTROLS`]: the best one, and those that reach at least
/// half as far before their first difference, unless their budget was not exhausted.
fn promising_controls(all: &[ControlAttempt]) -> Vec<&'static str> {
    let far =
        all.iter().map(|attempt| attempt.tried.before_first_difference).max().unwrap_or(0) / 2;
    let guarantees = |&control: &&str| {
        let its = all.iter().position(|attempt| attempt.tried.control == control);
        its.is_some_and(|place| {
            all[place].budget_exhausted
                && (place == 0 || all[place].tried.before_first_difference >= far)
        })
    };
    CONTROLS.into_iter().filter(guarantees).collect()
}

/// Does the work for each control on a thread of its own; the results are in the order of the controls.
fn in_parallel<T: Send>(
    controls: Vec<&'static str>,
    work: impl Fn(&'static str) -> T + Sync,
) -> Vec<T> {
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            controls.into_iter().map(|control| scope.spawn(move || work(control))).collect();
        threads.into_iter().map(|handle| handle.join().expect("a replay does not panic")).collect()
    })
}

/// Sorts controls that differ nowhere, or explain most, to the front; equal ones stay as in [`CONTROLS`].
fn sort_attempts(all: &mut [ControlAttempt]) {
    all.sort_by_key(|ControlAttempt { tried: candidate, .. }| {
        let place = CONTROLS.iter().position(|&control| control == candidate.control);
        (
            candidate.differences > 0,
            std::cmp::Reverse((candidate.explained, candidate.before_first_difference)),
            place,
        )
    });
}

fn summarize(control: &str, verdict: &Verdict) -> TriedControl {
    TriedControl {
        control: control.to_owned(),
        before_first_difference: verdict
            .differences
            .first()
            .map_or(verdict.segments, |difference| difference.index),
        explained: verdict.explained,
        differences: verdict.differences.len(),
    }
}

/// Words for the control that was taken, and for the results of the others.
fn control_assumption(tried: &[TriedControl], segments: usize) -> String {
    let best = &tried[0];
    let is_as_good = |control: &&TriedControl| {
        (control.before_first_difference, control.explained)
            == (best.before_first_difference, best.explained)
    };
    let equal: Vec<&str> =
        tried.iter().filter(is_as_good).map(|control| control.control.as_str()).collect();
    let others: Vec<String> = tried
        .iter()
        .filter(|control| !is_as_good(control))
        .map(|control| {
            format!("{} differs at segment {}", control.control, control.before_first_difference)
        })
        .collect();
    let others = if others.is_empty() { String::new() } else { format!("; {}", others.join(", ")) };
    let far = best.explained;
    match equal.len() {
        1 => format!(
            "congestion control {}: it explains most ({far} of {segments} segments){others}",
            best.control
        ),
        _ => format!(
            "congestion control {}: {} explain the same ({far} of {segments} segments){others}",
            best.control,
            equal.join(", ")
        ),
    }
}

fn setup(trace: &Trace, about: Option<&HostFacts>, facts: &UserFacts) -> Result<Setup, String> {
    let mut setup = Setup::from_trace(trace, about)?;
    for (name, value) in &facts.sysctl {
        setup.set_sysctl(name, value)?;
    }
    if let Some(control) = &facts.control {
        setup.options.control.clone_from(control);
    }
    if let Some(nodelay) = facts.nodelay {
        setup.options.nodelay = nodelay;
        setup.unknown.nodelay = false;
    }
    if facts.sndbuf.is_some() {
        setup.options.sndbuf = facts.sndbuf;
        setup.unknown.sndbuf = false;
    }
    let control = &setup.options.control;
    if KERNEL_NAMES.contains(&control.as_str()) {
        Ok(setup)
    } else {
        let of_draft = DRAFT_NAMES.contains(&control.as_str());
        let why = if of_draft { "is a draft's, which no kernel has, and " } else { "" };
        Err(format!("control = \"{control}\": {why}is not one of {}", KERNEL_NAMES.join(", ")))
    }
}

/// Replays a connection until `most` differences are found.
#[must_use]
pub fn replay(trace: &Trace, setup: &Setup, most: usize, cancel: &Cancel) -> Verdict {
    replay_under_setup(trace, setup, most, LARGE_TRIAL_BUDGET, cancel, &Progress::default()).0
}

/// Replays under a setup; the flag is true if more trials might explain more.
fn replay_under_setup(
    trace: &Trace,
    setup: &Setup,
    most: usize,
    budget: u64,
    cancel: &Cancel,
    progress: &Progress,
) -> (Verdict, bool) {
    let (work, spent) = (&Cell::new(0), &Cell::new(false));
    let watch = Watch { cancel, progress, work, budget, budget_spent: spent };
    watch.progress.begin(trace.segments);
    let end = ReplayLimits { segments: usize::MAX, differences: most };
    if let Some(clock) = setup.clock {
        return (search::replay_with_trials(trace, setup, clock, end, watch), false);
    }
    let (setup, clock) = infer::infer_setup(trace, setup, watch);
    let mut verdict = search::replay_with_trials(trace, &setup, clock, end, watch);
    verdict.assumptions.extend(setup.inferred);
    verdict.phase_inferred = true;
    (verdict, spent.get())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_control_that_explains_more_is_taken_though_another_differs_later() {
        let found = |control: &str, first, explained| ControlAttempt {
            tried: TriedControl {
                control: control.to_owned(),
                before_first_difference: first,
                explained,
                differences: 1,
            },
            verdict: Verdict::default(),
            budget_exhausted: false,
        };
        let mut all = [found("reno", 1552, 100_829), found("cubic", 1174, 100_891)];
        sort_attempts(&mut all);
        assert_eq!(all[0].tried.control, "cubic");
    }
}
