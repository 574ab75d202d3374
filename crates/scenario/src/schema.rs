//! The JSON Schema of a scenario document, derived from the types.

use crate::choices::MAX_POINTS;
use crate::path::PathScenario;
use crate::profile::Profile;
use crate::renamed::{RENAMED_KEYS, RenamedKey};
use crate::slot::SlotScenario;
use crate::value::allowed_types;
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

/// Sections whose values may be swept.
pub(crate) const SWEEPABLE: &[&str] =
    &["tcp", "link", "channel", "ack", "path", "flow", "traffic", "live"];

/// Definitions whose values may be swept.
const SWEPT: &[&str] = &[
    "LinkSpec",
    "SlotArq",
    "Arq",
    "Ack",
    "ChannelSpec",
    "GateSpec",
    "DistributionSpec",
    "SizeSpec",
    "QueueSpec",
    "RatesSpec",
    "RateChange",
    "CongestionSpec",
    "Reduction",
    "FlowTcp",
    "Probing",
    "Sysctl",
    "HopSpec",
    "Back",
    "DelayChange",
    "Flow",
    "Traffic",
    "Video",
    "VideoChoice",
    "Live",
];

/// The schema of one point of `profile`: every value given, no axes.
pub(crate) fn point_schema(profile: Profile) -> Value {
    let mut generator = SchemaGenerator::default();
    let mut schema: Value = match profile.tcp_schema(&mut generator) {
        None => generator.into_root_schema_for::<SlotScenario>().into(),
        Some(tcp) => {
            let whole = generator.into_root_schema_for::<PathScenario<Value>>();
            with_transport(whole.into(), &tcp.into(), profile)
        }
    };
    for definition in schema["$defs"].as_object_mut().into_iter().flat_map(Map::values_mut) {
        keep_variants(definition, profile);
    }
    schema
}

/// The schema of a path, with the transport of `profile`: the definition to which `tcp` refers.
fn with_transport(mut schema: Value, tcp: &Value, profile: Profile) -> Value {
    let definitions = &mut schema["$defs"];
    let mut own = definitions[transport_name(profile)].clone();
    own.as_object_mut().expect("a schema is an object").remove("required");
    own["description"] = "Settings of this flow in place of those in `tcp`.".into();
    definitions["FlowTcp"] = own;
    definitions["Flow"]["properties"]["tcp"] = json!({
        "$ref": "#/$defs/FlowTcp",
        "description": definitions["Flow"]["properties"]["tcp"]["description"],
    });
    // A variant is of no meaning where a profile has none.
    if profile.source().is_none() {
        let keys = definitions["Flow"]["properties"].as_object_mut();
        keys.expect("a flow has keys").shift_remove("variant");
    }
    let example =
        if profile.source().is_some() { "variant = \"reno\"" } else { "congestion = \"bbr\"" };
    let about = &mut schema["properties"]["tcp"];
    let text = about["description"].as_str().expect("a key is described");
    about["description"] = format!("{text} Example: `{{{example}}}`.").into();
    about["$ref"] = tcp["$ref"].clone();
    schema
}

/// The name of the definition of the transport on a path.
fn transport_name(profile: Profile) -> String {
    format!("{}Tcp", capitalise(profile.entry().name))
}

/// The schema of a document, one alternative per profile: what the profile provides may be left out,
/// and a value of `tcp`, `link`, `channel`, `ack`, `path`, `flow`, `traffic` or `live` may be a list or a range.
#[must_use]
pub fn document_schema() -> Value {
    let mut definitions = Map::from_iter([("Range".to_owned(), range_schema())]);
    let mut alternatives = Vec::new();
    for profile in Profile::ALL {
        let (name, own) = profile_schema(*profile);
        alternatives.push(json!({"$ref": format!("#/$defs/{name}")}));
        definitions.extend(own);
    }
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Scenario",
        "description": "A link or a path and the TCP over it, as plain data; `profile` says which keys there are.",
        "type": "object",
        "properties": {"profile": {"enum": Profile::ALL}},
        "required": ["profile"],
        "oneOf": alternatives,
        "$defs": definitions,
    });
    take_examples(&mut schema);
    schema
}

/// Turns the example at the end of every key's description, a value as a scenario file has it, into `examples`.
fn take_examples(schema: &mut Value) {
    match schema {
        Value::Array(parts) => parts.iter_mut().for_each(take_examples),
        Value::Object(parts) => {
            parts.values_mut().for_each(take_examples);
            if let Some((text, example)) = parts.get("description").and_then(split_example) {
                parts.insert("description".into(), text.into());
                parts.insert("examples".into(), json!([example]));
            }
        }
        _ => {}
    }
}

/// A description without its example, and the example.
fn split_example(description: &Value) -> Option<(String, Value)> {
    let text = description.as_str()?.replace('\n', " ");
    let (before, rest) = text.split_once(" Example: `")?;
    let (example, after) = rest.split_once("`.").expect("an example ends");
    let table: toml::Table = toml::from_str(&format!("example = {example}")).expect("TOML");
    let value = serde_json::to_value(&table["example"]).expect("JSON");
    Some((format!("{before}{after}"), value))
}

/// Name of the schema definition of a whole document of `profile`, and all definitions (`$defs`) that it needs.
fn profile_schema(profile: Profile) -> (String, Map<String, Value>) {
    let mut schema = point_schema(profile);
    make_defaults_optional(&mut schema, &profile.default_values());
    let entry = profile.entry();
    schema["properties"]["profile"] = json!({"type": "string", "const": entry.name, "description": entry.summary, "examples": [entry.name]});
    let Value::Object(mut definitions) = schema["$defs"].take() else { unreachable!() };
    for (name, definition) in &mut definitions {
        if SWEPT.contains(&name.as_str()) || *name == transport_name(profile) {
            allow_axes(definition);
        }
    }
    allow_cases(&mut schema["properties"]);
    if let Some(channel) = schema["properties"].get_mut("channel") {
        *channel = with_axis(channel.take());
    }
    let (own, title) = (capitalise(entry.name), format!("{}Scenario", capitalise(entry.name)));
    // Definitions that differ from profile to profile have a name of their own in each.
    for name in ["Flow", "FlowTcp"] {
        if let Some(definition) = definitions.remove(name) {
            definitions.insert(format!("{own}{name}"), definition);
        }
        let (old, new) = (format!("#/$defs/{name}"), format!("#/$defs/{own}{name}"));
        definitions
            .values_mut()
            .chain([&mut schema])
            .for_each(|part| rename_references(part, &old, &new));
    }
    let whole = schema.as_object_mut().expect("a schema is an object");
    for renamed in RENAMED_KEYS.iter().filter(|one| one.profile == profile) {
        for tcp in [transport_name(profile), format!("{own}FlowTcp")] {
            allow_old_name(&mut definitions[&tcp], renamed);
        }
    }
    require_outside_or_in_cases(whole, &mut definitions, &transport_name(profile));
    whole.retain(|key, _| key != "$defs" && key != "$schema");
    whole.insert("title".into(), title.clone().into());
    definitions.insert(title.clone(), schema);
    (title, definitions)
}

/// Lets the references to `old` lead to `new`.
fn rename_references(schema: &mut Value, old: &str, new: &str) {
    match schema {
        Value::String(text) if text == old => new.clone_into(text),
        Value::Array(parts) => parts.iter_mut().for_each(|part| rename_references(part, old, new)),
        Value::Object(parts) => {
            parts.values_mut().for_each(|part| rename_references(part, old, new));
        }
        _ => {}
    }
}

fn capitalise(name: &str) -> String {
    let (first, rest) = name.split_at(1);
    first.to_uppercase() + rest
}

/// Removes the variants that `profile` does not have.
fn keep_variants(schema: &mut Value, profile: Profile) {
    if let Some(Value::Array(names)) = schema.pointer_mut("/properties/variant/oneOf") {
        names.retain(|name| name["const"].as_str().is_some_and(|name| profile.has_variant(name)));
    }
}

/// A range axis.
pub(crate) fn range_schema() -> Value {
    json!({
        "type": "object",
        "description": "Evenly spaced values, both ends included.",
        "properties": {
            "from": {"type": "number"},
            "to": {"type": "number"},
            "points": {"type": "integer", "minimum": 2, "maximum": MAX_POINTS},
            "scale": {"enum": ["linear", "log"]}
        },
        "required": ["from", "to", "points", "scale"],
        "additionalProperties": false
    })
}

/// Follows a local reference.
pub(crate) fn follow_reference<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    match schema.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix("#/$defs/")) {
        Some(name) => &root["$defs"][name],
        None => schema,
    }
}

/// Makes keys optional that the profile provides, and sections of which it provides all keys.
fn make_defaults_optional(schema: &mut Value, provided: &Value) {
    let sections: Vec<String> =
        provided.as_object().into_iter().flatten().map(|s| s.0.clone()).collect();
    let mut complete = Vec::new();
    for section in sections {
        let target = section_schema(schema, &section);
        drop_required(target, |key| provided[&section].get(key).is_some());
        if target["required"].as_array().is_none_or(Vec::is_empty) {
            complete.push(section);
        }
    }
    drop_required(schema, |key| complete.iter().any(|section| section == key));
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
        if key != "kind" && !allowed_types(leaf).contains(&"array") {
            *leaf = with_axis(leaf.take());
        }
    }
}

/// Lets a key have its old name, in place of the new one.
fn allow_old_name(tcp: &mut Value, RenamedKey { old, new, .. }: &RenamedKey) {
    let mut key = tcp["properties"][new].clone();
    key["description"] = format!("Earlier name of `{new}`.").into();
    key["deprecated"] = true.into();
    tcp["properties"][old] = key;
    tcp["not"] = json!({"required": [old, new]});
}

/// Lets cases give the required sections and keys of `tcp` in place of the document, where there are cases.
fn require_outside_or_in_cases(
    whole: &mut Map<String, Value>,
    definitions: &mut Map<String, Value>,
    tcp: &str,
) {
    let keys = definitions[tcp].as_object_mut().and_then(|tcp| tcp.shift_remove("required"));
    let sections = whole.insert("required".into(), json!(["profile"])).unwrap_or_default();
    let sections = sections.as_array().into_iter().flatten().filter(|key| *key != "profile");
    let sections: Vec<_> = sections.cloned().collect();
    let cases = json!({"properties": {"case": {"type": "array"}}, "required": ["case"]});
    whole.insert("if".into(), json!({"not": cases}));
    let given = json!({"properties": {"tcp": {"required": keys}}, "required": sections});
    whole.insert("then".into(), given);
}

/// Allows tables of cases under `case`, which in the scenario of a point is the name of its case.
fn allow_cases(properties: &mut Value) {
    let sections: Vec<&str> =
        SWEEPABLE.iter().copied().filter(|key| properties.get(key).is_some()).collect();
    let mut keys = Map::from_iter([("name".to_owned(), json!({"type": "string", "minLength": 1}))]);
    for section in &sections {
        let types =
            if ["flow", "traffic"].contains(section) { json!("array") } else { json!("object") };
        keys.insert((*section).to_owned(), json!({"type": types}));
    }
    let within = format!("^({})[.\\[]", sections.join("|"));
    let case = &mut properties["case"];
    case["type"] = json!(["array", "string"]);
    case["minItems"] = 1.into();
    case["items"] = json!({
        "type": "object", "properties": keys, "patternProperties": {within: true},
        "additionalProperties": false,
    });
}

fn with_axis(leaf: Value) -> Value {
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
