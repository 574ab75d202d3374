//! The properties as somebody sees them who does not know the queue: by packets at nodes, losses, and the histories of links.

use crate::queue_properties::claim::{Claim, Stretch, Tokens};
use crate::queue_properties::ledger::{Book, Fault};
use airtcp_core::{Instant, Rate};
use airtcp_radio::queue::Order;
use airtcp_radio::{LinkHistory, LossCause};
use airtcp_sim::network::{DatagramEvent, Event, LossEvent, NetworkConfig, Observer, PacketEvent};
use airtcp_tcp::Segment;
use std::collections::HashMap;

/// Nanoseconds by which rounding may shorten an airtime, and bits by which it may change a sum of tokens.
const ROUNDING: f64 = 1.0;

/// The flow of packets, a flag for ACKs, and the node where the packets are.
type Place = (u32, bool, u32);

/// Observations of every link.
#[derive(Debug, Default)]
pub(crate) struct Outside {
    /// The link that packets cross next.
    next: HashMap<Place, usize>,
    /// Cross-traffic is numbered after so many flows.
    flows: u32,
    links: Vec<Seen>,
}

/// Observations of a link: bits that were to cross it, bits that its queue has dropped, and its history.
#[derive(Clone, Debug, Default)]
struct Seen {
    came: u64,
    dropped: u64,
    history: LinkHistory,
}

impl Outside {
    pub(crate) fn new(config: &NetworkConfig) -> Self {
        let mut next = HashMap::new();
        let mut lay = |owner: usize, is_ack: bool, route: &[usize]| {
            for link in route {
                next.insert((owner as u32, is_ack, config.links[*link].source_node as u32), *link);
            }
        };
        for (owner, flow) in config.flows.iter().enumerate() {
            lay(owner, false, &flow.data_route);
            lay(owner, true, &flow.ack_route);
        }
        for (source, traffic) in config.traffic.iter().enumerate() {
            lay(config.flows.len() + source, false, &traffic.route);
        }
        let links = vec![Seen::default(); config.links.len()];
        Outside { next, flows: config.flows.len() as u32, links }
    }

    fn come(&mut self, place: Place, bits: u64) {
        // None leads on from where packets go.
        if let Some(link) = self.next.get(&place) {
            self.links[*link].came += bits;
        }
    }

    /// The properties that are broken, by link; with the books of queues that have one.
    pub(crate) fn faults(&self, claims: &[Claim], books: &[Option<Book>]) -> Vec<Fault> {
        let each = self.links.iter().zip(claims).zip(books);
        each.flat_map(|((seen, claim), book)| seen.faults(claim, book.as_ref())).collect()
    }
}

impl Observer for Outside {
    const ENABLED: bool = true;

    fn on_event(&mut self, moment: PacketEvent<'_>) {
        if !matches!(moment.event, Event::Sent { .. } | Event::AckSent | Event::Arrived) {
            return;
        }
        let (is_ack, bits) = match moment.packet.segment {
            Segment::Data { bits, .. } | Segment::Probe { bits, .. } => (false, bits),
            Segment::Ack { bits, .. } | Segment::ProbeAck { bits, .. } => (true, bits),
        };
        self.come((moment.packet.flow, is_ack, moment.node), bits);
    }

    fn on_datagram_event(&mut self, datagram_event: DatagramEvent) {
        if !matches!(datagram_event.event, Event::Lost(_)) {
            self.come(
                (self.flows + datagram_event.source, false, datagram_event.node),
                datagram_event.bits,
            );
        }
    }

    fn on_loss(&mut self, loss: LossEvent) {
        if loss.cause == LossCause::Queue {
            self.links[loss.link as usize].dropped += loss.bits;
        }
    }

    fn wants_link_histories(&self) -> bool {
        true
    }

    fn accept_link_histories(&mut self, _: Instant, links: Vec<LinkHistory>) {
        for (seen, history) in self.links.iter_mut().zip(links) {
            seen.history = history;
        }
    }
}

impl Seen {
    fn faults(&self, claim: &Claim, book: Option<&Book>) -> Vec<Fault> {
        let properties = [
            ("conserves", self.conserves(book)),
            ("order", self.keeps_order(claim)),
            ("limit", self.keeps_limit(claim)),
            ("works", self.works(claim)),
            ("rate", self.keeps_rate(claim)),
            ("tokens", claim.tokens.map_or(Ok(()), |tokens| self.has_tokens(tokens))),
        ];
        properties
            .into_iter()
            .filter_map(|(distribution, holds)| Some((distribution, holds.err()?)))
            .collect()
    }

    /// Bits that came were sent, dropped, or wait; and the book of the queue says the same.
    fn conserves(&self, book: Option<&Book>) -> Result<(), String> {
        let sent: u64 = self.history.sojourns.iter().map(|row| row[3]).sum();
        let waiting = self.history.queue.last().map_or((0, 0), |last| (last[1], last[2]));
        let all = (self.came, sent, self.dropped, waiting);
        let booked = book.map_or(all, |book| {
            book.read(|ledger| (ledger.came, ledger.sent, ledger.dropped, ledger.waiting()))
        });
        hold(all == booked && all.0 == all.1 + all.2 + all.3.1, || format!("{all:?} {booked:?}"))
    }

    /// Packets of one owner leave as they came; all do if that is promised.
    fn keeps_order(&self, claim: &Claim) -> Result<(), String> {
        let mut last: HashMap<u64, u64> = HashMap::new();
        for &[start, waited, owner, _] in &self.history.sojourns {
            let of = match claim.guarantees.order {
                Order::Arrival => 0,
                Order::Owner => owner,
                Order::Any => return Ok(()),
            };
            let came = start - waited;
            let before = last.insert(of, came).unwrap_or(0);
            hold(before <= came, || format!("{owner} at {start}: {before} {came}"))?;
        }
        Ok(())
    }

    fn keeps_limit(&self, claim: &Claim) -> Result<(), String> {
        let above = self.history.queue.iter().find(|row| !claim.limit.may_hold(row[1], row[2]));
        hold(above.is_none(), || format!("{above:?} {claim:?}"))
    }

    /// The transmitter is busy while packets wait and there is a rate, unless the queue says that it may have it wait.
    fn works(&self, claim: &Claim) -> Result<(), String> {
        if claim.guarantees.may_wait {
            return Ok(());
        }
        let mut busy = self.history.busy.iter().peekable();
        for pair in self.history.queue.windows(2) {
            let (from, until) = (pair[0][0], pair[1][0]);
            if pair[0][1] == 0 {
                continue;
            }
            for stretch in claim.rates.iter().filter(|stretch| stretch.rate > 0.0) {
                let stretch = stretch.within(from, until);
                if stretch.from == stretch.until {
                    continue;
                }
                while busy.next_if(|busy| busy[1] <= stretch.from).is_some() {}
                let covers =
                    busy.peek().is_some_and(|b| b[0] <= stretch.from && stretch.until <= b[1]);
                hold(covers, || format!("{pair:?}, busy: {:?}", busy.peek()))?;
            }
        }
        Ok(())
    }

    /// A packet follows the one before when that is over, by the rate; and nothing else makes the transmitter busy.
    fn keeps_rate(&self, claim: &Claim) -> Result<(), String> {
        let (starts, end) =
            (&self.history.sojourns, self.history.busy.last().map_or(0, |last| last[1]));
        for pair in starts.windows(2) {
            let (from, until) = (pair[0][0], pair[1][0]);
            let most = claim.bits(from, until);
            let holds = most >= pair[0][3] as f64 - rounding(claim, from, until);
            hold(holds, || format!("{pair:?}: {most} at {:?}", claim.rates))?;
        }
        let busy: f64 = self.history.busy.iter().map(|row| claim.bits(row[0], row[1])).sum();
        let untils = starts.iter().skip(1).map(|next| next[0]).chain([end]);
        let most = |(row, until): (&[u64; 4], u64)| row[3] as f64 + rounding(claim, row[0], until);
        let sent: f64 = starts.iter().zip(untils).map(most).sum();
        hold(busy <= sent, || format!("busy for {busy} bits, {sent} sent"))
    }

    /// Checks that packets find their tokens as they leave or, where tokens are taken at arrival, as they come.
    fn has_tokens(&self, Tokens { rate, burst, at_arrival }: Tokens) -> Result<(), String> {
        let (mut tokens, mut since) = (burst, 0);
        for &[start, waited, _, bits] in &self.history.sojourns {
            let now = if at_arrival { start - waited } else { start };
            tokens =
                (tokens + rate * now.saturating_sub(since) as f64 / 1e9).min(burst) - bits as f64;
            since = now;
            hold(tokens >= -ROUNDING, || format!("{tokens} at {now}"))?;
        }
        Ok(())
    }
}

/// Bits by which the rounding of its start and its end may change what is sent from `from` until `until`.
fn rounding(claim: &Claim, from: u64, until: u64) -> f64 {
    ROUNDING * claim.fastest(from, until)
}

fn hold(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

/// Of 12 000 bits at 100 kbit/s 500 ns are half of what a nanosecond carries at the 100 Mbit/s of the second after.
#[test]
fn rounding_is_that_of_the_rate_at_the_time() {
    let queue = serde_json::from_str(r#"{"kind": "drop-tail", "packets": 9}"#).expect("a queue");
    let stretch = |from, until, rate| Stretch { from, until, rate };
    let rates = [stretch(0, 1_000_000_000, 1e5), stretch(1_000_000_000, u64::MAX, 1e8)].into();
    let claim = Claim { rates, ..Claim::from_spec(&queue, Rate::MAX) };
    let holds = |next: u64, end: u64| {
        let sojourns = vec![[0, 0, 0, 12_000], [next, 0, 0, 12_000]];
        let history = LinkHistory { sojourns, busy: vec![[0, end]], ..LinkHistory::default() };
        Seen { history, ..Seen::default() }.keeps_rate(&claim).is_ok()
    };
    assert!(holds(120_000_000, 240_000_000));
    assert!(holds(119_999_999, 240_000_001));
    assert!(!holds(119_999_500, 240_000_000));
    assert!(!holds(120_000_000, 240_000_500));
}
