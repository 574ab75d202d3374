//! Replays with trials for facts that a capture does not show: the edge of a tick at which a segment was handled, and
//! the phase in which BBR's cycle began.

use crate::lag::LagPattern;
use crate::player::Player;
use crate::progress::Watch;
use crate::setup::Setup;
use crate::state_guess::StateGuess;
use crate::trace::Trace;
use crate::verdict::Verdict;
use airtcp_linux::Clock;

/// Nanoseconds by which ticks may be later or earlier than the host's clock says: a tick is handled some time
/// after it is due, and a segment some time after it is captured.
const TICK_SHIFTS: [i64; 9] =
    [0, 30_000, -30_000, 100_000, -100_000, 400_000, -400_000, 1_000_000, -1_000_000];
/// Phases of BBR's cycle [crates/linux/rules/bbr.md rule 11].
const PHASES: [u32; 7] = [0, 2, 3, 4, 5, 6, 7];
/// Segments between two checkpoints from which trials start, and number of checkpoints kept.
const CHECKPOINT_STRIDE: usize = 16;
const KEPT_CHECKPOINTS: usize = 24;
/// Segments by which a trial must pass the difference.
const MIN_GAIN: usize = 12;
/// Fruitless searches in a row after which no more trials are made: the sender follows other rules.
const MAX_FRUITLESS: usize = 8;
/// Events replayed in trials after which no more trials are made; about half a minute.
const MAX_WORK: u64 = 16_000_000;
/// Segments after a difference on which guesses are compared.
const GUESS_HORIZON: usize = 64;

/// Limits at which a replay ends before the capture does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReplayLimits {
    /// Most segments.
    pub segments: usize,
    /// Most differences.
    pub differences: usize,
}

/// Replays with trials.
pub(crate) fn replay_with_trials(
    trace: &Trace,
    setup: &Setup,
    clock: Clock,
    end: ReplayLimits,
    watch: Watch<'_>,
) -> Verdict {
    let mut player = Player::new(trace, setup, clock);
    let mut places = vec![player.checkpoint()];
    let mut verdict = Verdict {
        segments: trace.segments,
        phase: clock.phase,
        assumptions: trace.assumptions.clone(),
        artefacts: trace.artefacts.clone(),
        place: trace.answer_times,
        against_linux: trace.against_linux.clone(),
        ..Verdict::default()
    };
    let (mut fruitless, until) = (0, watch.work.get() + MAX_WORK);
    watch.progress.count_trial();
    while !player.is_over() && player.next_segment < end.segments && !watch.is_cancelled() {
        if player.next_segment
            >= places.last().map_or(0, |place| place.next_segment) + CHECKPOINT_STRIDE
        {
            if places.len() == KEPT_CHECKPOINTS {
                places.remove(0);
            }
            places.push(player.checkpoint());
            watch.progress.advance_to(player.next_segment);
        }
        let difference = player.step();
        if difference.is_none() && !player.is_off_pace() {
            continue;
        }
        if fruitless < MAX_FRUITLESS {
            if let Some(better) = find_better_trial(&places, &player, setup, clock, watch) {
                player = better;
                verdict.trials_adopted += 1;
                fruitless = 0;
                continue;
            }
            fruitless += 1;
            if fruitless < MAX_FRUITLESS && watch.work.get() > until {
                fruitless = MAX_FRUITLESS;
                verdict.assumptions.push(format!(
                    "no trials from segment {} on: they took too long",
                    player.next_segment
                ));
            }
        }
        player.trust_pace();
        let Some(difference) = difference else { continue };
        let is_blind = trace.is_unjudged(player.time());
        player.resume_from_guess(&difference);
        choose_guess(&mut player, &setup.options.control, watch);
        if is_blind {
            verdict.unjudged += 1;
            places = vec![player.checkpoint()];
            continue;
        }
        verdict.differences.push(difference);
        if verdict.differences.len() >= end.differences {
            verdict.stopped_at = Some(player.next_segment).filter(|&at| at < verdict.segments);
            break;
        }
        places = vec![player.checkpoint()];
    }
    watch.progress.advance_to(player.next_segment);
    verdict.explained = player.explained;
    (verdict.earliest, verdict.latest) = (player.largest_early, player.largest_late);
    verdict
}

/// Number of segments explained up to the first difference, without a trial; one more if no difference comes before
/// the end of the capture.
pub(crate) fn explained_without_trials(
    trace: &Trace,
    setup: &Setup,
    clock: Clock,
    segments: usize,
    watch: Watch<'_>,
) -> usize {
    let mut player = Player::new(trace, setup, clock);
    watch.progress.count_trial();
    while !watch.is_cancelled() && !player.is_over() && player.next_segment < segments {
        watch.add_work(1);
        if player.step().is_some() {
            return player.explained;
        }
    }
    player.explained + usize::from(player.is_over())
}

/// Chooses the guess with which our sender gets furthest; the first of equals.
fn choose_guess(player: &mut Player<'_>, control: &str, watch: Watch<'_>) {
    let goal = player.next_segment + GUESS_HORIZON;
    let mut furthest = 0;
    let mut best = player.state_guess;
    for guess in StateGuess::all(control) {
        let mut trial = player.clone();
        trial.state_guess = guess;
        let reached = if play_to(&mut trial, goal, watch) { goal } else { trial.next_segment };
        if reached > furthest {
            (furthest, best) = (reached, guess);
        }
        if reached == goal || watch.is_cancelled() {
            break;
        }
    }
    player.state_guess = best;
}

/// Values in which a trial differs from the replay.
#[derive(Clone, Copy, Default)]
struct TrialVariation {
    tick_shift: i64,
    lag: LagPattern,
    phase: Option<u32>,
}

impl TrialVariation {
    /// All variations for a congestion control.
    fn all(control: &str) -> Vec<TrialVariation> {
        let shifts = TICK_SHIFTS
            .map(|shift| TrialVariation { tick_shift: shift, ..TrialVariation::default() });
        let lags =
            LagPattern::patterns().map(|lag| TrialVariation { lag, ..TrialVariation::default() });
        let turns = shifts.into_iter().chain(lags);
        if control != "bbr" {
            return turns.collect();
        }
        turns
            .flat_map(|turn| PHASES.map(|phase| TrialVariation { phase: Some(phase), ..turn }))
            .collect()
    }

    fn start_trial<'a>(self, place: &Player<'a>, clock: Clock) -> Player<'a> {
        let mut trial = place.clone();
        trial.our_side.clock = Clock { phase: clock.phase - self.tick_shift };
        trial.lag = self.lag;
        if self.phase.is_some() {
            trial.our_side.sender.force_phase(self.phase);
        }
        trial
    }
}

/// The trial that gets furthest beyond `player`, if any does.
fn find_better_trial<'a>(
    places: &[Player<'a>],
    player: &Player<'a>,
    setup: &Setup,
    clock: Clock,
    watch: Watch<'_>,
) -> Option<Player<'a>> {
    let goal = player.next_segment + MIN_GAIN;
    let turns = TrialVariation::all(&setup.options.control);
    let mut best: Option<Player<'a>> = None;
    for place in places.iter().rev() {
        for turn in &turns {
            let mut trial = turn.start_trial(place, clock);
            let explains_all = play_to(&mut trial, goal, watch);
            let is_better = best.as_ref().is_none_or(|best| trial.next_segment > best.next_segment);
            if explains_all {
                trial.resume(clock);
                return Some(trial);
            }
            if is_better && trial.next_segment >= goal {
                best = Some(trial);
            }
        }
    }
    best
}

/// Plays up to the kernel's segment `goal`; returns true if there was no difference and no doubt about the pace.
fn play_to(player: &mut Player<'_>, goal: usize, watch: Watch<'_>) -> bool {
    while !player.is_over() && player.next_segment < goal {
        watch.add_work(1);
        if player.step().is_some() || player.is_off_pace() || watch.is_cancelled() {
            return false;
        }
    }
    true
}
