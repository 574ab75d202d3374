//! The points of a document: all are checked at once, and each is formed when it is asked for.

use crate::bands::BandMeanings;
use crate::choices::{ChoiceCursor, Choices};
use crate::expand::{ExpandedDocument, duplicate_error, expand_document};
use crate::input_error::InputError;
use crate::linked::{LinkedPoint, fill_from_links};
use crate::scenario::Scenario;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hasher};

/// The points of a document, in the order of its axes.
#[derive(Debug)]
pub struct Points {
    choices: Choices,
    /// Digests of the points, equal for equal points.
    digests: Vec<u64>,
    /// Digests, equal for points that the simulation does not tell apart; empty where these are the `digests`.
    simulation_digests: Vec<u64>,
    /// Flags of the points, true if chance decides anything in the point.
    random: Vec<bool>,
    case_keys: Vec<String>,
}

/// The points of `document`, in the order of its axes.
///
/// # Errors
/// The first thing that is wrong, with its path.
pub fn points(document: &Value) -> Result<Vec<Scenario>, InputError> {
    let points = Points::from_document(document.clone(), || false)?;
    Ok((0..points.len()).map(|index| points.get(index)).collect())
}

impl Points {
    /// The points of `document`. The check ends early once `cancelled` says so; the result is then of no use.
    ///
    /// # Errors
    /// The first thing that is wrong, with its path.
    pub fn from_document(
        document: Value,
        mut cancelled: impl FnMut() -> bool,
    ) -> Result<Self, InputError> {
        let ExpandedDocument { choices, cases, mut case_keys } = expand_document(document)?;
        let mut links = VaryingLinkKeys::default();
        let mut cursor = ChoiceCursor::new(&choices);
        let mut digests = Vec::with_capacity(choices.count());
        let (mut random, mut text) = (Vec::with_capacity(choices.count()), Vec::new());
        let (mut simulated, mut meanings) = (Vec::new(), BandMeanings::default());
        for index in (0..choices.count()).take_while(|_| !cancelled()) {
            let value = cursor.go_to(index);
            let case = value.get("case").and_then(Value::as_str);
            let linked = fill_from_links(value).map_err(|error| error.in_case(case))?;
            links.add(&linked);
            let mut scenario = Scenario::parse(&linked.value)?;
            let case = scenario.take_case();
            scenario.validate().map_err(|error| error.in_case(case.as_deref()))?;
            meanings.check(&scenario).map_err(|error| error.in_case(case.as_deref()))?;
            random.push(scenario.is_random());
            digests.push(digest(&scenario, &mut text));
            if scenario.take_live() || !simulated.is_empty() {
                simulated.extend_from_slice(&digests[simulated.len()..index]);
                simulated.push(digest(&scenario, &mut text));
            }
        }
        if digests.len() == choices.count() {
            refuse_equal(&digests, cases)?;
            refuse_twice(&digests, &choices)?;
        }
        case_keys.extend(links.keys());
        Ok(Points { choices, digests, simulation_digests: simulated, random, case_keys })
    }

    /// The number of points.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there is at least one")]
    pub fn len(&self) -> usize {
        self.digests.len()
    }

    /// The point `index`, below `len()`.
    #[must_use]
    pub fn get(&self, index: usize) -> Scenario {
        let mut cursor = ChoiceCursor::new(&self.choices);
        let linked = fill_from_links(cursor.go_to(index)).expect("it was checked");
        Scenario::parse(&linked.value).expect("it was checked")
    }

    /// Flags of the points, true if chance decides anything in the point.
    #[must_use]
    pub fn random_flags(&self) -> &[bool] {
        &self.random
    }

    /// Dotted paths of the keys that the cases set, and of those that link profiles give where they vary: points of
    /// different cases or links may differ in these.
    #[must_use]
    pub fn case_keys(&self) -> &[String] {
        &self.case_keys
    }

    /// Numbers, ascending, of the first point of each set that the simulation does not tell apart, whatever the names
    /// of their cases.
    #[must_use]
    pub fn distinct(&self) -> Vec<usize> {
        let digests = if self.simulation_digests.is_empty() {
            &self.digests
        } else {
            &self.simulation_digests
        };
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_unstable_by_key(|&index| (digests[index], index));
        order.dedup_by_key(|index| digests[*index]);
        order.sort_unstable();
        order
    }

    /// Numbers of points, ascending, in which every value that varies takes at least two values: a value that is the
    /// same in these is the same in all, and every key of any point is in one of these.
    #[must_use]
    pub fn distinguishing_points(&self) -> Vec<usize> {
        let mut found = Vec::new();
        let is_equal = |one: usize, other: usize| self.digests[one] == self.digests[other];
        self.choices.add_distinguishing_points(0, 1, &is_equal, &mut found);
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Keys that link profiles gave to the points of a document.
#[derive(Default)]
struct VaryingLinkKeys {
    /// The links of the first point, of each hop that names one.
    first: Option<Vec<(usize, String)>>,
    links_differ: bool,
    given: BTreeSet<String>,
}

impl VaryingLinkKeys {
    fn add(&mut self, linked: &LinkedPoint<'_>) {
        let first = self.first.get_or_insert_with(|| linked.names.clone());
        self.links_differ |= *first != linked.names;
        self.given.extend(linked.given.iter().cloned());
    }

    /// Paths of the keys in which points differ because their links do.
    fn keys(self) -> BTreeSet<String> {
        if self.links_differ { self.given } else { BTreeSet::new() }
    }
}

/// Refuses cases in which everything is the same: their points, of which these are the digests, would be taken for
/// each other. Cases have the same axes, so that it is enough to compare their first points.
fn refuse_equal(digests: &[u64], cases: usize) -> Result<(), InputError> {
    let mut seen = HashMap::new();
    for case in 0..cases {
        if let Some(first) = seen.insert(digests[case * (digests.len() / cases)], case) {
            let message = format!("has the same values as case[{first}]; change or remove one");
            return Err(InputError::new(format!("case[{case}]"), message));
        }
    }
    Ok(())
}

/// Refuses values of an axis that are equal though written differently, such as "10ms" and "0.01s".
fn refuse_twice(digests: &[u64], choices: &Choices) -> Result<(), InputError> {
    let mut seen = HashMap::with_capacity(digests.len());
    for (index, digest) in digests.iter().enumerate() {
        if let Some(first) = seen.insert(digest, index) {
            let one = ChoiceCursor::new(choices).go_to(first).clone();
            let other = ChoiceCursor::new(choices).go_to(index).clone();
            return Err(match first_difference(&one, &other, "") {
                Some((path, a, b)) => duplicate_error(&path, &format!("{a} and {b} are the same")),
                None => duplicate_error("", &format!("points {first} and {index} are the same")),
            });
        }
    }
    Ok(())
}

/// The first value that differs between two points, and its path.
fn first_difference<'a>(
    one: &'a Value,
    other: &'a Value,
    path: &str,
) -> Option<(String, &'a Value, &'a Value)> {
    match (one, other) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            let below =
                |key: &String| if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            a.iter().find_map(|(key, value)| first_difference(value, &b[key], &below(key)))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let mut pairs = a.iter().zip(b).enumerate();
            pairs.find_map(|(i, (a, b))| first_difference(a, b, &format!("{path}[{i}]")))
        }
        _ => (one != other).then(|| (path.to_owned(), one, other)),
    }
}

/// Digest of a scenario; `text` is a buffer for its text.
fn digest(scenario: &Scenario, text: &mut Vec<u8>) -> u64 {
    text.clear();
    serde_json::to_writer(&mut *text, scenario).expect("a scenario is plain data");
    let mut hasher = DefaultHasher::new();
    hasher.write(text);
    hasher.finish()
}
