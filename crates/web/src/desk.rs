//! The desk at which questions are answered: it keeps the points of the last document.

use crate::answer::Answer;
use crate::{document, exact, point, trace};
use airtcp_core::Cancel;
use airtcp_scenario::{InputError, Points, Scenario, document_schema};
use serde::Deserialize;
use serde_json::{Value, json};

/// A question. Documents are JSON in a text, numbers of points count from 0.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case", deny_unknown_fields)]
enum Question {
    /// Versions of the package and of the model.
    About,
    /// The JSON Schema of a document.
    Schema,
    /// A document from TOML.
    Document { toml: String },
    /// The points of a document, which replace those kept.
    Points { document: String },
    /// A point with the names of its counts and what they are scaled by.
    Point { index: usize },
    /// The counts of one run; with `links` the counts of links and cross-traffic follow.
    Run {
        index: usize,
        seed: u64,
        replication: u64,
        #[serde(default)]
        links: bool,
    },
    /// The events of one run, in at most `room` bytes.
    Trace {
        index: usize,
        seed: u64,
        replication: u64,
        room: usize,
        #[serde(default)]
        links: bool,
    },
    /// The exact solution of a point, or the reason why there is none.
    Exact { index: usize },
}

/// A desk.
#[derive(Debug, Default)]
pub struct Desk {
    points: Option<Points>,
}

impl Desk {
    /// Answers a question; what is wrong with it comes back as a refusal.
    pub fn answer(&mut self, question: &[u8]) -> Answer {
        let answer = serde_json::from_slice(question)
            .map_err(|error| refusal("question", &error))
            .and_then(|question| self.dispatch(question));
        answer.unwrap_or_else(|error| Answer::refusal(&error))
    }

    fn dispatch(&mut self, question: Question) -> Result<Answer, InputError> {
        match question {
            Question::About => Ok(Answer::new(json!({
                "version": env!("CARGO_PKG_VERSION"), "model": airtcp_sim::MODEL_VERSION,
            }))),
            Question::Schema => Ok(Answer::new(json!({"schema": document_schema()}))),
            Question::Document { toml } => {
                document::parse(&toml).map(|document| Answer::new(json!({"document": document})))
            }
            Question::Points { document } => self.points(&document),
            Question::Point { index } => Ok(Answer::new(point::described(&self.point(index)?))),
            Question::Run { index, seed, replication, links } => {
                self.run(index, seed, replication, links)
            }
            Question::Trace { index, seed, replication, room, links } => {
                trace::record(&self.point(index)?, seed, replication, room, links)
            }
            Question::Exact { index } => exact::solution(&self.point(index)?).map(Answer::new),
        }
    }

    fn points(&mut self, document: &str) -> Result<Answer, InputError> {
        self.points = None;
        let document: Value =
            serde_json::from_str(document).map_err(|error| refusal("", &error))?;
        let points = Points::from_document(document, || false)?;
        let head = json!({
            "count": points.len(), "random": points.random_flags(),
            "distinct": points.distinct(), "telling": points.distinguishing_points(), "case_keys": points.case_keys(),
        });
        self.points = Some(points);
        Ok(Answer::new(head))
    }

    fn point(&self, index: usize) -> Result<Scenario, InputError> {
        let count = self.points.as_ref().map_or(0, Points::len);
        match &self.points {
            Some(points) if index < count => Ok(points.get(index)),
            _ => Err(refusal("index", &format!("point {index} of {count}"))),
        }
    }

    fn run(
        &self,
        index: usize,
        seed: u64,
        replication: u64,
        links: bool,
    ) -> Result<Answer, InputError> {
        let (point, cancel) = (self.point(index)?, Cancel::new());
        let run = if links { airtcp_sim::run_with_links } else { airtcp_sim::run };
        let counts = run(&point, seed, replication, &cancel)?.expect("nobody cancels");
        let words: Vec<_> = counts.iter().map(|count| [count.cast_unsigned()]).collect();
        Ok(Answer::new(json!({})).with("counts", &[("count", "<i8")], &words))
    }
}

fn refusal(path: &str, message: &impl ToString) -> InputError {
    InputError { path: path.to_owned(), message: message.to_string() }
}
