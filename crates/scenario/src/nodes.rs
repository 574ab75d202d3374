//! Nodes that hops connect, by name, and the two nodes of a flow.

use crate::input_error::InputError;
use crate::names::check_name;
use crate::path::{Flow, PathScenario};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The nodes at the ends of a hop, or those of a flow, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EndNodes {
    /// The near end of a hop; the node of the sender of a flow.
    pub from: usize,
    /// The far end of a hop; the node of the receiver.
    pub to: usize,
}

/// The nodes of a scenario, numbered in the order in which hops mention them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nodes {
    names: Vec<String>,
    numbers: BTreeMap<String, usize>,
    hops: Vec<EndNodes>,
}

/// Routes between nodes, each looked for once.
#[derive(Debug)]
pub struct Routes {
    nodes: Nodes,
    /// Hops that lead away from each node: the hop, true if it is crossed from its far end, and the next node. All
    /// forward crossings come before the reverse ones, in the order of the links of a run.
    hops_from_node: Vec<Vec<(usize, bool, usize)>>,
    known_routes: BTreeMap<EndNodes, Vec<(usize, bool)>>,
}

impl PathScenario {
    /// The nodes. A hop begins where the one before it ends, and ends at a node of its own, unless it says otherwise.
    #[must_use]
    pub fn nodes(&self) -> Nodes {
        let mut nodes = Nodes { names: Vec::new(), numbers: BTreeMap::new(), hops: Vec::new() };
        let mut last = "0".to_owned();
        for (i, hop) in self.path.hop.iter().enumerate() {
            let from = hop.near.clone().unwrap_or(last);
            last = hop.far.clone().unwrap_or_else(|| (i + 1).to_string());
            let ends = EndNodes {
                from: nodes.number_of_new_or_known(&from),
                to: nodes.number_of_new_or_known(&last),
            };
            nodes.hops.push(ends);
        }
        nodes
    }

    /// The routes between the nodes.
    #[must_use]
    pub fn routes(&self) -> Routes {
        Routes::new(self.nodes())
    }

    /// Checks that hops lead from one node to another, and that every flow has a route.
    pub(crate) fn check_nodes(&self) -> Result<(), InputError> {
        let nodes = self.nodes();
        for (i, hop) in self.path.hop.iter().enumerate() {
            for (key, name) in [("near", &hop.near), ("far", &hop.far)] {
                let given =
                    name.iter().map(|name| check_name(format!("path.hop[{i}].{key}"), name));
                given.collect::<Result<(), _>>()?;
            }
        }
        for (i, ends) in nodes.hops.iter().enumerate() {
            if ends.from == ends.to {
                let message = format!(
                    "the hop leads from \"{}\" to itself; near and far must differ",
                    nodes.names[ends.from]
                );
                return Err(InputError::new(format!("path.hop[{i}].far"), message));
            }
        }
        let mut routes = Routes::new(nodes);
        for (i, flow) in self.flow.iter().enumerate() {
            routes.check((&flow.sender, &flow.receiver), &format!("flow[{i}]"))?;
        }
        for (i, traffic) in self.traffic.iter().enumerate() {
            routes.check((&traffic.sender, &traffic.receiver), &format!("traffic[{i}]"))?;
        }
        Ok(())
    }

    /// True if all hops lie one behind the other.
    #[must_use]
    pub fn is_chain(&self) -> bool {
        let hops = self.nodes().hops;
        hops.iter().enumerate().all(|(i, ends)| *ends == EndNodes { from: i, to: i + 1 })
    }

    /// Flags of the hops, true if data of some flow cross the hop from its far end to its near end.
    pub(crate) fn data_back(&self) -> Vec<bool> {
        let mut routes = self.routes();
        let each = self.flow.iter().filter_map(|flow| routes.nodes.flow_end_nodes(flow));
        let ends: BTreeSet<EndNodes> = each.collect();
        let mut back = vec![false; routes.nodes.hops.len()];
        for ends in ends {
            routes.route(ends).iter().for_each(|(hop, is_back)| back[*hop] |= is_back);
        }
        back
    }
}

impl Nodes {
    /// The nodes at the ends of the hops.
    #[must_use]
    pub fn hops(&self) -> &[EndNodes] {
        &self.hops
    }

    /// Names of the nodes.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The nodes of the sender and the receiver of a flow or of cross-traffic: by default the near end of the first hop
    /// and the far end of the last.
    #[must_use]
    pub fn end_nodes(
        &self,
        sender: Option<&String>,
        receiver: Option<&String>,
    ) -> Option<EndNodes> {
        let from =
            sender.map_or(self.hops.first().map(|ends| ends.from), |name| self.known_number(name));
        let to =
            receiver.map_or(self.hops.last().map(|ends| ends.to), |name| self.known_number(name));
        Some(EndNodes { from: from?, to: to? })
    }

    /// The nodes of the sender and the receiver of a flow.
    #[must_use]
    pub fn flow_end_nodes(&self, flow: &Flow) -> Option<EndNodes> {
        self.end_nodes(flow.sender.as_ref(), flow.receiver.as_ref())
    }

    fn number_of_new_or_known(&mut self, name: &str) -> usize {
        self.known_number(name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.numbers.insert(name.to_owned(), self.names.len() - 1);
            self.names.len() - 1
        })
    }

    fn known_number(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }
}

impl Routes {
    fn new(nodes: Nodes) -> Self {
        let mut leading = vec![Vec::new(); nodes.names.len()];
        for (hop, ends) in nodes.hops.iter().enumerate() {
            leading[ends.from].push((hop, false, ends.to));
        }
        for (hop, ends) in nodes.hops.iter().enumerate().rev() {
            leading[ends.to].push((hop, true, ends.from));
        }
        Routes { nodes, hops_from_node: leading, known_routes: BTreeMap::new() }
    }

    /// The nodes.
    #[must_use]
    pub fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    fn check(
        &mut self,
        (sender, receiver): (&Option<String>, &Option<String>),
        place: &str,
    ) -> Result<(), InputError> {
        for (key, name) in [("sender", sender), ("receiver", receiver)] {
            let Some(name) = name.as_ref().filter(|name| self.nodes.known_number(name).is_none())
            else {
                continue;
            };
            let known: Vec<&str> = self.nodes.names.iter().map(String::as_str).collect();
            return Err(InputError::unknown(&format!("{place}.{key}"), "node", name, &known));
        }
        let Some(ends) = self.nodes.end_nodes(sender.as_ref(), receiver.as_ref()) else {
            return Ok(());
        };
        let is_reachable = !self.route(ends).is_empty();
        let names = (&self.nodes.names[ends.from], &self.nodes.names[ends.to]);
        if ends.from == ends.to {
            let key = if receiver.is_some() { "receiver" } else { "sender" };
            let message = format!(
                "sender and receiver are both \"{}\" (defaults: the near end of the first hop, the far end of the last)",
                names.0
            );
            return Err(InputError::new(format!("{place}.{key}"), message));
        }
        if !is_reachable {
            let message = format!("no hops lead from \"{}\" to \"{}\"", names.0, names.1);
            return Err(InputError::new(format!("{place}.receiver"), message));
        }
        Ok(())
    }

    /// The hops from one node to another, each with a flag: true if it is crossed from its far end. The route has the
    /// fewest hops and, among routes of equal length, those that come first in the scenario.
    pub fn route(&mut self, ends: EndNodes) -> &[(usize, bool)] {
        let Routes { hops_from_node: leading, known_routes: known, .. } = self;
        known.entry(ends).or_insert_with(|| shortest_route(leading, ends))
    }
}

fn shortest_route(leading: &[Vec<(usize, bool, usize)>], ends: EndNodes) -> Vec<(usize, bool)> {
    let mut by: Vec<Option<(usize, bool, usize)>> = vec![None; leading.len()];
    let mut seen = VecDeque::from([ends.from]);
    while by[ends.to].is_none() {
        let Some(node) = seen.pop_front() else { return Vec::new() };
        for &(hop, is_back, to) in &leading[node] {
            if to != ends.from && by[to].is_none() {
                by[to] = Some((hop, is_back, node));
                seen.push_back(to);
            }
        }
    }
    let (mut route, mut node) = (Vec::new(), ends.to);
    while let Some((hop, is_back, before)) = by[node] {
        route.push((hop, is_back));
        node = before;
    }
    route.reverse();
    route
}
