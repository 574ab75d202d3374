//! Nodes, the links between them, and the routes of flows over these links.

use airtcp_radio::HopConfig;
use std::collections::BTreeMap;

/// One direction of a hop, and the nodes that it connects.
pub struct LinkConfig {
    /// Configuration of its hop.
    pub hop: HopConfig,
    /// Node at the start of the link.
    pub source_node: usize,
    /// The node at which they arrive.
    pub destination_node: usize,
}

/// Routes of a flow's data and of its ACKs, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FlowRoutes {
    pub(super) data: u32,
    pub(super) acks: u32,
}

/// Routes of all flows; flows over the same links share a route.
#[derive(Debug)]
pub(super) struct Topology {
    /// Start and end node of every link.
    ends: Vec<(usize, usize)>,
    /// Links of all routes, concatenated, and the range of each route in that list.
    links: Vec<u32>,
    routes: Vec<(u32, u32)>,
    route_numbers: BTreeMap<Vec<usize>, usize>,
}

impl Topology {
    pub(super) fn new(links: &[LinkConfig]) -> Self {
        Topology::from_ends(
            links.iter().map(|link| (link.source_node, link.destination_node)).collect(),
        )
    }

    fn from_ends(ends: Vec<(usize, usize)>) -> Self {
        Topology { ends, links: Vec::new(), routes: Vec::new(), route_numbers: BTreeMap::new() }
    }

    /// Number of the route over `links`.
    pub(super) fn route_number(&mut self, links: &[usize]) -> usize {
        if let Some(known) = self.route_numbers.get(links) {
            return *known;
        }
        let start = self.links.len() as u32;
        self.links.extend(links.iter().map(|link| *link as u32));
        self.routes.push((start, self.links.len() as u32));
        self.route_numbers.insert(links.to_vec(), self.routes.len() - 1);
        self.routes.len() - 1
    }

    #[inline(always)]
    fn links(&self, route: u32) -> &[u32] {
        let (start, end) = self.routes[route as usize];
        &self.links[start as usize..end as usize]
    }

    /// Returns whether all data take the links of the first half, in order, and all ACKs those of the second half.
    pub(super) fn is_one_way(&self, flows: &[FlowRoutes]) -> bool {
        let half = self.ends.len() / 2;
        let forward = |route: u32| self.links(route).iter().map(|link| *link as usize).eq(0..half);
        let reverse =
            |route: u32| self.links(route).iter().map(|link| *link as usize).eq(half..2 * half);
        let chain = |(link, ends): (usize, &(usize, usize))| *ends == (link, link + 1);
        let is_chain = self.ends[..half].iter().enumerate().all(chain);
        is_chain && flows.iter().all(|routes| forward(routes.data) && reverse(routes.acks))
    }

    /// First link of a route.
    #[inline]
    pub(super) fn first_link(&self, route: u32) -> usize {
        self.links(route)[0] as usize
    }

    /// Link after `link` on a route; none at its end.
    #[inline]
    pub(super) fn next_link(&self, route: u32, link: usize) -> Option<usize> {
        let links = self.links(route);
        let place = links.iter().position(|number| *number as usize == link)?;
        links.get(place + 1).map(|next| *next as usize)
    }

    /// Returns whether it is the access of a flow, which leads nowhere else.
    #[inline]
    pub(super) fn is_access(&self, link: usize) -> bool {
        let (from, to) = self.ends[link];
        from == to
    }

    /// Node at the start of a link.
    #[inline]
    pub(super) fn source_node(&self, link: usize) -> usize {
        self.ends[link].0
    }

    /// Node at the end of a link.
    #[inline]
    pub(super) fn destination_node(&self, link: usize) -> usize {
        self.ends[link].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_lead_from_link_to_link() {
        let ends = vec![(0, 1), (1, 2), (2, 1), (1, 0)];
        let mut chain = Topology::from_ends(ends);
        let routes =
            [&[0, 1][..], &[2, 3], &[1], &[0, 1]].map(|links| chain.route_number(links) as u32);
        assert_eq!(routes, [0, 1, 2, 0]);
        let links = |route| {
            let first = Some(chain.first_link(route));
            std::iter::successors(first, |link| chain.next_link(route, *link)).collect::<Vec<_>>()
        };
        assert_eq!([links(0), links(1), links(2)], [vec![0, 1], vec![2, 3], vec![1]]);
        assert_eq!((chain.source_node(2), chain.destination_node(2)), (2, 1));
    }
}
