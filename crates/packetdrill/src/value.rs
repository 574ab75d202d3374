//! Values in the arguments of a call, and values that a call returns besides its result.

use std::fmt;

/// An expression of a script, with its names replaced by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Value {
    /// `...`: in an argument, the tool may choose; in a result, anything matches.
    #[default]
    Any,
    /// A number.
    Int(i64),
    /// A text, or an address.
    Text(String),
    /// `[a, b]`, or `{a, b}`.
    List(Vec<Value>),
    /// `{name=value, …}`.
    Fields(Vec<(String, Value)>),
}

impl Value {
    /// The number, if the value is one.
    #[must_use]
    pub fn int(&self) -> Option<i64> {
        match self {
            Value::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// The number, alone or as the only element of a list, as socket options are written.
    #[must_use]
    pub fn only_int(&self) -> Option<i64> {
        match self {
            Value::List(list) if list.len() == 1 => list[0].int(),
            other => other.int(),
        }
    }

    /// A field by its name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Fields(fields) => fields.iter().find(|(n, _)| n == name).map(|(_, value)| value),
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Any => f.write_str("..."),
            Value::Int(number) => write!(f, "{number}"),
            Value::Text(text) => write!(f, "{text:?}"),
            Value::List(list) => {
                f.write_str("[")?;
                for (nth, value) in list.iter().enumerate() {
                    write!(f, "{}{value}", if nth == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Value::Fields(fields) => {
                f.write_str("{")?;
                for (nth, (name, value)) in fields.iter().enumerate() {
                    write!(f, "{}{name}={value}", if nth == 0 { "" } else { ", " })?;
                }
                f.write_str("}")
            }
        }
    }
}
