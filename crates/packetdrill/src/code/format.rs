//! `'%d of %5.1f' % (a, b)`.

use super::budget::{long_text_error, text_of_value};
use super::datum::Datum;
use super::trouble::EvaluationError;
use crate::limits;

/// Fills in the places of `pattern`.
pub(super) fn fill_pattern(pattern: &str, values: &Datum) -> Result<String, EvaluationError> {
    let mut values: Vec<&Datum> = match values {
        Datum::Tuple(items) => items.iter().rev().collect(),
        value => vec![value],
    };
    let mut out = String::new();
    let mut rest = pattern.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '%' {
            out.push(c);
        } else if rest.next_if_eq(&'%').is_some() {
            out.push('%');
        } else {
            let mut spec = String::new();
            while let Some(c) = rest.next_if(|c| "-+ 0#.123456789hlL".contains(*c)) {
                spec.push(c);
            }
            let kind = rest.next().ok_or("a format ends after '%'")?;
            let value = values.pop().ok_or("a format has more places than values")?;
            out.push_str(&format_value(&spec, kind, value)?);
        }
        if out.len() > limits::MAX_CODE_TEXT_BYTES {
            return Err(long_text_error());
        }
    }
    if values.is_empty() { Ok(out) } else { Err("a format has fewer places than values".into()) }
}

fn format_value(spec: &str, kind: char, value: &Datum) -> Result<String, EvaluationError> {
    let wrong = || format!("'%{kind}' does not fit {}", value.kind());
    let (flags, numbers) = spec.split_at(
        spec.find(|c: char| c.is_ascii_digit() && c != '0' || c == '.').unwrap_or(spec.len()),
    );
    let numbers = numbers.trim_end_matches(['h', 'l', 'L']);
    let (width, precision) = numbers.split_once('.').map_or((numbers, None), |(w, p)| (w, Some(p)));
    let number = |text: &str| text.parse::<usize>().ok().filter(|n| *n <= 1000);
    let width = if width.is_empty() { Some(0) } else { number(width) };
    let precision = match precision {
        None => Some(6),
        Some("") => Some(0),
        Some(text) => number(text),
    };
    let (Some(width), Some(precision)) = (width, precision) else {
        return Err("a width in a format is at most 1000".into());
    };
    let whole = || match value {
        Datum::Float(number) if number.is_finite() => Some(*number as i128),
        other => other.int(),
    };
    let text = match kind {
        'd' | 'i' | 'u' => whole().ok_or_else(wrong)?.to_string(),
        'x' => format!("{:x}", whole().ok_or_else(wrong)?),
        'X' => format!("{:X}", whole().ok_or_else(wrong)?),
        'o' => format!("{:o}", whole().ok_or_else(wrong)?),
        'f' | 'F' => format!("{:.precision$}", value.float().ok_or_else(wrong)?),
        'e' => format!("{:.precision$e}", value.float().ok_or_else(wrong)?),
        'g' => value.float().ok_or_else(wrong)?.to_string(),
        's' | 'r' => text_of_value(value)?,
        other => {
            let known = "%d %x %o %f %e %g %s";
            return Err(format!("'%{other}' is not understood; {known} are").into());
        }
    };
    let missing = width.saturating_sub(text.chars().count());
    Ok(match () {
        () if flags.contains('-') => text + &" ".repeat(missing),
        () if flags.contains('0') && kind != 's' => match text.strip_prefix('-') {
            Some(digits) => format!("-{}{digits}", "0".repeat(missing)),
            None => "0".repeat(missing) + &text,
        },
        () => " ".repeat(missing) + &text,
    })
}
