//! Expressions in the arguments of calls. The parser replaces names by their numbers at once.

use crate::cursor::{Cursor, Parsed};
use crate::limits;
use crate::refusal::shown;
use crate::symbols;
use crate::value::Value;

/// An expression, with `|` between numbers.
pub(super) fn expression(cursor: &mut Cursor) -> Parsed<Value> {
    cursor.enter_level()?;
    let mut value = operand(cursor)?;
    while cursor.eat("|") {
        let at = cursor.position();
        let right = operand(cursor)?;
        value = match (value.int(), right.int()) {
            (Some(a), Some(b)) => Value::Int(a | b),
            _ => return Err(cursor.refuse_at(at, "'|' stands between numbers")),
        };
    }
    cursor.leave_level();
    Ok(value)
}

fn operand(cursor: &mut Cursor) -> Parsed<Value> {
    if cursor.eat("...") {
        return Ok(Value::Any);
    }
    match cursor.peek() {
        Some('[') => list(cursor, "[", "]"),
        Some('{') => braces(cursor),
        Some('"') => text(cursor),
        Some('-' | '0'..='9') => {
            cursor.integer("number", &(i64::MIN + 1..=i64::MAX)).map(Value::Int)
        }
        Some(c) if c.is_ascii_alphabetic() || c == '_' => name(cursor),
        _ => Err(cursor.unexpected("an expression")),
    }
}

/// Values between brackets. The `...` of `{..., 100}` is one of them.
pub(super) fn values(cursor: &mut Cursor, close: &str) -> Parsed<Vec<Value>> {
    let mut values = vec![];
    if cursor.eat(close) {
        return Ok(values);
    }
    loop {
        values.push(expression(cursor)?);
        check_count(cursor, values.len())?;
        if cursor.eat(close) {
            return Ok(values);
        }
        cursor.expect(",")?;
    }
}

fn check_count(cursor: &Cursor, number: usize) -> Parsed<()> {
    if number <= limits::MAX_ELEMENTS {
        return Ok(());
    }
    Err(cursor.refuse(format_args!("more than {} elements", limits::MAX_ELEMENTS)))
}

fn list(cursor: &mut Cursor, open: &str, close: &str) -> Parsed<Value> {
    cursor.expect(open)?;
    values(cursor, close).map(Value::List)
}

/// `{name=value, …}` or a list.
fn braces(cursor: &mut Cursor) -> Parsed<Value> {
    let start = cursor.position();
    cursor.expect("{")?;
    let mut fields = vec![];
    while let Some(name) = key(cursor)? {
        fields.push((name, expression(cursor)?));
        check_count(cursor, fields.len())?;
        if cursor.eat("}") {
            return Ok(Value::Fields(fields));
        }
        cursor.expect(",")?;
    }
    if fields.is_empty() {
        cursor.set_position(start);
        return list(cursor, "{", "}");
    }
    Err(cursor.unexpected("name=value"))
}

/// `name=` or `name(count)=`, where the count is that of a list, or `...`.
fn key(cursor: &mut Cursor) -> Parsed<Option<String>> {
    let start = cursor.position();
    if let Some(name) = cursor.word() {
        if cursor.eat("(") {
            if !cursor.eat("...") {
                cursor.skip();
                cursor.take_while(|c| c.is_ascii_digit());
            }
            if cursor.eat(")") && cursor.eat("=") {
                return Ok(Some(name.into()));
            }
        } else if cursor.eat("=") {
            return Ok(Some(name.into()));
        }
    }
    cursor.set_position(start);
    Ok(None)
}

/// One or more texts in quotes, joined into one.
fn text(cursor: &mut Cursor) -> Parsed<Value> {
    let mut all = String::new();
    while cursor.peek() == Some('"') {
        let start = cursor.position();
        cursor.expect("\"")?;
        loop {
            all.push_str(cursor.take_while(|c| c != '"' && c != '\\'));
            let at = cursor.position();
            let mut rest = cursor.rest().chars();
            match (rest.next(), rest.next()) {
                (Some('"'), _) => break,
                (Some(_), Some(escaped)) => {
                    all.push(match escaped {
                        'n' => '\n',
                        't' => '\t',
                        'r' => '\r',
                        '0' => '\0',
                        other => other,
                    });
                    cursor.set_position(at + 1 + escaped.len_utf8());
                }
                _ => return Err(cursor.refuse_at(start, "a text without its end")),
            }
        }
        cursor.set_position(cursor.position() + 1);
    }
    Ok(Value::Text(all))
}

/// A name that stands for a number, or a function of an address.
fn name(cursor: &mut Cursor) -> Parsed<Value> {
    let at = cursor.position();
    let written = cursor.word().unwrap_or_default();
    if matches!(written, "htons" | "inet_addr" | "inet6_addr") && cursor.eat("(") {
        let inner = expression(cursor)?;
        cursor.expect(")")?;
        return Ok(inner);
    }
    let defined = cursor.definitions.get(written);
    if let Some(text) = defined.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        return Ok(Value::Text(text.into()));
    }
    let number = symbols::value(defined).or_else(|| defined.parse().ok());
    match number {
        Some(number) => Ok(Value::Int(number)),
        None if defined != written => {
            let (written, defined) = (shown(written), shown(defined));
            let what = format_args!("{written} is defined as {defined}, which is not known");
            Err(cursor.refuse_at(at, what))
        }
        None => Err(cursor.unknown(at, "name", written, symbols::NAMES)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Definitions;

    fn read(text: &str) -> Parsed<Value> {
        expression(&mut Cursor::new("s", text, Definitions::of_linux_selftests()))
    }

    #[test]
    fn expressions_are_values() {
        assert_eq!(read("O_RDWR|O_NONBLOCK").unwrap(), Value::Int(0x802));
        assert_eq!(read("CMSG_LEVEL_IP").unwrap(), Value::Int(symbols::SOL_IP));
        assert_eq!(read("\"a\\n\" \"b\"").unwrap(), Value::Text("a\nb".into()));
        let shown = |text: &str| read(text).unwrap().to_string();
        assert_eq!(shown("{fd=4, events=POLLOUT}"), "{fd=4, events=4}");
        assert_eq!(shown("[{..., 1}, {...,2}]"), "[[..., 1], [..., 2]]");
        assert_eq!(
            shown("{msg_name(...)=..., msg_iov(1)=[{...,0}]}"),
            "{msg_name=..., msg_iov=[[..., 0]]}"
        );
        assert_eq!(
            shown("{sa_family = AF_INET, sin_port = htons(8), sin_addr = inet_addr(\"1.2.3.4\")}"),
            "{sa_family=2, sin_port=8, sin_addr=\"1.2.3.4\"}"
        );
    }

    #[test]
    fn what_is_not_known_is_refused_by_name() {
        let refused = read("SO_SNDBUFF").unwrap_err().to_string();
        assert!(refused.contains("did you mean SO_SNDBUF?"), "{refused}");
        for text in ["\"a", "[1", "{a=1, 2}", "1|...", "", "@"] {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(read(&"[".repeat(1000)).unwrap_err().message.contains("levels"));
    }
}
