//! The part of a shell's grammar that scripts use for settings: words, quotes, comments, `$((…))`, pipes, and
//! redirected output.

use crate::code;
use crate::limits;
use crate::refusal::shown;

/// A command and its offset in the text.
pub(super) struct Command {
    pub(super) at: usize,
    /// The words between its pipes.
    pub(super) stages: Vec<Vec<String>>,
    /// The file into which the command writes, if that matters.
    pub(super) into: Option<String>,
}

type Shell<T> = Result<T, (usize, String)>;

pub(super) fn commands(text: &str) -> Shell<Vec<Command>> {
    let mut reader = Reader { text, at: 0 };
    let mut commands = vec![];
    while let Some(command) = reader.command()? {
        match command.stages.as_slice() {
            [only] if only.is_empty() => {}
            stages if stages.iter().any(Vec::is_empty) => {
                return Err((command.at, "a pipe without a command".into()));
            }
            _ => commands.push(command),
        }
        if commands.len() > limits::MAX_ELEMENTS {
            return Err((reader.at, format!("more than {} commands", limits::MAX_ELEMENTS)));
        }
    }
    Ok(commands)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn eat(&mut self, text: &str) -> bool {
        let is_found = self.rest().starts_with(text);
        self.at += if is_found { text.len() } else { 0 };
        is_found
    }

    /// Skips blanks and continued lines, and a comment.
    fn skip(&mut self) {
        while self.eat(" ")
            || self.eat("\t")
            || self.eat("\r")
            || self.eat("\\\n")
            || self.eat("\\\r\n")
        {}
        if self.rest().starts_with('#') {
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    /// The words up to the end of the command; `None` at the end of the text.
    fn command(&mut self) -> Shell<Option<Command>> {
        self.skip();
        if self.rest().is_empty() {
            return Ok(None);
        }
        let mut command = Command { at: self.at, stages: vec![vec![]], into: None };
        loop {
            self.skip();
            if self.rest().is_empty() || self.eat("\n") || self.eat(";") || self.eat("&&") {
                return Ok(Some(command));
            }
            if self.eat("2>&1") || self.eat(">&2") {
                continue;
            }
            if self.eat("2>") || self.eat("&>") {
                self.skip();
                self.word()?;
            } else if self.eat("||") {
                return Err((self.at, "'||' is not understood".into()));
            } else if self.eat("|") {
                command.stages.push(vec![]);
            } else if self.eat(">") {
                self.skip();
                command.into = Some(self.word()?).filter(|file| file != "/dev/null");
            } else {
                let word = self.word()?;
                if let Some(stage) = command.stages.last_mut() {
                    stage.push(word);
                }
            }
        }
    }

    /// One word, without its quotes.
    fn word(&mut self) -> Shell<String> {
        let start = self.at;
        let mut word = String::new();
        while let Some(c) = self.rest().chars().next() {
            if self.eat("\\\n") || self.eat("\\\r\n") {
                continue;
            }
            match c {
                ' ' | '\t' | '\r' | '\n' | ';' | '>' | '|' => break,
                '&' if self.rest().starts_with("&&") => break,
                '"' | '\'' => self.quoted(c, &mut word)?,
                '$' => self.dollar(&mut word)?,
                '&' | '<' | '(' | ')' | '*' | '?' | '[' => {
                    let message =
                        format!("{} is more of a shell than settings need", shown(&c.to_string()));
                    return Err((self.at, message));
                }
                _ => {
                    word.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
        if self.at == start { Err((start, "expected a word".into())) } else { Ok(word) }
    }

    fn quoted(&mut self, quote: char, word: &mut String) -> Shell<()> {
        let start = self.at;
        self.at += 1;
        while let Some(c) = self.rest().chars().next() {
            if c == quote {
                self.at += 1;
                return Ok(());
            }
            if c == '$' && quote == '"' {
                self.dollar(word)?;
            } else {
                word.push(c);
                self.at += c.len_utf8();
            }
        }
        Err((start, "a quote without its end".into()))
    }

    /// `$((expression))`; `${PPID}` stays as it is, as part of a name.
    fn dollar(&mut self, word: &mut String) -> Shell<()> {
        let start = self.at;
        if self.eat("${PPID}") {
            word.push_str("${PPID}");
            return Ok(());
        }
        let wrong = |message: &str| {
            Err((start, format!("{message}; only arithmetic such as $((1024*1024)) is supported")))
        };
        if !self.eat("$((") {
            return wrong("variables and commands within commands are not supported");
        }
        let Some(end) = self.rest().find("))") else { return wrong("'$((' without its end") };
        let number = code::constant_value(&self.rest()[..end]);
        self.at += end + 2;
        match number {
            Ok(number) => word.push_str(&number.to_string()),
            Err(what) => return wrong(&what),
        }
        Ok(())
    }
}
