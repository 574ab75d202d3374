//! The links of a run. If all data goes one way along a chain without cross-traffic, each link carries either data or
//! ACKs, and the next link is known, so that data packets need no space for SACK blocks. In any other network a link
//! carries both.

use super::ends::{Ends, LinkPacketOf};
use super::lost::RouteLosses;
use super::packet::{Carried, LinkPacket};
use super::timeline::{NetworkHop, Timeline};
use super::topology::{FlowRoutes, LinkConfig, Topology};
use super::traffic::Datagram;
use airtcp_core::{Cancel, Instant, Payload};
use airtcp_radio::{ArqCounters, ChainTally, LinkCounts, LinkHistory, Observed};

/// All links of a run, by their numbers.
pub(super) trait Links<T: Timeline, E: Ends>: Sized {
    /// Packet on a link that data crosses.
    type Data: LinkPacket<Data = E::Data, Ack = E::Ack>;
    /// Packet on a link that ACKs cross.
    type Ack: LinkPacket<Data = E::Data, Ack = E::Ack>;
    /// True if there may be access delays and cross-traffic.
    const HAS_ACCESS_AND_TRAFFIC: bool;
    /// True if there are two links and no others.
    const IS_TWO_LINKS: bool;

    fn new(
        configs: Vec<LinkConfig>,
        topology: Topology,
        routes: Vec<FlowRoutes>,
        looks: bool,
    ) -> Self;

    /// Data, as a link carries it.
    fn pack_data(packet: E::Data) -> Self::Data;

    /// Packs an ACK for a link.
    fn pack_ack(packet: E::Ack) -> Self::Ack;

    /// Cross-traffic, as a link carries it.
    fn pack_datagram(packet: Datagram) -> Self::Data;

    /// Returns whether only ACKs cross `link`.
    fn is_for_acks(&self, link: usize) -> bool;

    /// A link that data may cross.
    fn data_link(&mut self, link: usize) -> &mut T::Hop<Self::Data>;

    /// A link that ACKs may cross.
    fn ack_link(&mut self, link: usize) -> &mut T::Hop<Self::Ack>;

    /// The first link that the data of a flow crosses.
    fn first_data_link(&self, flow: usize) -> usize;

    /// The first link that the ACKs of a flow cross.
    fn first_ack_link(&self, flow: usize) -> usize;

    /// The link that data of a flow crosses after this one, if it is not there yet.
    fn next_data_link(&self, flow: usize, link: usize) -> Option<usize>;

    /// The link that ACKs of a flow cross after this one, if they are not there yet.
    fn next_ack_link(&self, flow: usize, link: usize) -> Option<usize>;

    /// Returns whether the link is the access of a flow.
    fn is_access(&self, link: usize) -> bool;

    /// Node at the start of a link.
    fn source_node(&self, link: usize) -> usize;

    /// Node at the end of a link.
    fn destination_node(&self, link: usize) -> usize;

    /// Number of packets that each link holds.
    fn packets_held(&self) -> impl Iterator<Item = usize> + Clone;

    /// Passes on `cancel`, so that no event takes long once it is set.
    fn observe_cancel(&mut self, cancel: &Cancel);

    /// Completes all events before `end`.
    fn advance_to(&mut self, end: Instant);

    /// Counters of link-layer retransmission (ARQ) for a flow.
    fn arq_counters(&self, flow: usize) -> ArqCounters;

    /// Losses of the data of a flow, or of the packets of a source.
    fn losses_by_owner(&self, owner: usize) -> RouteLosses;

    /// Starts the counts of all links; must precede the first packet.
    fn record_counts(&mut self);

    /// Counts of each link before `end`.
    fn counts(&mut self, end: Instant) -> Vec<LinkCounts>;

    /// Starts the histories of all links, if `recording`; must precede the first packet.
    fn record_histories(&mut self, recording: bool);

    /// Bytes of memory that the histories take so far.
    fn history_bytes(&self) -> usize;

    /// Takes the records of each link up to `end`; nothing where they are not kept.
    fn take_histories(&mut self, end: Instant) -> Vec<LinkHistory>;
}

/// Direction of a link, data or ACKs, for code that treats both alike.
pub(super) trait Direction {
    type Packet<T: Timeline, E: Ends, L: Links<T, E>>: LinkPacket<Data = E::Data, Ack = E::Ack>;
    fn link<T: Timeline, E: Ends, L: Links<T, E>>(
        links: &mut L,
        link: usize,
    ) -> &mut T::Hop<Self::Packet<T, E, L>>;
}

/// Links in the direction of the data.
pub(super) struct DataDirection;

/// Links in the direction of the ACKs.
pub(super) struct AckDirection;

impl Direction for DataDirection {
    type Packet<T: Timeline, E: Ends, L: Links<T, E>> = L::Data;
    #[inline(always)]
    fn link<T: Timeline, E: Ends, L: Links<T, E>>(
        links: &mut L,
        link: usize,
    ) -> &mut T::Hop<L::Data> {
        links.data_link(link)
    }
}

impl Direction for AckDirection {
    type Packet<T: Timeline, E: Ends, L: Links<T, E>> = L::Ack;
    #[inline(always)]
    fn link<T: Timeline, E: Ends, L: Links<T, E>>(
        links: &mut L,
        link: usize,
    ) -> &mut T::Hop<L::Ack> {
        links.ack_link(link)
    }
}

/// Number of hops of a chain, one or many, known at compile time.
pub(super) trait HopCount {
    const IS_ONE: bool;
    type Chain<H>: HopChain<H>;
}

/// Any number of hops.
pub(super) struct ManyHops;

/// One.
pub(super) struct SingleHop;

impl HopCount for ManyHops {
    const IS_ONE: bool = false;
    type Chain<H> = Vec<H>;
}

impl HopCount for SingleHop {
    const IS_ONE: bool = true;
    type Chain<H> = SingleLink<H>;
}

/// The links of one direction, in order.
pub(super) trait HopChain<H> {
    fn from_links(links: Vec<H>) -> Self;
    fn links(&self) -> &[H];
    fn links_mut(&mut self) -> &mut [H];
    /// The link at a place.
    fn link_at(&mut self, place: usize) -> &mut H;
    /// The place of the last.
    fn last_place(&self) -> usize;
}

impl<H> HopChain<H> for Vec<H> {
    fn from_links(links: Vec<H>) -> Self {
        links
    }

    fn links(&self) -> &[H] {
        self
    }

    fn links_mut(&mut self) -> &mut [H] {
        self
    }

    #[inline(always)]
    fn link_at(&mut self, place: usize) -> &mut H {
        &mut self[place]
    }

    #[inline(always)]
    fn last_place(&self) -> usize {
        self.len() - 1
    }
}

/// The only link of a direction: there is nothing to look up.
pub(super) struct SingleLink<H>([H; 1]);

impl<H> HopChain<H> for SingleLink<H> {
    fn from_links(links: Vec<H>) -> Self {
        SingleLink(<[H; 1]>::try_from(links).ok().expect("a chain of one hop"))
    }

    fn links(&self) -> &[H] {
        &self.0
    }

    fn links_mut(&mut self) -> &mut [H] {
        &mut self.0
    }

    #[inline(always)]
    fn link_at(&mut self, place: usize) -> &mut H {
        debug_assert_eq!(place, 0);
        &mut self.0[0]
    }

    #[inline(always)]
    fn last_place(&self) -> usize {
        0
    }
}

/// A chain along which all data goes one way. The data links come first, then the ACK links.
pub(super) struct ChainLinks<T: Timeline, E: Ends, N: HopCount = ManyHops> {
    forward: N::Chain<T::Hop<E::Data>>,
    back: N::Chain<T::Hop<E::Ack>>,
}

impl<T: Timeline, E: Ends, N: HopCount> Links<T, E> for ChainLinks<T, E, N> {
    type Data = E::Data;
    type Ack = E::Ack;
    const HAS_ACCESS_AND_TRAFFIC: bool = false;
    const IS_TWO_LINKS: bool = N::IS_ONE;

    fn new(mut configs: Vec<LinkConfig>, _: Topology, _: Vec<FlowRoutes>, looks: bool) -> Self {
        let back = configs.split_off(configs.len() / 2);
        let (forward, back) = (build_hops::<T, _>(configs, looks), build_hops::<T, _>(back, looks));
        ChainLinks { forward: HopChain::from_links(forward), back: HopChain::from_links(back) }
    }

    #[inline(always)]
    fn pack_data(packet: E::Data) -> E::Data {
        packet
    }

    #[inline(always)]
    fn pack_ack(packet: E::Ack) -> E::Ack {
        packet
    }

    fn pack_datagram(_: Datagram) -> E::Data {
        unreachable!("cross-traffic makes links shared")
    }

    #[inline(always)]
    fn is_for_acks(&self, link: usize) -> bool {
        link > self.forward.last_place()
    }

    #[inline(always)]
    fn data_link(&mut self, link: usize) -> &mut T::Hop<E::Data> {
        self.forward.link_at(link)
    }

    #[inline(always)]
    fn ack_link(&mut self, link: usize) -> &mut T::Hop<E::Ack> {
        self.back.link_at(link - self.forward.last_place() - 1)
    }

    #[inline(always)]
    fn first_data_link(&self, _: usize) -> usize {
        0
    }

    #[inline(always)]
    fn first_ack_link(&self, _: usize) -> usize {
        self.forward.last_place() + 1
    }

    #[inline(always)]
    fn next_data_link(&self, _: usize, link: usize) -> Option<usize> {
        (link < self.forward.last_place()).then_some(link + 1)
    }

    #[inline(always)]
    fn next_ack_link(&self, _: usize, link: usize) -> Option<usize> {
        (link < 2 * self.forward.last_place() + 1).then_some(link + 1)
    }

    #[inline(always)]
    fn is_access(&self, _: usize) -> bool {
        false
    }

    #[inline]
    fn source_node(&self, link: usize) -> usize {
        if self.is_for_acks(link) { 2 * self.forward.last_place() + 2 - link } else { link }
    }

    #[inline]
    fn destination_node(&self, link: usize) -> usize {
        if self.is_for_acks(link) { 2 * self.forward.last_place() + 1 - link } else { link + 1 }
    }

    fn packets_held(&self) -> impl Iterator<Item = usize> + Clone {
        self.forward
            .links()
            .iter()
            .map(NetworkHop::packets_held)
            .chain(self.back.links().iter().map(NetworkHop::packets_held))
    }

    fn observe_cancel(&mut self, cancel: &Cancel) {
        self.forward.links_mut().iter_mut().for_each(|link| link.observe_cancel(cancel));
        self.back.links_mut().iter_mut().for_each(|link| link.observe_cancel(cancel));
    }

    fn advance_to(&mut self, end: Instant) {
        self.forward.links_mut().iter_mut().for_each(|link| link.advance_to(end));
        self.back.links_mut().iter_mut().for_each(|link| link.advance_to(end));
    }

    fn arq_counters(&self, flow: usize) -> ArqCounters {
        let forward = self.forward.links().iter().map(|link| link.arq_counters(flow));
        let all = forward.chain(self.back.links().iter().map(|link| link.arq_counters(flow)));
        all.fold(ArqCounters::default(), |sum, counters| sum.plus(&counters))
    }

    fn losses_by_owner(&self, owner: usize) -> RouteLosses {
        RouteLosses::sum_over_links(
            self.forward.links().iter().map(|link| losses_on_link(link, owner)),
        )
    }

    fn record_counts(&mut self) {
        self.forward.links_mut().iter_mut().for_each(|link| link.record_counts(true));
        self.back.links_mut().iter_mut().for_each(|link| link.record_counts(true));
    }

    fn counts(&mut self, end: Instant) -> Vec<LinkCounts> {
        let forward = self.forward.links_mut().iter_mut().filter_map(|link| link.counts(end));
        forward
            .chain(self.back.links_mut().iter_mut().filter_map(|link| link.counts(end)))
            .collect()
    }

    fn record_histories(&mut self, recording: bool) {
        self.forward.links_mut().iter_mut().for_each(|link| link.record_history(recording));
        self.back.links_mut().iter_mut().for_each(|link| link.record_history(recording));
    }

    fn history_bytes(&self) -> usize {
        let forward = self.forward.links().iter().map(Observed::history_bytes);
        forward.chain(self.back.links().iter().map(Observed::history_bytes)).sum()
    }

    fn take_histories(&mut self, end: Instant) -> Vec<LinkHistory> {
        let forward = self.forward.links_mut().iter_mut().filter_map(|link| link.take_history(end));
        forward
            .chain(self.back.links_mut().iter_mut().filter_map(|link| link.take_history(end)))
            .collect()
    }
}

/// Any network.
pub(super) struct NetworkLinks<T: Timeline, E: Ends> {
    links: Vec<T::Hop<LinkPacketOf<E>>>,
    topology: Topology,
    routes: Vec<FlowRoutes>,
}

impl<T: Timeline, E: Ends> Links<T, E> for NetworkLinks<T, E> {
    type Data = LinkPacketOf<E>;
    type Ack = LinkPacketOf<E>;
    const HAS_ACCESS_AND_TRAFFIC: bool = true;
    const IS_TWO_LINKS: bool = false;

    fn new(
        configs: Vec<LinkConfig>,
        topology: Topology,
        routes: Vec<FlowRoutes>,
        looks: bool,
    ) -> Self {
        NetworkLinks { links: build_hops::<T, _>(configs, looks), topology, routes }
    }

    #[inline(always)]
    fn pack_data(packet: E::Data) -> Self::Data {
        Carried::Data(packet)
    }

    #[inline(always)]
    fn pack_ack(packet: E::Ack) -> Self::Ack {
        Carried::Ack(packet)
    }

    fn pack_datagram(packet: Datagram) -> Self::Data {
        Carried::Datagram(packet)
    }

    #[inline(always)]
    fn is_for_acks(&self, _: usize) -> bool {
        false
    }

    #[inline(always)]
    fn data_link(&mut self, link: usize) -> &mut T::Hop<LinkPacketOf<E>> {
        &mut self.links[link]
    }

    #[inline(always)]
    fn ack_link(&mut self, link: usize) -> &mut T::Hop<LinkPacketOf<E>> {
        &mut self.links[link]
    }

    #[inline]
    fn first_data_link(&self, flow: usize) -> usize {
        self.topology.first_link(self.routes[flow].data)
    }

    #[inline]
    fn first_ack_link(&self, flow: usize) -> usize {
        self.topology.first_link(self.routes[flow].acks)
    }

    #[inline]
    fn next_data_link(&self, flow: usize, link: usize) -> Option<usize> {
        self.topology.next_link(self.routes[flow].data, link)
    }

    #[inline]
    fn next_ack_link(&self, flow: usize, link: usize) -> Option<usize> {
        self.topology.next_link(self.routes[flow].acks, link)
    }

    #[inline]
    fn is_access(&self, link: usize) -> bool {
        self.topology.is_access(link)
    }

    fn source_node(&self, link: usize) -> usize {
        self.topology.source_node(link)
    }

    fn destination_node(&self, link: usize) -> usize {
        self.topology.destination_node(link)
    }

    fn packets_held(&self) -> impl Iterator<Item = usize> + Clone {
        self.links.iter().map(NetworkHop::packets_held)
    }

    fn observe_cancel(&mut self, cancel: &Cancel) {
        self.links.iter_mut().for_each(|link| link.observe_cancel(cancel));
    }

    fn advance_to(&mut self, end: Instant) {
        self.links.iter_mut().for_each(|link| link.advance_to(end));
    }

    fn arq_counters(&self, flow: usize) -> ArqCounters {
        let each = self.links.iter().map(|link| link.arq_counters(flow));
        each.fold(ArqCounters::default(), |sum, counters| sum.plus(&counters))
    }

    fn losses_by_owner(&self, owner: usize) -> RouteLosses {
        let first = Some(self.first_data_link(owner));
        let route = std::iter::successors(first, |link| self.next_data_link(owner, *link));
        RouteLosses::sum_over_links(route.map(|link| losses_on_link(&self.links[link], owner)))
    }

    fn record_counts(&mut self) {
        self.links.iter_mut().for_each(|link| link.record_counts(true));
    }

    fn counts(&mut self, end: Instant) -> Vec<LinkCounts> {
        self.links.iter_mut().filter_map(|link| link.counts(end)).collect()
    }

    fn record_histories(&mut self, recording: bool) {
        self.links.iter_mut().for_each(|link| link.record_history(recording));
    }

    fn history_bytes(&self) -> usize {
        self.links.iter().map(Observed::history_bytes).sum()
    }

    fn take_histories(&mut self, end: Instant) -> Vec<LinkHistory> {
        self.links.iter_mut().filter_map(|link| link.take_history(end)).collect()
    }
}

fn build_hops<T: Timeline, P: LinkPacket>(configs: Vec<LinkConfig>, looks: bool) -> Vec<T::Hop<P>> {
    let link = |config: LinkConfig| {
        let mut hop = T::hop(config.hop);
        hop.keep_losses(looks);
        hop
    };
    configs.into_iter().map(link).collect()
}

/// Losses and copies of the packets of one owner on a link, and transmissions that have met its chains.
fn losses_on_link<P: Payload>(link: &impl Observed<P>, owner: usize) -> ([u64; 2], ChainTally) {
    ([link.packets_lost(owner), link.copies_made(owner)], link.met())
}
