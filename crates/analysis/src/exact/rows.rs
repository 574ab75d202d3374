//! Writes the rows of the graph once every successor has its rank.

use super::explore::{Explorer, QUANTA, RawRow};
use super::graph::{Graph, Row, State};

/// Writes rows with one edge per successor.
pub(super) struct RowWriter {
    /// For each successor, its index among the edges of the row being written, if it has one.
    edge_by_target: Vec<u32>,
    edges: Vec<(u32, f64)>,
}

impl RowWriter {
    pub(super) fn new(states: usize) -> Self {
        Self { edge_by_target: vec![u32::MAX; states], edges: Vec::new() }
    }

    pub(super) fn write_row(
        &mut self,
        from: &Explorer,
        row: &RawRow,
        edges: &[(u32, f64)],
        graph: &mut Graph,
    ) {
        let rank = graph.rows.len() as u32;
        let mut costs = row.costs;
        for &(id, probability) in edges {
            let target = from.rank[id as usize];
            self.add_edge(target, probability);
            let actual = from.raw_rows[target as usize].id;
            if actual != id {
                let masks = [id, actual].map(|id| State::decode(from.codes[id as usize]).mask());
                costs.replaced_probability += probability;
                costs.forgotten_packets +=
                    probability * f64::from((masks[0] ^ masks[1]).count_ones());
            }
        }
        let group = match State::decode(from.codes[row.id as usize]) {
            State::Loss { class, .. } => class,
            State::Ack { path, .. } => from.model.windows.classes.len() + path,
        };
        graph.costs.push(costs);
        graph.weights.push(from.weights[row.id as usize] as f64 / QUANTA);
        self.flush_row(rank, group, graph);
    }

    fn add_edge(&mut self, target: u32, probability: f64) {
        let place = &mut self.edge_by_target[target as usize];
        if *place == u32::MAX {
            *place = self.edges.len() as u32;
            self.edges.push((target, probability));
        } else {
            self.edges[*place as usize].1 += probability;
        }
    }

    fn flush_row(&mut self, rank: u32, group: usize, graph: &mut Graph) {
        let start = graph.targets.len();
        let mut push = |wanted: fn(&u32, &u32) -> bool| {
            for (target, probability) in self.edges.iter().filter(|edge| wanted(&edge.0, &rank)) {
                graph.targets.push(*target);
                graph.probabilities.push(*probability);
            }
            graph.targets.len()
        };
        let split = push(u32::lt);
        let end = push(u32::gt);
        let leave = graph.probabilities[start..].iter().sum();
        graph.rows.push(Row {
            start,
            later_edges_start: split,
            end,
            leave_probability: leave,
            group,
        });
        for (target, _) in self.edges.drain(..) {
            self.edge_by_target[target as usize] = u32::MAX;
        }
    }
}
