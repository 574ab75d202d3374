//! The operators and functions of code.

use super::budget::{long_text_error, text_of_value};
use super::datum::Datum;
use super::format;
use super::trouble::{Evaluated, EvaluationError};
use crate::limits;

fn too_large_error() -> EvaluationError {
    "a number of more than 128 bits".into()
}

pub(super) fn unary(sign: &str, value: &Datum) -> Evaluated {
    match (sign, value, value.int()) {
        ("not", ..) => Ok(Datum::Bool(!value.is_true())),
        ("-", Datum::Float(number), _) => Ok(Datum::Float(-number)),
        ("+", Datum::Float(number), _) => Ok(Datum::Float(*number)),
        ("-", _, Some(number)) => number.checked_neg().map(Datum::Int).ok_or_else(too_large_error),
        ("+", _, Some(number)) => Ok(Datum::Int(number)),
        ("~", _, Some(number)) => Ok(Datum::Int(!number)),
        _ => Err(format!("'{sign}' does not fit {}", value.kind()).into()),
    }
}

pub(super) fn compare(sign: &str, left: &Datum, right: &Datum) -> Result<bool, String> {
    let order = match (left, right) {
        _ if sign == "==" => return Ok(left.equals(right)),
        _ if sign == "!=" => return Ok(!left.equals(right)),
        (_, Datum::Tuple(items)) if sign == "in" => {
            return Ok(items.iter().any(|item| item.equals(left)));
        }
        (Datum::Text(a), Datum::Text(b)) if sign == "in" => return Ok(b.contains(a.as_str())),
        (Datum::Text(a), Datum::Text(b)) => Some(a.cmp(b)),
        _ => match (left.int(), right.int(), left.float(), right.float()) {
            (Some(a), Some(b), ..) => Some(a.cmp(&b)),
            (_, _, Some(a), Some(b)) => a.partial_cmp(&b),
            _ => {
                return Err(format!(
                    "'{sign}' does not compare {} with {}",
                    left.kind(),
                    right.kind()
                ));
            }
        },
    };
    Ok(match sign {
        "<" => order.is_some_and(std::cmp::Ordering::is_lt),
        "<=" => order.is_some_and(std::cmp::Ordering::is_le),
        ">" => order.is_some_and(std::cmp::Ordering::is_gt),
        ">=" => order.is_some_and(std::cmp::Ordering::is_ge),
        _ => return Err(format!("'{sign}' does not fit {}", right.kind())),
    })
}

pub(super) fn binary(sign: &str, left: &Datum, right: &Datum) -> Evaluated {
    match (sign, left, right) {
        ("%", Datum::Text(pattern), values) => {
            return format::fill_pattern(pattern, values).map(Datum::Text);
        }
        ("+", Datum::Text(a), Datum::Text(b)) => {
            let fits = a.len() + b.len() <= limits::MAX_CODE_TEXT_BYTES;
            return if fits { Ok(Datum::Text(a.clone() + b)) } else { Err(long_text_error()) };
        }
        _ => {}
    }
    let wrong = || {
        EvaluationError::Invalid(format!(
            "'{sign}' does not fit {} and {}",
            left.kind(),
            right.kind()
        ))
    };
    match (left.int(), right.int(), left.float(), right.float()) {
        (Some(a), Some(b), ..) => integer_operation(sign, a, b),
        (_, _, Some(a), Some(b)) => float_operation(sign, a, b).ok_or_else(wrong).map(Datum::Float),
        _ => Err(wrong()),
    }
}

fn integer_operation(sign: &str, a: i128, b: i128) -> Evaluated {
    let shift = || u32::try_from(b).map_err(|_| "a shift is from 0 to 127".to_owned());
    if matches!(sign, "/" | "//" | "%") && b == 0 {
        return Err("division by zero".into());
    }
    let result = match sign {
        "+" => a.checked_add(b),
        "-" => a.checked_sub(b),
        "*" => a.checked_mul(b),
        "/" => return Ok(Datum::Float(a as f64 / b as f64)),
        // Python rounds down, and the remainder has the sign of the divisor.
        "//" => {
            a.checked_div_euclid(b).map(|q| if b < 0 && a.rem_euclid(b) != 0 { q - 1 } else { q })
        }
        "%" => a.checked_rem_euclid(b).map(|r| if b < 0 && r != 0 { r + b } else { r }),
        "**" => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
        "|" => Some(a | b),
        "&" => Some(a & b),
        "^" => Some(a ^ b),
        ">>" => Some(a >> shift()?.min(127)),
        "<<" => {
            let shift = shift()?;
            a.checked_shl(shift).filter(|shifted| shifted >> shift == a)
        }
        _ => return Err(format!("'{sign}' is not understood").into()),
    };
    result.map(Datum::Int).ok_or_else(too_large_error)
}

fn float_operation(sign: &str, a: f64, b: f64) -> Option<f64> {
    Some(match sign {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" if b != 0.0 => a / b,
        "//" if b != 0.0 => (a / b).floor(),
        "%" if b != 0.0 => a - b * (a / b).floor(),
        _ => return None,
    })
}

pub(super) fn call_function(name: &str, arguments: &[Datum]) -> Evaluated {
    let extreme = |items: &[Datum], sign: &str| {
        let mut items = items.iter();
        let first = items.next().ok_or("min and max need a value")?;
        let best = items.try_fold(first, |best, item| {
            compare(sign, item, best).map(|better| if better { item } else { best })
        });
        Ok(best?.clone())
    };
    match (name, arguments) {
        ("min", [Datum::Tuple(items)]) => extreme(items, "<"),
        ("max", [Datum::Tuple(items)]) => extreme(items, ">"),
        ("min", items) => extreme(items, "<"),
        ("max", items) => extreme(items, ">"),
        ("abs", [Datum::Float(number)]) => Ok(Datum::Float(number.abs())),
        ("abs", [value]) if value.int().is_some_and(|n| n > i128::MIN) => {
            Ok(Datum::Int(value.int().unwrap_or_default().abs()))
        }
        ("int", [Datum::Float(number)]) if number.is_finite() => Ok(Datum::Int(*number as i128)),
        ("round", [Datum::Float(number)]) if number.is_finite() => {
            Ok(Datum::Int(number.round_ties_even() as i128))
        }
        ("int" | "round", [value]) if value.int().is_some() => {
            Ok(Datum::Int(value.int().unwrap_or_default()))
        }
        ("float", [value]) if value.float().is_some() => {
            Ok(Datum::Float(value.float().unwrap_or_default()))
        }
        ("bool", [value]) => Ok(Datum::Bool(value.is_true())),
        ("str", [value]) => text_of_value(value).map(Datum::Text),
        ("len", [Datum::Text(text)]) => Ok(Datum::Int(text.chars().count() as i128)),
        ("len", [Datum::Tuple(items)]) => Ok(Datum::Int(items.len() as i128)),
        _ => Err(format!("the arguments do not fit {name}()").into()),
    }
}

pub(super) fn element_at(of: &Datum, index: &Datum) -> Evaluated {
    let (Datum::Tuple(items), Some(index)) = (of, index.int()) else {
        return Err(format!(
            "{} has no element {}",
            of.kind(),
            index.short_text(limits::MAX_CODE_SHOWN)
        )
        .into());
    };
    let nth = if index < 0 { index + items.len() as i128 } else { index };
    let found = usize::try_from(nth).ok().and_then(|nth| items.get(nth));
    let missing = || format!("a tuple of {} has no element {index}", items.len());
    found.cloned().ok_or_else(|| missing().into())
}
