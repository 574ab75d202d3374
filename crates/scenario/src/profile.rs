//! Profiles: partial scenarios that complete what a user's document leaves out.

use crate::input_error::InputError;
use airtcp_core::Entry;
use serde_json::{Map, Value};

/// Every profile.
pub const PROFILES: &[Entry] = &[Entry {
    name: "zorzi",
    summary: "Idealised TCP on a slotted hop: instant ACKs, one fixed timer per packet.",
    sources: "zorzi2000",
}];

const TEXTS: &[(&str, &str)] = &[("zorzi", include_str!("../profiles/zorzi.toml"))];

/// The values of the profile that `document` names, under the document's own.
pub(crate) fn complete(document: &Value) -> Result<Value, InputError> {
    let Some(name) = document.get("profile") else {
        let names = TEXTS.iter().map(|t| t.0).collect::<Vec<_>>().join(", ");
        return Err(InputError::new("profile", format!("missing; name one of: {names}")));
    };
    let mut value = defaults(name)?;
    overlay(&mut value, document);
    Ok(value)
}

/// The values of profile `name`.
fn defaults(name: &Value) -> Result<Value, InputError> {
    let names: Vec<&str> = TEXTS.iter().map(|t| t.0).collect();
    let Some(name) = name.as_str() else {
        return Err(InputError::new("profile", format!("{name} is not a name")));
    };
    match TEXTS.iter().find(|t| t.0 == name) {
        Some((_, text)) => Ok(parse(text)),
        None => Err(InputError::unknown("profile", "profile", name, &names)),
    }
}

/// The values of every profile, for the schema: what all of them provide may be left out.
pub(crate) fn all() -> impl Iterator<Item = Value> {
    TEXTS.iter().map(|t| parse(t.1))
}

fn parse(text: &str) -> Value {
    toml::from_str(text).expect("a profile is valid TOML")
}

/// Writes `over` into `under`, table by table; a channel is replaced as a whole.
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
