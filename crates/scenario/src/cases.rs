//! Cases: values that go together, `[[case]]`, each a document over the rest, beside axes that multiply.

use crate::input_error::InputError;
use crate::names::check_name;
use crate::profile::write_over;
use crate::schema::SWEEPABLE;
use serde_json::{Map, Value};

/// The key under which a document holds its cases.
pub(crate) const CASE: &str = "case";

/// One case of a document.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// Dotted paths of the keys that the case sets.
    pub(crate) keys: Vec<String>,
    /// The rest of the document with the values of the case laid over it.
    pub(crate) document: Value,
    place: String,
}

/// `document` without its cases, and the cases. The list is empty if the document has none, or if it is a point and
/// only names its case.
pub(crate) fn split_cases(document: Value) -> Result<(Value, Vec<Case>), InputError> {
    let Value::Object(table) = document else { return Ok((document, vec![])) };
    let (given, rest): (Map<_, _>, Map<_, _>) =
        table.into_iter().partition(|(key, value)| key == CASE && !value.is_string());
    let rest = Value::Object(rest);
    let cases = match given.get(CASE) {
        None => vec![],
        Some(Value::Array(items)) if items.is_empty() => {
            return Err(InputError::new(CASE, "the list is empty; give at least one case"));
        }
        Some(Value::Array(items)) => read_cases(items, &rest)?,
        Some(other) => {
            let message = format!("{other} is not a list of tables: write [[case]] for each");
            return Err(InputError::new(CASE, message));
        }
    };
    Ok((rest, cases))
}

/// The names of the cases of `document`.
///
/// # Errors
/// The path of a case that cannot be read, and the reason.
pub fn case_names(document: Value) -> Result<Vec<String>, InputError> {
    Ok(split_cases(document)?.1.into_iter().map(|case| case.name).collect())
}

fn read_cases(items: &[Value], rest: &Value) -> Result<Vec<Case>, InputError> {
    let one = |(i, item)| Case::read_case(item, rest, format!("{CASE}[{i}]"));
    let cases: Vec<Case> = items.iter().enumerate().map(one).collect::<Result<_, _>>()?;
    let mut seen = std::collections::HashMap::new();
    for (i, case) in cases.iter().enumerate() {
        if let Some(first) = seen.insert(case.name.as_str(), i) {
            let message =
                format!("{:?} is the name of {CASE}[{first}] too: give each its own", case.name);
            return Err(InputError::new(format!("{}.name", case.place), message));
        }
    }
    Ok(cases)
}

impl Case {
    fn read_case(item: &Value, rest: &Value, place: String) -> Result<Self, InputError> {
        let Some(table) = item.as_object() else {
            return Err(InputError::new(place, format!("{item} is not a table of keys")));
        };
        let mut case = Case { name: String::new(), keys: vec![], document: rest.clone(), place };
        let mut words = Vec::new();
        for (key, value) in table.iter().filter(|(key, _)| *key != "name") {
            case.check_section(key)?;
            visit_leaves(
                value,
                key,
                &mut |path, value| words.push(value_text(path, value)),
                &mut case.keys,
            );
            set_value(&mut case.document, key, value)
                .map_err(|message| InputError::new(format!("{}.{key}", case.place), message))?;
        }
        case.name = case.case_name(table.get("name"), &words)?;
        case.document[CASE] = case.name.clone().into();
        Ok(case)
    }

    fn check_section(&self, key: &str) -> Result<(), InputError> {
        let section = key.split(['.', '[']).next().unwrap_or(key);
        if SWEEPABLE.contains(&section) {
            return Ok(());
        }
        if ["title", "profile", "stop", "analysis", CASE].contains(&section) {
            let message =
                format!("cannot be set by a case; a case sets values of {}", SWEEPABLE.join(", "));
            return Err(InputError::new(format!("{}.{key}", self.place), message));
        }
        let known: Vec<&str> = ["name"].iter().chain(SWEEPABLE).copied().collect();
        Err(InputError::unknown(&self.place, "key", key, &known))
    }

    /// The name that was given, or else one made of the values `words`.
    fn case_name(&self, given: Option<&Value>, words: &[String]) -> Result<String, InputError> {
        let place = format!("{}.name", self.place);
        match given {
            Some(Value::String(name)) => check_name(place, name).map(|()| name.clone()),
            Some(other) => Err(InputError::new(place, format!("{other} is not a text"))),
            None if words.is_empty() => {
                Err(InputError::new(place, "missing; a case that sets no value needs a name"))
            }
            None => Ok(words.join(", ")),
        }
    }

    /// The key of this case at, below or above `path`.
    pub(crate) fn key_at(&self, path: &str) -> Option<&str> {
        self.keys
            .iter()
            .map(String::as_str)
            .find(|key| is_within(path, key) || is_within(key, path))
    }

    /// True if `path` is a key of the case or lies within the value of one.
    pub(crate) fn gives(&self, path: &str) -> bool {
        self.keys.iter().any(|key| is_within(path, key))
    }

    /// `path` as it stands in the case.
    pub(crate) fn path_in_case(&self, path: &str) -> String {
        format!("{}.{path}", self.place)
    }

    /// Gives the error a path within this case, unless the rest of the document is to blame, which alone has the error
    /// `base`.
    pub(crate) fn locate_error(
        &self,
        mut error: InputError,
        base: Option<&InputError>,
    ) -> InputError {
        let at_fault = match error.unknown_key() {
            Some(key) => self.gives(&format!("{}.{key}", error.path)),
            None => self.gives(&error.path),
        };
        if at_fault {
            error.path = self.path_in_case(&error.path);
            return error;
        }
        if base == Some(&error) { error } else { error.in_case(Some(&self.name)) }
    }
}

/// True if `path` is `above` or lies below it.
fn is_within(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Calls `visit` with every value in `value`, which is at `path`, and adds their paths to `keys`. A table with a kind is
/// one value for `keys`, and so is a list.
fn visit_leaves(
    value: &Value,
    path: &str,
    visit: &mut dyn FnMut(&str, &Value),
    keys: &mut Vec<String>,
) {
    match value.as_object().filter(|table| !table.is_empty()) {
        Some(table) if table.contains_key("kind") => {
            keys.push(path.to_owned());
            table.iter().for_each(|(key, value)| visit(&format!("{path}.{key}"), value));
        }
        Some(table) => {
            for (key, value) in table {
                visit_leaves(value, &format!("{path}.{key}"), visit, keys);
            }
        }
        None => {
            keys.push(path.to_owned());
            visit(path, value);
        }
    }
}

/// A value as part of a name: alone where it speaks for itself, else with the last part of its path.
fn value_text(path: &str, value: &Value) -> String {
    let key = path.rsplit('.').next().unwrap_or(path).replace('_', " ");
    match value {
        Value::String(text) if ["variant", "congestion", "kind"].contains(&key.as_str()) => {
            text.clone()
        }
        Value::String(text) => format!("{key} {text}"),
        Value::Bool(true) => key,
        Value::Bool(false) => format!("no {key}"),
        other => format!("{key} {other}"),
    }
}

/// Puts `value` at `path`, such as `path.hop[0].queue`, into `document`: tables are merged, other values replaced.
fn set_value(document: &mut Value, path: &str, value: &Value) -> Result<(), String> {
    let mut place = document;
    for step in path.split('.') {
        let (key, numbers) = step.split_once('[').map_or((step, ""), |(key, rest)| (key, rest));
        let found = place
            .as_object_mut()
            .ok_or(format!("there is no {key}: the value before it has no keys"))?;
        place = found.entry(key).or_insert_with(|| Value::Object(Map::new()));
        for number in numbers.split_terminator(']') {
            let index = number.trim_start_matches('[').parse::<usize>();
            let index = index.map_err(|_| format!("[{number}] is not the number of an element"))?;
            let items = place
                .as_array_mut()
                .ok_or(format!("{key} has no element [{index}]: it is not a list"))?;
            let there = match items.len() {
                0 => format!("{key} is an empty list"),
                1 => format!("there is only {key}[0]"),
                all => format!("there is only {key}[0] to {key}[{}]", all - 1),
            };
            place = items.get_mut(index).ok_or(there)?;
        }
    }
    if place.is_object() && value.is_object() && value.get("kind").is_none() {
        write_over(place, value.clone());
    } else {
        *place = value.clone();
    }
    Ok(())
}
