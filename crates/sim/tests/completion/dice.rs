//! Chance for random documents.

use airtcp_core::Stream;
use serde_json::{Map, Value, json};

/// A named stream, and what one wants to ask it.
pub(crate) struct Dice(Stream);

impl Dice {
    pub(crate) fn new(number: u64) -> Self {
        Dice(Stream::new(1, "documents", number))
    }

    pub(crate) fn chance(&mut self, p: f64) -> bool {
        self.0.chance(p)
    }

    /// A whole number from `least` to `most`.
    pub(crate) fn whole(&mut self, least: u64, most: u64) -> u64 {
        least + ((most - least + 1) as f64 * self.0.uniform()) as u64
    }

    /// A number whose logarithm is evenly spread, in steps of a sixth.
    pub(crate) fn log(&mut self, least: f64, most: f64) -> f64 {
        let steps = std::iter::successors(Some(least), |x| Some(x * 7.0 / 6.0));
        let steps: Vec<f64> = steps.take_while(|x| *x <= most).collect();
        self.pick(&steps)
    }

    pub(crate) fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.whole(0, list.len() as u64 - 1) as usize].clone()
    }

    /// A time, as a scenario says it.
    pub(crate) fn time(&mut self, least: f64, most: f64) -> Value {
        json!(format!("{}ns", (1e9 * self.log(least, most)).round()))
    }

    /// Puts `value` at `key` with probability `p`; it is drawn anyway.
    pub(crate) fn maybe(
        &mut self,
        p: f64,
        object: &mut Map<String, Value>,
        key: &str,
        value: Value,
    ) {
        if self.chance(p) {
            object.insert(key.to_owned(), value);
        }
    }
}
