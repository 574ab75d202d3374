//! A place in the text of a script. The meaning of a word depends on its place (`.5` are flags or a
//! time), so that there are no tokens: each grammar rule asks for what it expects.

use crate::limits;
use crate::options::Definitions;
use crate::refusal::{Refusal, shown, suggestion};
use std::fmt::Display;
use std::ops::RangeInclusive;

pub(crate) type Parsed<T> = Result<T, Refusal>;

pub(crate) struct Cursor<'a> {
    name: &'a str,
    text: &'a str,
    /// Offsets at which the lines begin.
    lines: Vec<usize>,
    at: usize,
    depth: usize,
    pub(crate) definitions: Definitions,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(name: &'a str, text: &'a str, definitions: Definitions) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(breaks).collect();
        Cursor { name, text, lines, at: 0, depth: 0, definitions }
    }

    pub(crate) fn position(&self) -> usize {
        self.at
    }

    pub(crate) fn set_position(&mut self, at: usize) {
        self.at = at;
    }

    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Line and column, from 1.
    pub(crate) fn line_and_column(&self, at: usize) -> (usize, usize) {
        let line = self.lines.partition_point(|start| *start <= at);
        let column = self.text[self.lines[line - 1]..at].chars().count() + 1;
        (line, column)
    }

    pub(crate) fn refuse_at(&self, at: usize, message: impl Display) -> Refusal {
        let (line, column) = self.line_and_column(at);
        Refusal { script: self.name.into(), line, column, message: message.to_string() }
    }

    /// Refuses a name, and suggests the nearest of those that are known.
    pub(crate) fn unknown(&self, at: usize, message: &str, name: &str, known: &[&str]) -> Refusal {
        let (shown, near) = (shown(name), suggestion(name, known));
        self.refuse_at(at, format_args!("{message} {shown} is not known{near}"))
    }

    pub(crate) fn refuse(&self, message: impl Display) -> Refusal {
        self.refuse_at(self.at, message)
    }

    /// The word or character that stands here, as a refusal shows it.
    pub(crate) fn next_text(&mut self) -> String {
        self.skip();
        let word = self.peek_word();
        match (word, self.rest().chars().next()) {
            (Some(word), _) => shown(word),
            (None, Some(c)) => shown(c.encode_utf8(&mut [0; 4])),
            (None, None) => "the end of the script".into(),
        }
    }

    /// Makes a refusal that names the word or character that stands here.
    pub(crate) fn unexpected(&mut self, wanted: impl Display) -> Refusal {
        let here = self.next_text();
        self.refuse(format_args!("expected {wanted}, found {here}"))
    }

    /// Skips blanks, comments, and the backslash of a continued line.
    pub(crate) fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            let rest = &rest[blank..];
            self.at += blank;
            let comment = if rest.starts_with("//") || rest.starts_with('#') {
                rest.find('\n').unwrap_or(rest.len())
            } else if let Some(next) = rest.strip_prefix('\\') {
                // Nothing but the end of the line may follow.
                let end = next.len() - next.trim_start_matches([' ', '\t', '\r']).len();
                if next[end..].starts_with('\n') { end + 2 } else { 0 }
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(0, |end| end + 2)
            } else {
                0
            };
            if comment == 0 {
                return;
            }
            self.at += comment;
        }
    }

    pub(crate) fn peek(&mut self) -> Option<char> {
        self.skip();
        self.rest().chars().next()
    }

    pub(crate) fn looking_at(&mut self, text: &str) -> bool {
        self.skip();
        self.rest().starts_with(text)
    }

    /// Goes past `text` if it stands here.
    pub(crate) fn eat(&mut self, text: &str) -> bool {
        let is_found = self.looking_at(text);
        if is_found {
            self.at += text.len();
        }
        is_found
    }

    pub(crate) fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.eat(text) { Ok(()) } else { Err(self.unexpected(shown(text))) }
    }

    /// The word that begins here: letters, digits and underscores.
    pub(crate) fn peek_word(&mut self) -> Option<&'a str> {
        self.skip();
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        Some(&rest[..end.unwrap_or(rest.len())]).filter(|word| !word.is_empty())
    }

    pub(crate) fn word(&mut self) -> Option<&'a str> {
        let word = self.peek_word()?;
        self.at += word.len();
        Some(word)
    }

    /// Goes past `word` if it stands here as a whole.
    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let is_found = self.peek_word() == Some(word);
        if is_found {
            self.at += word.len();
        }
        is_found
    }

    /// Takes characters as long as `wanted` accepts them, from here on without skipping.
    pub(crate) fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Takes the text between here and `end`, and goes past `end`.
    pub(crate) fn take_until(&mut self, end: &str) -> Option<&'a str> {
        let found = self.rest().find(end)?;
        let inner = &self.rest()[..found];
        self.at += found + end.len();
        Some(inner)
    }

    /// A whole number in decimal or, after `0x`, hexadecimal digits.
    pub(crate) fn integer(&mut self, message: &str, allowed: &RangeInclusive<i64>) -> Parsed<i64> {
        self.skip();
        let start = self.at;
        let minus = self.rest().starts_with('-');
        self.at += usize::from(minus);
        let word = self.take_while(|c| c.is_ascii_alphanumeric());
        let magnitude = match word.strip_prefix("0x") {
            Some(digits) => {
                i64::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))
            }
            None => word.parse().ok(),
        };
        let number = magnitude.map(|m: i64| if minus { -m } else { m });
        number.filter(|n| allowed.contains(n)).ok_or_else(|| {
            let text = self.text[start..self.at].to_owned();
            let (low, high) = (allowed.start(), allowed.end());
            self.at = start;
            let text = if text.is_empty() { self.next_text() } else { shown(&text) };
            self.refuse(format_args!(
                "{message}: expected a whole number from {low} to {high}, found {text}"
            ))
        })
    }

    /// Enters a nesting level; the caller leaves it by [`Cursor::leave_level`].
    pub(crate) fn enter_level(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > limits::MAX_DEPTH {
            return Err(
                self.refuse(format_args!("more than {} levels of brackets", limits::MAX_DEPTH))
            );
        }
        Ok(())
    }

    pub(crate) fn leave_level(&mut self) {
        self.depth -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Cursor<'_> {
        Cursor::new("s", text, Definitions::default())
    }

    #[test]
    fn comments_of_all_kinds_are_skipped() {
        let mut cursor = at(" // a\n # b\n /* c\n * d */ word");
        assert_eq!(cursor.word(), Some("word"));
        assert!(at("/* never ends").unexpected("x").message.contains('/'));
    }

    #[test]
    fn places_count_lines_and_characters() {
        let mut cursor = at("é\n  éx");
        assert!(cursor.eat("é"));
        assert!(cursor.eat("é"));
        assert_eq!(cursor.line_and_column(cursor.position()), (2, 4));
    }

    #[test]
    fn numbers_out_of_range_are_refused_with_the_range() {
        let refused = at("70000").integer("window", &(0..=65535)).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "s:1:1: window: expected a whole number from 0 to 65535, found '70000'"
        );
        assert_eq!(at("0x10").integer("n", &(0..=99)).unwrap(), 16);
        assert_eq!(at("-1").integer("n", &(-1..=99)).unwrap(), -1);
        assert!(at("99999999999999999999").integer("n", &(0..=i64::MAX)).is_err());
    }
}
