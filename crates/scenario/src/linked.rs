//! Hops that name a link profile, with the keys that the profile has for them. Keys that a hop has itself go before.

use crate::input_error::InputError;
use crate::links::{LinkProfile, check_link};
use crate::traffic::Traffic;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Keys that give the rate of a direction: any one of them in a hop replaces all of them in its link profile.
const RATE_KEYS: &[&str] = &["rate", "rates", "opportunities", "trains"];

/// A point in which no hop leaves keys to a profile.
pub(crate) struct LinkedPoint<'a> {
    /// The point.
    pub(crate) value: Cow<'a, Value>,
    /// The links that hops name: number of the hop, and name.
    pub(crate) names: Vec<(usize, String)>,
    /// Paths of the keys that the profiles gave.
    pub(crate) given: BTreeSet<String>,
}

/// The point `value` with the keys of the profiles that its hops name.
pub(crate) fn fill_from_links(value: &Value) -> Result<LinkedPoint<'_>, InputError> {
    let hops = value.pointer("/path/hop").and_then(Value::as_array).into_iter().flatten();
    let named = |(i, hop): (usize, &Value)| Some((i, hop.get("link")?.as_str()?.to_owned()));
    let names: Vec<_> = hops.enumerate().filter_map(named).collect();
    let mut given = BTreeSet::new();
    if names.is_empty() {
        return Ok(LinkedPoint { value: Cow::Borrowed(value), names, given });
    }
    let mut value = value.clone();
    for (i, name) in &names {
        let place = format!("path.hop[{i}]");
        let profile = LinkProfile::profile_by_name(name).ok_or_else(|| {
            InputError::new(format!("{place}.link"), check_link(name).err().unwrap_or_default())
        })?;
        let ends = hop_end_names(&value, *i);
        let hop = value["path"]["hop"][*i].as_object_mut().expect("it has a link");
        add_missing_keys(hop, &profile.hop, &place, &mut given);
        if !hop.contains_key("delay") {
            let message = format!("missing; link {name:?} has none");
            return Err(InputError::new(format!("{place}.delay"), message));
        }
        add_sources(&mut value, &profile, &ends, &mut given);
    }
    Ok(LinkedPoint { value: Cow::Owned(value), names, given })
}

/// Gives `own` the keys of `profile` that it neither has nor says in another way.
fn add_missing_keys(
    own: &mut Map<String, Value>,
    profile: &Map<String, Value>,
    place: &str,
    given: &mut BTreeSet<String>,
) {
    let has_rate = RATE_KEYS.iter().any(|key| own.contains_key(*key));
    let has_delay = own.contains_key("delay");
    for (key, value) in profile {
        let path = format!("{place}.{key}");
        if let (Some(Value::Object(own)), Value::Object(value), "back") =
            (own.get_mut(key), value, key.as_str())
        {
            add_missing_keys(own, value, &path, given);
            continue;
        }
        let is_said = has_rate && RATE_KEYS.contains(&key.as_str()) || has_delay && key == "delays";
        if !is_said && !own.contains_key(key) {
            own.insert(key.clone(), value.clone());
            given.insert(path);
        }
    }
}

/// The names of the nodes at the ends of a hop.
fn hop_end_names(value: &Value, hop: usize) -> [String; 2] {
    let hops = &value["path"]["hop"];
    let text = |i: usize, key: &str| hops[i].get(key).and_then(Value::as_str).map(str::to_owned);
    let far = |i: usize| text(i, "far").unwrap_or_else(|| (i + 1).to_string());
    let before = || if hop == 0 { "0".to_owned() } else { far(hop - 1) };
    [text(hop, "near").unwrap_or_else(before), far(hop)]
}

/// Adds the cross-traffic of a profile between the ends of its hop, unless it is there already, as in a point that was
/// written out.
fn add_sources(
    value: &mut Value,
    profile: &LinkProfile,
    [near, far]: &[String; 2],
    given: &mut BTreeSet<String>,
) {
    let read = |value: &Value| Traffic::deserialize(value).ok();
    let old = value.get("traffic").and_then(Value::as_array).cloned().unwrap_or_default();
    let known: Vec<_> = old.iter().map(read).collect();
    let mut all = old;
    for source in &profile.traffic {
        let mut source = source.clone();
        source.insert("sender".to_owned(), near.as_str().into());
        source.insert("receiver".to_owned(), far.as_str().into());
        let source = Value::Object(source);
        if !known.contains(&read(&source)) {
            given.insert(format!("traffic[{}]", all.len()));
            all.push(source);
        }
    }
    if !all.is_empty() {
        value["traffic"] = all.into();
    }
}
