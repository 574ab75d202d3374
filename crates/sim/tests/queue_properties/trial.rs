//! A scenario whose queues are watched, from within and from outside.

use crate::queue_properties::broken::{Broken, Mutant};
use crate::queue_properties::claim::Claim;
use crate::queue_properties::ledger::{Book, Fault, watched};
use crate::queue_properties::outside::Outside;
use airtcp_core::{Cancel, Instant, Rate, Span, Stream};
use airtcp_radio::queue::Spec as _;
use airtcp_radio::rates::Spec as _;
use airtcp_radio::{QueueSpec, RatesSpec};
use airtcp_scenario::{EffectiveDirection, HopQueue, HopSpec, PathScenario, Scenario, points};
use airtcp_sim::network::{NetworkConfig, classic_config, observe_by_timeline};
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Rates are claimed until then: no run takes longer.
const END: Span = Span::from_nanos(10_000_000_000);

/// A scenario, and whether drop-tail queues are left to links that know none other.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) document: Value,
    pub(crate) plain: bool,
}

fn read(document: &Value) -> PathScenario {
    match points(document).unwrap_or_else(|e| panic!("{e}: {document}")).remove(0) {
        Scenario::Path(scenario) => scenario,
        Scenario::Slot(_) => panic!("a profile with a path"),
    }
}

fn spec(queue: Option<&HopQueue>) -> QueueSpec {
    match queue {
        Some(HopQueue::Kind(spec)) => spec.clone(),
        other => panic!("every link has a kind of queue, not {other:?}"),
    }
}

/// The queue of a link with its mean rate, and what it claims.
fn claimed(queue: QueueSpec, rate: Rate, rates: Option<&RatesSpec>) -> (QueueSpec, Claim) {
    let (claim, end) = (Claim::from_spec(&queue, rate), Instant::START + END);
    let claim = match rates {
        None => claim,
        Some(spec) => {
            claim.at(spec.build(Stream::new(1, "rates", 0)).expect("rates").segments_before(end))
        }
    };
    (queue, claim)
}

/// The queues of all links and what they claim, in their order: all hops forward, and back again.
fn described(scenario: &PathScenario) -> Vec<(QueueSpec, Claim)> {
    let of = |link: EffectiveDirection<'_>| {
        claimed(spec(link.queue), link.mean_rate(), link.rates.as_deref())
    };
    assert!(scenario.stop.time.span() <= END, "the claimed rates end before the run");
    let hops = &scenario.path.hop;
    let back = hops.iter().rev().map(HopSpec::effective_back);
    hops.iter().map(HopSpec::effective_forward).chain(back).map(of).collect()
}

impl Case {
    pub(crate) fn scenario(&self) -> PathScenario {
        read(&self.document)
    }

    /// Plays the case, with the fault of the mutant in every link, and gives the properties that are broken.
    pub(crate) fn play(&self, mutant: Option<Mutant>) -> Vec<Fault> {
        let (inside, outside) = self.judge(mutant);
        inside.into_iter().chain(outside).collect()
    }

    /// Plays the case and gives the properties that are broken by the ledgers, and those broken as seen from outside.
    pub(crate) fn judge(&self, mutant: Option<Mutant>) -> (Vec<Fault>, Vec<Fault>) {
        let scenario = read(&self.document);
        let mut network = classic_config(&scenario, 1, 0).expect("a network");
        let (specs, mut claims): (Vec<_>, Vec<_>) = described(&scenario).into_iter().unzip();
        let books = self.watch(&mut network, specs, &claims, mutant);
        if mutant == Some(Mutant::Hurries) {
            claims.iter_mut().for_each(Claim::slow_down);
        }
        let outside = Outside::new(&network);
        let play = || observe_by_timeline(network, outside, &Cancel::new()).expect("it fits").1;
        // A transmitter may see for itself that its queue is broken, and panic.
        let outside = match (mutant, AssertUnwindSafe(play)) {
            (None, play) => play().faults(&claims, &books),
            (Some(_), play) => catch_unwind(play)
                .map_or_else(|_| vec![], |outside| outside.faults(&claims, &books)),
        };
        let inside = books.iter().flatten().flat_map(|book| book.read(|l| l.faults.split_off(0)));
        (inside.collect(), outside)
    }

    fn watch(
        &self,
        network: &mut NetworkConfig,
        specs: Vec<QueueSpec>,
        claims: &[Claim],
        mutant: Option<Mutant>,
    ) -> Vec<Option<Book>> {
        let links = network.links.iter_mut().zip(specs).zip(claims);
        let each = links.map(|((link, spec), claim)| {
            let is_plain = matches!(spec, QueueSpec::DropTail(_)) && mutant.is_none() && self.plain;
            if is_plain {
                return None;
            }
            let spec = mutant.map_or(spec.clone(), |mutant| mutant.spec(&spec));
            let queue = spec.build(link.hop.rate, Stream::new(1, "queue", 0)).expect("a queue");
            let queue = match mutant {
                Some(mutant) => Box::new(Broken::new(queue, mutant)),
                None => link.hop.managed.take().unwrap_or(queue),
            };
            let (queue, book) = watched(queue, claim.clone());
            link.hop.managed = Some(queue);
            Some(book)
        });
        each.collect()
    }
}
