//! One value against its schema: type, range, unit, name; and what would be right, in words.

use crate::input_error::InputError;
use serde_json::Value;

/// Checks one value.
pub(crate) fn leaf(schema: &Value, value: &Value, path: &str) -> Result<Value, InputError> {
    if let Some(names) = names(schema) {
        return match value.as_str() {
            Some(name) if names.contains(&name) => Ok(value.clone()),
            Some(name) => Err(InputError::unknown(path, "name", name, &names)),
            None => {
                Err(InputError::new(path, format!("{value} is not one of {}", names.join(", "))))
            }
        };
    }
    let value = integral(schema, value);
    let fits = allowed_types(schema).iter().any(|t| has_type(&value, t));
    if !fits || !in_range(schema, &value) {
        return Err(InputError::new(path, format!("{value} is not {}", expected(schema))));
    }
    quantity(schema, &value).map_err(|message| InputError::new(path, message))?;
    Ok(value)
}

/// `1e6` is a whole number too.
fn integral(schema: &Value, value: &Value) -> Value {
    match value.as_f64() {
        Some(x)
            if allowed_types(schema).contains(&"integer")
                && !value.is_u64()
                && x.fract() == 0.0
                && x.abs() < 9e15 =>
        {
            Value::from(x as i64)
        }
        _ => value.clone(),
    }
}

/// The alternatives of an enumeration.
pub(crate) fn names(schema: &Value) -> Option<Vec<&str>> {
    if let Some(list) = schema.get("enum").and_then(Value::as_array) {
        return list.iter().map(Value::as_str).collect();
    }
    if let Some(one) = schema.get("const").and_then(Value::as_str) {
        return Some(vec![one]);
    }
    let list = schema.get("oneOf").or_else(|| schema.get("anyOf"))?.as_array()?;
    list.iter().map(|s| s.get("const").and_then(Value::as_str)).collect()
}

/// The JSON types that a schema allows.
pub(crate) fn allowed_types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => vec![],
    }
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        _ => false,
    }
}

fn in_range(schema: &Value, value: &Value) -> bool {
    let bound = |key| schema.get(key).and_then(Value::as_f64);
    value.as_f64().is_none_or(|x| {
        bound("minimum").is_none_or(|least| x >= least)
            && bound("maximum").is_none_or(|most| x <= most)
    })
}

fn quantity(schema: &Value, value: &Value) -> Result<(), String> {
    let text = || value.as_str().unwrap_or_default().to_owned();
    let checked = match schema.get("format").and_then(Value::as_str) {
        Some("rate") => airtcp_core::Rate::try_from(text()).err(),
        Some("size") => airtcp_core::Size::try_from(text()).err(),
        _ => None,
    };
    checked.map_or(Ok(()), |e| Err(e.to_string()))
}

/// What is allowed, in words.
pub(crate) fn expected(schema: &Value) -> String {
    let kind = match allowed_types(schema).first() {
        Some(&"integer") => "a whole number",
        Some(&"number") => "a number",
        Some(&"boolean") => "true or false",
        Some(&"string") => "a text",
        _ => "allowed",
    };
    let example = schema.get("examples").and_then(|e| e.get(0)).map(|e| format!(" such as {e}"));
    let range = match (schema.get("minimum"), schema.get("maximum")) {
        (Some(least), Some(most)) => format!(" from {} to {}", plain(least), plain(most)),
        (Some(least), None) => format!(" of at least {}", plain(least)),
        (None, Some(most)) => format!(" of at most {}", plain(most)),
        (None, None) => String::new(),
    };
    format!("{kind}{}{range}", example.unwrap_or_default())
}

/// A bound without a trailing `.0`.
fn plain(bound: &Value) -> String {
    bound.as_f64().map_or_else(|| bound.to_string(), |x| x.to_string())
}
