//! Splits code into tokens. Within brackets a line continues on the next.

use crate::limits;
use crate::refusal::shown;

/// The place of an error, and its description.
pub(super) type SyntaxError = (usize, String);

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Name(String),
    Int(i128),
    Float(f64),
    Text(String),
    Sign(&'static str),
    /// The end of a line, or `;`.
    End,
}

/// Signs, the longer ones first.
const SIGNS: &[&str] = &[
    "**=", "//=", "<<=", ">>=", "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "+=", "-=", "*=",
    "/=", "%=", "|=", "&=", "^=", "+", "-", "*", "/", "%", "<", ">", "=", "(", ")", "[", "]", ",",
    "|", "&", "^", "~", ".", ":", "{", "}", "@", "!",
];

pub(super) fn tokens(text: &str) -> Result<Vec<(usize, Token)>, SyntaxError> {
    let mut found = vec![];
    let mut at = 0;
    let mut open = 0_usize;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let start = at;
        match c {
            ';' | '\n' => {
                at += 1;
                if open == 0 || c == ';' {
                    found.push((start, Token::End));
                }
            }
            _ if c.is_whitespace() => at += c.len_utf8(),
            '\\' if rest[1..].trim_start_matches(['\r', ' ', '\t']).starts_with('\n') => {
                at += rest.find('\n').unwrap_or(0) + 1;
            }
            '#' => at += rest.find('\n').unwrap_or(rest.len()),
            '\'' | '"' => {
                let (token, length) = read_quoted(rest, c).map_err(|message| (start, message))?;
                found.push((start, token));
                at += length;
            }
            _ if c.is_ascii_digit() || (c == '.' && digit_follows(rest)) => {
                let (token, length) = read_number(rest).map_err(|message| (start, message))?;
                found.push((start, token));
                at += length;
            }
            _ if c.is_ascii_alphabetic() || c == '_' => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                let name = &rest[..end.unwrap_or(rest.len())];
                found.push((start, Token::Name(name.into())));
                at += name.len();
            }
            _ => {
                let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) else {
                    return Err((start, format!("{} is not understood", shown(&c.to_string()))));
                };
                match *sign {
                    "(" | "[" => open += 1,
                    ")" | "]" => open = open.saturating_sub(1),
                    _ => {}
                }
                found.push((start, Token::Sign(sign)));
                at += sign.len();
            }
        }
    }
    found.push((text.len(), Token::End));
    Ok(found)
}

fn digit_follows(rest: &str) -> bool {
    rest[1..].starts_with(|c: char| c.is_ascii_digit())
}

fn read_number(rest: &str) -> Result<(Token, usize), String> {
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '_');
    let mut word = &rest[..end.unwrap_or(rest.len())];
    // `1e-3`
    if word.ends_with(['e', 'E']) && !word.starts_with("0x") && word.len() < rest.len() {
        let more = &rest[word.len() + 1..];
        let digits = more.find(|c: char| !c.is_ascii_digit()).unwrap_or(more.len());
        if digits > 0 && rest[word.len()..].starts_with(['+', '-']) {
            word = &rest[..word.len() + 1 + digits];
        }
    }
    let plain = word.replace('_', "");
    let wrong = || format!("number {} is not understood", shown(word));
    let lower = plain.to_ascii_lowercase();
    let radix =
        [("0x", 16), ("0b", 2), ("0o", 8)].iter().find(|(prefix, _)| lower.starts_with(prefix));
    let token = match radix {
        Some((prefix, radix)) => {
            Token::Int(i128::from_str_radix(&lower[prefix.len()..], *radix).map_err(|_| wrong())?)
        }
        None if plain.bytes().all(|b| b.is_ascii_digit()) => {
            Token::Int(plain.parse().map_err(|_| wrong())?)
        }
        None => {
            let number: f64 = plain.parse().map_err(|_| wrong())?;
            Token::Float(number)
        }
    };
    Ok((token, word.len()))
}

/// Reads a text in quotes; returns it with its length, quotes included.
fn read_quoted(rest: &str, quote: char) -> Result<(Token, usize), String> {
    let mut text = String::new();
    let mut inner = rest[1..].char_indices();
    while let Some((at, c)) = inner.next() {
        match c {
            _ if c == quote => return Ok((Token::Text(text), at + 2)),
            '\n' => break,
            '\\' => match inner.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((_, 't')) => text.push('\t'),
                Some((_, other)) => text.push(other),
                None => break,
            },
            _ => text.push(c),
        }
        if text.len() > limits::MAX_CODE_TEXT_BYTES {
            return Err(format!("a text has at most {} bytes", limits::MAX_CODE_TEXT_BYTES));
        }
    }
    Err("a text without its end".into())
}
