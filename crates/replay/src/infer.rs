//! Inference of facts that a capture does not tell of its host: the writes of the application, Nagle's rule, and the
//! phase of the ticks. Those are taken with which our sender gets furthest without a difference.

use crate::application::{Application, Begin};
use crate::kernels::Kernel;
use crate::progress::Watch;
use crate::search::{self, End};
use crate::setup::Setup;
use crate::trace::{Event, Trace};
use airtcp_linux::Clock;
use airtcp_linux::clock::TICK;

/// Steps of a tick that are tried, and ticks between two buckets of the wheel's second level
/// [crates/linux/rules/timers.md rule 2]; each further level has so many times the ticks. Levels that timeouts reach.
const STEPS: i64 = 4;
const TICKS: i64 = 8;
const LEVELS: u32 = 3;
/// Setups, and phases of each, that are replayed with all trials and not only as they are.
const FINALISTS: usize = 8;
const SAMPLED: usize = 8;
/// Ways in which writes may have begun, the likeliest first.
const BEGINS: [Begin; 5] = [
    Begin::AsSentUnlessAcked,
    Begin::AtOnce,
    Begin::AsSent,
    Begin::AsSentUnlessCaused,
    Begin::PerBurst,
];
/// Bytes that a send buffer has beside twice the data, if nobody waits for it.
const AMPLE: u64 = 1 << 22;
/// Segments by which is judged at first, how many beyond a difference are judged then, and how often.
const HORIZON: usize = 400;
const BEYOND: usize = 16;
const ROUNDS: usize = 6;

/// Up to the first difference.
const FIRST: End = End { segments: usize::MAX, differences: 1 };

/// The setup and the clock with which most is explained.
pub(crate) fn likeliest(trace: &Trace, setup: &Setup, watch: Watch<'_>) -> (Setup, Clock) {
    let segments = trace.segments;
    let setups = setups(trace, setup);
    let mut judge = Judge { trace, watch, goal: goal(HORIZON, segments), best: None, until: 0 };
    for _ in 0..ROUNDS {
        judge.choose(&setups);
        let (explained, setup, clock) = judge.best();
        if explained < judge.goal || watch.is_over() {
            break;
        }
        let found = search::run(trace, &setup, clock, FIRST, watch);
        if found.agrees() {
            break;
        }
        judge.goal = goal(found.explained + BEYOND, segments);
    }
    let (_, setup, clock) = judge.best();
    (setup, clock)
}

/// The number of segments to reach; if the capture has no more, one above, so that the end counts as well.
fn goal(wanted: usize, segments: usize) -> usize {
    if wanted < segments { wanted } else { segments + 1 }
}

/// Keeps the first of those with which most of the first `goal` segments is explained.
struct Judge<'a> {
    trace: &'a Trace,
    watch: Watch<'a>,
    goal: usize,
    best: Option<(usize, Setup, Clock)>,
    /// Events replayed, beyond which there are no further replays with all trials.
    until: u64,
}

impl Judge<'_> {
    fn best(&self) -> (usize, Setup, Clock) {
        self.best.clone().expect("there are setups and phases to try")
    }

    fn choose(&mut self, setups: &[Setup]) {
        self.until = self.watch.work.get() + self.watch.budget;
        let fine = phases(Clock { phase: 0 }, TICK / STEPS, STEPS * TICKS);
        for same_kernel in setups.chunk_by(|one, other| one.kernel == other.kernel) {
            let mut ranked: Vec<_> =
                same_kernel.iter().map(|one| (one, self.likely(one, &fine))).collect();
            ranked.sort_by_key(|(_, (reached, _))| std::cmp::Reverse(*reached));
            for (setup, (_, likely)) in ranked.iter().take(FINALISTS) {
                self.hear(setup, likely);
            }
            // Older kernels are for what a recent one does not explain.
            if self.best.as_ref().is_some_and(|best| best.0 >= self.goal) {
                break;
            }
        }
        self.choose_level(fine);
    }

    /// The phase, level by level of the wheel.
    fn choose_level(&mut self, fine: Vec<Clock>) {
        let (mut width, mut from) = (TICK * TICKS, fine);
        let (_, setup, _) = self.best();
        for _ in 1..=LEVELS {
            let all: Vec<Clock> =
                from.iter().flat_map(|&clock| phases(clock, width, TICKS)).collect();
            (_, from) = self.likely(&setup, &all);
            self.hear(&setup, &from);
            width *= TICKS;
        }
    }

    /// The most that is explained without trials, and some of the clocks with which it is.
    fn likely(&self, setup: &Setup, clocks: &[Clock]) -> (usize, Vec<Clock>) {
        let is_spent = || self.watch.work.get() > self.until;
        let plain = |&clock: &Clock| match is_spent() {
            true => 0,
            false => search::plain(self.trace, setup, clock, self.goal, self.watch),
        };
        let reached: Vec<usize> = clocks.iter().map(plain).collect();
        let most = reached.iter().max().copied().unwrap_or(0);
        let best = clocks.iter().zip(&reached).filter(|&(_, &one)| one == most);
        let best: Vec<Clock> = best.map(|(&clock, _)| clock).collect();
        let stride = best.len().div_ceil(SAMPLED).max(1);
        (most, best.into_iter().step_by(stride).collect())
    }

    /// Replays with all trials, until a clock explains all, or many clocks explain no more.
    fn hear(&mut self, setup: &Setup, clocks: &[Clock]) {
        for &clock in clocks {
            let most = self.best.as_ref().map_or(0, |best| best.0);
            let is_spent = self.watch.work.get() > self.until;
            let is_enough = most >= self.goal || is_spent;
            if self.best.is_some() && (is_enough || self.watch.is_over()) {
                self.watch.spent.set(self.watch.spent.get() || is_spent && most < self.goal);
                return;
            }
            let end = End { segments: self.goal, ..FIRST };
            let found = search::run(self.trace, setup, clock, end, self.watch);
            let is_whole = self.goal > self.trace.segments && found.agrees();
            let explained = found.explained + usize::from(is_whole);
            if self.best.is_none() || explained > most {
                self.best = Some((explained, setup.clone(), clock));
            }
        }
    }
}

/// `number` phases from `clock` on.
fn phases(clock: Clock, width: i64, number: i64) -> Vec<Clock> {
    (0..number).map(|step| Clock { phase: clock.phase + step * width }).collect()
}

/// Setups that the host may have had, the likeliest first.
fn setups(trace: &Trace, setup: &Setup) -> Vec<Setup> {
    let applications = applications(trace, setup);
    let is_cut = applications.len() > 1;
    let nagle = match (setup.unknown.nodelay, is_cut) {
        (true, true) => vec![false, true],
        _ => vec![setup.options.nodelay],
    };
    let buffers = match setup.unknown.sndbuf {
        true => vec![None, Some(2 * trace.data_end() + AMPLE)],
        false => vec![setup.options.sndbuf],
    };
    let helds =
        if setup.unknown.writes && ends_with_data(trace) { vec![false, true] } else { vec![false] };
    let mut all = vec![];
    let known = !setup.unknown.sndbuf;
    let rooms = |kernel: Kernel| kernel.with_rooms().into_iter().take(if known { 1 } else { 2 });
    for kernel in Kernel::all(trace).into_iter().flat_map(rooms) {
        for &held in &helds {
            for &sndbuf in &buffers {
                for (application, behaviour) in &applications {
                    for &nodelay in &nagle {
                        let mut one = Setup { application: application.clone(), ..setup.clone() };
                        (one.options.nodelay, one.options.sndbuf) = (nodelay, sndbuf);
                        one.held = held;
                        kernel.apply(&mut one);
                        one.inferred = inferred(setup, behaviour, nodelay && nagle.len() > 1, &one);
                        one.inferred.extend(kernel.words());
                        all.push(one);
                    }
                }
            }
        }
    }
    all
}

/// Says that the FIN has data with it, which the application then gave before it closed.
fn ends_with_data(trace: &Trace) -> bool {
    trace.sent().any(|sent| sent.fin && sent.len > 0)
}

/// Lines, in words, on the facts that a setup assumes and that nobody gave.
fn inferred(setup: &Setup, behaviour: &str, nodelay: bool, one: &Setup) -> Vec<String> {
    let mut lines = vec!["the phase of the ticks: by trial".to_owned()];
    if setup.unknown.writes {
        lines.push(format!("the application {behaviour}"));
    }
    if nodelay {
        lines.push("TCP_NODELAY was set".to_owned());
    }
    if one.held {
        lines.push("its last data waited for the end (MSG_MORE, TCP_CORK)".to_owned());
    }
    if setup.unknown.sndbuf && one.options.sndbuf.is_some() {
        lines.push("the send buffer had room for all that was written".to_owned());
    }
    lines
}

/// Behaviours that the application may have had, each with its words.
fn applications(trace: &Trace, setup: &Setup) -> Vec<(Application, &'static str)> {
    let bulk = "always had data to send, up to the last that it sent";
    let mut all = vec![(setup.application.clone(), bulk)];
    if setup.unknown.writes {
        for begin in BEGINS {
            let application = Application::by_push(trace, setup.origin, begin);
            if all.iter().all(|(other, _)| *other != application) {
                all.push((application, begin.words()));
            }
        }
        if ends_with_answers(trace) {
            let ended = |one: &(Application, _)| one.0.ended(trace, setup.origin);
            let ended: Vec<_> = all.iter().filter_map(ended).collect();
            all.extend(ended.into_iter().map(|one| (one, ENDED)));
        }
    }
    all
}

const ENDED: &str = "had no more to send than it sent";

/// Says that the capture ends with a segment that came, though not all that was sent is acknowledged.
fn ends_with_answers(trace: &Trace) -> bool {
    trace.events.last().is_some_and(|last| matches!(last, Event::Arrived(_)))
}
