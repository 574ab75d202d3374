//! Options of TCP in angle brackets.

use crate::cursor::{Cursor, Parsed};
use crate::packet::{CountersFirst, TcpOption};
use crate::refusal::shown;

const U32: i64 = u32::MAX as i64;
/// Limit on the number of options in a header.
const MAX_OPTION_BYTES: usize = 40;
const OPTION_NAMES: &[&str] =
    &["mss", "nop", "eol", "wscale", "sackOK", "sack", "TS", "FO", "FOEXP", "md5", "ECN", "kind"];

/// Reads the options; `None` for `<...>`, which stands for any options.
pub(super) fn list(cursor: &mut Cursor) -> Parsed<Option<Vec<TcpOption>>> {
    // A `<` on a new line after a time is a packet; here there was no time.
    if !cursor.eat("<") {
        return Ok(Some(vec![]));
    }
    if cursor.eat("...") {
        cursor.expect(">")?;
        return Ok(None);
    }
    let mut options = vec![];
    loop {
        options.push(option(cursor)?);
        if options.len() > MAX_OPTION_BYTES {
            return Err(cursor.refuse(format_args!("more than {MAX_OPTION_BYTES} options")));
        }
        if cursor.eat(">") {
            return Ok(Some(options));
        }
        cursor.expect(",")?;
    }
}

fn option(cursor: &mut Cursor) -> Parsed<TcpOption> {
    cursor.skip();
    let at = cursor.position();
    let name = cursor.word().unwrap_or_default();
    Ok(match name {
        "nop" => TcpOption::Nop,
        "eol" => TcpOption::End,
        "mss" => TcpOption::Mss(cursor.integer("mss", &(0..=0xFFFF))? as u16),
        "wscale" => TcpOption::WindowScale(cursor.integer("wscale", &(0..=0xFF))? as u8),
        "sackOK" => TcpOption::SackPermitted,
        "sack" => blocks(cursor)?,
        "TS" => timestamps(cursor)?,
        "FO" | "FOEXP" => {
            TcpOption::FastOpen { cookie: hex(cursor, 36)?, experimental: name == "FOEXP" }
        }
        "md5" => TcpOption::Md5(hex(cursor, 16)?),
        "ECN" => counters(cursor)?,
        "kind" => {
            let kind = cursor.integer("kind", &(0..=0xFF))? as u8;
            TcpOption::Other { kind, body: hex(cursor, 38)? }
        }
        "" => return Err(cursor.unexpected("an option of TCP")),
        other => return Err(cursor.unknown(at, "option of TCP", other, OPTION_NAMES)),
    })
}

fn timestamps(cursor: &mut Cursor) -> Parsed<TcpOption> {
    cursor.expect("val")?;
    let value = cursor.integer("TS val", &(0..=U32))? as u32;
    cursor.expect("ecr")?;
    let echo = cursor.integer("TS ecr", &(0..=U32))? as u32;
    Ok(TcpOption::Timestamps { value, echo })
}

fn blocks(cursor: &mut Cursor) -> Parsed<TcpOption> {
    let mut blocks = vec![];
    while cursor.peek().is_some_and(|c| c.is_ascii_digit()) && blocks.len() <= MAX_OPTION_BYTES {
        let left = cursor.integer("left edge", &(0..=U32))? as u32;
        cursor.expect(":")?;
        blocks.push((left, cursor.integer("right edge", &(0..=U32))? as u32));
    }
    if blocks.is_empty() { Err(cursor.unexpected("a block")) } else { Ok(TcpOption::Sack(blocks)) }
}

/// Bytes in hexadecimal digits, up to `most` of them; a defined name may stand for them.
fn hex(cursor: &mut Cursor, most: usize) -> Parsed<Vec<u8>> {
    let Some(word) = cursor.peek_word() else { return Ok(vec![]) };
    let at = cursor.position();
    cursor.word();
    let digits = cursor.definitions.get(word).as_bytes();
    let pairs = digits.chunks(2).map(|pair| {
        let [high, low] = pair else { return None };
        let digit = |b: u8| char::from(b).to_digit(16);
        Some((digit(*high)? * 16 + digit(*low)?) as u8)
    });
    match pairs.collect::<Option<Vec<u8>>>() {
        Some(bytes) if bytes.len() <= most => Ok(bytes),
        _ => {
            let message =
                format!("{}: expected up to {most} bytes in hexadecimal digits", shown(word));
            Err(cursor.refuse_at(at, message))
        }
    }
}

/// `ECN e0b 1 ceb 0 e1b 1`: counters of three bytes each; their order shows which of the two kinds
/// the option is.
fn counters(cursor: &mut Cursor) -> Parsed<TcpOption> {
    let first = match cursor.peek_word() {
        Some("e1b") => CountersFirst::Ect1,
        _ => CountersFirst::Ect0,
    };
    let names = match first {
        CountersFirst::Ect0 => ["e0b", "ceb", "e1b"],
        CountersFirst::Ect1 => ["e1b", "ceb", "e0b"],
    };
    let mut counters = vec![];
    for name in names {
        if !cursor.eat_word(name) {
            break;
        }
        counters.push(cursor.integer(name, &(0..=0xFF_FFFF))? as u32);
    }
    Ok(TcpOption::AccurateEcn { first, counters })
}
