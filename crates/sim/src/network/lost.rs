//! Losses on the way of a flow's data.

use airtcp_core::Count;
use airtcp_radio::ChainTally;

/// Losses on the links of a way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RouteLosses {
    /// Packets of one owner lost on the links for any cause, copies included.
    pub packets: u64,
    /// Copies made on the links.
    pub copies: u64,
    /// Transmissions, of whatever owner, that met chains on the slot clock there.
    pub chain_transmissions: u64,
    /// Packets lost by a channel's Markov chain.
    pub lost_by_chains: u64,
    /// The number that their loss rates let expect, in millionths.
    pub expected_chain_losses_ppm: u64,
}

impl RouteLosses {
    /// The sum over links, of each what it has lost and copied of the packets of one owner, and what has met its chains.
    pub(super) fn sum_over_links(links: impl Iterator<Item = ([u64; 2], ChainTally)>) -> Self {
        let none = (RouteLosses::default(), ChainTally::default());
        let (sum, met) = links.fold(none, |(sum, all), ([lost, copies], met)| {
            let (packets, copies) = (sum.packets + lost, sum.copies + copies);
            (RouteLosses { packets, copies, ..sum }, all.plus(met))
        });
        let expected_ppm = (1e6 * met.expected).round() as u64;
        RouteLosses {
            chain_transmissions: met.transmissions,
            lost_by_chains: met.lost,
            expected_chain_losses_ppm: expected_ppm,
            ..sum
        }
    }
}

impl Count for RouteLosses {
    fn since(&self, before: &RouteLosses) -> RouteLosses {
        RouteLosses {
            packets: self.packets - before.packets,
            copies: self.copies - before.copies,
            chain_transmissions: self.chain_transmissions - before.chain_transmissions,
            lost_by_chains: self.lost_by_chains - before.lost_by_chains,
            expected_chain_losses_ppm: self.expected_chain_losses_ppm
                - before.expected_chain_losses_ppm,
        }
    }

    /// Sum of both, for connections over the same links.
    fn plus(&self, other: &RouteLosses) -> RouteLosses {
        let met = if self.chain_transmissions < other.chain_transmissions { other } else { self };
        let (packets, copies) = (self.packets + other.packets, self.copies + other.copies);
        RouteLosses { packets, copies, ..*met }
    }
}
