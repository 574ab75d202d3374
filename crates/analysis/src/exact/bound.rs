//! A bound on the error due to pruning.
//!
//! A branch that is not followed moves probability from one state to another. In the long run that
//! changes the deliveries by the difference of the two states' relative values, where the value of
//! a state is the number of deliveries, beyond the mean, that a start there brings. The values of
//! the lumped chain of window classes give the part of the window and the channel; the rest of
//! phase two adds at most a timeout and a window of packets. For Tahoe and `OldTahoe` the window
//! and channel process does not depend on the mask, and a packet that the receiver forgets costs
//! less than one delivery in the mean wherever that was computed; the bound allows two.
//!
//! This bounds the first order in the pruned mass, with the values of the pruned chain: reliable
//! where little is pruned, not a proof.

use super::graph::Costs;
use super::model::Model;
use super::problem::Variant;
use super::stationary::{LumpedChain, path_distributions};

/// Error left by sums of many terms and by the settling of the flow.
const ROUNDING: f64 = 1e-12;
/// Relative error of a timer's means computed from the circle of points.
const TRANSFORM_ERROR: f64 = 1e-8;
/// Deliveries that one forgotten packet may cost.
const DELIVERIES_PER_FORGOTTEN_PACKET: f64 = 2.0;

/// Bound on the error of the throughput, from mean costs per cycle, overall and by class.
pub(super) fn error_bound(
    model: &Model,
    lumped: &LumpedChain,
    mean: &Costs,
    by_class: &[Costs],
) -> f64 {
    let throughput = mean.delivered / mean.slots;
    let window = f64::from(model.max_window);
    let phase2 = window
        + throughput * (model.timer.slots as f64 + window * model.packets.longest_mean_slots());
    let losses = relative_values(lumped, throughput, by_class);
    // Another branch of phase two may end with the channel in the other state.
    let all =
        losses.iter().copied().chain(values_after_good_start(model, lumped, throughput, &losses));
    let branch = mean.pruned_probability * (value_range(all) + phase2);
    let mask = match model.variant {
        // The window and channel process does not depend on the mask.
        Variant::OldTahoe | Variant::Tahoe => {
            DELIVERIES_PER_FORGOTTEN_PACKET * mean.forgotten_packets
        }
        Variant::Reno | Variant::NewReno | Variant::Sack => {
            mean.replaced_probability * (value_range(losses.iter().copied()) + phase2)
        }
    };
    let timers = if model.timer.is_transformed() { TRANSFORM_ERROR * throughput } else { 0.0 };
    (branch + mask) / mean.slots + timers + ROUNDING
}

/// Relative values of the classes, `value = gain + P value`; zero for the first class that is
/// visited, and for those that never are.
fn relative_values(lumped: &LumpedChain, throughput: f64, by_class: &[Costs]) -> Vec<f64> {
    let mut values = vec![0.0; by_class.len()];
    let visited: Vec<usize> =
        (0..by_class.len()).filter(|&class| lumped.flow[class].iter().sum::<f64>() > 0.0).collect();
    let Some((_, others)) = visited.split_first() else { return values };
    let equation = |&class: &usize| {
        let row = &lumped.flow[class];
        // Flow out of the class is summed without the class: if it is rarely left, the
        // difference would have no digits.
        let leave = -visited.iter().filter(|&&o| o != class).map(|&o| row[o]).sum::<f64>();
        let term = |&other: &usize| if other == class { leave } else { row[other] };
        let gain = by_class[class].delivered - throughput * by_class[class].slots;
        others.iter().map(term).chain([-gain]).collect()
    };
    let solved = solve_linear_system(others.iter().map(equation).collect());
    for (&class, value) in others.iter().zip(solved) {
        values[class] = value;
    }
    values
}

/// Relative values of the cycles that start in a good slot, by growth path.
fn values_after_good_start(
    model: &Model,
    lumped: &LumpedChain,
    throughput: f64,
    losses: &[f64],
) -> Vec<f64> {
    let acks = model.packets.probabilities.gb.recip();
    let slots = acks * model.packets.slots.gg + model.packets.slots.gb;
    let gain = acks - throughput * slots;
    let visited = |class: &usize| lumped.visits[*class] > 0.0;
    let ahead = |distribution: Vec<f64>| -> f64 {
        (0..losses.len()).filter(visited).map(|class| distribution[class] * losses[class]).sum()
    };
    path_distributions(model).into_iter().map(|distribution| gain + ahead(distribution)).collect()
}

fn value_range(values: impl Iterator<Item = f64>) -> f64 {
    let (low, high) = values.fold((0.0_f64, 0.0_f64), |(l, h), v| (l.min(v), h.max(v)));
    high - low
}

/// Solves a linear system given by its rows, right-hand side last.
fn solve_linear_system(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let size = rows.len();
    for column in 0..size {
        let pivot = (column..size)
            .max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))
            .unwrap_or(column);
        rows.swap(column, pivot);
        let pivot = rows[column].clone();
        for (index, row) in rows.iter_mut().enumerate() {
            if index != column && row[column] != 0.0 {
                let factor = row[column] / pivot[column];
                row.iter_mut().zip(&pivot).for_each(|(entry, p)| *entry -= factor * p);
            }
        }
    }
    rows.iter().enumerate().map(|(index, row)| row[size] / row[index]).collect()
}
