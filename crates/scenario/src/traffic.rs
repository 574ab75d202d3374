//! Cross-traffic: packets that nobody acknowledges, as of UDP.

use airtcp_core::{Duration, Instant, Rate, Size, Stream};
use airtcp_radio::distribution::Spec as _;
use airtcp_radio::{Bursts, DistributionSpec, SourceConfig, SpecError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Cross-traffic: packets of one length without acknowledgements, as in UDP, sent all the time or in bursts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Traffic {
    /// Node at which the traffic begins. Absent: the near end of the first hop. Example: `"0"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub sender: Option<String>,
    /// Node to which the traffic goes. Absent: the far end of the last hop. Example: `"1"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub receiver: Option<String>,
    /// Time at which the traffic starts. Example: `"5s"`.
    #[serde(default = "zero")]
    pub start: Duration,
    /// Time at which the traffic ends. Absent: never. Example: `"60s"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub end: Option<Duration>,
    /// Rate of sending while the traffic is on. Example: `"500kbps"`.
    pub rate: Rate,
    /// Length of a packet on the wire. Example: `"500B"`.
    pub packet: Size,
    /// Length of the bursts, the first of which begins at `start`; with `off`. Absent: the traffic is always on.
    /// Example: `{kind = "exponential", mean = "1s"}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "DistributionSpec")]
    pub on: Option<DistributionSpec>,
    /// Length of the pauses between bursts; with `on`. Absent: no pauses. Example: `{kind = "exponential", mean =
    /// "1s"}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "DistributionSpec")]
    pub off: Option<DistributionSpec>,
    /// Number of sources with these settings. Example: `10`.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 100_000))]
    pub count: u32,
}

impl Traffic {
    /// Nanoseconds from one packet to the next.
    #[must_use]
    pub fn interval(&self) -> f64 {
        self.packet.bits() as f64 / self.rate.bits_per_second() * 1e9
    }

    /// Most packets that one source sends per second in the long run: one per interval, and one each time it turns on.
    #[must_use]
    pub fn packets_per_second(&self) -> f64 {
        let cycle = self.on.as_ref().zip(self.off.as_ref());
        let bursts = cycle.map_or(0.0, |(on, off)| 1e9 / (on.mean() + off.mean()));
        1e9 / self.interval() + bursts
    }

    /// Builds the source, which decides when packets leave.
    pub(crate) fn source(&self, stream: Stream) -> Result<SourceConfig, SpecError> {
        let bursts = match (&self.on, &self.off) {
            (Some(on), Some(off)) => {
                Some(Bursts { on_times: on.build()?, off_times: off.build()?, stream })
            }
            _ => None,
        };
        let end = self.end.map_or(Instant::NEVER, |end| Instant::START + end.span());
        let active = (Instant::START + self.start.span(), end);
        Ok(SourceConfig {
            bits: self.packet.bits(),
            interval: self.interval(),
            active_interval: active,
            bursts,
        })
    }

    pub(crate) fn is_random(&self) -> bool {
        self.on.iter().chain(&self.off).any(DistributionSpec::is_random)
    }
}

pub(crate) fn zero() -> Duration {
    Duration::ZERO
}

pub(crate) fn one() -> u32 {
    1
}
