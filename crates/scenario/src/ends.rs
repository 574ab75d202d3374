//! The two ends of every flow, built for one run: the same for the simulator and for real packets.

use crate::path::{Flow, PathScenario};
use crate::profile::Profile;
use airtcp_core::{Span, Stream};
use airtcp_tcp::{ReceiverConfig, SenderConfig};

impl PathScenario {
    /// Sender and receiver of every flow in replication `replication` under `seed`, which decide the
    /// phase of clocks that have a random one.
    ///
    /// # Panics
    /// If the scenario is one of profile `linux`, whose hosts [`PathScenario::linux_ends`] gives.
    #[must_use]
    pub fn ends(&self, seed: u64, replication: u64) -> Vec<(SenderConfig, ReceiverConfig)> {
        let ends = |flow: &Flow| self.tcp_of(flow).transport().ends();
        let mut ends = self.per_flow(|flow| ends(flow).expect("hosts of Linux are others"));
        for (i, (sender, _)) in ends.iter_mut().enumerate() {
            if let Some((tick, boot)) = sender.timer.random_phase() {
                *boot = draw_phase(tick, Stream::new(seed, &format!("flow{i}/clock"), replication));
            }
        }
        ends
    }

    /// True if the clock of some sender or receiver has a random phase.
    pub(crate) fn has_random_clock(&self) -> bool {
        let mut ends = self.flow.iter().filter_map(|flow| self.tcp_of(flow).transport().ends());
        self.profile == Profile::Linux
            || ends.any(|(mut sender, _)| sender.timer.random_phase().is_some())
    }
}

/// Draws a phase of a clock, each as likely as the others.
fn draw_phase(tick: Span, mut stream: Stream) -> Span {
    Span::from_nanos((stream.uniform() * tick.nanos() as f64) as i64)
}
