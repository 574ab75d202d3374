//! Runs programs. Variables keep their values from one program to the next.

use super::budget::{Budget, long_text_error, text_of_value};
use super::datum::Datum;
use super::names::constant;
use super::operators::{binary, call_function, compare, element_at, unary};
use super::syntax::{Action, Expr, Program, Statement};
use super::trouble::{Evaluated, EvaluationError};
use crate::limits;
use airtcp_core::Cancel;
use std::collections::BTreeMap;

/// Reason why a program stops.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ProgramFailure {
    /// An assertion does not hold; `came` is its message or the values in it.
    Assertion { line: usize, text: String, came: String },
    /// A value cannot be computed.
    Error { line: usize, what: String },
    /// The program would cost more than a script may.
    Excess { line: usize, what: String },
    /// The caller has cancelled the run.
    Cancelled,
}

/// The state between programs.
#[derive(Default)]
pub(crate) struct Interpreter {
    variables: BTreeMap<String, Datum>,
    budget: Budget,
    /// Lines that the code has printed.
    pub(crate) printed: Vec<String>,
}

type FieldReader<'f> = &'f dyn Fn(&str) -> Option<i128>;

impl Interpreter {
    /// Runs a program; `field` reads a field of `TCP_INFO`.
    pub(crate) fn run(
        &mut self,
        program: &Program,
        field: impl Fn(&str) -> Option<i128>,
        cancel: &Cancel,
    ) -> Result<(), ProgramFailure> {
        for statement in &program.statements {
            if cancel.is_set() {
                return Err(ProgramFailure::Cancelled);
            }
            let line = statement.line;
            let problem = |trouble| match trouble {
                EvaluationError::Invalid(what) => ProgramFailure::Error { line, what },
                EvaluationError::LimitExceeded(what) => ProgramFailure::Excess { line, what },
            };
            if let Some((text, actual)) = self.execute(statement, &field).map_err(problem)? {
                return Err(ProgramFailure::Assertion { line, text, came: actual });
            }
        }
        Ok(())
    }

    /// Executes a statement; returns the text of an assertion that does not hold, and its message
    /// or values.
    fn execute(
        &mut self,
        statement: &Statement,
        field: FieldReader,
    ) -> Result<Option<(String, String)>, EvaluationError> {
        match &statement.action {
            Action::Assert { text, condition, message } => {
                if self.evaluate(condition, field)?.is_true() {
                    return Ok(None);
                }
                let actual = match message {
                    Some(message) => {
                        self.evaluate(message, field)?.short_text(limits::MAX_CODE_SHOWN)
                    }
                    None => self.values_of_names(condition, field),
                };
                return Ok(Some((
                    Datum::Text(text.clone()).short_text(limits::MAX_CODE_SHOWN),
                    actual,
                )));
            }
            Action::Assign(name, value) => {
                let value = self.evaluate(value, field)?;
                self.variables.insert(name.clone(), value);
            }
            Action::Print(values) => self.print(values, field)?,
            Action::Evaluate(value) => {
                self.evaluate(value, field)?;
            }
        }
        Ok(None)
    }

    fn print(&mut self, values: &[Expr], field: FieldReader) -> Result<(), EvaluationError> {
        let mut line = String::new();
        for (nth, value) in values.iter().enumerate() {
            line.push_str(if nth == 0 { "" } else { " " });
            line.push_str(&text_of_value(&self.evaluate(value, field)?)?);
            if line.len() > limits::MAX_CODE_TEXT_BYTES {
                return Err(long_text_error());
            }
        }
        self.budget.charge_line(&line)?;
        self.printed.push(line);
        Ok(())
    }

    /// The value of a program that is one expression.
    pub(super) fn value(
        &mut self,
        program: &Program,
        field: impl Fn(&str) -> Option<i128>,
    ) -> Evaluated {
        match program.statements.as_slice() {
            [statement] => match &statement.action {
                Action::Evaluate(value) => self.evaluate(value, &field),
                _ => Err("expected an expression".into()),
            },
            _ => Err("expected one expression".into()),
        }
    }

    fn value_of_name(&self, name: &str, field: FieldReader) -> Evaluated {
        // Fields are assigned anew before each program, so that they hide variables of their name.
        let known =
            if super::names::FIELDS.contains(&name) { field(name).map(Datum::Int) } else { None };
        let known = known.or_else(|| self.variables.get(name).cloned());
        known
            .or_else(|| constant(name).map(Datum::Int))
            .ok_or_else(|| format!("the host has no field '{name}'").into())
    }

    /// The names in an expression with their values.
    fn values_of_names(&self, expr: &Expr, field: FieldReader) -> String {
        let mut names = vec![];
        collect_names(expr, &mut names);
        let shown = names.iter().take(limits::MAX_NAMES_SHOWN).map(|name| {
            match self.value_of_name(name, field) {
                Ok(value) => format!("{name} is {}", value.short_text(limits::MAX_CODE_SHOWN)),
                Err(EvaluationError::Invalid(what) | EvaluationError::LimitExceeded(what)) => what,
            }
        });
        let rest = (names.len() > limits::MAX_NAMES_SHOWN).then(|| "…".to_owned());
        let shown: Vec<String> = shown.chain(rest).collect();
        if shown.is_empty() { "it is false".into() } else { shown.join(", ") }
    }

    fn evaluate(&mut self, expr: &Expr, field: FieldReader) -> Evaluated {
        self.budget.charge_step()?;
        let value = self.value_of(expr, field)?;
        self.budget.charge_value(&value)?;
        Ok(value)
    }

    fn value_of(&mut self, expr: &Expr, field: FieldReader) -> Evaluated {
        match expr {
            Expr::None => Ok(Datum::None),
            Expr::Bool(truth) => Ok(Datum::Bool(*truth)),
            Expr::Int(number) => Ok(Datum::Int(*number)),
            Expr::Float(number) => Ok(Datum::Float(*number)),
            Expr::Text(text) => Ok(Datum::Text(text.clone())),
            Expr::Name(name) => self.value_of_name(name, field),
            Expr::Tuple(items) => {
                let items = items.iter().map(|item| self.evaluate(item, field));
                items.collect::<Result<_, _>>().map(Datum::Tuple)
            }
            Expr::Unary(sign, inner) => unary(sign, &self.evaluate(inner, field)?),
            Expr::Binary(sign, left, right) => {
                let left = self.evaluate(left, field)?;
                binary(sign, &left, &self.evaluate(right, field)?)
            }
            Expr::Compare(first, rest) => self.compare_chain(first, rest, field),
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
                let arguments = arguments.iter().map(|argument| self.evaluate(argument, field));
                call_function(name, &arguments.collect::<Result<Vec<_>, _>>()?)
            }
            Expr::Index(of, index) => {
                let of = self.evaluate(of, field)?;
                element_at(&of, &self.evaluate(index, field)?)
            }
        }
    }

    fn compare_chain(
        &mut self,
        first: &Expr,
        rest: &[(&'static str, Expr)],
        field: FieldReader,
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

fn collect_names<'e>(expr: &'e Expr, names: &mut Vec<&'e str>) {
    match expr {
        Expr::Name(name)
            if names.len() <= limits::MAX_NAMES_SHOWN
                && !names.contains(&name.as_str())
                && constant(name).is_none() =>
        {
            names.push(name);
        }
        Expr::None
        | Expr::Bool(_)
        | Expr::Int(_)
        | Expr::Float(_)
        | Expr::Text(_)
        | Expr::Name(_) => {}
        Expr::Tuple(items) | Expr::Call(_, items) => {
            items.iter().for_each(|item| collect_names(item, names));
        }
        Expr::Unary(_, inner) => collect_names(inner, names),
        Expr::Binary(_, a, b) | Expr::And(a, b) | Expr::Or(a, b) | Expr::Index(a, b) => {
            collect_names(a, names);
            collect_names(b, names);
        }
        Expr::Compare(first, rest) => {
            collect_names(first, names);
            rest.iter().for_each(|(_, item)| collect_names(item, names));
        }
        Expr::If { condition, then, otherwise } => {
            [condition, then, otherwise].into_iter().for_each(|item| collect_names(item, names));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::KnownNames;
    use super::*;

    fn run(text: &str) -> Result<(), ProgramFailure> {
        let program =
            Program::parse(text, &mut KnownNames::default()).map_err(|(_, message)| {
                ProgramFailure::Error { line: 0, what: format!("syntax: {message}") }
            })?;
        let field = |name: &str| match name {
            "tcpi_snd_cwnd" => Some(7),
            "tcpi_options" => Some(5),
            _ => None,
        };
        Interpreter::default().run(&program, field, &Cancel::new())
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
            "assert len((1, 2)) == 2 and str((1, 2),) == '(1, 2)' and max((3, 4)) == 4",
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
        assert_eq!(failed, ProgramFailure::Assertion { line: 1, text, came: "cwnd=7".into() });
        let failed = run("assert tcpi_snd_cwnd == TCP_CA_Loss").unwrap_err();
        let ProgramFailure::Assertion { came: actual, .. } = failed else { panic!("{failed:?}") };
        assert_eq!(actual, "tcpi_snd_cwnd is 7");
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
            assert!(matches!(run(text), Err(ProgramFailure::Error { .. })), "{text}");
        }
    }

    #[test]
    fn what_costs_too_much_is_refused_where_it_grows() {
        let text = format!("x = '{}'\n", "a".repeat(limits::MAX_CODE_TEXT_BYTES));
        for (text, reason) in [
            (format!("x = (1, 1)\n{}", "x = (x, x)\n".repeat(27)), "bytes in all"),
            (format!("x = (1, 1)\n{}", "x = (x, 1)\n".repeat(20_000)), "levels"),
            (format!("x = 1\n{}", "x = [x]\n".repeat(50)), "levels"),
            (text.clone() + "x = x + 'a'", "text of more"),
            (text.clone() + "x = '%s%s' % (x, 1)", "text of more"),
            (text.clone() + "x = str((x, x))", "text of more"),
            (text.clone() + "x = '%s' % ((x, x),)", "text of more"),
            (text.clone() + "print(x, x)", "text of more"),
            (text.clone() + "print((x, x))", "text of more"),
            (text.clone() + &"print(x)\n".repeat(9), "prints more than 262144 bytes"),
            (text.clone() + &"x == x\n".repeat(2000), "bytes in all"),
            (text.clone() + &"max(x, x, x, x)\n".repeat(500), "bytes in all"),
            (text + &"y = (x, x, x, x)\ny == y\n".repeat(200), "bytes in all"),
            ("print(1)\n".repeat(1001), "prints more than 1000 lines"),
            ("1\n".repeat(400_000) + &"1 + 1 + 1 + 1\n".repeat(100_000), "steps"),
        ] {
            let beginning = &text[..40];
            let failed = run(&text).expect_err(beginning);
            let ProgramFailure::Excess { what: message, .. } = failed else {
                panic!("{beginning}: {failed:?}")
            };
            assert!(message.contains(reason) && message.len() < 100, "{beginning}: {message}");
        }
    }

    #[test]
    fn a_failed_assertion_is_short() {
        let names = (0..50).map(|n| format!("n{n} = 1\n")).collect::<String>();
        let all = (0..50).map(|n| format!("n{n}, ")).collect::<String>();
        let long = "a".repeat(9000);
        for text in [
            format!("assert 0, '{long}'"),
            format!("x = '{long}'\nassert x == 0"),
            format!("assert 0 == '{long}'"),
            format!("{names}assert 1 in ('{long}' , ({all}))"),
        ] {
            let failed = run(&text).unwrap_err();
            let ProgramFailure::Assertion { text, came: actual, .. } = failed else {
                panic!("{failed:?}")
            };
            assert!(text.len() + actual.len() < 2100, "{actual}");
        }
    }

    #[test]
    fn who_asks_for_the_end_gets_it_at_the_next_statement() {
        let program = Program::parse("a = 1\nprint(a)", &mut KnownNames::default()).unwrap();
        let (cancel, mut machine) = (Cancel::new(), Interpreter::default());
        let ends_at_once = |_: &str| None;
        cancel.set();
        assert_eq!(machine.run(&program, ends_at_once, &cancel), Err(ProgramFailure::Cancelled));
        assert!(machine.printed.is_empty());
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
            let ProgramFailure::Error { what: message, .. } = failed else { panic!("{text}") };
            assert!(message.starts_with("syntax"), "{text}: {message}");
        }
        let deep = "(".repeat(5000);
        assert!(
            matches!(run(&deep), Err(ProgramFailure::Error { what, .. }) if what.contains("levels"))
        );
        let long = format!("assert {}1", "1 + ".repeat(5000));
        assert!(run(&long).is_err());
    }
}
