//! The links of a run. Where all data goes one way along a chain, and nothing else does, a link carries data or ACKs, and which
//! one comes next is known: data then does not carry the room for SACK blocks. In any other network a link carries both.

use super::ends::{CarriedOf, Ends};
use super::lost::Losses;
use super::packet::{Carried, Carries};
use super::timeline::{Carrier, Timeline};
use super::topology::{FlowRoutes, LinkConfig, Topology};
use super::traffic::Datagram;
use airtcp_core::{Cancel, Instant, Payload};
use airtcp_radio::{ArqCounters, LinkCounts, LinkHistory, Met, Observed};

/// All links of a run, by their numbers.
pub(super) trait Links<T: Timeline, E: Ends>: Sized {
    /// Packet on a link that data crosses.
    type Data: Carries<Data = E::Data, Ack = E::Ack>;
    /// Packet on a link that ACKs cross.
    type Acks: Carries<Data = E::Data, Ack = E::Ack>;
    /// True if there may be access delays and cross-traffic.
    const HAS_MORE: bool;
    /// True if there are two links and no others.
    const IS_PAIR: bool;

    fn new(
        configs: Vec<LinkConfig>,
        topology: Topology,
        routes: Vec<FlowRoutes>,
        looks: bool,
    ) -> Self;

    /// Data, as a link carries it.
    fn packed(packet: E::Data) -> Self::Data;

    /// Packs an ACK for a link.
    fn packed_ack(packet: E::Ack) -> Self::Acks;

    /// Cross-traffic, as a link carries it.
    fn datagram(packet: Datagram) -> Self::Data;

    /// Returns whether only ACKs cross `link`.
    fn is_for_acks(&self, link: usize) -> bool;

    /// A link that data may cross.
    fn data(&mut self, link: usize) -> &mut T::Hop<Self::Data>;

    /// A link that ACKs may cross.
    fn acks(&mut self, link: usize) -> &mut T::Hop<Self::Acks>;

    /// The first link that the data of a flow crosses.
    fn first_of_data(&self, flow: usize) -> usize;

    /// The first link that the ACKs of a flow cross.
    fn first_of_acks(&self, flow: usize) -> usize;

    /// The link that data of a flow crosses after this one, if it is not there yet.
    fn next_of_data(&self, flow: usize, link: usize) -> Option<usize>;

    /// The link that ACKs of a flow cross after this one, if they are not there yet.
    fn next_of_acks(&self, flow: usize, link: usize) -> Option<usize>;

    /// Returns whether it is the access of a flow.
    fn is_access(&self, link: usize) -> bool;

    /// The node from which a link leads.
    fn from(&self, link: usize) -> usize;

    /// The node to which a link leads.
    fn to(&self, link: usize) -> usize;

    /// Number of packets that each link holds.
    fn held(&self) -> impl Iterator<Item = usize> + Clone;

    /// No event takes long once `cancel` is set.
    fn watch(&mut self, cancel: &Cancel);

    /// Everything before `end` has happened.
    fn settle(&mut self, end: Instant);

    /// Transmissions of link layers that retransmit, for a flow.
    fn air(&self, flow: usize) -> ArqCounters;

    /// Losses of the data of a flow, or of the packets of a source.
    fn losses(&self, owner: usize) -> Losses;

    /// All links count from now on, before the first packet.
    fn record_counts(&mut self);

    /// Counts of each link before `end`.
    fn counts(&mut self, end: Instant) -> Vec<LinkCounts>;

    /// Every link keeps what happens on it from now on, if `recording`; to be said before the first packet.
    fn record_histories(&mut self, recording: bool);

    /// Bytes of memory that the histories take so far.
    fn history_bytes(&self) -> usize;

    /// Takes the records of each link up to `end`; nothing where they are not kept.
    fn take_histories(&mut self, end: Instant) -> Vec<LinkHistory>;
}

/// The two sides of a connection, for what is done alike with data and with ACKs.
pub(super) trait Side {
    type Packet<T: Timeline, E: Ends, L: Links<T, E>>: Carries<Data = E::Data, Ack = E::Ack>;
    fn link<T: Timeline, E: Ends, L: Links<T, E>>(
        links: &mut L,
        link: usize,
    ) -> &mut T::Hop<Self::Packet<T, E, L>>;
}

/// Links as data meets them.
pub(super) struct OfData;

/// Links as ACKs meet them.
pub(super) struct OfAcks;

impl Side for OfData {
    type Packet<T: Timeline, E: Ends, L: Links<T, E>> = L::Data;
    #[inline(always)]
    fn link<T: Timeline, E: Ends, L: Links<T, E>>(
        links: &mut L,
        link: usize,
    ) -> &mut T::Hop<L::Data> {
        links.data(link)
    }
}

impl Side for OfAcks {
    type Packet<T: Timeline, E: Ends, L: Links<T, E>> = L::Acks;
    #[inline(always)]
    fn link<T: Timeline, E: Ends, L: Links<T, E>>(
        links: &mut L,
        link: usize,
    ) -> &mut T::Hop<L::Acks> {
        links.acks(link)
    }
}

/// Number of hops of a chain: known as the code is compiled, or not.
pub(super) trait Hops {
    const ARE_ONE: bool;
    type Row<H>: Row<H>;
}

/// Any number.
pub(super) struct Many;

/// One.
pub(super) struct One;

impl Hops for Many {
    const ARE_ONE: bool = false;
    type Row<H> = Vec<H>;
}

impl Hops for One {
    const ARE_ONE: bool = true;
    type Row<H> = Single<H>;
}

/// The links of one direction, in order.
pub(super) trait Row<H> {
    fn of(links: Vec<H>) -> Self;
    fn all(&self) -> &[H];
    fn all_mut(&mut self) -> &mut [H];
    /// The link at a place.
    fn at(&mut self, place: usize) -> &mut H;
    /// The place of the last.
    fn last(&self) -> usize;
}

impl<H> Row<H> for Vec<H> {
    fn of(links: Vec<H>) -> Self {
        links
    }

    fn all(&self) -> &[H] {
        self
    }

    fn all_mut(&mut self) -> &mut [H] {
        self
    }

    #[inline(always)]
    fn at(&mut self, place: usize) -> &mut H {
        &mut self[place]
    }

    #[inline(always)]
    fn last(&self) -> usize {
        self.len() - 1
    }
}

/// The only link of a direction: there is nothing to look up.
pub(super) struct Single<H>([H; 1]);

impl<H> Row<H> for Single<H> {
    fn of(links: Vec<H>) -> Self {
        Single(<[H; 1]>::try_from(links).ok().expect("a chain of one hop"))
    }

    fn all(&self) -> &[H] {
        &self.0
    }

    fn all_mut(&mut self) -> &mut [H] {
        &mut self.0
    }

    #[inline(always)]
    fn at(&mut self, place: usize) -> &mut H {
        debug_assert_eq!(place, 0);
        &mut self.0[0]
    }

    #[inline(always)]
    fn last(&self) -> usize {
        0
    }
}

/// A chain along which all data goes one way. Links on the way of the data come before those of the ACKs.
pub(super) struct OneWay<T: Timeline, E: Ends, N: Hops = Many> {
    forward: N::Row<T::Hop<E::Data>>,
    back: N::Row<T::Hop<E::Ack>>,
}

impl<T: Timeline, E: Ends, N: Hops> Links<T, E> for OneWay<T, E, N> {
    type Data = E::Data;
    type Acks = E::Ack;
    const HAS_MORE: bool = false;
    const IS_PAIR: bool = N::ARE_ONE;

    fn new(mut configs: Vec<LinkConfig>, _: Topology, _: Vec<FlowRoutes>, looks: bool) -> Self {
        let back = configs.split_off(configs.len() / 2);
        let (forward, back) = (built::<T, _>(configs, looks), built::<T, _>(back, looks));
        OneWay { forward: Row::of(forward), back: Row::of(back) }
    }

    #[inline(always)]
    fn packed(packet: E::Data) -> E::Data {
        packet
    }

    #[inline(always)]
    fn packed_ack(packet: E::Ack) -> E::Ack {
        packet
    }

    fn datagram(_: Datagram) -> E::Data {
        unreachable!("cross-traffic makes links shared")
    }

    #[inline(always)]
    fn is_for_acks(&self, link: usize) -> bool {
        link > self.forward.last()
    }

    #[inline(always)]
    fn data(&mut self, link: usize) -> &mut T::Hop<E::Data> {
        self.forward.at(link)
    }

    #[inline(always)]
    fn acks(&mut self, link: usize) -> &mut T::Hop<E::Ack> {
        self.back.at(link - self.forward.last() - 1)
    }

    #[inline(always)]
    fn first_of_data(&self, _: usize) -> usize {
        0
    }

    #[inline(always)]
    fn first_of_acks(&self, _: usize) -> usize {
        self.forward.last() + 1
    }

    #[inline(always)]
    fn next_of_data(&self, _: usize, link: usize) -> Option<usize> {
        (link < self.forward.last()).then_some(link + 1)
    }

    #[inline(always)]
    fn next_of_acks(&self, _: usize, link: usize) -> Option<usize> {
        (link < 2 * self.forward.last() + 1).then_some(link + 1)
    }

    #[inline(always)]
    fn is_access(&self, _: usize) -> bool {
        false
    }

    #[inline]
    fn from(&self, link: usize) -> usize {
        if self.is_for_acks(link) { 2 * self.forward.last() + 2 - link } else { link }
    }

    #[inline]
    fn to(&self, link: usize) -> usize {
        if self.is_for_acks(link) { 2 * self.forward.last() + 1 - link } else { link + 1 }
    }

    fn held(&self) -> impl Iterator<Item = usize> + Clone {
        self.forward
            .all()
            .iter()
            .map(Carrier::held)
            .chain(self.back.all().iter().map(Carrier::held))
    }

    fn watch(&mut self, cancel: &Cancel) {
        self.forward.all_mut().iter_mut().for_each(|link| link.watch(cancel));
        self.back.all_mut().iter_mut().for_each(|link| link.watch(cancel));
    }

    fn settle(&mut self, end: Instant) {
        self.forward.all_mut().iter_mut().for_each(|link| link.settle(end));
        self.back.all_mut().iter_mut().for_each(|link| link.settle(end));
    }

    fn air(&self, flow: usize) -> ArqCounters {
        let forward = self.forward.all().iter().map(|link| link.air(flow));
        let all = forward.chain(self.back.all().iter().map(|link| link.air(flow)));
        all.fold(ArqCounters::default(), |sum, one| sum.plus(&one))
    }

    fn losses(&self, owner: usize) -> Losses {
        Losses::on(self.forward.all().iter().map(|link| losses_of(link, owner)))
    }

    fn record_counts(&mut self) {
        self.forward.all_mut().iter_mut().for_each(|link| link.record_counts(true));
        self.back.all_mut().iter_mut().for_each(|link| link.record_counts(true));
    }

    fn counts(&mut self, end: Instant) -> Vec<LinkCounts> {
        let forward = self.forward.all_mut().iter_mut().filter_map(|link| link.counts(end));
        forward.chain(self.back.all_mut().iter_mut().filter_map(|link| link.counts(end))).collect()
    }

    fn record_histories(&mut self, recording: bool) {
        self.forward.all_mut().iter_mut().for_each(|link| link.record_history(recording));
        self.back.all_mut().iter_mut().for_each(|link| link.record_history(recording));
    }

    fn history_bytes(&self) -> usize {
        let forward = self.forward.all().iter().map(Observed::history_bytes);
        forward.chain(self.back.all().iter().map(Observed::history_bytes)).sum()
    }

    fn take_histories(&mut self, end: Instant) -> Vec<LinkHistory> {
        let forward = self.forward.all_mut().iter_mut().filter_map(|link| link.take_history(end));
        forward
            .chain(self.back.all_mut().iter_mut().filter_map(|link| link.take_history(end)))
            .collect()
    }
}

/// Any network.
pub(super) struct Shared<T: Timeline, E: Ends> {
    links: Vec<T::Hop<CarriedOf<E>>>,
    topology: Topology,
    routes: Vec<FlowRoutes>,
}

impl<T: Timeline, E: Ends> Links<T, E> for Shared<T, E> {
    type Data = CarriedOf<E>;
    type Acks = CarriedOf<E>;
    const HAS_MORE: bool = true;
    const IS_PAIR: bool = false;

    fn new(
        configs: Vec<LinkConfig>,
        topology: Topology,
        routes: Vec<FlowRoutes>,
        looks: bool,
    ) -> Self {
        Shared { links: built::<T, _>(configs, looks), topology, routes }
    }

    #[inline(always)]
    fn packed(packet: E::Data) -> Self::Data {
        Carried::Data(packet)
    }

    #[inline(always)]
    fn packed_ack(packet: E::Ack) -> Self::Acks {
        Carried::Ack(packet)
    }

    fn datagram(packet: Datagram) -> Self::Data {
        Carried::Datagram(packet)
    }

    #[inline(always)]
    fn is_for_acks(&self, _: usize) -> bool {
        false
    }

    #[inline(always)]
    fn data(&mut self, link: usize) -> &mut T::Hop<CarriedOf<E>> {
        &mut self.links[link]
    }

    #[inline(always)]
    fn acks(&mut self, link: usize) -> &mut T::Hop<CarriedOf<E>> {
        &mut self.links[link]
    }

    #[inline]
    fn first_of_data(&self, flow: usize) -> usize {
        self.topology.first(self.routes[flow].data)
    }

    #[inline]
    fn first_of_acks(&self, flow: usize) -> usize {
        self.topology.first(self.routes[flow].acks)
    }

    #[inline]
    fn next_of_data(&self, flow: usize, link: usize) -> Option<usize> {
        self.topology.next(self.routes[flow].data, link)
    }

    #[inline]
    fn next_of_acks(&self, flow: usize, link: usize) -> Option<usize> {
        self.topology.next(self.routes[flow].acks, link)
    }

    #[inline]
    fn is_access(&self, link: usize) -> bool {
        self.topology.is_access(link)
    }

    fn from(&self, link: usize) -> usize {
        self.topology.from(link)
    }

    fn to(&self, link: usize) -> usize {
        self.topology.to(link)
    }

    fn held(&self) -> impl Iterator<Item = usize> + Clone {
        self.links.iter().map(Carrier::held)
    }

    fn watch(&mut self, cancel: &Cancel) {
        self.links.iter_mut().for_each(|link| link.watch(cancel));
    }

    fn settle(&mut self, end: Instant) {
        self.links.iter_mut().for_each(|link| link.settle(end));
    }

    fn air(&self, flow: usize) -> ArqCounters {
        let each = self.links.iter().map(|link| link.air(flow));
        each.fold(ArqCounters::default(), |sum, one| sum.plus(&one))
    }

    fn losses(&self, owner: usize) -> Losses {
        let first = Some(self.first_of_data(owner));
        let route = std::iter::successors(first, |link| self.next_of_data(owner, *link));
        Losses::on(route.map(|link| losses_of(&self.links[link], owner)))
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

fn built<T: Timeline, P: Carries>(configs: Vec<LinkConfig>, looks: bool) -> Vec<T::Hop<P>> {
    let link = |config: LinkConfig| {
        let mut hop = T::hop(config.hop);
        hop.record_losses(looks);
        hop
    };
    configs.into_iter().map(link).collect()
}

/// Losses and copies of the packets of one owner on a link, and transmissions that have met its chains.
fn losses_of<P: Payload>(link: &impl Observed<P>, owner: usize) -> ([u64; 2], Met) {
    ([link.lost(owner), link.copies(owner)], link.met())
}
