//! A document from TOML, as the value that the crates read.

use airtcp_scenario::InputError;
use serde_json::{Map, Number, Value};
use toml::Value as Toml;

/// The document in a text.
pub(crate) fn parse(text: &str) -> Result<Value, InputError> {
    let table: toml::Table = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        let message = format!("not valid TOML, in line {line}: {}", error.message());
        InputError { path: String::new(), message }
    })?;
    tables(table, "")
}

fn tables(table: toml::Table, path: &str) -> Result<Value, InputError> {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    let entries = table.into_iter().map(|(key, value)| {
        let value = plain(value, &below(&key))?;
        Ok((key, value))
    });
    entries.collect::<Result<Map<_, _>, _>>().map(Value::Object)
}

fn plain(value: Toml, path: &str) -> Result<Value, InputError> {
    let refused = |message| Err(InputError { path: path.to_owned(), message });
    match value {
        Toml::String(text) => Ok(text.into()),
        Toml::Integer(number) => Ok(number.into()),
        Toml::Boolean(truth) => Ok(truth.into()),
        Toml::Float(number) => match Number::from_f64(number) {
            Some(number) => Ok(number.into()),
            None => refused(format!("{number} is not a number of a scenario: give a finite one")),
        },
        Toml::Datetime(date) => {
            refused(format!("{date} is a date, which no key of a scenario holds"))
        }
        Toml::Array(items) => items
            .into_iter()
            .enumerate()
            .map(|(place, item)| plain(item, &format!("{path}[{place}]")))
            .collect::<Result<Vec<_>, _>>()
            .map(Value::Array),
        Toml::Table(table) => tables(table, path),
    }
}
