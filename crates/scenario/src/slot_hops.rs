//! The link of a scenario on slots: what its simulation sends packets over, and the same link as the hop
//! that the packets of real programs meet. Both have the same channel: the same streams, asked slot by slot.

use crate::slot::SlotScenario;
use airtcp_core::{Rate, Span, Stream};
use airtcp_radio::channel::Spec as _;
use airtcp_radio::{ArqConfig, ChannelSpec, HopConfig, Process, SpecError};

impl SlotScenario {
    /// The stream of the data channel of replication `replication` under `seed`.
    #[must_use]
    pub fn channel_stream(seed: u64, replication: u64) -> Stream {
        Stream::new(seed, "flow0/down/channel", replication)
    }

    /// What loses data packets.
    ///
    /// # Errors
    /// If the values of the channel contradict each other.
    pub fn data_channel(&self, seed: u64, replication: u64) -> Result<Process, SpecError> {
        self.channel.build(self.slot(), Self::channel_stream(seed, replication))
    }

    /// What loses ACKs, independently of each other: one draw per ACK.
    ///
    /// # Errors
    /// Never: any probability will do.
    pub fn ack_channel(&self, seed: u64, replication: u64) -> Result<Process, SpecError> {
        if self.ack.loss_rate.get() == 0.0 {
            return Ok(Process::Perfect);
        }
        let stream = Stream::new(seed, "flow0/up/channel", replication);
        ChannelSpec::independent_per_packet(self.ack.loss_rate).build(self.slot(), stream)
    }

    /// From the end of a packet to the arrival of its ACK.
    #[must_use]
    pub fn ack_delay(&self) -> Span {
        self.slot() * i64::from(self.ack.delay)
    }

    /// The link layer that retransmits, if there is one.
    #[must_use]
    pub fn link_layer(&self, seed: u64, replication: u64) -> Option<ArqConfig> {
        let feedback = Stream::new(seed, "flow0/down/feedback", replication);
        let arq = self.link.arq.as_ref()?;
        Some(arq.config(self.link.packet, self.slot(), feedback))
    }

    /// The link for packets that come at any time: one hop, as [`crate::PathScenario::hops`] gives it. A
    /// transmission starts with a slot, so that a full packet, or fragment, meets what it meets in the
    /// simulation. The way back takes no time but the delay of ACKs.
    ///
    /// # Errors
    /// If the values of the channel contradict each other; the field is the path.
    pub fn hops(
        &self,
        seed: u64,
        replication: u64,
    ) -> Result<(Vec<HopConfig>, Vec<HopConfig>), SpecError> {
        let channel = self.data_channel(seed, replication).map_err(|e| e.within("channel"))?;
        let forward = HopConfig {
            channel,
            arq: self.link_layer(seed, replication),
            slot: Some(self.slot()),
            ..HopConfig::new(self.link.rate, Span::ZERO)
        };
        let back = HopConfig {
            channel: self.ack_channel(seed, replication)?,
            ..HopConfig::new(Rate::FASTEST, self.ack_delay())
        };
        Ok((vec![forward], vec![back]))
    }
}
