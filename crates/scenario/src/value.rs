//! Checks of one value against its schema: type, range, unit, name. A refusal names the values that would be right.

use crate::input_error::InputError;
use crate::links::check_link;
use airtcp_core::{
    Decibels, Duration, Frequency, Quantity, Rate, Size, normalise_unit, quoted_alternatives,
};
use airtcp_radio::bits::Code;
use airtcp_radio::channel::{Extent, TraceClock};
use airtcp_radio::rates::Changes;
use serde_json::Value;

/// Checks one value.
pub(crate) fn leaf(schema: &Value, value: &Value, path: &str) -> Result<Value, InputError> {
    if let Some(names) = names(schema) {
        return match value.as_str() {
            Some(name) if names.contains(&name) => Ok(value.clone()),
            Some(name) => Err(InputError::unknown(path, "name", name, &names)),
            None => Err(InputError::new(path, no_name(value, &names))),
        };
    }
    let value = integral(schema, value);
    let fits = allowed_types(schema).iter().any(|t| has_type(&value, t));
    if !fits || !in_range(schema, &value) {
        let meant = share(schema, &value).or_else(|| with_unit(schema, &value)).unwrap_or_default();
        return Err(InputError::new(path, format!("{value} is not {}{meant}", expected(schema))));
    }
    quantity(schema, &value).map_err(|message| InputError::new(path, message))?;
    Ok(spelled(schema, value))
}

/// Names the values that may stand in the place of one that is no name at all.
fn no_name(value: &Value, names: &[&str]) -> String {
    let all = names.join(", ");
    match value.get("kind").and_then(Value::as_str).filter(|kind| names.contains(kind)) {
        Some(kind) => {
            format!("a table is not possible here; give the name alone, {kind:?} (allowed: {all})")
        }
        None => format!("{value} is not one of {all}"),
    }
}

/// Gives a quantity its one spelling in points, so that readers of points and hashes meet only that one.
fn spelled(schema: &Value, value: Value) -> Value {
    let ours = value.as_str().filter(|_| schema.get("format").is_some()).and_then(normalise_unit);
    ours.map_or(value, Value::from)
}

fn integral(schema: &Value, value: &Value) -> Value {
    if allowed_types(schema).contains(&"integer") { whole(value.clone()) } else { value.clone() }
}

/// Turns a whole number such as `1e6` into an integer.
pub(crate) fn whole(value: Value) -> Value {
    match value.as_f64() {
        Some(x) if !value.is_u64() && x.fract() == 0.0 && x.abs() < 9e15 => Value::from(x as i64),
        _ => value,
    }
}

/// The alternatives of an enumeration, or the names that may stand for a table.
pub(crate) fn names(schema: &Value) -> Option<Vec<&str>> {
    if let Some(list) = schema.get("enum").and_then(Value::as_array) {
        return list.iter().map(Value::as_str).collect();
    }
    if let Some(one) = schema.get("const").and_then(Value::as_str) {
        return Some(vec![one]);
    }
    let list = schema.get("oneOf").or_else(|| schema.get("anyOf"))?.as_array()?;
    let names: Vec<&str> = list.iter().filter_map(|s| s.get("const")?.as_str()).collect();
    (!names.is_empty()).then_some(names)
}

/// The JSON types that a schema allows.
pub(crate) fn allowed_types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => vec![],
    }
}

/// Says how a percentage is written where a number is expected, as the end of a message.
fn share(schema: &Value, value: &Value) -> Option<String> {
    let number = hundredth(value.as_str()?.strip_suffix('%')?.trim())?;
    let fits = allowed_types(schema).contains(&"number") && in_range(schema, &Value::from(number));
    fits.then(|| format!(": {value} is {number}"))
}

/// Says how a number is written where a quantity is expected, as the end of a message.
fn with_unit(schema: &Value, value: &Value) -> Option<String> {
    let number = value.as_f64().filter(|_| allowed_types(schema) == ["string"])?;
    let texts = match schema.get("format")?.as_str()? {
        "rate" | "rate-or-zero" => Rate::spellings_of_number(number),
        "size" => Size::spellings_of_number(number),
        "duration" | "trace-clock" => Duration::spellings_of_number(number),
        "frequency" => Frequency::spellings_of_number(number),
        "decibels" => Decibels::spellings_of_number(number),
        "extent" => Extent::spellings_of_number(number),
        _ => return None,
    };
    (!texts.is_empty())
        .then(|| format!("; write it with its unit: {}", quoted_alternatives(&texts)))
}

/// The double nearest to a hundredth of a number; dividing doubles may give one beside it.
fn hundredth(number: &str) -> Option<f64> {
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let exponent = exponent.parse::<i32>().ok()?.checked_sub(2)?;
    format!("{mantissa}e{exponent}").parse().ok().filter(|number: &f64| number.is_finite())
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
    let (Some(format), Some(text)) = (schema.get("format"), value.as_str()) else { return Ok(()) };
    let text = text.to_owned();
    let unit = |e: airtcp_core::UnitError| e.to_string();
    match format.as_str() {
        Some("rate") => Rate::try_from(text).map(drop).map_err(unit),
        Some("rate-or-zero") => Rate::parse_or_zero(text).map(drop).map_err(unit),
        Some("rate-lines") => Changes::try_from(text).map(drop),
        Some("size") => Size::try_from(text).map(drop).map_err(|error| {
            let packets = packets(schema, value).unwrap_or_default();
            format!("{error}{packets}")
        }),
        Some("duration") => Duration::try_from(text).map(drop).map_err(unit),
        Some("frequency") => Frequency::try_from(text).map(drop).map_err(unit),
        Some("decibels") => Decibels::try_from(text).map(drop).map_err(unit),
        Some("link") => check_link(&text),
        Some("code") => Code::try_from(text).map(drop),
        Some("extent") => Extent::try_from(text).map(drop),
        Some("trace-clock") => TraceClock::try_from(text).map(drop),
        _ => Ok(()),
    }
}

/// Says how a number of packets is written that is in quotes, as the end of a message.
fn packets(schema: &Value, value: &Value) -> Option<String> {
    let text = value.as_str().filter(|_| allowed_types(schema).contains(&"integer"))?;
    let digits = text.trim_end_matches(char::is_alphabetic).trim();
    let unit = text.get(digits.len()..)?.trim();
    let number = digits.parse::<u64>().ok()?;
    let counts = unit.is_empty() || ["packets", "pkts"].iter().any(|word| word.starts_with(unit));
    counts.then(|| format!("; packets are counted without quotes: {number}"))
}

/// Names the allowed values, in words.
pub(crate) fn expected(schema: &Value) -> String {
    let kinds = allowed_types(schema).into_iter().filter(|kind| *kind != "null");
    let message: Vec<String> = kinds.map(|kind| expected_of(schema, kind)).collect();
    if message.is_empty() { "allowed".to_owned() } else { message.join(", or ") }
}

fn expected_of(schema: &Value, kind: &str) -> String {
    let word = match kind {
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        "string" => "a text",
        "array" => "a list",
        "object" => "a table",
        _ => "allowed",
    };
    let examples = schema.get("examples").and_then(Value::as_array).into_iter().flatten();
    let example = examples.clone().find(|e| has_type(e, kind) || e.is_array());
    let example = example.map(|e| format!(" such as {e}")).unwrap_or_default();
    let range = match (schema.get("minimum"), schema.get("maximum")) {
        _ if kind == "array" => length_text(schema),
        _ if !["integer", "number"].contains(&kind) => String::new(),
        (Some(least), Some(most)) if least == most => {
            return format!("allowed; only {} is", bound_text(least));
        }
        (Some(least), Some(most)) => format!(" from {} to {}", bound_text(least), bound_text(most)),
        (Some(least), None) => format!(" of at least {}", bound_text(least)),
        (None, Some(most)) => format!(" of at most {}", bound_text(most)),
        (None, None) => String::new(),
    };
    format!("{word}{range}{example}")
}

/// Names the length that a list may have, if that has an upper bound.
fn length_text(schema: &Value) -> String {
    match (schema["minItems"].as_u64(), schema["maxItems"].as_u64()) {
        (Some(least), Some(most)) if least == most => format!(" of {most} values"),
        (Some(least), Some(most)) => format!(" of {least} to {most} values"),
        _ => String::new(),
    }
}

/// A bound without a trailing `.0`.
fn bound_text(bound: &Value) -> String {
    bound.as_f64().map_or_else(|| bound.to_string(), |x| x.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_numbers_have_a_range() {
        let schema = json!({
            "type": ["integer", "string", "object"], "minimum": 2, "maximum": 9, "examples": [5, "64kB"],
        });
        let message =
            "a whole number from 2 to 9 such as 5, or a text such as \"64kB\", or a table";
        assert_eq!(expected(&schema), message);
    }

    #[test]
    fn a_number_without_a_unit_gets_the_units_that_may_be_meant() {
        let refusal = |format: &str, example: &str, value: Value| {
            let schema = json!({"type": "string", "format": format, "examples": [example]});
            leaf(&schema, &value, "x").unwrap_err().message
        };
        for (format, example, value, end) in [
            ("rate", "1.5Mbps", json!(50), "\"50Mbps\", \"50kbps\" or \"50bps\""),
            ("rate", "1.5Mbps", json!(2e7), "\"20Mbps\""),
            ("rate-or-zero", "1.5Mbps", json!(5), "\"5Mbps\", \"5kbps\" or \"5bps\""),
            ("duration", "10ms", json!(0.01), "\"0.01ms\" or \"0.01s\""),
            ("size", "1400B", json!(1500), "\"1500B\" or \"1500kB\""),
            ("frequency", "10Hz", json!(10), "\"10Hz\" or \"10kHz\""),
            ("decibels", "20dB", json!(-3), "\"-3dB\""),
            ("extent", "2s", json!(8), "\"8packets\", \"8bits\" or \"8s\""),
            ("trace-clock", "slot", json!(8), "\"8ms\" or \"8s\""),
        ] {
            let message = refusal(format, example, value.clone());
            let start =
                format!("{value} is not a text such as {example:?}; write it with its unit: ");
            assert_eq!(message, format!("{start}{end}"));
        }
        assert_eq!(
            refusal("code", "bch(255,87)", json!(3)),
            "3 is not a text such as \"bch(255,87)\""
        );
    }

    #[test]
    fn packets_in_quotes_are_told_to_be_without() {
        let schema = json!({"type": ["integer", "string"], "minimum": 2, "format": "size"});
        let message = |text: &str| leaf(&schema, &json!(text), "x").unwrap_err().message;
        let units = "(units: B, kB, MB, KiB, MiB)";
        let start = |text: &str| format!("{text:?} is not a size such as \"1400B\" {units}");
        let end = "; packets are counted without quotes: 20";
        assert_eq!(message("20"), format!("{}: \"20B\" or \"20kB\"{end}", start("20")));
        assert_eq!(message("20 packets"), format!("{}{end}", start("20 packets")));
        assert_eq!(message("20furlongs"), start("20furlongs"));
    }
}
