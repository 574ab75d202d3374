//! Commands and code: settings, counters, assertions.

use super::clock::seconds;
use super::player::{Player, Step, StopReason, failure};
use crate::code::{Program, ProgramFailure};
use crate::script::{Action, Event, Script};
use crate::settings::{CommandOrders, CounterQuestion};

impl Player<'_, '_> {
    pub(super) fn command(&mut self, line: usize, column: usize, orders: &CommandOrders) -> Step {
        // The first one takes the options of the script, whatever it changes.
        if !orders.changes.is_empty() || !self.configured {
            self.configured = true;
            let taken = self.host.configure(self.now, &self.script.options, &orders.changes);
            taken.map_err(|message| StopReason::Refusal { line, column, what: message })?;
            self.drain_host()?;
        }
        for question in &orders.questions {
            self.question(line, column, question)?;
        }
        Ok(())
    }

    /// Compares a counter with the expected count, and restarts it.
    pub(super) fn question(
        &mut self,
        line: usize,
        column: usize,
        question: &CounterQuestion,
    ) -> Step {
        if let Some(name) = &question.counter {
            let count = self.host.counter(self.now, name);
            let message = || format!("this host has no counter '{name}'");
            let count =
                count.ok_or_else(|| StopReason::Refusal { line, column, what: message() })?;
            let since = count.saturating_sub(self.counter_values.get(name).copied().unwrap_or(0));
            if question.expected.map_or(since == 0, |wanted| wanted != since) {
                let expected =
                    question.expected.map_or("more than 0".into(), |wanted| wanted.to_string());
                return Err(failure(
                    line,
                    format!("counter {name} at {expected}"),
                    format!("it is at {since}"),
                ));
            }
        }
        if question.restarts_count {
            let now = self.now;
            for name in asked_for(self.script) {
                let count = self.host.counter(now, name).unwrap_or(0);
                self.counter_values.insert(name.to_owned(), count);
            }
        }
        Ok(())
    }

    pub(super) fn code(&mut self, event: &Event, program: &Program) -> Step {
        let fd = self.sockets.under_test().and_then(|tracked| tracked.fd);
        let live = fd.and_then(|fd| self.descriptors.get(&fd).copied());
        let Some(live) = live else {
            let actual = "the connection under test has no descriptor (not accepted, or closed)";
            return Err(failure(event.line, "code about a connection", actual));
        };
        let (host, now) = (&*self.host, self.now);
        let field = |name: &str| host.information(now, live, name);
        let ran = self.interpreter.run(program, field, self.cancel);
        ran.map_err(|problem| match problem {
            ProgramFailure::Assertion { line, text, came } => {
                failure(program.line + line, format!("{text} at {} s", seconds(now)), came)
            }
            ProgramFailure::Error { line, what } => {
                failure(program.line + line, "code that can be computed", what)
            }
            ProgramFailure::Excess { line, what } => {
                StopReason::Refusal { line: program.line + line, column: 1, what }
            }
            ProgramFailure::Cancelled => StopReason::Cancelled,
        })
    }
}

/// The counters that a script asks for.
fn asked_for(script: &Script) -> impl Iterator<Item = &str> {
    let orders = script.events.iter().filter_map(|event| match &event.action {
        Action::Command(orders) => Some(orders),
        _ => None,
    });
    orders.flat_map(|orders| &orders.questions).filter_map(|question| question.counter.as_deref())
}
