//! The rows of results: a flow each. The connections of transfers that arrive are one flow together.

use super::counts::{DelayQuantiles, FlowCounts};
use super::ends::Ends;
use super::flow::Flow;
use super::lost::RouteLosses;
use super::part_delays::PartDelays;
use super::transfers::Transfers;
use airtcp_core::{Instant, Span};
use std::ops::Range;

/// Configuration of a row.
#[derive(Clone, Debug)]
pub struct RowConfig {
    /// Connections of the row among all of the run, one after the other.
    pub connections: Range<usize>,
    /// Start of the flow of the row.
    pub start: Instant,
    /// True if it has many transfers.
    pub has_transfers: bool,
    /// True if the run is counted as a whole, and not in parts.
    pub is_one_part: bool,
}

/// Running counts of a row.
pub(super) struct Row {
    config: RowConfig,
    delays: PartDelays,
    pub(super) transfers: Option<Box<Transfers>>,
}

impl Row {
    pub(super) fn new(config: RowConfig) -> Self {
        let transfers = config.has_transfers.then(Box::default);
        Row { config, delays: PartDelays::default(), transfers }
    }

    /// Counts up to `end`, where a part of the run ends; `flows` are all connections of the run.
    pub(super) fn count_until<E: Ends>(
        &mut self,
        flows: &mut [Flow<E>],
        end: Instant,
        on_links: impl Fn(usize) -> (airtcp_radio::ArqCounters, RouteLosses),
    ) -> FlowCounts {
        let of_one = |(i, flow): (usize, &Flow<E>)| {
            let (link, losses) = on_links(i);
            FlowCounts { link, losses, ..flow.count_until(end) }
        };
        let range = self.config.connections.clone();
        let (first, mine) = (range.start, &mut flows[range]);
        let mut counts = if let [flow] = mine {
            flow.meter.end_part();
            of_one((first, flow))
        } else {
            for flow in mine.iter_mut() {
                self.delays.merge(flow.meter.take_delays());
            }
            let time = if end > self.config.start { end - self.config.start } else { Span::ZERO };
            let none = FlowCounts { time, ..FlowCounts::default() };
            let each = mine.iter().enumerate().map(|(i, flow)| of_one((first + i, flow)));
            let sum = each.fold(none, |sum, counts| sum.plus(&counts));
            let (delay, delay_so_far) = self.delays.end_part(DelayQuantiles::from_histogram);
            FlowCounts { delay, delay_so_far, ..sum }
        };
        let least = counts.least_delay;
        counts.delay = counts.delay.clamp_to_least(least);
        counts.delay_so_far = counts.delay_so_far.clamp_to_least(least);
        if let Some(transfers) = &mut self.transfers {
            let mine = &flows[self.config.connections.clone()];
            counts.transfers =
                transfers.end_part(mine.iter().filter_map(|flow| flow.unfinished_bytes(end)));
            if self.config.is_one_part {
                counts.transfers = counts.transfers.merge_into_whole_run();
            }
            // Of many transfers no one is the flow's.
            counts.milestone = None;
        }
        counts
    }

    /// Restarts the quantiles.
    pub(super) fn forget_delays(&mut self) {
        self.delays.forget();
        if let Some(transfers) = &mut self.transfers {
            transfers.reset_quantiles();
        }
    }
}
