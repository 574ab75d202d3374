//! Calls of sockets: `accept(3, ..., ...) = 4`, `read(4, ..., 10) = -1 EAGAIN (Resource temporarily
//! unavailable)`. The text in parentheses is for readers.

use super::arguments::{self, Arguments};
use crate::call::{Buffers, Call};
use crate::cursor::{Cursor, Parsed};
use crate::script::ScriptedCall;
use crate::symbols;
use crate::value::Value;

const CALLS: &[&str] = &[
    "socket",
    "bind",
    "listen",
    "accept",
    "connect",
    "read",
    "readv",
    "recv",
    "recvfrom",
    "recvmsg",
    "write",
    "writev",
    "send",
    "sendto",
    "sendmsg",
    "fcntl",
    "ioctl",
    "close",
    "shutdown",
    "getsockopt",
    "setsockopt",
    "poll",
    "open",
    "sendfile",
    "epoll_create",
    "epoll_ctl",
    "epoll_wait",
    "pipe",
    "splice",
];

pub(super) fn call(cursor: &mut Cursor) -> Parsed<ScriptedCall> {
    cursor.skip();
    let at = cursor.position();
    let name = cursor.word().unwrap_or_default();
    if !CALLS.contains(&name) {
        return Err(cursor.unknown(at, "call", name, CALLS));
    }
    let values = arguments::values(cursor)?;
    cursor.expect("=")?;
    let result = result(cursor)?;
    let error = error(cursor)?;
    let (call, output) = parse_call(&Arguments::new(cursor, name, at, values))?;
    Ok(ScriptedCall { name: name.into(), call, result, error, output, end: None })
}

fn result(cursor: &mut Cursor) -> Parsed<i64> {
    cursor.skip();
    let at = cursor.position();
    let value = super::expression::expression(cursor)?;
    value.int().ok_or_else(|| cursor.refuse_at(at, "the result of a call is a number"))
}

/// `EAGAIN (Resource temporarily unavailable)`, or only the note.
fn error(cursor: &mut Cursor) -> Parsed<Option<i64>> {
    cursor.skip();
    let at = cursor.position();
    let mut error = None;
    // A word that begins with a digit is the time of the next event.
    if cursor.peek().is_some_and(|c| c.is_ascii_alphabetic()) {
        let name = cursor.word().unwrap_or_default();
        error = symbols::value(name).filter(|_| name.starts_with('E'));
        if error.is_none() {
            return Err(cursor.unknown(at, "error", name, symbols::NAMES));
        }
    }
    if cursor.eat("(") {
        cursor.take_while(|c| c != ')' && c != '\n');
        cursor.expect(")")?;
    }
    Ok(error)
}

/// The typed call, and the output that the script expects in its arguments.
fn parse_call(arguments: &Arguments) -> Parsed<(Call, Value)> {
    match arguments.name() {
        "socket" | "bind" | "listen" | "accept" | "connect" | "close" | "shutdown" => {
            parse_lifecycle_call(arguments).map(|call| (call, Value::Any))
        }
        "read" | "readv" | "recv" | "recvfrom" | "recvmsg" => parse_receive_call(arguments),
        "write" | "writev" | "send" | "sendto" | "sendmsg" => {
            parse_send_call(arguments).map(|call| (call, Value::Any))
        }
        "setsockopt" | "getsockopt" | "fcntl" | "ioctl" => parse_option_call(arguments),
        "poll" | "epoll_create" | "epoll_ctl" | "epoll_wait" => parse_wait_call(arguments),
        _ => parse_file_call(arguments),
    }
}

fn parse_lifecycle_call(of: &Arguments) -> Parsed<Call> {
    match of.name() {
        "socket" | "bind" | "accept" | "connect" => of.check_count(&[3])?,
        "close" => of.check_count(&[1])?,
        _ => of.check_count(&[2])?,
    }
    Ok(match of.name() {
        "socket" => {
            Call::Socket { domain: of.int_or_any(0)?, kind: of.int(1)?, protocol: of.int(2)? }
        }
        "bind" => Call::Bind { fd: of.int(0)? },
        "listen" => Call::Listen { fd: of.int(0)?, backlog: of.int(1)? },
        "accept" => Call::Accept { fd: of.int(0)? },
        "connect" => {
            // An address that is written out equals the address in the options.
            let family =
                if of.value(1).field("sa_family").is_some() { None } else { of.int_or_any(1)? };
            Call::Connect { fd: of.int(0)?, family }
        }
        "close" => Call::Close { fd: of.int(0)? },
        _ => Call::Shutdown { fd: of.int(0)?, how: of.int(1)? },
    })
}

fn parse_receive_call(of: &Arguments) -> Parsed<(Call, Value)> {
    let count = match of.name() {
        "recv" => 4,
        "recvfrom" => 6,
        _ => 3,
    };
    of.check_count(&[count])?;
    let fd = of.int(0)?;
    let plain = |buffers: Buffers, flags: i64| {
        (Call::Receive { fd, buffers, flags, message: false }, Value::Any)
    };
    Ok(match of.name() {
        "read" => plain(of.buffer(1)?, 0),
        "readv" => plain(of.vector(1)?, 0),
        "recvmsg" => {
            let (buffers, _, expected) = of.message(1)?;
            (Call::Receive { fd, buffers, flags: of.int(2)?, message: true }, expected)
        }
        _ => plain(of.buffer(1)?, of.int(3)?),
    })
}

fn parse_send_call(of: &Arguments) -> Parsed<Call> {
    let count = match of.name() {
        "send" => 4,
        "sendto" => 6,
        _ => 3,
    };
    of.check_count(&[count])?;
    let fd = of.int(0)?;
    let plain = |buffers: Buffers, flags: i64| {
        let (addressed, family, control) = (false, None, Value::Any);
        Call::Send { fd, buffers, flags, addressed, family, control }
    };
    Ok(match of.name() {
        "write" => plain(of.buffer(1)?, 0),
        "writev" => plain(of.vector(1)?, 0),
        "send" => plain(of.buffer(1)?, of.int(3)?),
        "sendto" => {
            let (buffers, flags, family) = (of.buffer(1)?, of.int(3)?, of.int_or_any(4)?);
            Call::Send { fd, buffers, flags, addressed: true, family, control: Value::Any }
        }
        _ => {
            let (buffers, addressed, message) = of.message(1)?;
            let control = message.field("msg_control").cloned().unwrap_or_default();
            Call::Send { fd, buffers, flags: of.int(2)?, addressed, family: None, control }
        }
    })
}

fn parse_option_call(of: &Arguments) -> Parsed<(Call, Value)> {
    Ok(match of.name() {
        "fcntl" => {
            of.check_count(&[2, 3])?;
            let argument = if of.len() == 3 { Some(of.int(2)?) } else { None };
            (Call::Fcntl { fd: of.int(0)?, command: of.int(1)?, argument }, Value::Any)
        }
        "ioctl" => {
            of.check_count(&[3])?;
            let (fd, request, argument) = (of.int(0)?, of.int(1)?, of.value(2));
            let expected = argument.clone();
            (Call::Ioctl { fd, request, argument }, expected)
        }
        _ => {
            of.check_count(&[5])?;
            let (fd, level, name) = (of.int(0)?, of.int(1)?, of.int(2)?);
            let (value, length) = (of.value(3), of.int_in_brackets(4)?);
            if of.name() == "setsockopt" {
                (Call::SetOption { fd, level, name, value, length }, Value::Any)
            } else {
                (Call::GetOption { fd, level, name, length }, value)
            }
        }
    })
}

fn parse_wait_call(of: &Arguments) -> Parsed<(Call, Value)> {
    Ok(match of.name() {
        "poll" => {
            of.check_count(&[3])?;
            let (watched, happened) = of.watched_descriptors(0)?;
            if of.int(1)? != watched.len() as i64 {
                return Err(of.refuse("its second argument is the length of the list"));
            }
            (Call::Poll { watched, timeout: of.int(2)? }, happened)
        }
        "epoll_create" => {
            of.check_count(&[1])?;
            (Call::EpollCreate, Value::Any)
        }
        "epoll_ctl" => {
            of.check_count(&[4])?;
            let (events, data) = of.epoll_event(3)?;
            let (epoll, operation, fd) = (of.int(0)?, of.int(1)?, of.int(2)?);
            (Call::EpollControl { epoll, operation, fd, events, data }, Value::Any)
        }
        _ => {
            of.check_count(&[4])?;
            let expected = match of.value(1) {
                Value::List(list) => Value::List(list),
                Value::Any => Value::Any,
                value => Value::List(vec![value]),
            };
            let (epoll, most, timeout) = (of.int(0)?, of.int(2)?, of.int(3)?);
            (Call::EpollWait { epoll, most, timeout }, expected)
        }
    })
}

fn parse_file_call(of: &Arguments) -> Parsed<(Call, Value)> {
    Ok(match of.name() {
        "open" => {
            of.check_count(&[2, 3])?;
            (Call::Open { path: of.text(0)?, flags: of.int(1)? }, Value::Any)
        }
        "sendfile" => {
            of.check_count(&[4])?;
            let (to, from, length) = (of.int(0)?, of.int(1)?, of.int(3)?);
            (Call::SendFile { to, from, offset: of.int_in_brackets(2)?, length }, Value::Any)
        }
        "pipe" => {
            of.check_count(&[1])?;
            match of.value(0) {
                Value::List(pair)
                    if pair.len() == 2 && pair.iter().all(|fd| fd.int().is_some()) =>
                {
                    (Call::Pipe, Value::List(pair))
                }
                _ => return Err(of.refuse("expected [fd, fd]")),
            }
        }
        _ => {
            of.check_count(&[6])?;
            let (from, to, length, flags) = (of.int(0)?, of.int(2)?, of.int(4)?, of.int(5)?);
            (Call::Splice { from, to, length, flags }, Value::Any)
        }
    })
}
