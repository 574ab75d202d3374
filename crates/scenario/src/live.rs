//! Keys for live runs only: the TCP that sends, and the congestion control of the kernel. Simulation and analysis
//! ignore them.

use crate::input_error::InputError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of live runs only; simulation and analysis ignore them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Live {
    /// Congestion control of the kernel's TCP, by the kernel's name for it. Simulation and airtcp's own TCP use
    /// `tcp.congestion` in any case. Absent: `tcp.congestion`. Example: `"bbr"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub congestion: Option<String>,
    /// TCP that sends in live runs: the kernel's, or one of airtcp's. Absent: the option `--stack`. Example:
    /// `"airtcp"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "LiveStack")]
    pub stack: Option<LiveStack>,
}

/// The TCP that sends real packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum LiveStack {
    /// The kernel's.
    Kernel,
    /// Our own stack, which the simulator runs too.
    Airtcp,
}

/// Longest name of a congestion control in Linux (`TCP_CA_NAME_MAX`, with the byte at its end).
const MAX_NAME_LENGTH: usize = 15;

impl Live {
    /// Refuses a text that cannot be the name of a congestion control. Only the kernel knows the controls that it has.
    pub(crate) fn validate(&self) -> Result<(), InputError> {
        let is_name = |name: &str| {
            (1..=MAX_NAME_LENGTH).contains(&name.len())
                && name.starts_with(|first: char| first.is_ascii_alphanumeric())
                && name.bytes().all(|byte| byte.is_ascii_graphic())
        };
        match &self.congestion {
            Some(name) if !is_name(name) => {
                let message = format!(
                    "{name:?} is not the name of a congestion control of the kernel, such as reno, cubic or bbr"
                );
                Err(InputError::new("live.congestion", message))
            }
            _ => Ok(()),
        }
    }
}
