//! A replay with what a capture does not show found by trial: at which edge of a tick a segment was handled,
//! and in which phase BBR's cycle began.

use crate::guess::Guess;
use crate::player::Player;
use crate::setup::Setup;
use crate::trace::Trace;
use crate::verdict::{Difference, Verdict};
use airtcp_core::Cancel;
use airtcp_linux::Clock;

/// By how much ticks may be later or earlier than the host's clock says, in ns: a tick is handled some time
/// after it is due, and a segment some time after it is captured.
const SHIFTS: [i64; 9] =
    [0, 30_000, -30_000, 100_000, -100_000, 400_000, -400_000, 1_000_000, -1_000_000];
/// Phases of BBR's cycle [linux/bbr.md rule 11].
const PHASES: [u32; 7] = [0, 2, 3, 4, 5, 6, 7];
/// Segments between two places from which a replay is tried again, and how many of them are kept.
const STRIDE: usize = 16;
const KEPT: usize = 24;
/// Segments by which a trial must get further than the difference.
const GAIN: usize = 12;
/// Segments after a difference by which guesses are judged.
const AHEAD: usize = 64;

/// Replays until so many differences are found.
pub(crate) fn run(
    trace: &Trace,
    setup: &Setup,
    clock: Clock,
    most: usize,
    cancel: &Cancel,
) -> Verdict {
    let mut player = Player::new(trace, setup, clock);
    let mut places = vec![player.clone()];
    let mut verdict = Verdict {
        segments: trace.sent().count(),
        phase: clock.phase,
        assumed: trace.assumed.clone(),
        ..Verdict::default()
    };
    while !player.is_over() && !cancel.is_set() {
        if player.index >= places.last().map_or(0, |place| place.index) + STRIDE {
            if places.len() == KEPT {
                places.remove(0);
            }
            places.push(player.clone());
        }
        let Some(difference) = player.step() else { continue };
        if let Some(better) = search(&places, &player, setup, clock) {
            player = better;
            verdict.aligned += 1;
            continue;
        }
        player.give_in(&difference);
        guess(&mut player, &setup.options.control, cancel);
        verdict.differences.push(difference);
        if verdict.differences.len() >= most {
            break;
        }
        places = vec![player.clone()];
    }
    verdict.explained = player.explained;
    (verdict.earliest, verdict.latest) = (player.earliest, player.latest);
    verdict
}

/// Chooses as what our sender goes on: the first guess of those with which it gets furthest.
fn guess(player: &mut Player<'_>, control: &str, cancel: &Cancel) {
    let goal = player.index + AHEAD;
    let mut furthest = 0;
    let mut best = player.guess;
    for guess in Guess::all(control) {
        let mut trial = player.clone();
        trial.guess = guess;
        let reached = if advance(&mut trial, goal).is_none() { goal } else { trial.index };
        if reached > furthest {
            (furthest, best) = (reached, guess);
        }
        if reached == goal || cancel.is_set() {
            break;
        }
    }
    player.guess = best;
}

/// The trial that gets furthest beyond where `player` is, if one does.
fn search<'a>(
    places: &[Player<'a>],
    player: &Player<'a>,
    setup: &Setup,
    clock: Clock,
) -> Option<Player<'a>> {
    let goal = player.index + GAIN;
    let phases: Vec<Option<u32>> = match setup.options.control.as_str() {
        "bbr" => PHASES.iter().copied().map(Some).collect(),
        _ => vec![None],
    };
    let mut best: Option<Player<'a>> = None;
    for place in places.iter().rev() {
        for shift in SHIFTS {
            for &phase in &phases {
                let mut trial = place.clone();
                trial.side.clock = Clock { phase: clock.phase - shift };
                if phase.is_some() {
                    trial.side.sender.force_phase(phase);
                }
                let difference = advance(&mut trial, goal);
                let is_better = best.as_ref().is_none_or(|best| trial.index > best.index);
                if difference.is_none() {
                    trial.side.clock = clock;
                    return Some(trial);
                }
                if is_better && trial.index >= goal {
                    best = Some(trial);
                }
            }
        }
    }
    best
}

/// Goes on to the kernel's segment `goal`, or to a difference.
fn advance(player: &mut Player<'_>, goal: usize) -> Option<Difference> {
    while !player.is_over() && player.index < goal {
        if let Some(difference) = player.step() {
            return Some(difference);
        }
    }
    None
}
