//! The stationary flow of the chain, by Gauss-Seidel sweeps with aggregation.
//!
//! A sweep passes flow along all edges, from heavy states to light ones; excursions into non-empty
//! masks are short, so a few sweeps settle them. Only the window process settles slowly. So before
//! each sweep the states are lumped into window classes, the small lumped chain is solved directly,
//! and the flow of each class is scaled to its share (iterative aggregation and disaggregation).

use super::graph::Graph;
use super::model::Model;
use super::problem::SolveError;

/// Relative change of the flow, over its sum, below which sweeps end ..
const CONVERGED_CHANGE: f64 = 1e-13;
/// .. or relative change above which a flow that has stopped settling is an error.
const ACCEPTED_CHANGE: f64 = 1e-11;
const MAX_SWEEPS: usize = 10_000;
/// Sweeps without progress after which the flow has stopped settling.
const STALLED_SWEEPS: usize = 20;

/// The chain lumped into window classes.
#[derive(Clone, Debug)]
pub(super) struct LumpedChain {
    /// Flow from class to class.
    pub(super) flow: Vec<Vec<f64>>,
    /// Visits per cycle.
    pub(super) visits: Vec<f64>,
}

/// Visits per cycle to every state.
pub(super) fn stationary_flow(
    model: &Model,
    graph: &Graph,
    interrupted: &mut dyn FnMut() -> bool,
) -> Result<Vec<f64>, SolveError> {
    let classes = model.windows.classes.len();
    let distributions = path_distributions(model);
    let mut flow = graph.weights.clone();
    let (mut best, mut since_best) = (f64::INFINITY, 0);
    for _ in 0..MAX_SWEEPS {
        if interrupted() {
            return Err(SolveError::Interrupted);
        }
        let before = flow.clone();
        gauss_seidel_sweep(graph, &mut flow);
        rescale(graph, &distributions, classes, &mut flow);
        let change = relative_change(&before, &flow);
        if change < best {
            (best, since_best) = (change, 0);
        } else {
            since_best += 1;
        }
        if change < CONVERGED_CHANGE || (since_best > STALLED_SWEEPS && best < ACCEPTED_CHANGE) {
            return Ok(flow);
        }
    }
    Err(SolveError::NoConvergence { change: best })
}

/// The flow from class to class, and its visits.
pub(super) fn lump_states(model: &Model, graph: &Graph, flow: &[f64]) -> LumpedChain {
    let classes = model.windows.classes.len();
    let grouped = group_flow(graph, classes, flow);
    let flow = class_flow(&grouped, &path_distributions(model), classes);
    let visits = stationary_by_elimination(flow.clone());
    LumpedChain { flow, visits }
}

/// Distribution of the class at the loss on each path, after its first ACK.
pub(super) fn path_distributions(model: &Model) -> Vec<Vec<f64>> {
    let distribution = |path| model.class_at_loss(path, 1);
    (0..model.windows.path_count()).map(distribution).collect()
}

/// One Gauss-Seidel sweep of `flow = flow P`: later states use the new flow of earlier ones.
fn gauss_seidel_sweep(graph: &Graph, flow: &mut [f64]) {
    let mut inflow = vec![0.0; flow.len()];
    for (row, &visits) in graph.rows.iter().zip(&*flow) {
        for (target, probability) in graph.edges(row.start, row.later_edges_start) {
            inflow[target] += visits * probability;
        }
    }
    for (state, row) in graph.rows.iter().enumerate() {
        flow[state] = inflow[state] / row.leave_probability;
        for (target, probability) in graph.edges(row.later_edges_start, row.end) {
            inflow[target] += flow[state] * probability;
        }
    }
}

/// Scales the flow of every class of windows to its share in the lumped chain, and the flow on
/// every growth path to the flow that then enters it.
fn rescale(graph: &Graph, distributions: &[Vec<f64>], classes: usize, flow: &mut [f64]) {
    let grouped = group_flow(graph, classes, flow);
    let visits = stationary_by_elimination(class_flow(&grouped, distributions, classes));
    let mut factors = vec![0.0; classes + distributions.len()];
    let mut entering = vec![(0.0, 0.0); distributions.len()];
    for (class, row) in grouped.iter().enumerate() {
        let old: f64 = row.iter().sum();
        factors[class] = if old > 0.0 { visits[class] / old } else { 1.0 };
        for (entry, &flow) in entering.iter_mut().zip(&row[classes..]) {
            entry.0 += flow;
            entry.1 += flow * factors[class];
        }
    }
    for (factor, (old, new)) in factors[classes..].iter_mut().zip(entering) {
        *factor = if old > 0.0 { new / old } else { 1.0 };
    }
    for (visits, row) in flow.iter_mut().zip(&graph.rows) {
        *visits *= factors[row.group];
    }
}

/// Flow from each class straight to the next loss (first columns), or onto each path.
fn group_flow(graph: &Graph, classes: usize, flow: &[f64]) -> Vec<Vec<f64>> {
    let groups = graph.rows.iter().map(|row| row.group).max().map_or(0, |last| last + 1);
    let mut grouped = vec![vec![0.0; groups.max(classes)]; classes];
    for (row, &visits) in graph.rows.iter().zip(flow) {
        let Some(sums) = grouped.get_mut(row.group) else { continue };
        sums[row.group] += visits * (1.0 - row.leave_probability);
        for (target, probability) in graph.edges(row.start, row.end) {
            sums[graph.rows[target].group] += visits * probability;
        }
    }
    grouped
}

/// Flow from class to class: flow that enters a path leaves it by the distribution of the path.
fn class_flow(grouped: &[Vec<f64>], distributions: &[Vec<f64>], classes: usize) -> Vec<Vec<f64>> {
    let whole = |row: &Vec<f64>| {
        let mut whole = row[..classes].to_vec();
        for (&entering, distribution) in row[classes..].iter().zip(distributions) {
            for (sum, probability) in whole.iter_mut().zip(distribution) {
                *sum += entering * probability;
            }
        }
        whole
    };
    grouped.iter().map(whole).collect()
}

fn relative_change(before: &[f64], after: &[f64]) -> f64 {
    let change: f64 = before.iter().zip(after).map(|(a, b)| (a - b).abs()).sum();
    change / after.iter().sum::<f64>()
}

/// Stationary distribution of a small chain by the elimination of Grassmann, Taksar and Heyman,
/// which subtracts nothing. Rows are weighted; a row of zeros is a state that is never visited.
pub(super) fn stationary_by_elimination(mut matrix: Vec<Vec<f64>>) -> Vec<f64> {
    let size = matrix.len();
    normalise_rows(&mut matrix);
    // Distribution of the states from `base` on; those before are left for ever.
    let base = (1..size).rev().find(|&last| !eliminate_states(&mut matrix, last)).unwrap_or(0);
    let mut distribution = vec![0.0; size];
    distribution[base] = 1.0;
    for state in base + 1..size {
        distribution[state] =
            (base..state).map(|other| distribution[other] * matrix[other][state]).sum();
        let sum: f64 = distribution[base..=state].iter().sum();
        distribution.iter_mut().for_each(|share| *share /= sum);
    }
    distribution
}

/// Watches the chain only while it is before state `last`; false if it never returns there.
fn eliminate_states(matrix: &mut [Vec<f64>], last: usize) -> bool {
    let (before, row) = matrix.split_at_mut(last);
    let leave: f64 = row[0][..last].iter().sum();
    if leave == 0.0 {
        return false;
    }
    for other in before {
        other[last] /= leave;
        let entering = other[last];
        for (sum, probability) in other[..last].iter_mut().zip(&row[0]) {
            *sum += entering * probability;
        }
    }
    true
}

fn normalise_rows(matrix: &mut [Vec<f64>]) {
    for row in matrix {
        let sum: f64 = row.iter().sum();
        if sum > 0.0 {
            row.iter_mut().for_each(|entry| *entry /= sum);
        } else {
            row[0] = 1.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_states() {
        let distribution = stationary_by_elimination(vec![vec![0.9, 0.1], vec![0.3, 0.7]]);
        assert!((distribution[0] - 0.75).abs() < 1e-15 && (distribution[1] - 0.25).abs() < 1e-15);
    }

    #[test]
    fn states_left_for_ever_have_no_share() {
        let chain = vec![vec![0.5, 0.5, 0.0], vec![0.0, 0.0, 1.0], vec![0.0, 1.0, 0.0]];
        assert_eq!(stationary_by_elimination(chain), [0.0, 0.5, 0.5]);
    }

    #[test]
    fn states_never_visited_have_no_share() {
        assert_eq!(
            stationary_by_elimination(vec![vec![0.0, 2.0, 0.0], vec![4.0, 0.0, 0.0], vec![0.0; 3]]),
            [0.5, 0.5, 0.0]
        );
    }
}
