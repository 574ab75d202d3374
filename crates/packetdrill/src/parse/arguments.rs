//! The arguments of a call; the parser asks for each by its place and kind.

use super::expression;
use crate::call::Buffers;
use crate::cursor::{Cursor, Parsed};
use crate::refusal::{Refusal, shown};
use crate::value::Value;

/// Limit on the bytes of one call, so that a host can keep them.
const MAX_BYTES: i64 = 1 << 26;

pub(super) struct Arguments<'c, 'a> {
    cursor: &'c Cursor<'a>,
    name: &'c str,
    at: usize,
    values: Vec<Value>,
}

/// Reads the values between the parentheses.
pub(super) fn values(cursor: &mut Cursor) -> Parsed<Vec<Value>> {
    cursor.expect("(")?;
    expression::values(cursor, ")")
}

impl<'c, 'a> Arguments<'c, 'a> {
    pub(super) fn new(
        cursor: &'c Cursor<'a>,
        name: &'c str,
        at: usize,
        values: Vec<Value>,
    ) -> Self {
        Arguments { cursor, name, at, values }
    }

    pub(super) fn refuse(&self, message: &str) -> Refusal {
        self.cursor.refuse_at(self.at, format_args!("{}: {message}", self.name))
    }

    pub(super) fn name(&self) -> &str {
        self.name
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Checks the number of arguments.
    pub(super) fn check_count(&self, allowed: &[usize]) -> Parsed<()> {
        if allowed.contains(&self.values.len()) {
            return Ok(());
        }
        let numbers: Vec<String> = allowed.iter().map(ToString::to_string).collect();
        let (expected, found) = (numbers.join(" or "), self.values.len());
        Err(self.refuse(&format!("expected {expected} arguments, found {found}")))
    }

    fn wrong_argument(&self, nth: usize, expected: &str) -> Refusal {
        let text = shown(&self.values[nth].to_string());
        self.refuse(&format!("argument {}: expected {expected}, found {text}", nth + 1))
    }

    pub(super) fn value(&self, nth: usize) -> Value {
        self.values[nth].clone()
    }

    pub(super) fn int(&self, nth: usize) -> Parsed<i64> {
        self.values[nth].int().ok_or_else(|| self.wrong_argument(nth, "a number"))
    }

    /// A number, or `...` for none.
    pub(super) fn int_or_any(&self, nth: usize) -> Parsed<Option<i64>> {
        match &self.values[nth] {
            Value::Any => Ok(None),
            Value::Int(number) => Ok(Some(*number)),
            _ => Err(self.wrong_argument(nth, "a number or ...")),
        }
    }

    /// A number, alone, in brackets, or `...` for none.
    pub(super) fn int_in_brackets(&self, nth: usize) -> Parsed<Option<i64>> {
        match (&self.values[nth], self.values[nth].only_int()) {
            (Value::Any, _) => Ok(None),
            (_, Some(number)) => Ok(Some(number)),
            _ => Err(self.wrong_argument(nth, "[number] or ...")),
        }
    }

    pub(super) fn text(&self, nth: usize) -> Parsed<String> {
        match &self.values[nth] {
            Value::Text(text) => Ok(text.clone()),
            _ => Err(self.wrong_argument(nth, "a text")),
        }
    }

    fn bytes(&self, nth: usize, number: Option<i64>) -> Parsed<u64> {
        let sane = number.filter(|n| (0..=MAX_BYTES).contains(n));
        let wanted = || self.wrong_argument(nth, &format!("bytes from 0 to {MAX_BYTES}"));
        sane.map(|n| n as u64).ok_or_else(wanted)
    }

    /// `..., 1000`: an address and a length at `nth` and after.
    pub(super) fn buffer(&self, nth: usize) -> Parsed<Buffers> {
        let null = match self.values[nth] {
            Value::Any | Value::Text(_) => false,
            Value::Int(0) => true,
            _ => return Err(self.wrong_argument(nth, "... or NULL")),
        };
        let length = self.bytes(nth + 1, self.values[nth + 1].int())?;
        Ok(Buffers { lengths: vec![length], is_null: null })
    }

    /// `[{..., 100}, {..., 200}]`, whose length is the next argument.
    pub(super) fn vector(&self, nth: usize) -> Parsed<Buffers> {
        let buffers = self.buffers(nth, &self.values[nth])?;
        if self.int(nth + 1)? != buffers.lengths.len() as i64 {
            return Err(
                self.wrong_argument(nth + 1, &format!("{}, as listed", buffers.lengths.len()))
            );
        }
        Ok(buffers)
    }

    fn buffers(&self, nth: usize, list: &Value) -> Parsed<Buffers> {
        let wanted = || self.wrong_argument(nth, "[{..., bytes}, …]");
        let Value::List(list) = list else { return Err(wanted()) };
        let lengths = list.iter().map(|value| match value {
            Value::List(pair) if pair.len() == 2 => self.bytes(nth, pair[1].int()),
            _ => Err(wanted()),
        });
        let buffers = Buffers { lengths: lengths.collect::<Parsed<_>>()?, is_null: false };
        if buffers.total() > MAX_BYTES as u64 {
            return Err(self.wrong_argument(nth, &format!("at most {MAX_BYTES} bytes together")));
        }
        Ok(buffers)
    }

    /// `{msg_name(...)=..., msg_iov(1)=[{..., 100}], msg_flags=0, msg_control=[…]}`: the buffers, true if
    /// there is an address, and the expected flags and control messages.
    pub(super) fn message(&self, nth: usize) -> Parsed<(Buffers, bool, Value)> {
        const FIELDS: [&str; 4] = ["msg_name", "msg_iov", "msg_flags", "msg_control"];
        let message = &self.values[nth];
        let Value::Fields(fields) = message else {
            return Err(self.wrong_argument(nth, "{msg_iov(1)=[{..., bytes}], msg_flags=0}"));
        };
        if let Some((name, _)) = fields.iter().find(|(name, _)| !FIELDS.contains(&name.as_str())) {
            let known = FIELDS.join(", ");
            return Err(self.refuse(&format!("field {} is not known; known: {known}", shown(name))));
        }
        let buffers = self.buffers(nth, message.field("msg_iov").unwrap_or(&Value::Any))?;
        let addressed = message.field("msg_name").is_some();
        let kept = |name: &str| message.field(name).map(|value| (name.to_owned(), value.clone()));
        let mut rest: Vec<(String, Value)> = kept("msg_flags").into_iter().collect();
        rest.push(
            kept("msg_control").unwrap_or_else(|| ("msg_control".into(), Value::List(vec![]))),
        );
        Ok((buffers, addressed, Value::Fields(rest)))
    }

    /// `[{fd=4, events=POLLOUT, revents=POLLOUT}]`: the watched descriptors, and the expected events.
    pub(super) fn watched_descriptors(
        &self,
        nth: usize,
    ) -> Parsed<(Vec<crate::WatchedDescriptor>, Value)> {
        let wanted = || self.wrong_argument(nth, "[{fd=…, events=…, revents=…}, …]");
        let Value::List(list) = &self.values[nth] else { return Err(wanted()) };
        let number = |value: &Value, name: &str| value.field(name).and_then(Value::int);
        let parse_value = |value: &Value| {
            let watched = crate::WatchedDescriptor {
                fd: number(value, "fd")?,
                events: number(value, "events")?,
            };
            Some((watched, Value::Int(number(value, "revents").unwrap_or(0))))
        };
        let both = list.iter().map(parse_value).collect::<Option<Vec<_>>>().ok_or_else(wanted)?;
        let (watched, happened) = both.into_iter().unzip();
        Ok((watched, Value::List(happened)))
    }

    /// `{events=EPOLLIN, fd=4}`: the events, and the data to return; also `...`.
    pub(super) fn epoll_event(&self, nth: usize) -> Parsed<(i64, Value)> {
        let wanted = || self.wrong_argument(nth, "{events=…, fd=…}");
        match &self.values[nth] {
            Value::Any | Value::Int(0) => Ok((0, Value::Any)),
            Value::Fields(fields) => {
                let events = self.values[nth].field("events").and_then(Value::int);
                let data = fields.iter().filter(|(name, _)| name != "events").cloned().collect();
                Ok((events.ok_or_else(wanted)?, Value::Fields(data)))
            }
            _ => Err(wanted()),
        }
    }
}
