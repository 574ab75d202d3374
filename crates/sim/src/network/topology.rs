//! Nodes and the links between them: which way the packets of a flow take.

use airtcp_radio::HopConfig;

/// One direction of a hop, and the nodes that it connects.
pub struct LinkConfig {
    /// What it is made of.
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

/// Where packets go on from the end of a link.
const HERE: u32 = u32::MAX;

/// The ways of all flows. Those of the same links are one.
#[derive(Debug)]
pub(super) struct Topology {
    /// From where to where every link leads.
    ends: Vec<(usize, usize)>,
    ways: Vec<Vec<usize>>,
    /// By way and link: the next link, or [`HERE`].
    next: Vec<u32>,
}

impl Topology {
    pub(super) fn new(links: &[LinkConfig]) -> Self {
        let ends = links.iter().map(|link| (link.from, link.to)).collect();
        Topology { ends, ways: Vec::new(), next: Vec::new() }
    }

    /// The number of a way over these links.
    pub(super) fn way(&mut self, links: &[usize]) -> usize {
        if let Some(known) = self.ways.iter().position(|way| way == links) {
            return known;
        }
        self.ways.push(links.to_vec());
        let start = self.next.len();
        self.next.resize(start + self.ends.len(), HERE);
        for pair in links.windows(2) {
            self.next[start + pair[0]] = pair[1] as u32;
        }
        self.ways.len() - 1
    }

    /// Whether there is one way for all data, along all links of the first half, and one for all ACKs, along the others.
    pub(super) fn is_one_way(&self, flows: &[Ways]) -> bool {
        let half = self.ends.len() / 2;
        let ahead = |way: u32| self.ways[way as usize].iter().copied().eq(0..half);
        let home = |way: u32| self.ways[way as usize].iter().copied().eq(half..2 * half);
        let chain = |(link, ends): (usize, &(usize, usize))| *ends == (link, link + 1);
        let is_chain = self.ends[..half].iter().enumerate().all(chain);
        is_chain && flows.iter().all(|ways| ahead(ways.data) && home(ways.acks))
    }

    /// The first link of a way.
    #[inline]
    pub(super) fn first(&self, way: u32) -> usize {
        self.ways[way as usize][0]
    }

    /// The link after `link` on a way, if that does not end there.
    #[inline]
    pub(super) fn next(&self, way: u32, link: usize) -> Option<usize> {
        let next = self.next[way as usize * self.ends.len() + link];
        (next != HERE).then_some(next as usize)
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
        let mut chain = Topology { ends, ways: vec![], next: vec![] };
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
