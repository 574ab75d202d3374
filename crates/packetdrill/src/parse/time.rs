//! Times: `0`, `+.01`, `*`, `1.0~1.1`, `+.02~+.04`, and the end of a blocking call, `...0.2`.

use crate::cursor::{Cursor, Parsed};
use crate::limits;
use crate::refusal::shown;
use crate::script::Time;
use airtcp_core::{Instant, Span};

const SECOND: i64 = 1_000_000_000;
/// Decimal places of a second, down to the nanosecond.
const DIGITS: usize = 9;

pub(super) fn parse_time(cursor: &mut Cursor) -> Parsed<Time> {
    if cursor.eat("*") {
        return Ok(Time::Any);
    }
    let relative = cursor.eat("+");
    let start = cursor.position();
    let from = parse_seconds(cursor)?;
    if !cursor.eat("~") {
        return Ok(if relative { Time::After(from) } else { Time::At(Instant::START + from) });
    }
    if relative {
        cursor.expect("+")?;
    }
    let to = parse_seconds(cursor)?;
    if to < from {
        return Err(cursor.refuse_at(start, "the range of time ends before it begins"));
    }
    Ok(if relative {
        Time::AfterBetween(from, to)
    } else {
        Time::Between(Instant::START + from, Instant::START + to)
    })
}

/// The end of a blocking call that begins at `begin`.
pub(super) fn parse_end(cursor: &mut Cursor, begin: Time) -> Parsed<Span> {
    cursor.expect("...")?;
    cursor.skip();
    let start = cursor.position();
    let end = parse_seconds(cursor)?;
    let begin = match begin {
        Time::At(instant) => instant - Instant::START,
        Time::After(span) => span,
        _ => Span::ZERO,
    };
    if end < begin {
        Err(cursor.refuse_at(start, "the call ends before it begins"))
    } else {
        Ok(end)
    }
}

/// Seconds, as a decimal number.
fn parse_seconds(cursor: &mut Cursor) -> Parsed<Span> {
    cursor.skip();
    let start = cursor.position();
    let whole = cursor.take_while(|c| c.is_ascii_digit());
    // `0...0.2` has no fraction.
    let dot = cursor.rest().as_bytes();
    let fraction = match dot {
        [b'.', digit, ..] if digit.is_ascii_digit() => {
            cursor.set_position(cursor.position() + 1);
            cursor.take_while(|c| c.is_ascii_digit())
        }
        _ => "",
    };
    if whole.is_empty() && fraction.is_empty() {
        return Err(cursor.unexpected("a time in seconds"));
    }
    let text = format!("{whole}{}{fraction}", if fraction.is_empty() { "" } else { "." });
    let refusal = |why: &str| {
        let limit = limits::MAX_SECONDS;
        let message = format!("time {}: {why}; times are 0 to {limit} s", shown(&text));
        cursor.refuse_at(start, message)
    };
    let fraction = fraction.trim_end_matches('0');
    if fraction.len() > DIGITS {
        return Err(refusal("more digits than nanoseconds have"));
    }
    let nanos: i64 = format!("{fraction:0<DIGITS$}").parse().unwrap_or(0);
    let whole: i64 = if whole.is_empty() { 0 } else { whole.parse().unwrap_or(i64::MAX) };
    if whole >= limits::MAX_SECONDS {
        return Err(refusal("too large"));
    }
    Ok(Span::from_nanos(whole * SECOND + nanos))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Definitions;

    fn read(text: &str) -> Parsed<Time> {
        parse_time(&mut Cursor::new("s", text, Definitions::default()))
    }

    #[test]
    fn times_are_exact() {
        let millis = |n: i64| Span::from_nanos(n * 1_000_000);
        assert_eq!(read("+.1").unwrap(), Time::After(millis(100)));
        assert_eq!(read("+0.0045").unwrap(), Time::After(Span::from_nanos(4_500_000)));
        assert_eq!(read("1.29").unwrap(), Time::At(Instant::START + millis(1290)));
        assert_eq!(read("*").unwrap(), Time::Any);
        assert_eq!(read("+1~+1.1").unwrap(), Time::AfterBetween(millis(1000), millis(1100)));
        let (from, to) = (Instant::START + millis(1000), Instant::START + millis(1100));
        assert_eq!(read("1.0~1.1").unwrap(), Time::Between(from, to));
    }

    #[test]
    fn a_fraction_is_not_the_end_of_a_blocking_call() {
        let mut cursor = Cursor::new("s", "0...0.010", Definitions::default());
        let begin = parse_time(&mut cursor).unwrap();
        assert_eq!(begin, Time::At(Instant::START));
        assert_eq!(parse_end(&mut cursor, begin).unwrap(), Span::from_nanos(10_000_000));
    }

    #[test]
    fn impossible_times_are_refused() {
        for text in ["+", "1~.5", "+1~1.1", "99999999999999999999", "0.0000000001", "-1", "1000000"]
        {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
