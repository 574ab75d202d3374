//! Reads a [`Script`] from text, in the order in which scripts are written: options, a command that
//! prepares the machine, events, a command that cleans up.

mod arguments;
mod calls;
mod expression;
mod icmp;
mod lines;
mod segment;
mod tcp_options;
mod time;

use crate::code::{KnownNames, Program};
use crate::cursor::{Cursor, Parsed};
use crate::limits;
use crate::options::{Definitions, Options};
use crate::refusal::Refusal;
use crate::script::{Action, Event, Script, ScriptedCall, Time};
use crate::settings::{self, CommandOrders};
use airtcp_core::{Instant, Span};

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    ///
    /// At the first construct that the parser does not understand, with its place.
    pub fn parse(name: &str, text: &str, definitions: &Definitions) -> Result<Self, Refusal> {
        script(name, &mut Cursor::new(name, text, definitions.clone()), text.len())
    }
}

/// Reads a script of `length` bytes.
pub(crate) fn script(name: &str, cursor: &mut Cursor, length: usize) -> Parsed<Script> {
    if length > limits::MAX_SCRIPT_BYTES {
        return Err(
            cursor.refuse(format_args!("a script has at most {} bytes", limits::MAX_SCRIPT_BYTES))
        );
    }
    let options = lines::options(cursor)?;
    let settings = match cursor.peek() {
        Some('`') => (cursor.line_and_column(cursor.position()).0, parse_command(cursor)?),
        _ => (1, CommandOrders::default()),
    };
    let events = events(cursor, &options)?;
    Ok(Script { name: name.into(), options, settings, events })
}

fn events(cursor: &mut Cursor, options: &Options) -> Parsed<Vec<Event>> {
    let mut events: Vec<Event> = vec![];
    let mut names = KnownNames::default();
    let mut seconds = Span::ZERO;
    while let Some(next) = cursor.peek() {
        if next == '`' && !events.is_empty() {
            skip_cleanup(cursor)?;
            break;
        }
        let start = cursor.position();
        if events.len() == limits::MAX_EVENTS {
            return Err(cursor.refuse(format_args!("more than {} events", limits::MAX_EVENTS)));
        }
        let event = event(cursor, options, &mut names)?;
        seconds = seconds + latest_event_time(&event);
        if seconds.nanos() > limits::MAX_SECONDS * 1_000_000_000 {
            let what =
                format_args!("the times of a script reach {} s at most", limits::MAX_SECONDS);
            return Err(cursor.refuse_at(start, what));
        }
        check_order(cursor, start, &events, &event)?;
        events.push(event);
    }
    if events.is_empty() { Err(cursor.unexpected("an event")) } else { Ok(events) }
}

/// Skips the command that cleans up the machine, since it has no effect here, and checks that nothing
/// follows it.
fn skip_cleanup(cursor: &mut Cursor) -> Parsed<()> {
    backquoted(cursor)?;
    if cursor.peek().is_some() {
        Err(cursor.unexpected("the end after the last command"))
    } else {
        Ok(())
    }
}

/// Upper limit on the time by which an event may advance the script.
fn latest_event_time(event: &Event) -> Span {
    let end = match &event.action {
        Action::Call(asked) => asked.end.unwrap_or(Span::ZERO),
        _ => Span::ZERO,
    };
    let time = match event.time {
        Time::After(span) | Time::AfterBetween(_, span) => span,
        // Counted from the start, so that the sum is more than what the script reaches.
        Time::At(instant) | Time::Between(_, instant) => instant - Instant::START,
        Time::Any => Span::ZERO,
    };
    end.max(time)
}

/// Checks that a script begins at 0, and that absolute times do not go back.
fn check_order(cursor: &Cursor, start: usize, before: &[Event], event: &Event) -> Parsed<()> {
    let begin = |event: &Event| match event.time {
        Time::At(instant) | Time::Between(instant, _) => Some(instant),
        _ => None,
    };
    let Some(last) = before.last() else {
        let zero = match event.time {
            Time::At(instant) => instant == Instant::START,
            Time::After(span) => span == Span::ZERO,
            _ => false,
        };
        return if zero {
            Ok(())
        } else {
            Err(cursor.refuse_at(start, "the first event is at time 0"))
        };
    };
    match (begin(last), begin(event)) {
        (Some(earlier), Some(later)) if later < earlier => {
            Err(cursor.refuse_at(start, "the time lies before that of the event before"))
        }
        _ => Ok(()),
    }
}

fn event(cursor: &mut Cursor, options: &Options, names: &mut KnownNames) -> Parsed<Event> {
    cursor.skip();
    let start = cursor.position();
    let (line, column) = cursor.line_and_column(start);
    let time = time::parse_time(cursor)?;
    let action = action(cursor, options, names, time)?;
    let only_out = match time {
        Time::Any => Some("'*' is a time of outbound packets only"),
        Time::Between(..) | Time::AfterBetween(..) => {
            Some("ranges are times of outbound packets only")
        }
        Time::At(_) | Time::After(_) => None,
    };
    match only_out {
        Some(message) if !matches!(action, Action::Outbound(_)) => {
            Err(cursor.refuse_at(start, message))
        }
        _ => Ok(Event { line, column, time, action }),
    }
}

fn action(
    cursor: &mut Cursor,
    options: &Options,
    names: &mut KnownNames,
    time: Time,
) -> Parsed<Action> {
    if cursor.looking_at("...") {
        let end = time::parse_end(cursor, time)?;
        let expected_call = calls::call(cursor)?;
        return Ok(Action::Call(Box::new(ScriptedCall { end: Some(end), ..expected_call })));
    }
    match cursor.peek() {
        Some('<' | '>') => segment::packet(cursor, options),
        Some('`') => Ok(Action::Command(parse_command(cursor)?)),
        Some('%') => code(cursor, names),
        Some(c) if c.is_ascii_alphabetic() => Ok(Action::Call(Box::new(calls::call(cursor)?))),
        _ => Err(cursor.unexpected("'<', '>', a call, '`' or '%{'")),
    }
}

fn code(cursor: &mut Cursor, names: &mut KnownNames) -> Parsed<Action> {
    cursor.expect("%{")?;
    let start = cursor.position();
    let Some(text) = cursor.take_until("}%") else {
        return Err(cursor.refuse_at(start, "'%{' without '}%'"));
    };
    let program = Program::parse(text, names);
    let mut program = program.map_err(|(at, message)| cursor.refuse_at(start + at, message))?;
    program.line = cursor.line_and_column(start).0;
    Ok(Action::Code(program))
}

/// The text between backquotes, and its offset; a defined name may stand for it.
fn backquoted<'a>(cursor: &mut Cursor<'a>) -> Parsed<(usize, &'a str)> {
    cursor.expect("`")?;
    let start = cursor.position();
    let text =
        cursor.take_until("`").ok_or_else(|| cursor.refuse_at(start, "'`' without its end"))?;
    Ok((start, text))
}

fn parse_command(cursor: &mut Cursor) -> Parsed<CommandOrders> {
    let (start, text) = backquoted(cursor)?;
    settings::orders(text).map_err(|(at, message)| cursor.refuse_at(start + at, message))
}
