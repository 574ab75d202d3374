//! Keys of `[tcp]` in profile `linux` beside the common ones: congestion controls and settings of the host by their
//! names.

use crate::input_error::InputError;
use airtcp_core::RegistryEntry;
use airtcp_linux::{Sysctl, sysctl};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;

macro_rules! controls {
    ($( $tag:literal => $control:ident, $summary:literal, $sources:literal; )+) => {
        /// A congestion control of Linux.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[schemars(inline)]
        pub enum Congestion {
            $( #[doc = $summary] #[serde(rename = $tag)] $control, )+
        }

        /// Every congestion control of Linux.
        pub const CONGESTION_CONTROLS: &[RegistryEntry] = &[
            $( RegistryEntry { name: $tag, summary: $summary, sources: $sources }, )+
        ];
    };
}

controls! {
    "reno" => Reno, "Reno in Linux: slow start by acknowledged packets, then one packet per window.", "rfc5681";
    "cubic" => Cubic, "CUBIC in Linux, with HyStart.", "rfc9438";
    "bbr" => Bbr, "BBR, version 1: follows a model of the path, made from delivery rate and round trip.", "cardwell2016";
    "bbr3" => Bbr3, "BBR, version 3, by its draft (this kernel lacks it): as version 1, but also limited by losses.", "bbr3draft";
}

impl Congestion {
    /// The listing of this control.
    #[must_use]
    pub fn entry(self) -> &'static RegistryEntry {
        &CONGESTION_CONTROLS[self as usize]
    }

    /// Name of the control in Linux.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().name
    }
}

/// Settings of a host by their names, those that differ from the defaults of Linux.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SysctlKeys(BTreeMap<String, Value>);

/// Settings that have keys of their own in `tcp`.
const SETTINGS_WITH_OWN_KEY: &[(&str, &str)] = &[
    ("tcp_congestion_control", "congestion"),
    ("tcp_sack", "sack"),
    ("tcp_timestamps", "timestamps"),
];

/// The key of `tcp` that stands for the setting `name`.
pub(crate) fn own_key(name: &str) -> Option<&'static str> {
    SETTINGS_WITH_OWN_KEY.iter().find(|(setting, _)| *setting == name).map(|(_, key)| *key)
}

impl SysctlKeys {
    /// Writes the settings over those of `host`.
    ///
    /// # Errors
    /// The first setting that is wrong; `place` is the path of the table.
    pub(crate) fn apply(&self, host: &mut Sysctl, place: &str) -> Result<(), InputError> {
        for (name, value) in &self.0 {
            let text = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
            let refused = |why: Option<String>| {
                let message = why.unwrap_or_else(|| "Linux has no such setting".to_owned());
                InputError::new(format!("{place}.{name}"), message)
            };
            host.set(name, &text).map_err(refused)?;
        }
        Ok(())
    }

    /// The value of the setting `name`, if it is given.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Names and values of the settings, as text.
    pub fn iter(&self) -> impl Iterator<Item = (&str, String)> {
        let text = |value: &Value| value.as_str().map_or(value.to_string(), ToOwned::to_owned);
        self.0.iter().map(move |(name, value)| (name.as_str(), text(value)))
    }
}

impl JsonSchema for SysctlKeys {
    fn schema_name() -> Cow<'static, str> {
        "Sysctl".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let said_here = Sysctl::all().into_iter().filter(|one| own_key(one.name).is_none());
        let keys: Map<String, Value> =
            said_here.map(|one| (one.name.to_owned(), schema_of(&one))).collect();
        json_schema(&keys)
    }
}

fn json_schema(keys: &Map<String, Value>) -> Schema {
    schemars::json_schema!({
        "type": "object",
        "description": "Settings of both hosts by the names that Linux gives them under net.ipv4 and net.core.",
        "properties": keys,
        "additionalProperties": false,
    })
}

fn schema_of(setting: &sysctl::SysctlInfo) -> Value {
    let about = format!("{} Absent: {}.", setting.text, setting.default);
    match setting.kind {
        sysctl::SettingKind::Number => json!({
            "type": "integer", "minimum": setting.range.start(), "maximum": setting.range.end(),
            "description": about,
        }),
        sysctl::SettingKind::ThreeNumbers => {
            json!({"type": "string", "examples": [setting.default], "description": about})
        }
        sysctl::SettingKind::Word => json!({"type": "string", "description": about}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenarios_name_the_controls_that_there_are() {
        let names: Vec<_> = CONGESTION_CONTROLS.iter().map(|one| one.name).collect();
        assert_eq!(names, airtcp_linux::congestion::NAMES);
    }

    #[test]
    fn keys_that_stand_elsewhere_are_settings() {
        for (name, _) in SETTINGS_WITH_OWN_KEY {
            assert!(Sysctl::NAMES.contains(name), "{name}");
        }
    }
}
