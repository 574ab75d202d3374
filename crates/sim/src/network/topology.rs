//! Nodes and the links between them: which way the packets of a flow take.

use airtcp_radio::HopConfig;
use std::collections::BTreeMap;

/// One direction of a hop, and the nodes that it connects.
pub struct LinkConfig {
    /// Configuration of its hop.
    pub hop: HopConfig,
    /// The node at which packets are handed to it.
    pub from: usize,
    /// The node at which they arrive.
    pub to: usize,
}

/// The way of a flow's data, and that of its ACKs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ways {
    pub(super) data: u32,
    pub(super) acks: u32,
}

/// The ways of all flows. Those of the same links are one.
#[derive(Debug)]
pub(super) struct Topology {
    /// The nodes from which and to which every link leads.
    ends: Vec<(usize, usize)>,
    /// The links of all ways, one after the other, and where each way begins and ends there.
    links: Vec<u32>,
    ways: Vec<(u32, u32)>,
    known: BTreeMap<Vec<usize>, usize>,
}

impl Topology {
    pub(super) fn new(links: &[LinkConfig]) -> Self {
        Topology::between(links.iter().map(|link| (link.from, link.to)).collect())
    }

    fn between(ends: Vec<(usize, usize)>) -> Self {
        Topology { ends, links: Vec::new(), ways: Vec::new(), known: BTreeMap::new() }
    }

    /// The number of a way over these links.
    pub(super) fn way(&mut self, links: &[usize]) -> usize {
        if let Some(known) = self.known.get(links) {
            return *known;
        }
        let start = self.links.len() as u32;
        self.links.extend(links.iter().map(|link| *link as u32));
        self.ways.push((start, self.links.len() as u32));
        self.known.insert(links.to_vec(), self.ways.len() - 1);
        self.ways.len() - 1
    }

    #[inline(always)]
    fn links(&self, way: u32) -> &[u32] {
        let (start, end) = self.ways[way as usize];
        &self.links[start as usize..end as usize]
    }

    /// Returns whether there is one way for all data, along all links of the first half, and one for all ACKs, along the others.
    pub(super) fn is_one_way(&self, flows: &[Ways]) -> bool {
        let half = self.ends.len() / 2;
        let ahead = |way: u32| self.links(way).iter().map(|link| *link as usize).eq(0..half);
        let home = |way: u32| self.links(way).iter().map(|link| *link as usize).eq(half..2 * half);
        let chain = |(link, ends): (usize, &(usize, usize))| *ends == (link, link + 1);
        let is_chain = self.ends[..half].iter().enumerate().all(chain);
        is_chain && flows.iter().all(|ways| ahead(ways.data) && home(ways.acks))
    }

    /// The first link of a way.
    #[inline]
    pub(super) fn first(&self, way: u32) -> usize {
        self.links(way)[0] as usize
    }

    /// The link after `link` on a way, if that does not end there.
    #[inline]
    pub(super) fn next(&self, way: u32, link: usize) -> Option<usize> {
        let links = self.links(way);
        let place = links.iter().position(|one| *one as usize == link)?;
        links.get(place + 1).map(|next| *next as usize)
    }

    /// Returns whether it is the access of a flow, which leads nowhere else.
    #[inline]
    pub(super) fn is_access(&self, link: usize) -> bool {
        let (from, to) = self.ends[link];
        from == to
    }

    /// The node from which a link leads.
    #[inline]
    pub(super) fn from(&self, link: usize) -> usize {
        self.ends[link].0
    }

    /// The node to which a link leads.
    #[inline]
    pub(super) fn to(&self, link: usize) -> usize {
        self.ends[link].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_lead_from_link_to_link() {
        let ends = vec![(0, 1), (1, 2), (2, 1), (1, 0)];
        let mut chain = Topology::between(ends);
        let ways = [&[0, 1][..], &[2, 3], &[1], &[0, 1]].map(|links| chain.way(links) as u32);
        assert_eq!(ways, [0, 1, 2, 0]);
        let links = |way| {
            let first = Some(chain.first(way));
            std::iter::successors(first, |link| chain.next(way, *link)).collect::<Vec<_>>()
        };
        assert_eq!([links(0), links(1), links(2)], [vec![0, 1], vec![2, 3], vec![1]]);
        assert_eq!((chain.from(2), chain.to(2)), (2, 1));
    }
}
