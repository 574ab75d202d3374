//! The points of a document: every one is checked at once, and formed when it is asked for.

use crate::choices::{Choices, Cursor};
use crate::expand::choices;
use crate::input_error::InputError;
use crate::scenario::Scenario;
use serde_json::Value;
use std::hash::{DefaultHasher, Hasher};

/// The points of a document, in the order of its axes.
#[derive(Debug)]
pub struct Points {
    choices: Choices,
    /// Of each point, equal for equal ones.
    digests: Vec<u64>,
    /// Of each point, whether chance decides anything in it.
    random: Vec<bool>,
}

/// The points of `document`, in the order of its axes.
///
/// # Errors
/// The first thing that is wrong, with its path.
pub fn points(document: &Value) -> Result<Vec<Scenario>, InputError> {
    let points = Points::of(document.clone(), || false)?;
    Ok((0..points.len()).map(|index| points.get(index)).collect())
}

impl Points {
    /// The points of `document`. The check ends early once `cancelled` says so: what comes out then is of
    /// no use.
    ///
    /// # Errors
    /// The first thing that is wrong, with its path.
    pub fn of(document: Value, mut cancelled: impl FnMut() -> bool) -> Result<Self, InputError> {
        let choices = choices(document)?;
        let mut cursor = Cursor::new(&choices);
        let mut digests = Vec::with_capacity(choices.count());
        let (mut random, mut text) = (Vec::with_capacity(choices.count()), Vec::new());
        for index in (0..choices.count()).take_while(|_| !cancelled()) {
            let scenario = Scenario::of(cursor.go_to(index))?;
            scenario.validate()?;
            random.push(scenario.is_random());
            text.clear();
            serde_json::to_writer(&mut text, &scenario).expect("a scenario is plain data");
            digests.push(digest(&text));
        }
        Ok(Points { choices, digests, random })
    }

    /// How many there are.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there is at least one")]
    pub fn len(&self) -> usize {
        self.digests.len()
    }

    /// The point `index`, below `len()`.
    #[must_use]
    pub fn get(&self, index: usize) -> Scenario {
        let mut cursor = Cursor::new(&self.choices);
        Scenario::of(cursor.go_to(index)).expect("it was checked")
    }

    /// Of each point, whether chance decides anything in it.
    #[must_use]
    pub fn random(&self) -> &[bool] {
        &self.random
    }

    /// The number of the first of each that are equal, ascending.
    #[must_use]
    pub fn distinct(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_unstable_by_key(|&index| (self.digests[index], index));
        order.dedup_by_key(|index| self.digests[*index]);
        order.sort_unstable();
        order
    }

    /// Numbers of points, ascending, that show what varies: what is the same in these is the same in all,
    /// and every key of any point is in one of them.
    #[must_use]
    pub fn telling(&self) -> Vec<usize> {
        let mut found = Vec::new();
        let alike = |one: usize, other: usize| self.digests[one] == self.digests[other];
        self.choices.telling(0, 1, &alike, &mut found);
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn digest(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(text);
    hasher.finish()
}
