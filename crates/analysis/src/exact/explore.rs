//! Discovers the chain from its states with an empty mask, most probable states first.
//!
//! Every state has a weight, an estimate of its visits per cycle: the weight that its expanded
//! predecessors sent there. The heaviest state is expanded next, until the states that are left
//! weigh no more than may be pruned. Each of those is then replaced by an expanded state with the
//! same window and a smaller mask, so that the receiver forgets packets, the farthest first.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::channel::Slot;
use super::frontier::{Buckets, CodeHasher, UNEXPANDED};
use super::graph::{Costs, Graph, State};
use super::model::Model;
use super::phase2::{Outcome, outcomes};
use super::problem::{Options, SolveError};
use super::receiver::{Mask, advance};
use super::rows::RowWriter;

/// Branches of phase two are followed down to this fraction of the mass to prune.
const BRANCH_FLOOR: f64 = 1e-6;
/// Weights are whole numbers of quanta, so that sums of weights are exact in any order.
pub(super) const QUANTA: f64 = (1_u64 << 58) as f64;
/// Edges between two checks for an interrupt.
const CHECK_INTERVAL: usize = 4096;
/// Edges allowed for each state allowed.
const EDGES_PER_STATE: usize = 20;

/// Explores the chain, given the visits per cycle to each class of `Loss` states.
pub(super) fn explore(
    model: &Model,
    options: &Options,
    visits: &[f64],
    interrupted: &mut dyn FnMut() -> bool,
) -> Result<Graph, SolveError> {
    let mut explorer = Explorer::new(model, options, interrupted);
    for (class, &weight) in visits.iter().enumerate() {
        let id = explorer.intern(State::Loss { class, mask: 0 });
        explorer.add_weight(id, weight);
        explorer.expand(id)?;
    }
    let prune = (options.prune * QUANTA) as u64;
    while explorer.frontier > prune {
        let Some(id) = explorer.queue.pop(&explorer.rank) else { break };
        explorer.expand(id)?;
    }
    explorer.into_graph()
}

/// An expanded state before its successors are settled.
pub(super) struct RawRow {
    pub(super) id: u32,
    pub(super) end: usize,
    pub(super) costs: Costs,
}

pub(super) struct Explorer<'a> {
    pub(super) model: &'a Model,
    branch_floor: f64,
    max_states: usize,
    interrupted: &'a mut dyn FnMut() -> bool,
    failure: Option<SolveError>,
    index: HashMap<u64, u32, BuildHasherDefault<CodeHasher>>,
    pub(super) codes: Vec<u64>,
    pub(super) weights: Vec<u64>,
    /// Position among the expanded states.
    pub(super) rank: Vec<u32>,
    pub(super) raw_rows: Vec<RawRow>,
    edges: Vec<(u32, f64)>,
    queue: Buckets,
    /// Weight of all states that are not expanded.
    frontier: u64,
}

impl<'a> Explorer<'a> {
    fn new(model: &'a Model, options: &Options, interrupted: &'a mut dyn FnMut() -> bool) -> Self {
        Self {
            model,
            branch_floor: options.prune * BRANCH_FLOOR,
            max_states: options.max_states,
            interrupted,
            failure: None,
            index: HashMap::default(),
            codes: Vec::new(),
            weights: Vec::new(),
            rank: Vec::new(),
            raw_rows: Vec::new(),
            edges: Vec::new(),
            queue: Buckets::new(),
            frontier: 0,
        }
    }

    fn intern(&mut self, state: State) -> u32 {
        let code = state.encode();
        let next = self.codes.len() as u32;
        let id = *self.index.entry(code).or_insert(next);
        if id == next {
            self.codes.push(code);
            self.weights.push(0);
            self.rank.push(UNEXPANDED);
        }
        id
    }

    fn add_weight(&mut self, id: u32, weight: f64) {
        if self.rank[id as usize] != UNEXPANDED {
            return;
        }
        let quanta = (weight * QUANTA) as u64;
        if quanta == 0 {
            return;
        }
        let total = &mut self.weights[id as usize];
        self.queue.raise(id, *total, *total + quanta);
        *total += quanta;
        self.frontier += quanta;
    }

    fn expand(&mut self, id: u32) -> Result<(), SolveError> {
        self.rank[id as usize] = self.raw_rows.len() as u32;
        self.frontier -= self.weights[id as usize];
        let weight = self.weights[id as usize].max(1) as f64 / QUANTA;
        let mut costs = Costs::default();
        match State::decode(self.codes[id as usize]) {
            State::Loss { class, mask } => costs = self.expand_loss(class, mask, weight),
            State::Ack { path, acks, mask: 0 } => self.expand_empty(path, acks, weight),
            State::Ack { path, acks, mask } => self.expand_ack(path, acks, mask, weight),
        }
        self.raw_rows.push(RawRow { id, end: self.edges.len(), costs });
        self.failure.take().map_or(Ok(()), Err)
    }

    fn expand_loss(&mut self, class: usize, mask: Mask, weight: f64) -> Costs {
        let model = self.model;
        let floor = self.branch_floor / weight;
        let mut costs = Costs::default();
        costs.pruned_probability =
            outcomes(model, model.windows.classes[class], mask, floor, |outcome| {
                costs.add(outcome.probability, &outcome_costs(model, outcome));
                self.expand_outcome(outcome, weight);
                self.check_interrupt()
            });
        costs
    }

    /// Follows phase one with nothing held: the rest of it is in closed form.
    fn expand_empty(&mut self, path: usize, acks: usize, weight: f64) {
        let distribution = self.model.class_at_loss(path, acks);
        for (class, probability) in distribution.into_iter().enumerate() {
            self.add_edge(State::Loss { class, mask: 0 }, probability, weight);
        }
    }

    fn expand_ack(&mut self, path: usize, acks: usize, mask: Mask, weight: f64) {
        let class = self.model.windows.class_after(path, acks);
        let odds = self.model.packets.next_fate(Slot::Good);
        self.add_edge(State::Loss { class, mask }, odds.bad, weight);
        let next = State::Ack { path, acks: acks + 1, mask: advance(mask) };
        self.add_edge(next, odds.good, weight);
    }

    /// The first slot of the next cycle: a loss, or the first success.
    fn expand_outcome(&mut self, outcome: &Outcome, weight: f64) {
        let Outcome { probability, path, mask, slot_before_next_cycle: before, .. } = *outcome;
        for (slot, odds) in [(Slot::Good, before.good), (Slot::Bad, before.bad)] {
            let class = self.model.class_at_immediate_loss(path, slot);
            let lost = odds * self.model.packets.next_fate(slot).bad;
            self.add_edge(State::Loss { class, mask }, probability * lost, weight);
        }
        let state = State::Ack { path, acks: 1, mask: advance(mask) };
        self.add_edge(state, probability * self.model.packets.first_fate(before).good, weight);
    }

    fn add_edge(&mut self, state: State, probability: f64, weight: f64) {
        if probability > 0.0 {
            let id = self.intern(state);
            self.edges.push((id, probability));
            self.add_weight(id, probability * weight);
        }
    }

    fn check_interrupt(&mut self) -> bool {
        let max_edges = EDGES_PER_STATE.saturating_mul(self.max_states);
        if self.codes.len() > self.max_states || self.edges.len() > max_edges {
            let left = self.frontier as f64 / QUANTA;
            self.failure = Some(SolveError::TooManyStates { limit: self.max_states, left });
        } else if self.edges.len() % CHECK_INTERVAL < 2 && (self.interrupted)() {
            self.failure = Some(SolveError::Interrupted);
        }
        self.failure.is_none()
    }

    fn into_graph(mut self) -> Result<Graph, SolveError> {
        for id in 0..self.codes.len() {
            if self.rank[id] == UNEXPANDED {
                self.replace_unexpanded(id)?;
            }
        }
        let mut graph = Graph::default();
        let mut merge = RowWriter::new(self.raw_rows.len());
        let mut start = 0;
        for row in &self.raw_rows {
            merge.write_row(&self, row, &self.edges[start..row.end], &mut graph);
            start = row.end;
        }
        Ok(graph)
    }

    /// Gives a state that was not expanded the rank of a similar one that was.
    fn replace_unexpanded(&mut self, id: usize) -> Result<(), SolveError> {
        let state = State::decode(self.codes[id]);
        let mut mask = state.mask();
        while mask != 0 {
            mask ^= 1 << mask.ilog2();
            if let Some(&other) = self.index.get(&state.with_mask(mask).encode())
                && let rank = self.rank[other as usize]
                && rank != UNEXPANDED
                && self.raw_rows[rank as usize].id == other
            {
                self.rank[id] = rank;
                return Ok(());
            }
        }
        let empty = self.intern(state.with_mask(0));
        self.expand(empty)?;
        self.rank[id] = self.rank[empty as usize];
        Ok(())
    }
}

/// Phase two, the lost slot, and the phase one that follows: with a good first slot, the ACKs
/// until the next loss are geometric.
fn outcome_costs(model: &Model, outcome: &Outcome) -> Costs {
    let acks = model.packets.first_fate(outcome.slot_before_next_cycle).good
        / model.packets.probabilities.gb;
    let air =
        outcome.busy_slots + model.packets.mean_phase_one_slots(outcome.slot_before_next_cycle);
    Costs {
        slots: air + outcome.idle_slots,
        busy_slots: air,
        late_timers: outcome.late_probability,
        transmissions: f64::from(outcome.transmissions) + 1.0 + acks,
        delivered: f64::from(outcome.delivered) + acks,
        timeouts: f64::from(outcome.timeouts),
        fast_retransmits: f64::from(outcome.fast_retransmits),
        ..Costs::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::problem::{Problem, Variant};
    use super::*;

    /// Every state but the losses with a window of one must be left for sure.
    #[test]
    fn probabilities_out_of_every_state_sum_to_one() {
        for variant in Variant::ALL {
            for prune in [1e-3, 1e-9] {
                let mut problem = Problem::new(variant, 0.05, 0.3).with_window(9);
                problem.options.prune = prune;
                let model = Model::new(&problem);
                let visits = vec![0.1; model.windows.classes.len()];
                let graph = explore(&model, &problem.options, &visits, &mut || false).unwrap();
                assert!(graph.rows.len() > visits.len());
                for row in &graph.rows {
                    let sum = graph.edges(row.start, row.end).map(|edge| edge.1).sum::<f64>();
                    assert_eq!(sum, row.leave_probability);
                    let stays = row.group == 0 && row.leave_probability < 1.0;
                    assert!(stays || (row.leave_probability - 1.0).abs() < 1e-13, "{row:?}");
                }
            }
        }
    }
}
