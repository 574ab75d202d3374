//! From a problem to its solution.

use super::bound::error_bound;
use super::explore::explore;
use super::graph::{Costs, Graph};
use super::model::Model;
use super::phase2::outcomes;
use super::problem::{Problem, Solution, SolveError};
use super::stationary::{gth, lump, path_laws, stationary};

/// Branches of phase two below this are left out of the first guess of the visits.
const GUESS_FLOOR: f64 = 1e-5;

/// Solves a problem.
///
/// # Errors
/// Parameters outside the model's domain, too many states, or a flow that does not settle.
pub fn solve(problem: &Problem) -> Result<Solution, SolveError> {
    solve_with(problem, &mut || false)
}

/// Solves a problem unless `interrupted` says to stop; it is asked many times a second.
///
/// # Errors
/// As [`solve`], and [`SolveError::Interrupted`].
pub fn solve_with(
    problem: &Problem,
    interrupted: &mut dyn FnMut() -> bool,
) -> Result<Solution, SolveError> {
    problem.check()?;
    let model = Model::new(problem);
    if problem.p_gb == 0.0 {
        return Ok(lossless());
    }
    if model.channel.stays_bad_after(problem.timeout) {
        return Ok(dead(problem.timeout));
    }
    let visits = embedded_visits(&model);
    let graph = explore(&model, &problem.options, &visits, interrupted)?;
    let flow = stationary(&model, &graph, interrupted)?;
    Ok(summary(&model, &graph, &flow))
}

/// A channel that stays good sees one endless phase one.
fn lossless() -> Solution {
    Solution {
        throughput: 1.0,
        transmissions: 1.0,
        mean_cycle_slots: f64::INFINITY,
        timeouts: 0.0,
        fast_retransmits: 0.0,
        pruned: 0.0,
        error_bound: 0.0,
        states: 0,
    }
}

/// A bad slot follows every timeout: one lost transmission per timer, for ever.
fn dead(timeout: u64) -> Solution {
    let rate = 1.0 / timeout as f64;
    Solution {
        throughput: 0.0,
        transmissions: rate,
        mean_cycle_slots: timeout as f64,
        timeouts: rate,
        fast_retransmits: 0.0,
        pruned: 0.0,
        error_bound: 0.0,
        states: 1,
    }
}

/// Visits per cycle to each class if the receiver always started with an empty mask: the chain of
/// [zorzi, section IV], used as a first guess only.
fn embedded_visits(model: &Model) -> Vec<f64> {
    let laws = path_laws(model);
    let row = |&class| {
        let mut row = vec![0.0; model.windows.classes.len()];
        outcomes(model, class, 0, GUESS_FLOOR, |outcome| {
            let first = model.windows.class_after(outcome.path, 0);
            row[first] += outcome.probability * outcome.first.bad;
            for (sum, share) in row.iter_mut().zip(&laws[outcome.path]) {
                *sum += outcome.probability * outcome.first.good * share;
            }
            true
        });
        row
    };
    gth(model.windows.classes.iter().map(row).collect())
}

fn summary(model: &Model, graph: &Graph, flow: &[f64]) -> Solution {
    let lumped = lump(model, graph, flow);
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
        mean_cycle_slots: mean.slots,
        timeouts: mean.timeouts / mean.slots,
        fast_retransmits: mean.fast_retransmits / mean.slots,
        pruned: mean.cut + mean.replaced,
        error_bound: error_bound(model, &lumped, &mean, &by_class),
        states: flow.len(),
    }
}
