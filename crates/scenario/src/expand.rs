//! From a document to points: checks every value against the schema and multiplies out the axes.
//!
//! A list, or a range `{from, to, points, scale}`, where one value is expected is an axis. The first
//! axis of the document varies slowest. Where a list is expected, its items may hold axes.

use crate::input_error::InputError;
use crate::profile::{Profile, complete};
use crate::scenario::Scenario;
use crate::schema::{SWEEPABLE, point_schema, range_schema, resolve};
use crate::value::{allowed_types, expected, leaf, names};
use airtcp_core::Cancel;
use serde_json::{Map, Value};

/// More points than anybody can want in one document; the product is checked before it is formed.
const MOST_POINTS: usize = 100_000;

/// Single values in all points of a document, each of which takes some 90 bytes while they are read.
const MOST_VALUES: usize = 30_000_000;

/// The points of `document`, in the order of its axes.
///
/// # Errors
/// The first thing that is wrong, with its path.
pub fn points(document: &Value) -> Result<Vec<Scenario>, InputError> {
    points_until(document, &Cancel::new())
}

/// The same, or only some of them soon after `cancel` is set.
///
/// # Errors
/// As [`points`].
pub fn points_until(document: &Value, cancel: &Cancel) -> Result<Vec<Scenario>, InputError> {
    if !document.is_object() {
        return Err(InputError::new("", "a scenario is a table of keys"));
    }
    let profile = Profile::named_by(document)?;
    refuse_foreign(profile, document)?;
    let schema = point_schema(profile);
    let merged = complete(profile, document);
    let walker = Walker { root: &schema, leaves: leaves(&merged) };
    let values = walker.expand(&schema, &merged, "")?;
    values.into_iter().take_while(|_| !cancel.is_set()).map(typed).collect()
}

/// How many single values there are in a document.
fn leaves(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(leaves).sum(),
        Value::Object(object) => object.values().map(leaves).sum(),
        _ => 1,
    }
}

/// Refuses the keys of other profiles by what they are.
fn refuse_foreign(profile: Profile, document: &Value) -> Result<(), InputError> {
    let keys = document.get("tcp").and_then(Value::as_object).into_iter().flatten();
    match keys.map(|(key, _)| key).find(|key| profile.is_foreign(key)) {
        None => Ok(()),
        Some(key) => {
            let message = format!("not a key of profile {}", profile.entry().name);
            Err(InputError::new(format!("tcp.{key}"), message))
        }
    }
}

fn typed(value: Value) -> Result<Scenario, InputError> {
    let scenario = Scenario::try_from(value)?;
    scenario.validate()?;
    Ok(scenario)
}

struct Walker<'a> {
    root: &'a Value,
    /// Single values in the document.
    leaves: usize,
}

impl Walker<'_> {
    fn expand(&self, schema: &Value, value: &Value, path: &str) -> Result<Vec<Value>, InputError> {
        let schema = resolve(self.root, schema);
        if schema["type"] == "array" {
            return self.expand_array(schema, value, path);
        }
        match (value, kinds(schema)) {
            (Value::Array(items), _) => self.expand_list(schema, items, path),
            (_, Some(alternatives)) => self.expand_tagged(&alternatives, value, path),
            _ if schema.get("properties").is_some() => self.expand_object(schema, value, path),
            (Value::Object(_), None) => expand_range(schema, value, path),
            _ => Ok(vec![leaf(schema, value, path)?]),
        }
    }

    fn expand_list(
        &self,
        schema: &Value,
        items: &[Value],
        path: &str,
    ) -> Result<Vec<Value>, InputError> {
        if !sweepable(path) {
            return Err(InputError::new(path, "a list is not allowed here"));
        }
        if items.is_empty() {
            return Err(InputError::new(path, "the list is empty; give at least one value"));
        }
        let mut all = Vec::new();
        for (i, item) in items.iter().enumerate() {
            if item.is_array() {
                return Err(InputError::new(path, "a list of lists is not an axis"));
            }
            all.extend(self.expand(schema, item, path).map_err(|e| in_item(e, path, i))?);
        }
        Ok(all)
    }

    /// A list that is one value: its items may hold axes, itself it is none.
    fn expand_array(
        &self,
        schema: &Value,
        value: &Value,
        path: &str,
    ) -> Result<Vec<Value>, InputError> {
        let Some(items) = value.as_array() else {
            return Err(InputError::new(path, format!("{value} is not a list")));
        };
        check_length(schema, items.len(), path)?;
        let mut rows = vec![Vec::with_capacity(items.len())];
        for (i, item) in items.iter().enumerate() {
            let at = || format!("{path}[{i}]");
            let values = if is_plain(&schema["items"]) {
                vec![
                    leaf(&schema["items"], item, "")
                        .map_err(|e| InputError::new(at(), e.message))?,
                ]
            } else {
                self.expand(&schema["items"], item, &at())?
            };
            self.refuse_crowd(rows.len(), values.len(), path)?;
            rows = longer(rows, &values);
        }
        Ok(rows.into_iter().map(Value::Array).collect())
    }

    fn expand_tagged(
        &self,
        alternatives: &[(&str, &Value)],
        value: &Value,
        path: &str,
    ) -> Result<Vec<Value>, InputError> {
        let tags: Vec<&str> = alternatives.iter().map(|a| a.0).collect();
        let Some(object) = value.as_object() else {
            return Err(InputError::new(path, format!("{value} is not a table with a `kind`")));
        };
        let kind = join(path, "kind");
        let tag = match object.get("kind") {
            Some(Value::String(tag)) => tag,
            Some(other) => return Err(InputError::new(kind, format!("{other} is not a name"))),
            None => {
                return Err(InputError::new(kind, format!("missing; one of: {}", tags.join(", "))));
            }
        };
        match alternatives.iter().find(|a| a.0 == tag) {
            Some((_, schema)) => self.expand_object(schema, value, path),
            None => Err(InputError::unknown(&kind, "kind", tag, &tags)),
        }
    }

    fn expand_object(
        &self,
        schema: &Value,
        value: &Value,
        path: &str,
    ) -> Result<Vec<Value>, InputError> {
        let Some(object) = value.as_object() else {
            return Err(InputError::new(path, format!("{value} is not a table of keys")));
        };
        let properties = schema["properties"].as_object().expect("checked by the caller");
        let known: Vec<&str> = properties.keys().map(String::as_str).collect();
        if let Some(key) = object.keys().find(|key| !properties.contains_key(*key)) {
            return Err(InputError::unknown(path, "key", key, &known));
        }
        if let Some(key) = missing(schema, object) {
            let wanted = self.wanted(&properties[key]);
            return Err(InputError::new(join(path, key), format!("missing{wanted}")));
        }
        let mut rows = vec![Map::new()];
        for (key, item) in object {
            let values = self.expand(&properties[key], item, &join(path, key))?;
            self.refuse_crowd(rows.len(), values.len(), path)?;
            rows = product(rows, key, &values);
        }
        Ok(rows.into_iter().map(Value::Object).collect())
    }

    fn refuse_crowd(&self, rows: usize, values: usize, path: &str) -> Result<(), InputError> {
        let points = rows.saturating_mul(values);
        if points > MOST_POINTS {
            return Err(InputError::new(path, format!("more than {MOST_POINTS} points")));
        }
        // Of these axes each point has one value.
        let in_each = self.leaves.saturating_sub(rows + values);
        if points > 1 && points.saturating_mul(in_each) > MOST_VALUES {
            let message = format!(
                "{points} points of {in_each} values each are more than fit: at most {MOST_VALUES} values in all; \
                 fewer points at a time"
            );
            return Err(InputError::new(path, message));
        }
        Ok(())
    }

    /// What a missing key could hold.
    fn wanted(&self, property: &Value) -> String {
        let schema = resolve(self.root, property);
        match names(schema) {
            Some(names) => format!("; one of: {}", names.join(", ")),
            None if allowed_types(schema).iter().any(|t| *t != "object") => {
                format!("; {}", expected(schema))
            }
            None => String::new(),
        }
    }
}

/// The alternatives of a tagged union, by tag.
fn kinds(schema: &Value) -> Option<Vec<(&str, &Value)>> {
    let alternatives = schema.get("oneOf")?.as_array()?;
    let tag = |s: &'_ Value| s["properties"]["kind"]["const"].as_str().is_some();
    if !alternatives.iter().all(tag) {
        return None;
    }
    let name = |s| -> (&str, &Value) {
        let s: &Value = s;
        (s["properties"]["kind"]["const"].as_str().expect("just seen"), s)
    };
    Some(alternatives.iter().map(name).collect())
}

/// Every row with every value at `key`.
fn product(
    mut rows: Vec<Map<String, Value>>,
    key: &str,
    values: &[Value],
) -> Vec<Map<String, Value>> {
    let with = |row: &mut Map<String, Value>, value: &Value| {
        row.insert(key.to_owned(), value.clone());
    };
    if let [only] = values {
        rows.iter_mut().for_each(|row| with(row, only));
        return rows;
    }
    let mut all = Vec::with_capacity(rows.len() * values.len());
    for row in rows {
        for value in values {
            let mut longer = row.clone();
            with(&mut longer, value);
            all.push(longer);
        }
    }
    all
}

/// Every row with every value at its end.
fn longer(mut rows: Vec<Vec<Value>>, values: &[Value]) -> Vec<Vec<Value>> {
    // Long lists of plain values are not copied for each of them.
    if let [only] = values {
        rows.iter_mut().for_each(|row| row.push(only.clone()));
        return rows;
    }
    let with =
        |row: &Vec<Value>, value: &Value| [row.as_slice(), std::slice::from_ref(value)].concat();
    rows.iter().flat_map(|row| values.iter().map(|value| with(row, value))).collect()
}

fn check_length(schema: &Value, length: usize, path: &str) -> Result<(), InputError> {
    let bound = |key| schema.get(key).and_then(Value::as_u64).map(|n| n as usize);
    match (bound("minItems"), bound("maxItems")) {
        (Some(_), _) if length == 0 => {
            Err(InputError::new(path, "the list is empty; give at least one value"))
        }
        (Some(least), Some(most)) if !(least..=most).contains(&length) => {
            Err(InputError::new(path, format!("{length} values are not {}", expected(schema))))
        }
        _ => Ok(()),
    }
}

/// Whether `schema` is that of one number or text.
fn is_plain(schema: &Value) -> bool {
    ["integer", "number", "string"].iter().any(|kind| schema["type"] == *kind)
}

fn missing<'a>(schema: &'a Value, object: &Map<String, Value>) -> Option<&'a str> {
    let required = schema.get("required")?.as_array()?;
    required.iter().filter_map(Value::as_str).find(|key| !object.contains_key(*key))
}

/// Whether the value at `path` may be an axis: a value inside a section, or the channel as a whole.
fn sweepable(path: &str) -> bool {
    let section =
        path.split_once('.').map(|(section, _)| section.split('[').next().unwrap_or(section));
    path == "channel" || section.is_some_and(|s| SWEEPABLE.contains(&s))
}

fn in_item(mut error: InputError, path: &str, index: usize) -> InputError {
    if error.path == path {
        error.path = format!("{path}[{index}]");
    }
    error
}

/// `{from, to, points, scale}` in the place of a number.
fn expand_range(schema: &Value, value: &Value, path: &str) -> Result<Vec<Value>, InputError> {
    let range = range_schema();
    if !sweepable(path) || !allowed_types(schema).iter().any(|t| *t == "number" || *t == "integer")
    {
        return Err(InputError::new(path, format!("{value} is not {}", expected(schema))));
    }
    let checked = Walker { root: &range, leaves: 0 }.expand_object(&range, value, path)?;
    let number = |key: &str| checked[0][key].as_f64().expect("checked");
    let (from, to, points) = (number("from"), number("to"), number("points") as usize);
    let log = checked[0]["scale"] == "log";
    if log && (from <= 0.0 || to <= 0.0) {
        return Err(InputError::new(path, "a log range needs positive ends"));
    }
    if !(to / from).is_finite() || !(to - from).is_finite() {
        return Err(InputError::new(path, format!("{from} to {to} is too wide for a range")));
    }
    let at = |i: usize| {
        let t = i as f64 / (points - 1) as f64;
        match i {
            0 => from,
            _ if i == points - 1 => to,
            _ if log => from * libm::pow(to / from, t),
            _ => from + (to - from) * t,
        }
    };
    // A whole number between the ends may come out one rounding off.
    let whole = allowed_types(schema).contains(&"integer");
    let snap = |x: f64| if whole && (x - x.round()).abs() < 1e-9 * x.abs() { x.round() } else { x };
    (0..points).map(|i| leaf(schema, &Value::from(snap(at(i))), path)).collect()
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
