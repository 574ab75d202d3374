//! Values of code.

use std::fmt::{self, Write};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Datum {
    None,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(String),
    Tuple(Vec<Datum>),
}

impl Datum {
    pub(crate) fn is_true(&self) -> bool {
        match self {
            Datum::None => false,
            Datum::Bool(truth) => *truth,
            Datum::Int(number) => *number != 0,
            Datum::Float(number) => *number != 0.0,
            Datum::Text(text) => !text.is_empty(),
            Datum::Tuple(items) => !items.is_empty(),
        }
    }

    /// The value as a whole number: truth counts as 0 or 1.
    pub(crate) fn int(&self) -> Option<i128> {
        match self {
            Datum::Bool(truth) => Some(i128::from(*truth)),
            Datum::Int(number) => Some(*number),
            _ => None,
        }
    }

    pub(crate) fn float(&self) -> Option<f64> {
        match self {
            Datum::Float(number) => Some(*number),
            other => other.int().map(|number| number as f64),
        }
    }

    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Datum::None => "None",
            Datum::Bool(_) => "a truth value",
            Datum::Int(_) => "a whole number",
            Datum::Float(_) => "a number",
            Datum::Text(_) => "a text",
            Datum::Tuple(_) => "a tuple",
        }
    }

    /// Bytes that the value takes with everything in it; `None` if tuples are nested deeper than `levels`.
    pub(crate) fn bytes(&self, levels: usize) -> Option<usize> {
        let own = size_of::<Datum>();
        match self {
            Datum::Text(text) => Some(own + text.len()),
            Datum::Tuple(items) => {
                let below = levels.checked_sub(1)?;
                items.iter().try_fold(own, |sum, item| Some(sum + item.bytes(below)?))
            }
            _ => Some(own),
        }
    }

    /// The text of the value, if it has at most `most` bytes.
    pub(crate) fn text(&self, most: usize) -> Option<String> {
        let mut begun = BoundedText { text: String::new(), room: most };
        write!(begun, "{self}").ok().map(|()| begun.text)
    }

    /// The text of the value, cut after `most` bytes.
    pub(crate) fn short_text(&self, most: usize) -> String {
        let mut begun = BoundedText { text: String::new(), room: most };
        match write!(begun, "{self}") {
            Ok(()) => begun.text,
            Err(fmt::Error) => begun.text + "…",
        }
    }

    /// Equality across kinds of numbers.
    pub(crate) fn equals(&self, other: &Datum) -> bool {
        match (self.int(), other.int(), self.float(), other.float()) {
            (Some(a), Some(b), ..) => a == b,
            (_, _, Some(a), Some(b)) => a == b,
            _ => match (self, other) {
                (Datum::Tuple(a), Datum::Tuple(b)) => {
                    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equals(b))
                }
                _ => self == other,
            },
        }
    }
}

/// The beginning of a text: writing fails when its space is used up.
struct BoundedText {
    text: String,
    room: usize,
}

impl Write for BoundedText {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        let room = 0..=self.room.min(more.len());
        let fits = room.rev().find(|at| more.is_char_boundary(*at)).unwrap_or(0);
        self.text.push_str(&more[..fits]);
        self.room -= fits;
        if fits == more.len() { Ok(()) } else { Err(fmt::Error) }
    }
}

impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Datum::None => f.write_str("None"),
            Datum::Bool(true) => f.write_str("True"),
            Datum::Bool(false) => f.write_str("False"),
            Datum::Int(number) => write!(f, "{number}"),
            Datum::Float(number) => write!(f, "{number:?}"),
            Datum::Text(text) => f.write_str(text),
            Datum::Tuple(items) => {
                f.write_str("(")?;
                for (nth, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if nth == 0 { "" } else { ", " })?;
                }
                f.write_str(")")
            }
        }
    }
}
