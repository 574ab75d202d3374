//! Everything that a scenario on slots can hold. Defaults are the profile's, stated there and nowhere else.

use crate::arq::SlotArq;
use crate::input_error::InputError;
use crate::profile::Profile;
use crate::profiles::ZorziTcp;
use crate::shortest::check_sojourns;
use crate::slot_length::check_slot;
use crate::stop::Stop;
use crate::variants::check_variant;
use airtcp_core::{Probability, Rate, Size, Span, airtime};
use airtcp_radio::ChannelSpec;
use airtcp_radio::channel::Spec;
use airtcp_tcp::SenderConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One slotted link and one TCP, as plain data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlotScenario {
    /// Title of tables and figures. Absent: none. Example: `"Uplink of a train"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The set of rules and defaults that everything else is read by. Example: `"zorzi"`.
    pub profile: Profile,
    /// Named sets of values that vary together: each case is a table of keys that override the rest of the scenario.
    /// In the scenario of a single point it is the name of the case. Absent: no cases. Example: `[{name = "bursts", channel
    /// = {mean_burst = 10}}]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub case: Option<String>,
    /// TCP of every flow. Example: `{variant = "newreno"}`.
    pub tcp: ZorziTcp,
    /// Rate of the link and length of its packets. Absent: the defaults of the profile. Example: `{rate = "2Mbps",
    /// packet = "1400B"}`.
    pub link: LinkSpec,
    /// Channel that loses data packets. Example: `{kind = "burst", loss_rate = 0.01, mean_burst = 5}`.
    pub channel: ChannelSpec,
    /// Loss and delay of acknowledgements. Absent: the defaults of the profile. Example: `{delay = 4, loss_rate =
    /// 0.01}`.
    pub ack: Ack,
    /// Length of the simulation, and number of runs. Absent: the defaults of the profile. Example: `{slots = 100_000,
    /// replications = 50}`.
    pub stop: Stop,
    /// Method of the analysis. Absent: the default of the profile. Example: `{method = "exact"}`.
    pub analysis: Analysis,
}

/// Rate of the link and length of its packets. A slot is the airtime of a link packet: a TCP packet, or with `arq` a
/// fragment of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    /// Transmission rate. Example: `"2Mbps"`.
    pub rate: Rate,
    /// Length of a data packet on the air; with `arq`, of a fragment (`N_L`). Example: `"1400B"`.
    pub packet: Size,
    /// Link layer that cuts TCP packets into fragments and retransmits lost fragments. Absent: none. Example:
    /// `{fragments = 10, attempts = 4}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SlotArq")]
    pub arq: Option<SlotArq>,
}

/// Loss and delay of acknowledgements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ack {
    /// Time from the end of a packet to the arrival of its ACK at the sender, in slots. Example: `4`.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub delay: u32,
    /// Probability that an ACK is lost, independently of others. Example: `0.01`.
    pub loss_rate: Probability,
}

/// Method of the analysis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Analysis {
    /// Analysis to compute: `printed`, the paper's bounds as printed; `tight`, the same bounds with the successes
    /// after a loss counted; `embedded`, upper bounds in which only the count of deliveries is approximate; or
    /// `exact`, the exact solution. Example: `"exact"`.
    pub method: Method,
}

/// A way to answer for the idealised variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Method {
    /// The bounds as the paper prints them.
    Printed,
    /// The paper's bounds with the run of successes after the loss counted.
    Tight,
    /// Bounds on the exact embedded chain.
    Embedded,
    /// The exact solution, receiver memory included.
    Exact,
}

impl SlotScenario {
    /// The airtime of one link packet, what the channel's code adds included.
    #[must_use]
    pub fn slot(&self) -> Span {
        airtime(self.channel.bits_on_air(self.link.packet.bits()), self.link.rate)
    }

    /// Slots that a data packet takes if nothing is repeated (F).
    #[must_use]
    pub fn fragments(&self) -> u64 {
        self.link.arq.as_ref().map_or(1, |arq| arq.fragments(self.link.packet))
    }

    /// Bits of a data packet.
    #[must_use]
    pub fn packet_bits(&self) -> u64 {
        let whole = self.link.packet.bits();
        self.link.arq.as_ref().map_or(whole, |arq| arq.packet_bits(self.link.packet))
    }

    /// The sender's parameters.
    #[must_use]
    pub fn sender(&self) -> SenderConfig {
        // Every fragment fills its slot.
        let bits = self.fragments().saturating_mul(self.link.packet.bits());
        self.tcp.sender(self.slot(), bits)
    }

    /// Checks the rules between values, which no single value can show.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn validate(&self) -> Result<(), InputError> {
        check_variant(self.profile, self.tcp.variant, "tcp.variant")?;
        self.link.arq.as_ref().map_or(Ok(()), |arq| arq.validate("link.arq"))?;
        self.tcp.check(self.fragments(), self.ack.delay)?;
        let Some(end) = self.slot().checked_mul(self.stop.slots.cast_signed()) else {
            return Err(InputError::new(
                "stop.slots",
                format!(
                    "{} slots of {} s exceed 292 years",
                    self.stop.slots,
                    self.slot().seconds()
                ),
            ));
        };
        self.stop.validate()?;
        let bits = self.channel.bits_on_air(self.link.packet.bits());
        check_slot(bits, self.link.rate, "link.rate", " or longer packets")?;
        check_sojourns(&self.channel, "channel")?;
        self.channel.check_rate(self.link.rate).map_err(|e| InputError::within(e, "channel"))?;
        self.channel.check_end(end.seconds()).map_err(|e| InputError::within(e, "channel"))?;
        self.channel.two_state().map(|_| ()).map_err(|e| InputError::within(e, "channel"))
    }
}
