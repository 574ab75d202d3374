//! Checks of queues that choose the packets that they let pass: they are refused where no full packet of a flow ever
//! passes, or where they name flows that do not exist.

use crate::direction::HopQueue;
use crate::input_error::InputError;
use crate::path::PathScenario;
use airtcp_core::Size;
use airtcp_radio::QueueSpec;

/// One direction of a hop: its number, and true if it is crossed from its far end.
type DirectedHop = (usize, bool);

impl PathScenario {
    /// Checks queues against the packets that come to them.
    pub(crate) fn check_queues(&self) -> Result<(), InputError> {
        for hop in 0..self.path.hop.len() {
            for (is_back, place) in [(false, "queue"), (true, "back.queue")] {
                let Some(queue) = self.queue_of((hop, is_back)) else { continue };
                self.check_queue_of((hop, is_back), queue, &format!("path.hop[{hop}].{place}"))?;
            }
        }
        Ok(())
    }

    fn queue_of(&self, (hop, is_back): DirectedHop) -> Option<&QueueSpec> {
        match self.path.hop[hop].effective(is_back).queue? {
            HopQueue::Kind(spec) => Some(spec),
            HopQueue::Limit(_) => None,
        }
    }

    fn check_queue_of(
        &self,
        crossed: DirectedHop,
        queue: &QueueSpec,
        place: &str,
    ) -> Result<(), InputError> {
        match queue {
            QueueSpec::TokenBucket(bucket) => self.check_burst(crossed, bucket.burst, place),
            QueueSpec::Priority(priority) => self.check_priority(priority, place),
            _ => Ok(()),
        }
    }

    /// Refuses a bucket that cannot hold the longest packet that comes to it, which would never find enough tokens.
    fn check_burst(
        &self,
        crossed: DirectedHop,
        burst: Size,
        place: &str,
    ) -> Result<(), InputError> {
        match self.longest_packet(crossed) {
            Some((longest, whose)) if longest > burst => {
                let message = format!(
                    "{burst} is less than a packet of {whose}, {longest}, which could never pass; give at least {longest}"
                );
                Err(InputError::new(format!("{place}.burst"), message))
            }
            _ => Ok(()),
        }
    }

    /// The longest packet that crosses one direction of a hop as data or cross-traffic, and the table that sends it.
    fn longest_packet(&self, crossed: DirectedHop) -> Option<(Size, String)> {
        let mut routes = self.routes();
        let mut found = Vec::new();
        for (i, flow) in self.flow.iter().enumerate() {
            let tcp = self.tcp_of(flow);
            let ends = routes.nodes().flow_end_nodes(flow)?;
            found.push((ends, tcp.on_the_wire(tcp.packet()), format!("flow[{i}]")));
        }
        for (i, traffic) in self.traffic.iter().enumerate() {
            let ends =
                routes.nodes().end_nodes(traffic.sender.as_ref(), traffic.receiver.as_ref())?;
            found.push((ends, traffic.packet, format!("traffic[{i}]")));
        }
        let crosses = found.into_iter().filter(|(ends, ..)| routes.route(*ends).contains(&crossed));
        crosses.map(|(_, size, whose)| (size, whose)).max_by_key(|(size, _)| size.bytes())
    }
}
