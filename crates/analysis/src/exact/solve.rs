//! From a problem to its solution.

use super::bound::error_bound;
use super::channel::Slot;
use super::explore::explore;
use super::graph::{Costs, Graph};
use super::link::Fates;
use super::model::Model;
use super::phase2::{Outcome, outcomes};
use super::problem::{Problem, Solution, SolveError};
use super::stationary::{
    lump_states, path_distributions, stationary_by_elimination, stationary_flow,
};

/// Branches of phase two below this are left out of the first guess of the visits.
const GUESS_FLOOR: f64 = 1e-5;

/// Solves a problem.
///
/// # Errors
/// Parameters outside the model's domain, too many states, or a flow that does not settle.
pub fn solve(problem: &Problem) -> Result<Solution, SolveError> {
    solve_unless_interrupted(problem, &mut || false)
}

/// Solves a problem unless `interrupted` returns true; the solver calls it many times a second.
///
/// # Errors
///
/// As [`solve`], and [`SolveError::Interrupted`].
pub fn solve_unless_interrupted(
    problem: &Problem,
    interrupted: &mut dyn FnMut() -> bool,
) -> Result<Solution, SolveError> {
    problem.check()?;
    let model = Model::new(problem);
    if model.packets.probabilities.gb == 0.0 {
        return Ok(lossless_solution(&model));
    }
    if let Some(solution) = dead_link_solution(&model) {
        return Ok(solution);
    }
    let visits = embedded_visits(&model);
    let graph = explore(&model, &problem.options, &visits, interrupted)?;
    let flow = stationary_flow(&model, &graph, interrupted)?;
    Ok(solution_from_flow(&model, &graph, &flow))
}

/// A link that never loses a packet sees one endless phase one.
fn lossless_solution(model: &Model) -> Solution {
    let rate = model.packets.slots.gg.recip();
    Solution {
        throughput: rate,
        transmissions: rate,
        busy_share: 1.0,
        mean_cycle_slots: f64::INFINITY,
        timeouts: 0.0,
        late_timers: 0.0,
        fast_retransmits: 0.0,
        pruned: 0.0,
        error_bound: 0.0,
        states: 0,
    }
}

/// A loss follows every timeout: one lost packet per timer, for ever.
fn dead_link_solution(model: &Model) -> Option<Solution> {
    let wait = model.timer.wait_after(Fates { bb: 1, ..Fates::default() }, Slot::Bad);
    if model.packets.first_fate(wait.last_slot).good > 0.0 {
        return None;
    }
    let air = model.packets.slots.bb;
    let slots = air + wait.idle_slots;
    Some(Solution {
        throughput: 0.0,
        transmissions: slots.recip(),
        busy_share: air / slots,
        mean_cycle_slots: slots,
        timeouts: slots.recip(),
        late_timers: wait.late_probability / slots,
        fast_retransmits: 0.0,
        pruned: 0.0,
        error_bound: 0.0,
        states: 1,
    })
}

/// Visits per cycle to each class if the receiver always started with an empty mask: the chain of
/// [zorzi, section IV], used as a first guess only.
fn embedded_visits(model: &Model) -> Vec<f64> {
    let distributions = path_distributions(model);
    let row = |&class| {
        let mut row = vec![0.0; model.windows.classes.len()];
        outcomes(model, class, 0, GUESS_FLOOR, |outcome| {
            let Outcome { probability, path, slot_before_next_cycle: before, .. } = *outcome;
            for (slot, odds) in [(Slot::Good, before.good), (Slot::Bad, before.bad)] {
                let lost = odds * model.packets.next_fate(slot).bad;
                row[model.class_at_immediate_loss(path, slot)] += probability * lost;
            }
            let arrived = probability * model.packets.first_fate(before).good;
            for (sum, share) in row.iter_mut().zip(&distributions[path]) {
                *sum += arrived * share;
            }
            true
        });
        row
    };
    stationary_by_elimination(model.windows.classes.iter().map(row).collect())
}

fn solution_from_flow(model: &Model, graph: &Graph, flow: &[f64]) -> Solution {
    let lumped = lump_states(model, graph, flow);
    let mut mean = Costs::default();
    let mut by_class = vec![Costs::default(); lumped.visits.len()];
    for ((row, costs), &visits) in graph.rows.iter().zip(&graph.costs).zip(flow) {
        mean.add(visits, costs);
        if let Some(class) = by_class.get_mut(row.group) {
            class.add(visits, costs);
        }
    }
    Solution {
        throughput: mean.delivered / mean.slots,
        transmissions: mean.transmissions / mean.slots,
        busy_share: mean.busy_slots / mean.slots,
        mean_cycle_slots: mean.slots,
        timeouts: mean.timeouts / mean.slots,
        late_timers: mean.late_timers / mean.slots,
        fast_retransmits: mean.fast_retransmits / mean.slots,
        pruned: mean.pruned_probability + mean.replaced_probability,
        error_bound: error_bound(model, &lumped, &mean, &by_class),
        states: flow.len(),
    }
}
