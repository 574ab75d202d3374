//! Expansion of a document into its choices, with a check of every value against the schema.
//!
//! A list, or a range `{from, to, points, scale}`, where one value is expected is an axis. The first
//! axis of the document varies slowest, cases slower still. Where a list is expected, its items may hold axes.

use crate::cases::{CASE, Case, split_cases};
use crate::choices::{ChoiceCursor, Choices, MAX_POINTS, Range};
use crate::foreign::refuse_keys_of_other_profiles;
use crate::input_error::InputError;
use crate::profile::{Profile, with_defaults, write_over};
use crate::schema::{SWEEPABLE, follow_reference, point_schema, range_schema};
use crate::value::{allowed_types, expected, leaf, names};
use serde_json::{Map, Value};
use std::cell::RefCell;

/// The choices of a document, and the paths of the keys that its cases set.
pub(crate) struct ExpandedDocument {
    pub(crate) choices: Choices,
    /// The number of cases; each has as many choices as the others.
    pub(crate) cases: usize,
    pub(crate) case_keys: Vec<String>,
}

/// The choices of `document`: its cases, and the axes of each case in their order.
pub(crate) fn expand_document(document: Value) -> Result<ExpandedDocument, InputError> {
    if !document.is_object() {
        return Err(InputError::new("", "a scenario must be a table of keys"));
    }
    let profile = Profile::from_document(&document)?;
    let reader = DocumentReader { profile, schema: point_schema(profile) };
    refuse_copies(&document)?;
    let (rest, cases) = split_cases(document)?;
    if cases.is_empty() {
        return Ok(ExpandedDocument { choices: reader.read(rest)?.0, cases: 0, case_keys: vec![] });
    }
    let (choices, count) = (reader.read_cases(rest, &cases)?, cases.len());
    let mut case_keys: Vec<String> = cases.into_iter().flat_map(|case| case.keys).collect();
    case_keys.sort_unstable();
    case_keys.dedup();
    Ok(ExpandedDocument { choices, cases: count, case_keys })
}

/// Reader of documents of one profile.
struct DocumentReader {
    profile: Profile,
    schema: Value,
}

impl DocumentReader {
    /// The choices of a document without cases, and the paths of its axes.
    fn read(&self, document: Value) -> Result<(Choices, Vec<String>), InputError> {
        let mut axes = Vec::new();
        let choices = self.read_and_note_axes(document, &mut axes)?;
        Ok((choices, axes))
    }

    /// The choices of a document without cases; `axes` gets the paths of the axes that were seen, also on an error.
    fn read_and_note_axes(
        &self,
        document: Value,
        axes: &mut Vec<String>,
    ) -> Result<Choices, InputError> {
        refuse_keys_of_other_profiles(self.profile, &self.schema, &document)?;
        let merged = with_defaults(self.profile, document);
        let walker = AxisExpander { root: &self.schema, axes: RefCell::default() };
        let choices = walker.expand(&self.schema, &merged, "");
        *axes = walker.axes.into_inner();
        choices
    }

    /// The choices of each case over `rest`, one after the other.
    fn read_cases(&self, rest: Value, cases: &[Case]) -> Result<Choices, InputError> {
        let (common, base) = self.read_without_cases(rest, &cases[0]);
        let mut all = Choices::empty();
        for case in cases {
            let read = self.read(case.document.clone());
            let (choices, axes) = read.map_err(|error| case.locate_error(error, base.as_ref()))?;
            if let Some(axis) = axes.iter().find(|axis| case.gives(axis)) {
                let message = format!(
                    "a case cannot hold a list or a range; make it an axis of all cases, {axis}, or write one case for each value"
                );
                return Err(InputError::new(case.path_in_case(axis), message));
            }
            let clash = common.iter().find_map(|axis| Some((axis, case.key_at(axis)?)));
            if let Some((axis, key)) = clash {
                let message = format!(
                    "{axis} is an axis of the scenario, which no case can set; keep the axis or the cases"
                );
                return Err(InputError::new(case.path_in_case(key), message));
            }
            all.add(choices);
            refuse_too_many_points(&all, CASE)?;
        }
        Ok(all)
    }

    /// The axes of `rest`, and the error that it has by itself; `case` supplies the values that it leaves out.
    fn read_without_cases(&self, rest: Value, case: &Case) -> (Vec<String>, Option<InputError>) {
        let (mut document, mut axes) = (case.document.clone(), Vec::new());
        write_over(&mut document, rest);
        let error = self.read_and_note_axes(document, &mut axes).err();
        (axes, error)
    }
}

/// Most cases of a document: they are read one by one, which takes some 50 us each.
const MAX_CASES: usize = 10_000;

/// Most values of a document times its cases, each of which copies all values.
const MAX_COPIES: usize = 20_000_000;

fn refuse_copies(document: &Value) -> Result<(), InputError> {
    let Some(cases) = document.get(CASE).and_then(Value::as_array).map(Vec::len) else {
        return Ok(());
    };
    if cases > MAX_CASES {
        let message = format!(
            "{cases} cases; at most {MAX_CASES} are allowed (use axes for values that vary independently)"
        );
        return Err(InputError::new(CASE, message));
    }
    let rest = document.as_object().into_iter().flatten().filter(|(key, _)| *key != CASE);
    let values: usize = rest.map(|(_, value)| value_count(value)).sum();
    if values.saturating_mul(cases) <= MAX_COPIES {
        return Ok(());
    }
    let message = format!(
        "{cases} cases of {values} values; at most {MAX_COPIES} values are allowed in all cases together"
    );
    Err(InputError::new(CASE, message))
}

fn value_count(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(value_count).sum::<usize>(),
        Value::Object(table) => 1 + table.values().map(value_count).sum::<usize>(),
        _ => 1,
    }
}

/// Most values of an axis that are compared one by one; points are compared as a whole too.
const MAX_COMPARED: usize = 1000;

/// Error for an axis with equal values, whose points could not be told apart.
pub(crate) fn duplicate_error(path: &str, message: &str) -> InputError {
    InputError::new(path, format!("{message}; give each value of an axis once"))
}

struct AxisExpander<'a> {
    root: &'a Value,
    /// Paths of the axes that were seen.
    axes: RefCell<Vec<String>>,
}

impl AxisExpander<'_> {
    fn expand(&self, schema: &Value, value: &Value, path: &str) -> Result<Choices, InputError> {
        let schema = follow_reference(self.root, schema);
        let is_list = allowed_types(schema).contains(&"array");
        if schema["type"] == "array" || (is_list && value.is_array()) {
            return self.expand_array(schema, value, path);
        }
        match (value, tagged_alternatives(schema)) {
            (Value::Array(items), _) => self.expand_list(schema, items, path),
            // A name alone may stand for a table.
            (Value::Object(_), Some(alternatives)) => {
                self.expand_tagged(&alternatives, value, path)
            }
            (Value::Object(_), None) if names(schema).is_some() => {
                Ok(Choices::single(leaf(schema, value, path)?))
            }
            (_, Some(_)) if names(schema).is_some() => {
                Ok(Choices::single(leaf(schema, value, path)?))
            }
            (_, Some(alternatives)) => self.expand_tagged(&alternatives, value, path),
            _ if schema.get("properties").is_some() => self.expand_object(schema, value, path),
            // A table with a `kind` may take the place of a number.
            (Value::Object(table), None)
                if schema.get("then").is_some() && !table.contains_key("from") =>
            {
                self.expand(&schema["then"], value, path)
            }
            (Value::Object(_), None) => {
                self.axes.borrow_mut().push(path.to_owned());
                expand_range(schema, value, path)
            }
            _ => Ok(Choices::single(leaf(schema, value, path)?)),
        }
    }

    fn expand_list(
        &self,
        schema: &Value,
        items: &[Value],
        path: &str,
    ) -> Result<Choices, InputError> {
        if !is_sweepable(path) {
            return Err(InputError::new(
                path,
                format!(
                    "a list is not allowed here; only values of {} can be axes",
                    SWEEPABLE.join(", ")
                ),
            ));
        }
        if items.is_empty() {
            return Err(InputError::new(path, "the list is empty; give at least one value"));
        }
        self.axes.borrow_mut().push(path.to_owned());
        let (mut all, mut seen) = (Choices::empty(), Vec::new());
        for (i, item) in items.iter().enumerate() {
            if item.is_array() {
                return Err(InputError::new(path, "a list of lists is not an axis"));
            }
            let part = self.expand(schema, item, path).map_err(|e| error_in_item(e, path, i))?;
            if part.count() == 1 {
                let value = ChoiceCursor::new(&part).go_to(0).clone();
                if seen.contains(&value) {
                    return Err(duplicate_error(path, &format!("{value} appears twice")));
                }
                if seen.len() < MAX_COMPARED {
                    seen.push(value);
                }
            }
            all.add(part);
            refuse_too_many_points(&all, path)?;
        }
        Ok(all)
    }

    /// Expands a list that is one value: its items may hold axes, but the list itself is no axis.
    fn expand_array(
        &self,
        schema: &Value,
        value: &Value,
        path: &str,
    ) -> Result<Choices, InputError> {
        let Some(items) = value.as_array() else {
            return Err(InputError::new(path, format!("{value} is not a list")));
        };
        check_length(schema, items.len(), path)?;
        let (schema, items) = (&schema["items"], items.iter().enumerate());
        let at = |i| format!("{path}[{i}]");
        if is_scalar(schema) {
            let value =
                |(i, item)| leaf(schema, item, "").map_err(|e| InputError::new(at(i), e.message));
            return Ok(Choices::single(items.map(value).collect::<Result<Vec<_>, _>>()?.into()));
        }
        let parts = items.map(|(i, item)| self.expand(schema, item, &at(i)));
        let all = Choices::list(parts.collect::<Result<_, _>>()?);
        refuse_too_many_points(&all, path)?;
        Ok(all)
    }

    fn expand_tagged(
        &self,
        alternatives: &[(&str, &Value)],
        value: &Value,
        path: &str,
    ) -> Result<Choices, InputError> {
        let tags: Vec<&str> = alternatives.iter().map(|a| a.0).collect();
        let Some(object) = value.as_object() else {
            return Err(InputError::new(
                path,
                format!("{value} is not a table with a `kind`, one of: {}", tags.join(", ")),
            ));
        };
        let kind = join_path(path, "kind");
        let tag = match object.get("kind") {
            Some(Value::String(tag)) => tag,
            Some(other) => {
                let message = format!("{other} is not one of {}", tags.join(", "));
                return Err(InputError::new(kind, message));
            }
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
    ) -> Result<Choices, InputError> {
        let Some(object) = value.as_object() else {
            return Err(InputError::new(path, format!("{value} is not a table of keys")));
        };
        let properties = schema["properties"].as_object().expect("checked by the caller");
        let known: Vec<&str> = properties.keys().map(String::as_str).collect();
        if let Some(key) = object.keys().find(|key| !properties.contains_key(*key)) {
            return Err(InputError::unknown(path, "key", key, &known));
        }
        if let Some(key) = missing_key(schema, object) {
            let wanted = self.allowed_values_hint(&properties[key]);
            return Err(InputError::new(join_path(path, key), format!("missing{wanted}")));
        }
        let part = |(key, item): (&String, &Value)| {
            Ok((key.clone(), self.expand(&properties[key], item, &join_path(path, key))?))
        };
        let all = Choices::table(object.iter().map(part).collect::<Result<_, _>>()?);
        refuse_too_many_points(&all, path)?;
        Ok(all)
    }

    /// The values that a missing key could hold, as the end of a message.
    fn allowed_values_hint(&self, property: &Value) -> String {
        let schema = follow_reference(self.root, property);
        match names(schema) {
            Some(names) => format!("; one of: {}", names.join(", ")),
            None if allowed_types(schema).iter().any(|t| *t != "object") => {
                format!("; {}", expected(schema))
            }
            None => String::new(),
        }
    }
}

/// The tables of a tagged union, by tag.
fn tagged_alternatives(schema: &Value) -> Option<Vec<(&str, &Value)>> {
    let alternatives = schema.get("oneOf")?.as_array()?;
    let tagged = |s| -> Option<(&str, &Value)> {
        let s: &Value = s;
        Some((s["properties"]["kind"]["const"].as_str()?, s))
    };
    let tables: Vec<_> = alternatives.iter().filter_map(tagged).collect();
    (!tables.is_empty()).then_some(tables)
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

/// True if `schema` describes one number or text.
fn is_scalar(schema: &Value) -> bool {
    ["integer", "number", "string"].iter().any(|kind| schema["type"] == *kind)
}

fn refuse_too_many_points(choices: &Choices, path: &str) -> Result<(), InputError> {
    if choices.count() <= MAX_POINTS {
        return Ok(());
    }
    let way_out = "split an axis over several documents";
    Err(InputError::new(path, format!("more than {MAX_POINTS} points; {way_out}")))
}

fn missing_key<'a>(schema: &'a Value, object: &Map<String, Value>) -> Option<&'a str> {
    let is_absent = |key: &&str| !object.contains_key(*key);
    let keys = |schema: &'a Value| {
        let required = schema.get("required").and_then(Value::as_array);
        required.into_iter().flatten().filter_map(Value::as_str)
    };
    // A hop has a delay, or a link that may have one.
    let choices = schema
        .get("anyOf")
        .and_then(Value::as_array)
        .filter(|each| each.iter().all(|choice| keys(choice).any(|key| is_absent(&key))));
    let of_choice = choices.and_then(|each| keys(each.first()?).find(is_absent));
    keys(schema).find(is_absent).or(of_choice)
}

/// True if the value at `path` may be an axis: a value inside a section, or the channel as a whole.
fn is_sweepable(path: &str) -> bool {
    let section =
        path.split_once('.').map(|(section, _)| section.split('[').next().unwrap_or(section));
    path == "channel" || section.is_some_and(|s| SWEEPABLE.contains(&s))
}

fn error_in_item(mut error: InputError, path: &str, index: usize) -> InputError {
    if error.path == path {
        error.path = format!("{path}[{index}]");
    }
    error
}

/// Expands `{from, to, points, scale}` in the place of a number.
fn expand_range(schema: &Value, value: &Value, path: &str) -> Result<Choices, InputError> {
    let range = range_schema();
    if !is_sweepable(path)
        || !allowed_types(schema).iter().any(|t| *t == "number" || *t == "integer")
    {
        return Err(InputError::new(path, format!("{value} is not {}", expected(schema))));
    }
    let walker = AxisExpander { root: &range, axes: RefCell::default() };
    let checked = walker.expand_object(&range, value, path)?;
    let checked = ChoiceCursor::new(&checked).go_to(0).clone();
    let number = |key: &str| checked[key].as_f64().expect("checked");
    let (from, to, points) = (number("from"), number("to"), number("points") as usize);
    let log = checked["scale"] == "log";
    if log && (from <= 0.0 || to <= 0.0) {
        return Err(InputError::new(
            path,
            format!("{from} to {to}: a log range needs positive ends"),
        ));
    }
    if !(if log { to / from } else { to - from }).is_finite() {
        return Err(InputError::new(path, format!("{from} to {to} is too wide for a range")));
    }
    let whole = allowed_types(schema).contains(&"integer");
    let range = Range { from, to, points, log, whole };
    (0..points).try_for_each(|i| leaf(schema, &range.value(i), path).map(drop))?;
    Ok(Choices::range(range))
}

fn join_path(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
