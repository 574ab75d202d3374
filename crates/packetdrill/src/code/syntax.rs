//! Statements and expressions of code.

use super::names::{FIELDS, FUNCTIONS, KnownNames};
use super::reader::{SyntaxError, Token, tokens};
use crate::limits;
use crate::refusal::{shown, suggestion};

/// The statements of a program, in order.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// Line of the script on which the program begins.
    pub(crate) line: usize,
    pub(super) statements: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(super) struct Statement {
    /// Line of the program's text, from 0.
    pub(super) line: usize,
    pub(super) action: Action,
}

#[derive(Clone, Debug)]
pub(super) enum Action {
    Assert { text: String, condition: Expr, message: Option<Expr> },
    Assign(String, Expr),
    Print(Vec<Expr>),
    Evaluate(Expr),
}

#[derive(Clone, Debug)]
pub(super) enum Expr {
    None,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(String),
    Name(String),
    Tuple(Vec<Expr>),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// `a < b <= c`
    Compare(Box<Expr>, Vec<(&'static str, Expr)>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    If {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    Call(String, Vec<Expr>),
    Index(Box<Expr>, Box<Expr>),
}

const KEYWORDS: &[&str] = &[
    "if", "else", "elif", "for", "while", "def", "class", "import", "from", "with", "try",
    "except", "lambda", "return", "yield", "global", "del", "raise", "exec", "eval", "is", "in",
    "and", "or", "not", "assert", "print", "pass", "async", "await", "nonlocal", "finally",
    "break", "continue",
];

impl Program {
    /// Removes all statements.
    #[cfg(test)]
    pub(crate) fn clear(&mut self) {
        self.statements.clear();
    }

    /// Reads code; adds the names that it assigns to `names`. The error has the place and the
    /// reason.
    pub(crate) fn parse(text: &str, names: &mut KnownNames) -> Result<Self, SyntaxError> {
        let tokens = tokens(text)?;
        let mut parser = Parser { text, tokens, next: 0, depth: 0, names };
        let mut statements = vec![];
        let (mut line, mut counted) = (0, 0);
        loop {
            while parser.peek() == Some(&Token::End) {
                parser.next += 1;
            }
            if parser.peek().is_none() {
                return Ok(Program { line: 1, statements });
            }
            let at = parser.at();
            line += text[counted..at].matches('\n').count();
            counted = at;
            statements.push(Statement { line, action: parser.statement()? });
            if parser.peek() != Some(&Token::End) {
                return Err(parser.unexpected("the end of the statement"));
            }
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(usize, Token)>,
    next: usize,
    depth: usize,
    names: &'a mut KnownNames,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(_, token)| token)
    }

    fn at(&self) -> usize {
        self.tokens.get(self.next).map_or(self.text.len(), |(at, _)| *at)
    }

    fn unexpected(&self, expected: &str) -> SyntaxError {
        let here = self.text[self.at()..].lines().next().unwrap_or_default();
        let here = if here.is_empty() { "the end of the line".into() } else { shown(here) };
        (self.at(), format!("expected {expected}, found {here}"))
    }

    fn eat(&mut self, sign: &str) -> bool {
        let is_found = matches!(self.peek(), Some(Token::Sign(s)) if *s == sign);
        self.next += usize::from(is_found);
        is_found
    }

    fn eat_name(&mut self, name: &str) -> bool {
        let is_found = matches!(self.peek(), Some(Token::Name(n)) if n == name);
        self.next += usize::from(is_found);
        is_found
    }

    fn expect(&mut self, sign: &str) -> Result<(), SyntaxError> {
        if self.eat(sign) { Ok(()) } else { Err(self.unexpected(&shown(sign))) }
    }

    /// Takes the first of `signs` that stands here.
    fn one_of(&mut self, signs: &[&'static str]) -> Option<&'static str> {
        signs.iter().copied().find(|sign| self.eat(sign))
    }

    fn statement(&mut self) -> Result<Action, SyntaxError> {
        let start = self.at();
        if self.eat_name("assert") {
            let from = self.at();
            let condition = self.expression()?;
            let text = self.text[from..self.at()].trim().to_owned();
            let message = if self.eat(",") { Some(self.expression()?) } else { None };
            return Ok(Action::Assert { text, condition, message });
        }
        if self.eat_name("pass") {
            return Ok(Action::Evaluate(Expr::None));
        }
        if self.eat_name("print") {
            return self.print();
        }
        if let Some(Token::Name(name)) = self.peek().cloned() {
            if KEYWORDS.contains(&name.as_str()) && name != "not" {
                let known = "assert, print, assignments and expressions";
                return Err((start, format!("{} is not understood; {known} are", shown(&name))));
            }
            if let Some((_, Token::Sign(sign))) = self.tokens.get(self.next + 1).cloned()
                && sign.ends_with('=')
                && !matches!(sign, "==" | "<=" | ">=" | "!=")
            {
                return self.assignment(name, sign);
            }
        }
        self.tuple().map(Action::Evaluate)
    }

    fn print(&mut self) -> Result<Action, SyntaxError> {
        match self.peek() {
            Some(Token::End) => Ok(Action::Print(vec![])),
            _ => self.tuple().map(|value| match value {
                Expr::Tuple(values) => Action::Print(values),
                other => Action::Print(vec![other]),
            }),
        }
    }

    fn assignment(&mut self, name: String, sign: &'static str) -> Result<Action, SyntaxError> {
        let at = self.at();
        self.next += 2;
        let mut value = self.tuple()?;
        if sign != "=" {
            if !self.names.knows(&name) {
                return Err(self.unknown_name_error(at, &name));
            }
            let operator = BINARY.iter().flat_map(|level| level.iter());
            let operator = operator.copied().find(|o| *o == &sign[..sign.len() - 1]).unwrap_or("+");
            value = Expr::Binary(operator, Box::new(Expr::Name(name.clone())), Box::new(value));
        }
        self.names.assigned.insert(name.clone());
        Ok(Action::Assign(name, value))
    }

    /// An expression, or several with commas between them.
    fn tuple(&mut self) -> Result<Expr, SyntaxError> {
        let first = self.expression()?;
        if !self.eat(",") {
            return Ok(first);
        }
        let mut items = vec![first];
        while !matches!(self.peek(), Some(Token::End | Token::Sign(")" | "]"))) {
            items.push(self.expression()?);
            if !self.eat(",") {
                break;
            }
        }
        Ok(Expr::Tuple(items))
    }

    fn enter_level(&mut self) -> Result<(), SyntaxError> {
        self.depth += 1;
        if self.depth > limits::MAX_DEPTH {
            return Err((
                self.at(),
                format!("more than {} levels of expressions", limits::MAX_DEPTH),
            ));
        }
        Ok(())
    }

    fn expression(&mut self) -> Result<Expr, SyntaxError> {
        self.enter_level()?;
        let mut value = self.or_expression()?;
        if self.eat_name("if") {
            let condition = Box::new(self.or_expression()?);
            if !self.eat_name("else") {
                return Err(self.unexpected("'else'"));
            }
            let otherwise = Box::new(self.expression()?);
            value = Expr::If { condition, then: Box::new(value), otherwise };
        }
        self.depth -= 1;
        Ok(value)
    }

    fn or_expression(&mut self) -> Result<Expr, SyntaxError> {
        let mut left = self.and_expression()?;
        let depth = self.depth;
        while self.eat_name("or") {
            // A long chain is as deep as it is long.
            self.enter_level()?;
            left = Expr::Or(Box::new(left), Box::new(self.and_expression()?));
        }
        self.depth = depth;
        Ok(left)
    }

    fn and_expression(&mut self) -> Result<Expr, SyntaxError> {
        let mut left = self.not_expression()?;
        let depth = self.depth;
        while self.eat_name("and") {
            self.enter_level()?;
            left = Expr::And(Box::new(left), Box::new(self.not_expression()?));
        }
        self.depth = depth;
        Ok(left)
    }

    fn not_expression(&mut self) -> Result<Expr, SyntaxError> {
        if !self.eat_name("not") {
            return self.comparison();
        }
        self.enter_level()?;
        let inner = self.not_expression()?;
        self.depth -= 1;
        Ok(Expr::Unary("not", Box::new(inner)))
    }

    fn comparison(&mut self) -> Result<Expr, SyntaxError> {
        let left = self.binary(0)?;
        let mut rest = vec![];
        loop {
            let sign = match self.one_of(&["==", "!=", "<=", ">=", "<", ">"]) {
                Some(sign) => sign,
                None if self.eat_name("in") => "in",
                None => break,
            };
            rest.push((sign, self.binary(0)?));
        }
        Ok(if rest.is_empty() { left } else { Expr::Compare(Box::new(left), rest) })
    }

    /// Reads binary operators, each level of [`BINARY`] binding closer than the one before.
    fn binary(&mut self, level: usize) -> Result<Expr, SyntaxError> {
        let Some(signs) = BINARY.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        let depth = self.depth;
        while let Some(sign) = self.one_of(signs) {
            self.enter_level()?;
            left = Expr::Binary(sign, Box::new(left), Box::new(self.binary(level + 1)?));
        }
        self.depth = depth;
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr, SyntaxError> {
        let Some(sign) = self.one_of(&["-", "+", "~"]) else { return self.power() };
        self.enter_level()?;
        let inner = self.unary()?;
        self.depth -= 1;
        Ok(Expr::Unary(sign, Box::new(inner)))
    }

    fn power(&mut self) -> Result<Expr, SyntaxError> {
        let base = self.postfix()?;
        if !self.eat("**") {
            return Ok(base);
        }
        self.enter_level()?;
        let exponent = self.unary()?;
        self.depth -= 1;
        Ok(Expr::Binary("**", Box::new(base), Box::new(exponent)))
    }

    fn postfix(&mut self) -> Result<Expr, SyntaxError> {
        let mut value = self.primary()?;
        let depth = self.depth;
        while self.eat("[") {
            self.enter_level()?;
            let index = self.expression()?;
            self.expect("]")?;
            value = Expr::Index(Box::new(value), Box::new(index));
        }
        self.depth = depth;
        Ok(value)
    }

    fn primary(&mut self) -> Result<Expr, SyntaxError> {
        let at = self.at();
        let Some(token) = self.peek().cloned() else {
            return Err(self.unexpected("an expression"));
        };
        self.next += 1;
        match token {
            Token::Int(number) => Ok(Expr::Int(number)),
            Token::Float(number) => Ok(Expr::Float(number)),
            Token::Text(mut text) => {
                while let Some(Token::Text(more)) = self.peek() {
                    text.push_str(more);
                    if text.len() > limits::MAX_CODE_TEXT_BYTES {
                        return Err((
                            at,
                            format!("a text has at most {} bytes", limits::MAX_CODE_TEXT_BYTES),
                        ));
                    }
                    self.next += 1;
                }
                Ok(Expr::Text(text))
            }
            Token::Sign("(") => self.brackets(")"),
            Token::Sign("[") => match self.brackets("]")? {
                Expr::Tuple(items) => Ok(Expr::Tuple(items)),
                element => Ok(Expr::Tuple(vec![element])),
            },
            Token::Name(name) => self.name(at, name),
            Token::Sign(_) | Token::End => {
                self.next -= 1;
                Err(self.unexpected("an expression"))
            }
        }
    }

    fn brackets(&mut self, close: &str) -> Result<Expr, SyntaxError> {
        if self.eat(close) {
            return Ok(Expr::Tuple(vec![]));
        }
        let inner = self.tuple()?;
        self.expect(close)?;
        Ok(inner)
    }

    fn arguments(&mut self) -> Result<Vec<Expr>, SyntaxError> {
        let mut found = vec![];
        while !self.eat(")") {
            found.push(self.expression()?);
            if !self.eat(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(found)
    }

    fn name(&mut self, at: usize, name: String) -> Result<Expr, SyntaxError> {
        match name.as_str() {
            "True" => return Ok(Expr::Bool(true)),
            "False" => return Ok(Expr::Bool(false)),
            "None" => return Ok(Expr::None),
            _ => {}
        }
        if FUNCTIONS.contains(&name.as_str()) && self.eat("(") {
            return Ok(Expr::Call(name, self.arguments()?));
        }
        if self.names.knows(&name) {
            Ok(Expr::Name(name))
        } else {
            Err(self.unknown_name_error(at, &name))
        }
    }

    fn unknown_name_error(&self, at: usize, name: &str) -> SyntaxError {
        let constants = super::names::CONSTANTS.iter().map(|(name, _)| *name);
        let assigned = self.names.assigned.iter().map(String::as_str);
        let known: Vec<&str> =
            FIELDS.iter().chain(FUNCTIONS).copied().chain(constants).chain(assigned).collect();
        (at, format!("name {} is not known{}", shown(name), suggestion(name, &known)))
    }
}

/// Binary operators from the loosest to the closest; comparisons bind looser than all of them,
/// signs closer.
const BINARY: &[&[&str]] =
    &[&["|"], &["^"], &["&"], &["<<", ">>"], &["+", "-"], &["*", "//", "/", "%"], &["**"]];
