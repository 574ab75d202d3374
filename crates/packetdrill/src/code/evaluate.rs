//! Runs programs. Variables live from one to the next.

use super::datum::Datum;
use super::names::constant;
use super::operators::{binary, compare, element, function, unary};
use super::syntax::{Action, Expr, Program};
use crate::limits;
use std::collections::BTreeMap;

/// Why a program stops.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Problem {
    /// An assertion does not hold: its text, and its message or the values in it.
    Assertion { line: usize, text: String, came: String },
    /// It cannot be computed.
    Error { line: usize, what: String },
}

/// The state between programs.
#[derive(Default)]
pub(crate) struct Machine {
    variables: BTreeMap<String, Datum>,
    steps: u64,
    /// What was printed.
    pub(crate) printed: Vec<String>,
}

pub(super) type Evaluated = Result<Datum, String>;

impl Machine {
    /// Runs a program; `field` reads a field of `TCP_INFO`.
    pub(crate) fn run(
        &mut self,
        program: &Program,
        field: impl Fn(&str) -> Option<i128>,
    ) -> Result<(), Problem> {
        for statement in &program.statements {
            let line = statement.line;
            let error = |what| Problem::Error { line, what };
            match &statement.action {
                Action::Assert { text, condition, message } => {
                    if self.evaluate(condition, &field).map_err(error)?.is_true() {
                        continue;
                    }
                    let came = match message {
                        Some(message) => self.evaluate(message, &field).map_err(error)?.to_string(),
                        None => self.values_in(condition, &field),
                    };
                    return Err(Problem::Assertion { line, text: text.clone(), came });
                }
                Action::Assign(name, value) => {
                    let value = self.evaluate(value, &field).map_err(error)?;
                    self.variables.insert(name.clone(), value);
                }
                Action::Print(values) => {
                    let values = values.iter().map(|value| self.evaluate(value, &field));
                    let values = values.collect::<Result<Vec<_>, _>>().map_err(error)?;
                    let words: Vec<String> = values.iter().map(ToString::to_string).collect();
                    if self.printed.len() < limits::PRINTED {
                        self.printed.push(words.join(" "));
                    }
                }
                Action::Evaluate(value) => {
                    self.evaluate(value, &field).map_err(error)?;
                }
            }
        }
        Ok(())
    }

    /// The value of a program that is one expression.
    pub(super) fn value(
        &mut self,
        program: &Program,
        field: impl Fn(&str) -> Option<i128>,
    ) -> Evaluated {
        match program.statements.as_slice() {
            [one] => match &one.action {
                Action::Evaluate(value) => self.evaluate(value, &field),
                _ => Err("expected an expression".into()),
            },
            _ => Err("expected one expression".into()),
        }
    }

    fn name(&self, name: &str, field: &dyn Fn(&str) -> Option<i128>) -> Evaluated {
        // Fields are assigned anew before each program, so that they hide variables of their name.
        let known =
            if super::names::FIELDS.contains(&name) { field(name).map(Datum::Int) } else { None };
        let known = known.or_else(|| self.variables.get(name).cloned());
        known
            .or_else(|| constant(name).map(Datum::Int))
            .ok_or_else(|| format!("the host has no field '{name}'"))
    }

    /// The names in an expression with their values.
    fn values_in(&self, expr: &Expr, field: &dyn Fn(&str) -> Option<i128>) -> String {
        let mut names = vec![];
        collect(expr, &mut names);
        let shown = names.iter().map(|name| match self.name(name, field) {
            Ok(value) => format!("{name} is {value}"),
            Err(what) => what,
        });
        let shown: Vec<String> = shown.collect();
        if shown.is_empty() { "it is false".into() } else { shown.join(", ") }
    }

    fn evaluate(&mut self, expr: &Expr, field: &dyn Fn(&str) -> Option<i128>) -> Evaluated {
        self.steps += 1;
        if self.steps > limits::STEPS_OF_CODE {
            return Err(format!("code takes more than {} steps", limits::STEPS_OF_CODE));
        }
        match expr {
            Expr::None => Ok(Datum::None),
            Expr::Bool(truth) => Ok(Datum::Bool(*truth)),
            Expr::Int(number) => Ok(Datum::Int(*number)),
            Expr::Float(number) => Ok(Datum::Float(*number)),
            Expr::Text(text) => Ok(Datum::Text(text.clone())),
            Expr::Name(name) => self.name(name, field),
            Expr::Tuple(items) => {
                let items = items.iter().map(|item| self.evaluate(item, field));
                items.collect::<Result<_, _>>().map(Datum::Tuple)
            }
            Expr::Unary(sign, inner) => unary(sign, &self.evaluate(inner, field)?),
            Expr::Binary(sign, left, right) => {
                let left = self.evaluate(left, field)?;
                binary(sign, &left, &self.evaluate(right, field)?)
            }
            Expr::Compare(first, rest) => self.chain(first, rest, field),
            Expr::And(left, right) => {
                let left = self.evaluate(left, field)?;
                if left.is_true() { self.evaluate(right, field) } else { Ok(left) }
            }
            Expr::Or(left, right) => {
                let left = self.evaluate(left, field)?;
                if left.is_true() { Ok(left) } else { self.evaluate(right, field) }
            }
            Expr::If { condition, then, otherwise } => {
                let holds = self.evaluate(condition, field)?.is_true();
                self.evaluate(if holds { then } else { otherwise }, field)
            }
            Expr::Call(name, arguments) => {
                let arguments = arguments.iter().map(|one| self.evaluate(one, field));
                function(name, &arguments.collect::<Result<Vec<_>, _>>()?)
            }
            Expr::Index(of, index) => {
                let of = self.evaluate(of, field)?;
                element(&of, &self.evaluate(index, field)?)
            }
        }
    }

    fn chain(
        &mut self,
        first: &Expr,
        rest: &[(&'static str, Expr)],
        field: &dyn Fn(&str) -> Option<i128>,
    ) -> Evaluated {
        let mut left = self.evaluate(first, field)?;
        for (sign, right) in rest {
            let right = self.evaluate(right, field)?;
            if !compare(sign, &left, &right)? {
                return Ok(Datum::Bool(false));
            }
            left = right;
        }
        Ok(Datum::Bool(true))
    }
}

fn collect<'e>(expr: &'e Expr, names: &mut Vec<&'e str>) {
    match expr {
        Expr::Name(name) if !names.contains(&name.as_str()) && constant(name).is_none() => {
            names.push(name);
        }
        Expr::None
        | Expr::Bool(_)
        | Expr::Int(_)
        | Expr::Float(_)
        | Expr::Text(_)
        | Expr::Name(_) => {}
        Expr::Tuple(items) | Expr::Call(_, items) => {
            items.iter().for_each(|item| collect(item, names));
        }
        Expr::Unary(_, inner) => collect(inner, names),
        Expr::Binary(_, a, b) | Expr::And(a, b) | Expr::Or(a, b) | Expr::Index(a, b) => {
            collect(a, names);
            collect(b, names);
        }
        Expr::Compare(first, rest) => {
            collect(first, names);
            rest.iter().for_each(|(_, item)| collect(item, names));
        }
        Expr::If { condition, then, otherwise } => {
            [condition, then, otherwise].into_iter().for_each(|item| collect(item, names));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Names;
    use super::*;

    fn run(text: &str) -> Result<(), Problem> {
        let program = Program::parse(text, &mut Names::default())
            .map_err(|(_, what)| Problem::Error { line: 0, what: format!("syntax: {what}") })?;
        let field = |name: &str| match name {
            "tcpi_snd_cwnd" => Some(7),
            "tcpi_options" => Some(5),
            _ => None,
        };
        Machine::default().run(&program, field)
    }

    #[test]
    fn what_holds_passes() {
        for text in [
            "assert tcpi_snd_cwnd == 7, tcpi_snd_cwnd",
            "assert 5 <= tcpi_snd_cwnd < 8; assert (tcpi_options & TCPI_OPT_WSCALE) != 0",
            "A = 0x7fffffff\nassert A == 2147483647  # comment\nassert A == 2**31 - 1",
            "a = 1\na += 2; assert a == 3 and not a == 4 or False",
            "assert '%d of %5.1f|%-3d|%03x|%s|%%' % (3, 2.25, 1, 10, 'x') == '3 of   2.2|1  |00a|x|%'",
            "assert -7 // 2 == -4 and -7 % 2 == 1 and 7 % -2 == -1 and 7 // -2 == -4 and 1 / 2 == 0.5",
            "assert -7 // -2 == 3 and -7 % -2 == -1 and 6 // -2 == -3",
            "x = (1, 2, 3)\nassert x[1] == 2 and len(x) == 3 and 2 in x and max(x) == 3 and min(4, 2) == 2",
            "assert tcpi_snd_cwnd == 7, \\\n  'more'\nprint('a', 1)\nprint(1)\nprint \"old\"",
            "assert (1 +\n 2) == 3; pass",
            "assert 1 if True else 0",
            "assert abs(-3) == 3 and int(2.9) == 2 and ~0 == -1 and 1 << 4 == 16 and -2 ** 2 == -4",
            "",
        ] {
            assert_eq!(run(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn what_does_not_hold_says_where_and_what_came() {
        let failed = run("\nassert tcpi_snd_cwnd == 10, 'cwnd=%d' % tcpi_snd_cwnd").unwrap_err();
        let text = "tcpi_snd_cwnd == 10".to_owned();
        assert_eq!(failed, Problem::Assertion { line: 1, text, came: "cwnd=7".into() });
        let failed = run("assert tcpi_snd_cwnd == TCP_CA_Loss").unwrap_err();
        let Problem::Assertion { came, .. } = failed else { panic!("{failed:?}") };
        assert_eq!(came, "tcpi_snd_cwnd is 7");
    }

    #[test]
    fn what_cannot_be_computed_is_an_error() {
        for text in [
            "1/0",
            "1//0",
            "1 % 0",
            "2**200",
            "1 << 127",
            "1 << 200",
            "x = 'a' * 3",
            "'%d' % 'a'",
            "'%d' % (1, 2)",
            "'%99999999999d' % 1",
            "(1, 2)[5]",
            "tcpi_rtt",
            "1 < 'a'",
            "-'a'",
            "abs()",
            "min()",
            "1 in 2",
        ] {
            assert!(matches!(run(text), Err(Problem::Error { .. })), "{text}");
        }
    }

    #[test]
    fn nothing_but_the_listed_is_understood() {
        for text in [
            "import os",
            "while True: pass",
            "open('x')",
            "tcpi_nothing",
            "x.y",
            "lambda: 1",
            "a = b",
            "exec('x')",
            "__import__('os')",
            "f'{x}'",
            "'a",
            "(1",
            "1 +",
            "0xzz",
            "1..2",
            "a + = 1",
            "assert",
            "a =",
            "@",
            "if 1: print(2)",
            "for x in (1,): print(x)",
        ] {
            let failed = run(text).unwrap_err();
            let Problem::Error { what, .. } = failed else { panic!("{text}") };
            assert!(what.starts_with("syntax"), "{text}: {what}");
        }
        let deep = "(".repeat(5000);
        assert!(matches!(run(&deep), Err(Problem::Error { what, .. }) if what.contains("levels")));
        let long = format!("assert {}1", "1 + ".repeat(5000));
        assert!(run(&long).is_err());
    }
}
