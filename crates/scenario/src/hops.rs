//! The hops of a packet-level scenario, built for one run.

use crate::arq::{Arq, transmitted_size};
use crate::bands::ConnectionNumbers;
use crate::direction::{DelayChange, ForcedLoss, HopQueue, HopReorder, QueueLimit, Reorder};
use crate::hop::{EffectiveDirection, HopSpec};
use crate::path::PathScenario;
use airtcp_core::{Instant, Probability, Rate, Size, Span, Stream, airtime};
use airtcp_radio::channel::Spec as _;
use airtcp_radio::gate::Spec as _;
use airtcp_radio::queue::{NsDraws, Queue, Spec as _};
use airtcp_radio::rates::{Rates, Spec as _};
use airtcp_radio::{
    ArqConfig, ChannelSpec, Direction, Discipline, DistributionSpec, Duplication, GateProcess,
    GateSpec, HopConfig, Jitter, Overtaking, Process, QueueSpec, RatesSpec, SpecError,
};
use std::borrow::Cow;

/// Key path of one direction of a hop in a scenario of `hops` hops; `hop` is its place in the list of that direction
/// that [`PathScenario::hops`] gives.
#[must_use]
pub fn place_of_hop(is_back: bool, hop: usize, hops: usize) -> String {
    if is_back { format!("path.hop[{}].back", hops - 1 - hop) } else { format!("path.hop[{hop}]") }
}

impl PathScenario {
    /// The hops of replication `replication` under `seed`: in the forward direction, and in the reverse direction, the
    /// last hop first. Both directions of a hop see the same outages, unless the gate is of one direction only.
    ///
    /// # Errors
    /// If the values of a channel or a gate contradict each other; the field is the path.
    pub fn hops(
        &self,
        seed: u64,
        replication: u64,
    ) -> Result<(Vec<HopConfig>, Vec<HopConfig>), SpecError> {
        let stream = |name: &str| Stream::new(seed, name, replication);
        let draws = NsDraws::default();
        let owners = if self.has_bands() {
            self.connection_numbers(seed, replication)?
        } else {
            ConnectionNumbers::default()
        };
        let (mut forward, mut back) = (Vec::new(), Vec::new());
        let data_back = self.data_back();
        for (i, hop) in self.path.hop.iter().enumerate() {
            let place = format!("path.hop[{i}]");
            let gate = |way| gate(hop, way, &place, stream(&format!("hop{i}/gate")));
            // The link of a scenario on slots is that of its one flow.
            let name = if hop.slotted && i == 0 { "flow0".to_owned() } else { format!("hop{i}") };
            let streams = |way: &str| HopStreams {
                own_name: format!("{name}/{way}"),
                forward: format!("{name}/down"),
                hop_name: format!("hop{i}/both"),
                stream: &stream,
                draws: &draws,
                owners: &owners,
            };
            let gates = (gate(Direction::Forward)?, gate(Direction::Back)?);
            let (packet, ack) = self.slot_sizes();
            let back_size = if data_back[i] { packet } else { ack };
            let config = hop.effective_forward().config(packet, &place, &streams("down"))?;
            forward.push(HopConfig { gate: gates.0, ..config });
            let config =
                hop.effective_back().config(back_size, &format!("{place}.back"), &streams("up"))?;
            back.push(HopConfig { gate: gates.1, ..config });
        }
        back.reverse();
        Ok((forward, back))
    }
}

/// The streams of one direction of a hop, by name.
struct HopStreams<'a> {
    own_name: String,
    /// The name of the forward direction, whichever direction these streams are of.
    forward: String,
    hop_name: String,
    stream: &'a dyn Fn(&str) -> Stream,
    draws: &'a NsDraws,
    owners: &'a ConnectionNumbers,
}

impl HopStreams<'_> {
    /// Builds the channel `spec` at `key` of one direction of the hop, where `packet` is sent at once at `rate`.
    fn channel(
        &self,
        spec: Option<&ChannelSpec>,
        (packet, rate): (Size, Rate),
        place: &str,
        key: &str,
    ) -> Result<Option<Process>, SpecError> {
        let Some(spec) = spec else { return Ok(None) };
        if key != "channel" && spec.delays() {
            let message = "only the channel of a link delays packets: give this one losses alone";
            return Err(SpecError::new(format!("{place}.{key}"), message));
        }
        let named = |way: &str| (self.stream)(&format!("{way}/{key}"));
        let slot = airtime(spec.bits_on_air(packet.bits()), rate);
        let built = spec.build_paired(slot, named(&self.own_name), named(&self.hop_name));
        built.map(Some).map_err(|e| e.within(&format!("{place}.{key}")))
    }

    /// Builds the channel `spec` for a link on which every transmission takes a slot, or begins with one.
    fn slotted_channel(
        &self,
        spec: &ChannelSpec,
        slot: Span,
        place: &str,
    ) -> Result<Process, SpecError> {
        let built = spec.build(slot, (self.stream)(&format!("{}/channel", self.own_name)));
        built.map_err(|e| e.within(&format!("{place}.channel")))
    }

    fn own_stream(&self, key: &str) -> Stream {
        (self.stream)(&format!("{}/{key}", self.own_name))
    }

    /// Builds the queue: a discipline, where that determines it, or a queue that decides for itself.
    fn queue(
        &self,
        spec: Option<&HopQueue>,
        rate: Rate,
        place: &str,
    ) -> Result<(Discipline, Option<Box<dyn Queue>>), SpecError> {
        let spec = match spec {
            None => return Ok((Discipline::Unlimited, None)),
            Some(HopQueue::Limit(limit)) => return Ok((discipline(*limit), None)),
            Some(HopQueue::Kind(spec)) => spec,
        };
        if let Some(discipline) = spec.discipline() {
            return Ok((discipline, None));
        }
        let built = match spec {
            QueueSpec::Priority(one) => {
                self.owners.with_connection_numbers(one).build(rate, self.own_stream("queue"))
            }
            _ => spec.build_beside(rate, self.own_stream("queue"), self.draws),
        };
        let managed = built.map_err(|e| e.within(&format!("{place}.queue")))?;
        Ok((Discipline::Unlimited, Some(managed)))
    }

    fn jitter(
        &self,
        distribution: Option<&DistributionSpec>,
        place: &str,
    ) -> Result<Option<Jitter>, SpecError> {
        let built = distribution
            .map(|distribution| Jitter::new(distribution, self.own_stream("jitter")))
            .transpose();
        built.map_err(|e| e.within(&format!("{place}.jitter")))
    }

    fn overtaking(
        &self,
        reorder: HopReorder,
        place: &str,
    ) -> Result<Option<Overtaking>, SpecError> {
        let built =
            reorder.undelayed_packets().map(|reorder| reorder.build(self.own_stream("reorder")));
        built.transpose().map_err(|e| e.within(&format!("{place}.reorder")))
    }

    fn duplication(&self, probability: Option<Probability>) -> Option<Duplication> {
        let probability = probability.filter(|p| *p > Probability::ZERO)?;
        Some(Duplication::new(probability.value(), self.own_stream("duplicate")))
    }
}

impl EffectiveDirection<'_> {
    /// Builds the link for full packets of length `packet`.
    fn config(
        &self,
        packet: Size,
        place: &str,
        streams: &HopStreams<'_>,
    ) -> Result<HopConfig, SpecError> {
        let spec = self.spec;
        let changing = self.rates.clone();
        let (rate, rates) =
            rate_and_changes(self.mean_rate(), changing, self.rate_stream(streams), place)?;
        let built = |spec: &Option<ChannelSpec>, sent, key| {
            streams.channel(spec.as_ref(), (sent, rate), place, key)
        };
        let fragment = transmitted_size(packet, spec.arq.as_ref());
        let slot = self.slotted.then(|| self.slot_length(fragment));
        let channel = match (&spec.channel, slot) {
            (Some(spec), Some(slot)) => Some(streams.slotted_channel(spec, slot, place)?),
            (channel, _) => built(channel, fragment, "channel")?,
        };
        let (queue, managed) = streams.queue(self.queue, rate, place)?;
        Ok(HopConfig {
            opportunities: spec.build_opportunities(self.delay.span()),
            rates,
            delays: delay_changes(&spec.delays),
            queue,
            managed,
            jitter: streams.jitter(spec.jitter.as_ref(), place)?,
            reorder: !spec.reorder.keeps_order(),
            overtaking: streams.overtaking(spec.reorder, place)?,
            duplication: streams.duplication(spec.duplicate),
            exit: built(&spec.exit, packet, "exit")?,
            marks: built(&spec.marks, packet, "marks")?,
            channel: channel.unwrap_or(Process::Perfect),
            slot,
            arq: arq(spec.arq.as_ref(), streams.own_stream("feedback")),
            drop: forced_losses(&spec.drop),
            ..HopConfig::new(rate, self.delay.span())
        })
    }

    /// The airtime of `fragment`, with the redundancy of the channel's code.
    fn slot_length(&self, fragment: Size) -> Span {
        let bits = fragment.bits();
        let on_air = self.spec.channel.as_ref().map_or(bits, |channel| channel.bits_on_air(bits));
        airtime(on_air, self.mean_rate())
    }

    /// The stream that rates draw from: a reverse direction that takes the rates of the forward one has the same draws.
    fn rate_stream(&self, streams: &HopStreams<'_>) -> Stream {
        let whose = if self.spec.rates.is_some() { &streams.own_name } else { &streams.forward };
        (streams.stream)(&format!("{whose}/rates"))
    }
}

/// The rate of a link, and its rates where they change.
fn rate_and_changes(
    mean: Rate,
    spec: Option<Cow<'_, RatesSpec>>,
    stream: Stream,
    place: &str,
) -> Result<(Rate, Option<Rates>), SpecError> {
    let Some(spec) = spec else { return Ok((mean, None)) };
    let rates = spec.build(stream).map_err(|e| e.within(&format!("{place}.rates")))?;
    Ok(match rates.constant() {
        Some(rate) => (rate, None),
        None => (mean, Some(rates)),
    })
}

impl Reorder {
    pub(crate) fn build(&self, stream: Stream) -> Result<Overtaking, SpecError> {
        Overtaking::new(self.probability, self.correlation, self.gap, stream)
    }
}

fn arq(spec: Option<&Arq>, feedback: Stream) -> Option<ArqConfig> {
    spec.map(|arq| arq.config(feedback))
}

/// Builds the gate as packets in the direction `way` meet it.
fn gate(
    hop: &HopSpec,
    way: Direction,
    place: &str,
    stream: Stream,
) -> Result<Option<GateProcess>, SpecError> {
    let met = |gate: &&GateSpec| [Direction::Both, way].contains(&gate.direction());
    let built = hop.gate.as_ref().filter(met).map(|gate| gate.build(stream)).transpose();
    built.map_err(|e| e.within(&format!("{place}.gate")))
}

fn discipline(limit: QueueLimit) -> Discipline {
    match limit {
        QueueLimit::Packets(packets) => Discipline::DropTail(packets.into()),
        QueueLimit::Bytes(size) => Discipline::DropTailBits(size.bits()),
    }
}

fn delay_changes(delays: &[DelayChange]) -> Vec<(Instant, Span)> {
    delays.iter().map(|d| (Instant::START + d.at.span(), d.delay.span())).collect()
}

fn forced_losses(drop: &[ForcedLoss]) -> Vec<(u64, u32)> {
    drop.iter().map(|ForcedLoss(number, copy)| (*number, *copy)).collect()
}
