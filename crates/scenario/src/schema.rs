//! The JSON Schema of a scenario document, derived from the types.

use crate::profile;
use crate::spec::Scenario;
use serde_json::{Map, Value, json};

/// Sections whose values may be swept.
pub(crate) const SWEEPABLE: &[&str] = &["tcp", "link", "channel", "ack"];

/// The schema of one point: every value given, no axes.
pub(crate) fn point_schema() -> Value {
    schemars::schema_for!(Scenario).into()
}

/// The schema of a document: what the profiles provide may be left out, and a value under `tcp`,
/// `link`, `channel` or `ack` may be a list or a range.
#[must_use]
pub fn document_schema() -> Value {
    let mut schema = point_schema();
    relax(&mut schema);
    for section in SWEEPABLE {
        let target = section_schema(&mut schema, section);
        allow_axes(target);
    }
    let channel = schema["properties"]["channel"].take();
    schema["properties"]["channel"] = axis(channel);
    schema["$defs"]["Range"] = range_schema();
    schema
}

/// A range axis.
pub(crate) fn range_schema() -> Value {
    json!({
        "type": "object",
        "description": "Evenly spaced values, both ends included.",
        "properties": {
            "from": {"type": "number"},
            "to": {"type": "number"},
            "points": {"type": "integer", "minimum": 2, "maximum": 100_000},
            "scale": {"enum": ["linear", "log"]}
        },
        "required": ["from", "to", "points", "scale"],
        "additionalProperties": false
    })
}

/// Follows a local reference.
pub(crate) fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    match schema.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix("#/$defs/")) {
        Some(name) => &root["$defs"][name],
        None => schema,
    }
}

fn relax(schema: &mut Value) {
    let provided: Vec<Value> = profile::all().collect();
    let mut complete = Vec::new();
    for section in ["tcp", "link", "ack", "stop", "analysis"] {
        let target = section_schema(schema, section);
        drop_required(target, |key| provided.iter().all(|p| p[section].get(key).is_some()));
        if target["required"].as_array().is_none_or(Vec::is_empty) {
            complete.push(section);
        }
    }
    drop_required(schema, |key| complete.contains(&key));
}

fn drop_required(schema: &mut Value, provided: impl Fn(&str) -> bool) {
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|key| !key.as_str().is_some_and(&provided));
    }
}

fn section_schema<'a>(root: &'a mut Value, section: &str) -> &'a mut Value {
    let reference = root["properties"][section]["$ref"].as_str().map(ToOwned::to_owned);
    let name = reference.expect("a section is a definition");
    let name = name.rsplit('/').next().expect("a reference has a name").to_owned();
    &mut root["$defs"][name]
}

fn allow_axes(schema: &mut Value) {
    if let Some(Value::Array(alternatives)) = schema.get_mut("oneOf") {
        alternatives.iter_mut().for_each(allow_axes);
        return;
    }
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for (key, leaf) in properties.iter_mut() {
        if key != "kind" {
            *leaf = axis(leaf.take());
        }
    }
}

fn axis(leaf: Value) -> Value {
    let mut outer = Map::new();
    let mut inner = leaf;
    for key in ["description", "default"] {
        if let Some(text) = inner.as_object_mut().and_then(|o| o.remove(key)) {
            outer.insert(key.into(), text);
        }
    }
    let list = json!({"type": "array", "items": inner.clone(), "minItems": 1});
    let numeric = inner["type"].to_string().contains("number")
        || inner["type"].to_string().contains("integer");
    let mut any = vec![inner, list];
    if numeric {
        any.push(json!({"$ref": "#/$defs/Range"}));
    }
    outer.insert("anyOf".into(), any.into());
    outer.into()
}
