//! A tree of choices that stands for all points of a document; each point is formed only when it is wanted.

use crate::value::whole;
use serde_json::{Map, Value};

/// Most points of a document: each is checked before the first is run, which takes some microseconds.
pub(crate) const MAX_POINTS: usize = 1_000_000;

/// A value, or several of which each point has one, numbered in the order of the points.
#[derive(Debug)]
pub(crate) struct Choices {
    count: usize,
    kind: ChoiceKind,
}

#[derive(Debug)]
enum ChoiceKind {
    /// One value, or a choice among several; none of them holds choices itself.
    Values(Vec<Value>),
    Range(Range),
    /// The choices of several trees, one tree after the other; each tree with the number of its first choice.
    Either(Vec<(usize, Choices)>),
    /// Tables with any choice under each key: the first key varies slowest.
    Table(Vec<(String, Choices)>),
    /// Lists with any choice in each place: the first place varies slowest.
    List(Vec<Choices>),
}

/// Evenly spaced numbers, both ends included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) points: usize,
    pub(crate) log: bool,
    /// True where the key allows whole numbers, so that the range gives them as such.
    pub(crate) whole: bool,
}

impl Range {
    /// The number at `index`.
    pub(crate) fn value(&self, index: usize) -> Value {
        let x = self.number(index);
        // A whole number between the ends may come out one rounding off.
        let near = self.whole && (x - x.round()).abs() < 1e-9 * x.abs();
        let value = Value::from(if near { x.round() } else { x });
        if self.whole { whole(value) } else { value }
    }

    fn number(&self, index: usize) -> f64 {
        let t = index as f64 / (self.points - 1) as f64;
        match index {
            0 => self.from,
            _ if index == self.points - 1 => self.to,
            _ if self.log => self.from * libm::pow(self.to / self.from, t),
            _ => self.from + (self.to - self.from) * t,
        }
    }
}

impl Choices {
    /// A single value, which holds no choices.
    pub(crate) fn single(value: Value) -> Self {
        Choices::values(vec![value])
    }

    /// A choice among values, which hold no choices themselves.
    pub(crate) fn values(values: Vec<Value>) -> Self {
        Choices { count: values.len(), kind: ChoiceKind::Values(values) }
    }

    /// A choice among the numbers of a range.
    pub(crate) fn range(range: Range) -> Self {
        Choices { count: range.points, kind: ChoiceKind::Range(range) }
    }

    /// No choice yet; `add` adds some.
    pub(crate) fn empty() -> Self {
        Choices::values(vec![])
    }

    /// Adds the choices of `part` after the others.
    pub(crate) fn add(&mut self, part: Choices) {
        let (begin, count) = (self.count, part.count);
        if begin == 0 {
            *self = part;
            return;
        }
        match (&mut self.kind, part.kind) {
            (ChoiceKind::Values(values), ChoiceKind::Values(more)) => values.extend(more),
            (ChoiceKind::Either(parts), kind) => parts.push((begin, Choices { count, kind })),
            (first, kind) => {
                let before = std::mem::replace(first, ChoiceKind::Either(vec![]));
                let before = Choices { count: begin, kind: before };
                *first = ChoiceKind::Either(vec![(0, before), (begin, Choices { count, kind })]);
            }
        }
        self.count = begin.saturating_add(count);
    }

    /// Tables with a choice under each of these keys.
    pub(crate) fn table(parts: Vec<(String, Choices)>) -> Self {
        let count = count_product(parts.iter().map(|(_, part)| part));
        if count == 1 {
            let one = |(key, part): (String, Choices)| (key, part.into_values().remove(0));
            return Choices::values(vec![parts.into_iter().map(one).collect::<Map<_, _>>().into()]);
        }
        Choices { count, kind: ChoiceKind::Table(parts) }
    }

    /// Lists with a choice in each of these places.
    pub(crate) fn list(parts: Vec<Choices>) -> Self {
        let count = count_product(parts.iter());
        if count == 1 {
            return Choices::values(vec![
                parts.into_iter().flat_map(Choices::into_values).collect(),
            ]);
        }
        Choices { count, kind: ChoiceKind::List(parts) }
    }

    /// The number of choices; `usize::MAX` stands for more.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// All choices, where they are kept as values, as a single choice always is.
    fn into_values(self) -> Vec<Value> {
        match self.kind {
            ChoiceKind::Values(values) => values,
            _ => unreachable!("asked of values alone"),
        }
    }

    /// Turns `value` from the choice `before`, if it is one, into the choice `index`.
    fn set_choice(&self, value: &mut Value, before: Option<usize>, index: usize) {
        if before == Some(index) {
            return;
        }
        match &self.kind {
            ChoiceKind::Values(values) => *value = values[index].clone(),
            ChoiceKind::Range(range) => *value = range.value(index),
            ChoiceKind::Either(parts) => {
                let (begin, part) = &parts[parts.partition_point(|(begin, _)| *begin <= index) - 1];
                let before = before.and_then(|before| before.checked_sub(*begin));
                part.set_choice(value, before.filter(|before| *before < part.count), index - begin);
            }
            ChoiceKind::Table(parts) => {
                if before.is_none() {
                    let empty = |(key, _): &(String, _)| (key.clone(), Value::Null);
                    *value = Value::Object(parts.iter().map(empty).collect());
                }
                let places = value.as_object_mut().expect("made above").values_mut();
                self.set_each_choice(parts.iter().map(|(_, part)| part).zip(places), before, index);
            }
            ChoiceKind::List(parts) => {
                if before.is_none() {
                    *value = Value::Array(vec![Value::Null; parts.len()]);
                }
                let places = value.as_array_mut().expect("made above").iter_mut();
                self.set_each_choice(parts.iter().zip(places), before, index);
            }
        }
    }

    fn set_each_choice<'a>(
        &self,
        places: impl Iterator<Item = (&'a Choices, &'a mut Value)>,
        before: Option<usize>,
        index: usize,
    ) {
        let mut stride = self.count;
        for (part, place) in places {
            stride /= part.count;
            let of = |index: usize| index / stride % part.count;
            part.set_choice(place, before.map(of), of(index));
        }
    }

    /// Adds to `found` the numbers of points that show every difference: each value that differs between any points
    /// differs between these.
    ///
    /// Choice c of the tree makes point `base + stride * c`; `is_equal` says whether two points are equal.
    pub(crate) fn add_distinguishing_points(
        &self,
        base: usize,
        stride: usize,
        is_equal: &impl Fn(usize, usize) -> bool,
        found: &mut Vec<usize>,
    ) {
        found.push(base);
        match &self.kind {
            // Of tables each may have keys of its own.
            ChoiceKind::Values(values) if values[0].is_object() || values[0].is_array() => {
                found.extend((1..self.count).map(|choice| base + stride * choice));
            }
            ChoiceKind::Values(_) | ChoiceKind::Range(_) => {
                let mut others = (1..self.count).map(|choice| base + stride * choice);
                found.extend(others.find(|other| !is_equal(base, *other)));
            }
            ChoiceKind::Either(parts) => {
                for (begin, part) in parts {
                    part.add_distinguishing_points(base + stride * begin, stride, is_equal, found);
                }
            }
            ChoiceKind::Table(parts) => {
                add_distinguishing_points_of_each(
                    parts.iter().map(|(_, part)| part),
                    base,
                    stride * self.count,
                    is_equal,
                    found,
                );
            }
            ChoiceKind::List(parts) => {
                add_distinguishing_points_of_each(
                    parts.iter(),
                    base,
                    stride * self.count,
                    is_equal,
                    found,
                );
            }
        }
    }
}

fn count_product<'a>(parts: impl Iterator<Item = &'a Choices>) -> usize {
    parts.fold(1, |product, part| part.count.saturating_mul(product))
}

fn add_distinguishing_points_of_each<'a>(
    parts: impl Iterator<Item = &'a Choices>,
    base: usize,
    mut stride: usize,
    is_equal: &impl Fn(usize, usize) -> bool,
    found: &mut Vec<usize>,
) {
    for part in parts {
        stride /= part.count;
        if part.count > 1 {
            part.add_distinguishing_points(base, stride, is_equal, found);
        }
    }
}

/// A cursor over the choices: going from one to the next changes only the values that differ.
pub(crate) struct ChoiceCursor<'a> {
    choices: &'a Choices,
    current: Option<usize>,
    value: Value,
}

impl<'a> ChoiceCursor<'a> {
    pub(crate) fn new(choices: &'a Choices) -> Self {
        ChoiceCursor { choices, current: None, value: Value::Null }
    }

    /// Goes to the choice `index` and gives its value.
    pub(crate) fn go_to(&mut self, index: usize) -> &Value {
        self.choices.set_choice(&mut self.value, self.current, index);
        self.current = Some(index);
        &self.value
    }
}
