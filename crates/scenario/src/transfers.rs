//! Flows of many transfers: those that arrive, each on a connection of its own, and those that follow each other on one.

use crate::input_error::InputError;
use crate::path::{Flow, PathScenario};
use airtcp_core::{Instant, Stream};
use airtcp_radio::distribution::{Draws, Spec as _};
use airtcp_radio::size::{Sizes, Spec as _};
use airtcp_radio::video::Player;
use airtcp_radio::{DistributionSpec, SizeSpec, SpecError, VideoCounts};

/// Most connections of one flow: each has its ends in memory from the start of the run.
const MAX_ARRIVALS: usize = 1_000_000;

/// A transfer that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Start of the transfer.
    pub start: Instant,
    /// Payload of the transfer in bytes.
    pub bytes: u64,
}

/// Transfers one after the other, on one connection.
#[derive(Debug)]
pub enum Requests {
    /// Sizes and pauses drawn from distributions.
    Drawn(RandomTransfers),
    /// Chunks of a video.
    Video(Player),
}

/// Transfers whose sizes and pauses are drawn.
#[derive(Debug)]
pub struct RandomTransfers {
    think: Draws,
    sizes: Sizes,
    stream: Stream,
    size_stream: Stream,
}

impl Requests {
    /// Payload of the transfer that starts at `now`, in bytes; none after the last.
    pub fn size(&mut self, now: Instant) -> Option<u64> {
        match self {
            Requests::Drawn(drawn) => drawn.sizes.next(&mut drawn.size_stream),
            Requests::Video(player) => player.request_chunk(now),
        }
    }

    /// Start of the transfer after the one that ended at `now`; [`Instant::NEVER`] if there is none.
    pub fn next(&mut self, now: Instant) -> Instant {
        match self {
            Requests::Drawn(drawn) => {
                drawn.think.next(&mut drawn.stream).map_or(Instant::NEVER, |span| now + span)
            }
            Requests::Video(player) => player.receive_chunk(now),
        }
    }

    /// Counts of the video up to `now`; zeros for other transfers.
    #[must_use]
    pub fn video(&self, now: Instant) -> VideoCounts {
        match self {
            Requests::Drawn(_) => VideoCounts::default(),
            Requests::Video(player) => player.counts(now),
        }
    }
}

/// The transfers of a flow.
#[derive(Debug)]
pub enum Transfers {
    /// One transfer: of the size that the flow gives, or without end.
    Bulk,
    /// Transfers that arrive.
    Arrivals(Vec<Arrival>),
    /// Transfers that follow each other.
    Requests(Box<Requests>),
}

impl Flow {
    /// True if the flow consists of many transfers.
    #[must_use]
    pub fn has_transfers(&self) -> bool {
        self.sizes.is_some() || self.video.is_some()
    }

    /// True if chance decides when transfers start, or how long they are.
    pub(crate) fn draws_transfers(&self) -> bool {
        self.arrivals.iter().chain(&self.think).any(DistributionSpec::is_random)
            || self.sizes.as_ref().is_some_and(SizeSpec::is_random)
    }
}

impl PathScenario {
    /// True if some flow consists of many transfers, so that rows of results have columns for them.
    #[must_use]
    pub fn has_transfers(&self) -> bool {
        self.flow.iter().any(Flow::has_transfers)
    }

    /// True if some flow is a video, so that rows of results have columns for videos.
    #[must_use]
    pub fn has_video(&self) -> bool {
        self.flow.iter().any(|flow| flow.video.is_some())
    }

    /// The transfers of every flow in replication `replication` under `seed`. They draw from the streams
    /// `flow{i}/arrivals`, `flow{i}/think` and `flow{i}/sizes`, which are the same whatever TCP the flow has.
    ///
    /// # Errors
    /// If the values of a distribution contradict each other, or if more than a million transfers arrive.
    pub fn transfers(&self, seed: u64, replication: u64) -> Result<Vec<Transfers>, SpecError> {
        let places = self.flow.iter().enumerate();
        let each = places.flat_map(|(place, flow)| (0..flow.count).map(move |_| (place, flow)));
        let transfers = each.enumerate().map(|(number, (place, flow))| {
            let stream = |key: &str| Stream::new(seed, &format!("flow{number}/{key}"), replication);
            self.flow_transfers(flow, &stream).map_err(|e| e.within(&format!("flow[{place}]")))
        });
        transfers.collect()
    }

    fn flow_transfers(
        &self,
        flow: &Flow,
        stream: &dyn Fn(&str) -> Stream,
    ) -> Result<Transfers, SpecError> {
        if let Some(video) = &flow.video {
            let player = Player::new(video, Instant::START + flow.start.span());
            return Ok(Transfers::Requests(Box::new(Requests::Video(player))));
        }
        let Some(sizes) = &flow.sizes else { return Ok(Transfers::Bulk) };
        let sizes = sizes.build().map_err(|e| e.within("sizes"))?;
        if let Some(think) = &flow.think {
            let think = think.build().map_err(|e| e.within("think"))?;
            let (stream, size_stream) = (stream("think"), stream("sizes"));
            let drawn = RandomTransfers { think, sizes, stream, size_stream };
            return Ok(Transfers::Requests(Box::new(Requests::Drawn(drawn))));
        }
        let Some(distribution) = &flow.arrivals else {
            return Err(SpecError::new("sizes", "needs arrivals or think; give one of them"));
        };
        let distribution = distribution.build().map_err(|e| e.within("arrivals"))?;
        let end = Instant::START + self.stop.time.span();
        let start = Instant::START + flow.start.span();
        draw_arrivals((distribution, stream("arrivals")), (sizes, stream("sizes")), start, end)
            .map(Transfers::Arrivals)
    }

    pub(crate) fn check_transfers(&self, flow: &Flow, place: &str) -> Result<(), InputError> {
        let refuse =
            |key: &str, message: &str| Err(InputError::new(format!("{place}.{key}"), message));
        if let Some(video) = &flow.video {
            let others = [
                ("arrivals", flow.arrivals.is_some()),
                ("think", flow.think.is_some()),
                ("sizes", flow.sizes.is_some()),
            ];
            if let Some((key, _)) = others.iter().find(|(_, given)| *given) {
                return refuse(
                    key,
                    "cannot be combined with video, whose player decides when to ask and for how much",
                );
            }
            video.check().map_err(|error| InputError::within(error, &format!("{place}.video")))?;
            return refuse_single_transfer_keys(flow, place, "video");
        }
        match (&flow.arrivals, &flow.think, &flow.sizes) {
            (None, None, None) => return Ok(()),
            (Some(_), Some(_), _) => {
                return refuse(
                    "think",
                    "cannot be combined with arrivals: transfers either arrive or follow each other",
                );
            }
            (_, _, None) => return refuse("sizes", "missing; give the size of each transfer"),
            (None, None, Some(_)) => {
                return refuse("arrivals", "missing; sizes needs arrivals or think");
            }
            _ => {}
        }
        refuse_single_transfer_keys(flow, place, "sizes")?;
        for (key, distribution) in [("arrivals", &flow.arrivals), ("think", &flow.think)] {
            if let Some(Err(error)) = distribution.as_ref().map(DistributionSpec::build) {
                return Err(InputError::within(error, &format!("{place}.{key}")));
            }
        }
        if let Some(Err(error)) = flow.sizes.as_ref().map(SizeSpec::build) {
            return Err(InputError::within(error, &format!("{place}.sizes")));
        }
        self.check_transfer_count(flow, place)
    }

    /// Refuses a run with far too many transfers before it starts.
    fn check_transfer_count(&self, flow: &Flow, place: &str) -> Result<(), InputError> {
        let Some(distribution) =
            flow.arrivals.as_ref().filter(|distribution| !distribution.is_finite())
        else {
            return Ok(());
        };
        let expected = self.stop.time.span().nanos() as f64 / distribution.mean().max(1.0);
        if expected <= MAX_ARRIVALS as f64 {
            return Ok(());
        }
        let message = format!("about {expected:.0} transfers in a run; at most {MAX_ARRIVALS}");
        Err(InputError::new(format!("{place}.arrivals"), message))
    }
}

/// Refuses keys that only a flow of one transfer may have, on a flow that has many by `key`.
fn refuse_single_transfer_keys(flow: &Flow, place: &str, key: &str) -> Result<(), InputError> {
    let alone = [
        ("packets", flow.packets.is_some()),
        ("size", flow.size.is_some()),
        ("milestone", flow.milestone.is_some()),
    ];
    let Some((one, _)) = alone.iter().find(|(_, given)| *given) else { return Ok(()) };
    let message = format!("applies to a flow of one transfer, but this flow has many ({key})");
    Err(InputError::new(format!("{place}.{one}"), message))
}

/// Transfers from `start` on until just before `end`.
fn draw_arrivals(
    (mut distribution, mut stream): (Draws, Stream),
    (mut sizes, mut size_stream): (Sizes, Stream),
    mut start: Instant,
    end: Instant,
) -> Result<Vec<Arrival>, SpecError> {
    let mut found = Vec::new();
    while start < end {
        let Some(bytes) = sizes.next(&mut size_stream) else { break };
        if found.len() == MAX_ARRIVALS {
            let message = format!("more than {MAX_ARRIVALS} transfers would arrive in this run");
            return Err(SpecError::new("arrivals", message));
        }
        found.push(Arrival { start, bytes });
        let Some(pause) = distribution.next(&mut stream) else { break };
        start = start + pause;
    }
    Ok(found)
}
