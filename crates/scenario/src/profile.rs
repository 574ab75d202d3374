//! Profiles: partial scenarios that complete what a user's document leaves out.

use crate::input_error::InputError;
use airtcp_core::Entry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

macro_rules! profiles {
    ($( $tag:literal => $profile:ident, $text:literal, $summary:literal, $sources:literal; )+) => {
        /// A named set of rules and defaults.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[schemars(inline)]
        pub enum Profile {
            $( #[doc = $summary] #[serde(rename = $tag)] $profile, )+
        }

        /// Every profile.
        pub const PROFILES: &[Entry] = &[
            $( Entry { name: $tag, summary: $summary, sources: $sources }, )+
        ];

        /// Their texts, in the same order.
        const TEXTS: &[&str] = &[ $( include_str!($text), )+ ];
    };
}

profiles! {
    "zorzi" => Zorzi, "../profiles/zorzi.toml", "Idealised TCP on a slotted hop: instant ACKs, one fixed timer per packet.", "zorzi2000";
}

impl Profile {
    /// The listing of this profile.
    #[must_use]
    pub fn entry(self) -> &'static Entry {
        &PROFILES[self as usize]
    }
}

/// The values of the profile that `document` names, under the document's own.
pub(crate) fn complete(document: &Value) -> Result<Value, InputError> {
    let Some(name) = document.get("profile") else {
        return Err(InputError::new("profile", format!("missing; one of: {}", names().join(", "))));
    };
    let mut value = defaults(name)?;
    overlay(&mut value, document);
    Ok(value)
}

/// The values of profile `name`.
fn defaults(name: &Value) -> Result<Value, InputError> {
    let Some(name) = name.as_str() else {
        return Err(InputError::new("profile", format!("{name} is not a name")));
    };
    match PROFILES.iter().position(|e| e.name == name) {
        Some(index) => Ok(parse(TEXTS[index])),
        None => Err(InputError::unknown("profile", "profile", name, &names())),
    }
}

fn names() -> Vec<&'static str> {
    PROFILES.iter().map(|e| e.name).collect()
}

/// The values of every profile, for the schema: what all of them provide may be left out.
pub(crate) fn all() -> impl Iterator<Item = Value> {
    TEXTS.iter().map(|text| parse(text))
}

fn parse(text: &str) -> Value {
    toml::from_str(text).expect("a profile is valid TOML")
}

/// Writes `over` into `under`, table by table.
fn overlay(under: &mut Value, over: &Value) {
    let (Value::Object(under), Value::Object(over)) = (under, over) else { return };
    let mut merged = Map::new();
    for (key, value) in over {
        let mut base = under.remove(key).unwrap_or(Value::Null);
        if base.is_object() && value.is_object() {
            overlay(&mut base, value);
            merged.insert(key.clone(), base);
        } else {
            merged.insert(key.clone(), value.clone());
        }
    }
    merged.append(under);
    *under = merged;
}
