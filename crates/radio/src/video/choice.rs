//! The registry of rules by which a player chooses the bitrate of the next chunk.

use super::view::PlayerView;
use super::{buffer, throughput};
use airtcp_core::registry;

registry! {
    /// Rule by which a player chooses the bitrate of the next chunk, by name.
    #[derive(Copy)]
    pub enum VideoChoice or name {
        "buffer" => Buffer(buffer::Buffer), "The fuller the buffer, the higher the bitrate (BBA-0).", "huang2014";
        "throughput" => Throughput(throughput::Throughput), "The bitrate is at most a share of the harmonic mean throughput of the last chunks.", "jiang2012";
    }
}

impl Default for VideoChoice {
    fn default() -> Self {
        VideoChoice::Buffer(buffer::Buffer::default())
    }
}

impl VideoChoice {
    /// The next bitrate, counted from the lowest.
    pub(super) fn next(self, view: &PlayerView<'_>) -> usize {
        match self {
            VideoChoice::Buffer(rule) => rule.next(view),
            VideoChoice::Throughput(rule) => rule.next(view),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::throughput::Throughput;
    use super::*;

    const LADDER: [f64; 5] = [1e6, 2e6, 3e6, 4e6, 5e6];

    fn by_buffer(last: usize, fill: f64) -> usize {
        let view = PlayerView { bitrates: &LADDER, last, fill, throughputs: &[] };
        VideoChoice::default().next(&view)
    }

    /// Figure 6 and algorithm 1 of the paper; the line is 1 Mbit/s at .375, 3 at .6375 and 5 at .9.
    #[test]
    fn the_line_is_followed_where_it_has_passed_a_neighbour() {
        assert_eq!([by_buffer(4, 0.375), by_buffer(0, 0.9)], [0, 4]);
        assert_eq!(
            [by_buffer(0, 0.5), by_buffer(0, 0.51)],
            [0, 1],
            "1.95 is below the next, 2.03 above"
        );
        assert_eq!(by_buffer(0, 0.65), 2, "3.1 Mbit/s: the highest below it");
        assert_eq!(
            [by_buffer(2, 0.55), by_buffer(2, 0.75)],
            [2, 2],
            "2.3 and 3.9 are between the neighbours"
        );
        assert_eq!(by_buffer(2, 0.5), 1, "1.95 is below 2: the lowest above it");
        assert_eq!(by_buffer(4, 0.5), 1);
    }

    #[test]
    fn a_share_of_the_harmonic_mean_is_carried() {
        let rule = VideoChoice::Throughput(Throughput { share: 0.5, chunks: 2 });
        let next = |throughputs: &[f64]| {
            rule.next(&PlayerView { bitrates: &LADDER, last: 0, fill: 1.0, throughputs })
        };
        // Of 4 and 12: 6; of 12 and 12: 12.
        assert_eq!([next(&[]), next(&[12e6]), next(&[4e6, 12e6])], [0, 4, 2]);
        assert_eq!([next(&[1e6, 12e6, 12e6]), next(&[1e6])], [4, 0]);
    }
}
