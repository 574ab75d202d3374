//! The literature to cite for a scenario.

use crate::direction::{DirectionSpec, HopQueue};
use crate::hop::HopSpec;
use crate::path::PathScenario;
use crate::scenario::Scenario;
use crate::slot::SlotScenario;
use airtcp_core::RegistryEntry;
use airtcp_radio::{ChannelSpec, DistributionSpec, GateSpec, SizeSpec};

/// The bibliography, in BibTeX.
pub const REFERENCES: &str = include_str!("../../../refs.bib");

/// Keys into [`REFERENCES`] for everything that `scenario` uses, the project itself first, each once.
#[must_use]
pub fn citations(scenario: &Scenario) -> Vec<&'static str> {
    let entries = match scenario {
        Scenario::Slot(scenario) => slot_entries(scenario),
        Scenario::Path(scenario) => path_entries(scenario),
    };
    let mut keys = vec!["airtcp"];
    for key in entries.into_iter().flat_map(|e| e.sources.split(", ")) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// A link layer that retransmits.
const ARQ: RegistryEntry = RegistryEntry {
    name: "arq",
    summary: "Segmentation and selective repeat with a limit of attempts.",
    sources: "chockalingam1999",
};

fn slot_entries(scenario: &SlotScenario) -> Vec<&'static RegistryEntry> {
    let mut entries = vec![scenario.profile.entry(), scenario.tcp.variant.entry()];
    entries.extend(channel_entries(&scenario.channel));
    entries.extend(scenario.link.arq.as_ref().map(|_| &ARQ));
    entries
}

fn path_entries(scenario: &PathScenario) -> Vec<&'static RegistryEntry> {
    let mut entries = vec![scenario.profile.entry()];
    for flow in &scenario.flow {
        let transport = scenario.tcp_of(flow).transport();
        entries.push(transport.entry());
        entries.extend(transport.parts());
    }
    for hop in &scenario.path.hop {
        let channels = hop.directions().flat_map(DirectionSpec::channels);
        entries.extend(channels.flat_map(|(_, channel)| channel_entries(channel)));
        entries.extend(hop.gate.iter().flat_map(gate_entries));
        entries.extend(queue_entries(hop));
    }
    let distributions = scenario.traffic.iter().flat_map(|one| one.on.iter().chain(&one.off));
    entries.extend(distributions.flat_map(distribution_entries));
    for flow in &scenario.flow {
        entries.extend(flow.arrivals.iter().chain(&flow.think).flat_map(distribution_entries));
        entries.extend(flow.sizes.iter().map(SizeSpec::entry));
        entries.extend(flow.video.iter().map(|video| video.choice.entry()));
    }
    entries.extend(scenario.has_arq().then_some(&ARQ));
    entries
}

/// The listings of a channel, and of the channels that it is made of.
fn channel_entries(channel: &ChannelSpec) -> Vec<&'static RegistryEntry> {
    let members = match channel {
        ChannelSpec::Series(series) => series.of.as_slice(),
        _ => &[],
    };
    std::iter::once(channel.entry()).chain(members.iter().map(ChannelSpec::entry)).collect()
}

/// The listings of a gate, and of the distributions that it draws from.
fn gate_entries(gate: &GateSpec) -> Vec<&'static RegistryEntry> {
    let distributions = match gate {
        GateSpec::Spikes(spikes) => vec![&spikes.interval, &spikes.duration],
        _ => vec![],
    };
    std::iter::once(gate.entry())
        .chain(distributions.into_iter().flat_map(distribution_entries))
        .collect()
}

/// The listings of the queues of a hop, and of the distributions of its jitter.
fn queue_entries(hop: &HopSpec) -> Vec<&'static RegistryEntry> {
    let queues = hop.directions().filter_map(|direction| direction.queue.as_ref());
    let kinds = queues.filter_map(|queue| match queue {
        HopQueue::Kind(kind) => Some(kind.entry()),
        HopQueue::Limit(_) => None,
    });
    let distributions = hop.directions().filter_map(|direction| direction.jitter.as_ref());
    kinds.chain(distributions.flat_map(distribution_entries)).collect()
}

/// The listings of a distribution, and of the distributions that it is made of.
fn distribution_entries(distribution: &DistributionSpec) -> Vec<&'static RegistryEntry> {
    let members = match distribution {
        DistributionSpec::Modulated(modulated) => modulated.laws.as_slice(),
        _ => &[],
    };
    std::iter::once(distribution.entry())
        .chain(members.iter().flat_map(distribution_entries))
        .collect()
}
