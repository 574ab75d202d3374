//! State of a player as it chooses.

/// State of a player as it chooses; bitrates in bit/s, from the lowest to the highest.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlayerView<'a> {
    pub(super) bitrates: &'a [f64],
    /// Place of the last chunk's bitrate among them.
    pub(super) last: usize,
    /// Share that is filled of the largest content when a chunk is asked for (`buffer` less a chunk).
    pub(super) fill: f64,
    /// Throughputs of the chunks, in bit/s, the newest last.
    pub(super) throughputs: &'a [f64],
}

impl PlayerView<'_> {
    /// The highest bitrate that `holds`; the lowest if none does.
    pub(super) fn highest_where(&self, holds: impl Fn(f64) -> bool) -> usize {
        self.bitrates.iter().rposition(|rate| holds(*rate)).unwrap_or(0)
    }

    /// The lowest bitrate that `holds`; the highest if none does.
    pub(super) fn lowest_where(&self, holds: impl Fn(f64) -> bool) -> usize {
        self.bitrates.iter().position(|rate| holds(*rate)).unwrap_or(self.bitrates.len() - 1)
    }
}
