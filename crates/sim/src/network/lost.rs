//! Losses on the way of a flow's data.

use airtcp_core::Count;
use airtcp_radio::Met;

/// Losses on the links of a way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Packets of one owner lost on the links for any cause, copies included.
    pub packets: u64,
    /// Copies made on the links.
    pub copies: u64,
    /// Transmissions, of whatever owner, that met chains on the slot clock there.
    pub arq_losses_tallied: u64,
    /// Packets lost by a channel's Markov chain.
    pub met_lost: u64,
    /// The number that their loss rates let expect, in millionths.
    pub expected_ppm: u64,
}

impl Losses {
    /// The sum over links, of each what it has lost and copied of the packets of one owner, and what has met its chains.
    pub(super) fn on(links: impl Iterator<Item = ([u64; 2], Met)>) -> Self {
        let none = (Losses::default(), Met::default());
        let (sum, met) = links.fold(none, |(sum, all), ([lost, copies], met)| {
            let (packets, copies) = (sum.packets + lost, sum.copies + copies);
            (Losses { packets, copies, ..sum }, all.plus(met))
        });
        let expected_ppm = (1e6 * met.expected).round() as u64;
        Losses { arq_losses_tallied: met.transmissions, met_lost: met.lost, expected_ppm, ..sum }
    }
}

impl Count for Losses {
    fn since(&self, before: &Losses) -> Losses {
        Losses {
            packets: self.packets - before.packets,
            copies: self.copies - before.copies,
            arq_losses_tallied: self.arq_losses_tallied - before.arq_losses_tallied,
            met_lost: self.met_lost - before.met_lost,
            expected_ppm: self.expected_ppm - before.expected_ppm,
        }
    }

    /// Both together, of connections over the same way.
    fn plus(&self, other: &Losses) -> Losses {
        let met = if self.arq_losses_tallied < other.arq_losses_tallied { other } else { self };
        let (packets, copies) = (self.packets + other.packets, self.copies + other.copies);
        Losses { packets, copies, ..*met }
    }
}
