//! Losses on the way of a flow's data.

use airtcp_radio::Met;

/// Losses on the links of a way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Packets of one owner that were lost there, to whatever cause.
    pub packets: u64,
    /// Transmissions, of whatever owner, that met chains on the slot clock there.
    pub met: u64,
    /// Those that a chain lost.
    pub met_lost: u64,
    /// The number that their loss rates let expect, in millionths.
    pub expected_ppm: u64,
}

impl Losses {
    /// Of each link what was lost of the packets of one owner, and what has met its chains.
    pub(super) fn on(links: impl Iterator<Item = (u64, Met)>) -> Self {
        let sum =
            |(packets, all): (u64, Met), (lost, met): (u64, Met)| (packets + lost, all.plus(met));
        let (packets, met) = links.fold((0, Met::default()), sum);
        let expected_ppm = (1e6 * met.expected).round() as u64;
        Losses { packets, met: met.transmissions, met_lost: met.lost, expected_ppm }
    }

    /// The numbers, in the order of the columns "lost", "channel_met", "channel_lost" and "channel_expected_ppm".
    pub(super) fn values(&self) -> [i64; 4] {
        [self.packets, self.met, self.met_lost, self.expected_ppm].map(u64::cast_signed)
    }

    pub(super) fn since(&self, before: &Losses) -> Losses {
        Losses {
            packets: self.packets - before.packets,
            met: self.met - before.met,
            met_lost: self.met_lost - before.met_lost,
            expected_ppm: self.expected_ppm - before.expected_ppm,
        }
    }

    /// Both together, of connections over the same way.
    pub(super) fn plus(&self, other: &Losses) -> Losses {
        let met = if self.met < other.met { other } else { self };
        Losses { packets: self.packets + other.packets, ..*met }
    }
}
