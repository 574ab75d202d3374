//! Inference of facts about the host that a capture does not record: the application's writes, Nagle's rule, and the
//! phase of the ticks. The values with which our sender gets furthest without a difference are used.

use crate::application::{Application, WriteStart};
use crate::kernel_age::KernelAge;
use crate::progress::Watch;
use crate::search::{self, ReplayLimits};
use crate::setup::Setup;
use crate::trace::{Event, Trace};
use airtcp_linux::Clock;
use airtcp_linux::clock::TICK;

/// Steps of a tick that are tried, and ticks between two buckets of the wheel's second level
/// [crates/linux/rules/timers.md rule 2]; each further level has so many times the ticks. Levels that timeouts reach.
const STEPS_PER_TICK: i64 = 4;
const TICKS_PER_BUCKET: i64 = 8;
const WHEEL_LEVELS: u32 = 3;
/// Setups, and phases of each, that are replayed with all trials and not only as they are.
const FINALISTS: usize = 8;
const SAMPLED_PHASES: usize = 8;
/// Ways in which writes may have begun, the likeliest first.
const WRITE_STARTS: [WriteStart; 5] = [
    WriteStart::AsSentUnlessAcked,
    WriteStart::AtOnce,
    WriteStart::AsSent,
    WriteStart::AsSentUnlessCaused,
    WriteStart::PerBurst,
];
/// Bytes added to twice the data for a send buffer that never blocks the application.
const AMPLE_SNDBUF: u64 = 1 << 22;
/// First horizon of the comparison in segments, segments by which it reaches beyond a difference in each further round,
/// and number of rounds.
const FIRST_HORIZON: usize = 400;
const HORIZON_BEYOND_DIFFERENCE: usize = 16;
const JUDGING_ROUNDS: usize = 6;

/// Limits of a replay up to the first difference.
const UNTIL_FIRST_DIFFERENCE: ReplayLimits = ReplayLimits { segments: usize::MAX, differences: 1 };

/// Finds the setup and clock that explain most segments.
pub(crate) fn infer_setup(trace: &Trace, setup: &Setup, watch: Watch<'_>) -> (Setup, Clock) {
    let segments = trace.segments;
    let setups = candidate_setups(trace, setup);
    let mut judge = SetupChooser {
        trace,
        watch,
        segments_to_explain: segments_to_reach(FIRST_HORIZON, segments),
        best: None,
        work_limit: 0,
    };
    for _ in 0..JUDGING_ROUNDS {
        judge.choose_setup(&setups);
        let (explained, setup, clock) = judge.best();
        if explained < judge.segments_to_explain || watch.is_cancelled() {
            break;
        }
        let verdict =
            search::replay_with_trials(trace, &setup, clock, UNTIL_FIRST_DIFFERENCE, watch);
        if verdict.agrees() {
            break;
        }
        judge.segments_to_explain =
            segments_to_reach(verdict.explained + HORIZON_BEYOND_DIFFERENCE, segments);
    }
    let (_, setup, clock) = judge.best();
    (setup, clock)
}

/// The number of segments to explain; one more if the capture ends there, so that reaching the end counts too.
fn segments_to_reach(wanted: usize, segments: usize) -> usize {
    if wanted < segments { wanted } else { segments + 1 }
}

/// Keeps the setup that explains most of the first `segments_to_explain` segments; the first of equals.
struct SetupChooser<'a> {
    trace: &'a Trace,
    watch: Watch<'a>,
    segments_to_explain: usize,
    best: Option<(usize, Setup, Clock)>,
    /// Events replayed, beyond which there are no further replays with all trials.
    work_limit: u64,
}

impl SetupChooser<'_> {
    fn best(&self) -> (usize, Setup, Clock) {
        self.best.clone().expect("there are setups and phases to try")
    }

    fn choose_setup(&mut self, setups: &[Setup]) {
        self.work_limit = self.watch.work.get() + self.watch.budget;
        let fine = clock_phases(
            Clock { phase: 0 },
            TICK / STEPS_PER_TICK,
            STEPS_PER_TICK * TICKS_PER_BUCKET,
        );
        for same_kernel in setups.chunk_by(|candidate, other| candidate.kernel == other.kernel) {
            let mut ranked: Vec<_> = same_kernel
                .iter()
                .map(|candidate| (candidate, self.best_clocks_without_trials(candidate, &fine)))
                .collect();
            ranked.sort_by_key(|(_, (reached, _))| std::cmp::Reverse(*reached));
            for (setup, (_, likely)) in ranked.iter().take(FINALISTS) {
                self.replay_with_trials(setup, likely);
            }
            // Older kernels are for what a recent one does not explain.
            if self.best.as_ref().is_some_and(|best| best.0 >= self.segments_to_explain) {
                break;
            }
        }
        self.choose_level(fine);
    }

    /// The phase, level by level of the wheel.
    fn choose_level(&mut self, fine: Vec<Clock>) {
        let (mut width, mut from) = (TICK * TICKS_PER_BUCKET, fine);
        let (_, setup, _) = self.best();
        for _ in 1..=WHEEL_LEVELS {
            let all: Vec<Clock> = from
                .iter()
                .flat_map(|&clock| clock_phases(clock, width, TICKS_PER_BUCKET))
                .collect();
            (_, from) = self.best_clocks_without_trials(&setup, &all);
            self.replay_with_trials(&setup, &from);
            width *= TICKS_PER_BUCKET;
        }
    }

    /// The most that is explained without trials, and some of the clocks with which it is.
    fn best_clocks_without_trials(&self, setup: &Setup, clocks: &[Clock]) -> (usize, Vec<Clock>) {
        let is_spent = || self.watch.work.get() > self.work_limit;
        let plain = |&clock: &Clock| match is_spent() {
            true => 0,
            false => search::explained_without_trials(
                self.trace,
                setup,
                clock,
                self.segments_to_explain,
                self.watch,
            ),
        };
        let reached: Vec<usize> = clocks.iter().map(plain).collect();
        let most = reached.iter().max().copied().unwrap_or(0);
        let best = clocks.iter().zip(&reached).filter(|&(_, &count)| count == most);
        let best: Vec<Clock> = best.map(|(&clock, _)| clock).collect();
        let stride = best.len().div_ceil(SAMPLED_PHASES).max(1);
        (most, best.into_iter().step_by(stride).collect())
    }

    /// Replays with all trials until a clock explains everything or many clocks in a row bring no improvement.
    fn replay_with_trials(&mut self, setup: &Setup, clocks: &[Clock]) {
        for &clock in clocks {
            let most = self.best.as_ref().map_or(0, |best| best.0);
            let is_spent = self.watch.work.get() > self.work_limit;
            let is_enough = most >= self.segments_to_explain || is_spent;
            if self.best.is_some() && (is_enough || self.watch.is_cancelled()) {
                self.watch.budget_spent.set(
                    self.watch.budget_spent.get() || is_spent && most < self.segments_to_explain,
                );
                return;
            }
            let end = ReplayLimits { segments: self.segments_to_explain, ..UNTIL_FIRST_DIFFERENCE };
            let verdict = search::replay_with_trials(self.trace, setup, clock, end, self.watch);
            let is_whole = self.segments_to_explain > self.trace.segments && verdict.agrees();
            let explained = verdict.explained + usize::from(is_whole);
            if self.best.is_none() || explained > most {
                self.best = Some((explained, setup.clone(), clock));
            }
        }
    }
}

/// `number` phases from `clock` on.
fn clock_phases(clock: Clock, width: i64, number: i64) -> Vec<Clock> {
    (0..number).map(|step| Clock { phase: clock.phase + step * width }).collect()
}

/// Setups that the host may have had, the likeliest first.
fn candidate_setups(trace: &Trace, setup: &Setup) -> Vec<Setup> {
    let applications = candidate_applications(trace, setup);
    let is_cut = applications.len() > 1;
    let nagle = match (setup.unknown.nodelay, is_cut) {
        (true, true) => vec![false, true],
        _ => vec![setup.options.nodelay],
    };
    let buffers = match setup.unknown.sndbuf {
        true => vec![None, Some(2 * trace.data_end() + AMPLE_SNDBUF)],
        false => vec![setup.options.sndbuf],
    };
    let helds =
        if setup.unknown.writes && ends_with_data(trace) { vec![false, true] } else { vec![false] };
    let mut all = vec![];
    let known = !setup.unknown.sndbuf;
    let rooms =
        |kernel: KernelAge| kernel.with_header_sizes().into_iter().take(if known { 1 } else { 2 });
    for kernel in KernelAge::candidates(trace).into_iter().flat_map(rooms) {
        for &held in &helds {
            for &sndbuf in &buffers {
                for (application, behaviour) in &applications {
                    for &nodelay in &nagle {
                        let mut candidate =
                            Setup { application: application.clone(), ..setup.clone() };
                        (candidate.options.nodelay, candidate.options.sndbuf) = (nodelay, sndbuf);
                        candidate.last_data_held = held;
                        kernel.apply(&mut candidate);
                        candidate.inferred = inferred_lines(
                            setup,
                            behaviour,
                            nodelay && nagle.len() > 1,
                            &candidate,
                        );
                        candidate.inferred.extend(kernel.description());
                        all.push(candidate);
                    }
                }
            }
        }
    }
    all
}

/// Returns true if the FIN carries data, so that the application wrote them before it closed.
fn ends_with_data(trace: &Trace) -> bool {
    trace.sent_segments().any(|sent| sent.fin && sent.len > 0)
}

/// Report lines on the facts that were inferred rather than given.
fn inferred_lines(setup: &Setup, behaviour: &str, nodelay: bool, candidate: &Setup) -> Vec<String> {
    let mut lines = vec!["the phase of the ticks: by trial".to_owned()];
    if setup.unknown.writes {
        lines.push(format!("the application {behaviour}"));
    }
    if nodelay {
        lines.push("TCP_NODELAY was set".to_owned());
    }
    if candidate.last_data_held {
        lines.push("its last data waited for the end (MSG_MORE, TCP_CORK)".to_owned());
    }
    if setup.unknown.sndbuf && candidate.options.sndbuf.is_some() {
        lines.push("the send buffer had room for all that was written".to_owned());
    }
    lines
}

/// Behaviours that the application may have had, each with its words.
fn candidate_applications(trace: &Trace, setup: &Setup) -> Vec<(Application, &'static str)> {
    let bulk = "always had data to send, up to the last that it sent";
    let mut all = vec![(setup.application.clone(), bulk)];
    if setup.unknown.writes {
        for begin in WRITE_STARTS {
            let application = Application::writes_by_push(trace, setup.clock_origin, begin);
            if all.iter().all(|(other, _)| *other != application) {
                all.push((application, begin.description()));
            }
        }
        if ends_with_answers(trace) {
            let ended = |behaviour: &(Application, _)| {
                behaviour.0.with_end_of_data(trace, setup.clock_origin)
            };
            let ended: Vec<_> = all.iter().filter_map(ended).collect();
            all.extend(ended.into_iter().map(|behaviour| (behaviour, ENDED_TEXT)));
        }
    }
    all
}

const ENDED_TEXT: &str = "had no more to send than it sent";

/// Returns true if the last record is an arriving segment, though some data are not acknowledged.
fn ends_with_answers(trace: &Trace) -> bool {
    trace.events.last().is_some_and(|last| matches!(last, Event::Arrived(_)))
}
