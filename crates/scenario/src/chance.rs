//! Randomness of a scenario: true if any component draws random numbers. Without randomness all runs are equal. Each component
//! reports for itself.

use crate::arq::{Arq, SlotArq};
use crate::direction::{DirectionSpec, HopQueue, HopRates, HopReorder};
use crate::hop::HopSpec;
use crate::path::{Flow, PathScenario};
use crate::scenario::Scenario;
use crate::slot::{Ack, SlotScenario};
use crate::traffic::Traffic;
use airtcp_core::Probability;
use airtcp_radio::channel::{Iid, Spec as _};
use airtcp_radio::distribution::Spec as _;
use airtcp_radio::gate::Spec as _;
use airtcp_radio::queue::Spec as _;
use airtcp_radio::rates::Spec as _;
use airtcp_radio::{ChannelSpec, DistributionSpec, GateSpec};

impl Scenario {
    /// True if two runs of the valid scenario can differ. If they cannot, runs are the same under every seed and
    /// in every replication.
    #[must_use]
    pub fn is_random(&self) -> bool {
        match self {
            Scenario::Slot(scenario) => scenario.is_random(),
            Scenario::Path(scenario) => scenario.is_random(),
        }
    }
}

impl SlotScenario {
    fn is_random(&self) -> bool {
        self.channel.is_random()
            || self.ack.is_random()
            || self.link.arq.as_ref().is_some_and(SlotArq::is_random)
    }
}

impl Ack {
    fn is_random(&self) -> bool {
        Iid { loss_rate: self.loss_rate }.is_random()
    }
}

impl PathScenario {
    fn is_random(&self) -> bool {
        self.has_random_clock()
            || self.path.hop.iter().any(HopSpec::is_random)
            || self.traffic.iter().any(Traffic::is_random)
            || self.flow.iter().any(Flow::draws_transfers)
    }
}

impl HopSpec {
    /// True if chance decides something on the hop. The pattern names every field, so that a new one must be added.
    fn is_random(&self) -> bool {
        let HopSpec { near: _, far: _, link: _, forward, slotted: _, gate, back } = self;
        forward.is_random()
            || gate.as_ref().is_some_and(GateSpec::is_random)
            || back.as_ref().is_some_and(DirectionSpec::is_random)
    }
}

impl DirectionSpec {
    /// True if chance decides something in this direction of the hop; see [`HopSpec::is_random`].
    fn is_random(&self) -> bool {
        let DirectionSpec {
            rate: _,
            rates,
            opportunities: _,
            trains: _,
            delay: _,
            queue,
            exit,
            marks,
            channel,
            arq,
            drop: _,
            delays: _,
            jitter,
            reorder,
            duplicate,
        } = self;
        is_random(&[exit, marks, channel], arq.as_ref())
            || are_rates_random(rates.as_ref())
            || is_handling_random(queue.as_ref(), jitter.as_ref(), *duplicate)
            || is_reordering_random(reorder)
    }
}

fn are_rates_random(rates: Option<&HopRates>) -> bool {
    rates.is_some_and(|rates| rates.spec().is_random())
}

impl SlotArq {
    fn is_random(&self) -> bool {
        self.feedback_loss > Probability::ZERO
    }
}

impl Arq {
    /// True if NAKs are lost by chance. Without a channel no fragment is lost, so no NAK is sent.
    fn is_random(&self, channel: Option<&ChannelSpec>) -> bool {
        self.feedback_loss > Probability::ZERO && channel.is_some()
    }
}

/// True if chance decides something in the channels of one direction of a hop, or in its link layer. The channel of
/// the wire is the last one.
fn is_random(processes: &[&Option<ChannelSpec>; 3], arq: Option<&Arq>) -> bool {
    processes.iter().filter_map(|one| one.as_ref()).any(ChannelSpec::is_random)
        || arq.is_some_and(|arq| arq.is_random(processes[2].as_ref()))
}

/// True if chance decides which packets are not delayed.
fn is_reordering_random(reorder: &HopReorder) -> bool {
    let p = reorder.undelayed_packets().map(|reorder| reorder.probability);
    p.is_some_and(|p| Probability::ZERO < p && p < Probability::ONE)
}

/// True if chance decides what the queue does, how long packets take, or how often they arrive.
fn is_handling_random(
    queue: Option<&HopQueue>,
    jitter: Option<&DistributionSpec>,
    duplicate: Option<Probability>,
) -> bool {
    matches!(queue, Some(HopQueue::Kind(queue)) if queue.is_random())
        || jitter.is_some_and(DistributionSpec::is_random)
        || duplicate.is_some_and(|p| Probability::ZERO < p && p < Probability::ONE)
}
