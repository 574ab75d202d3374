//! Odd things about a capture.

/// A kind of oddity, and its number of occurrences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oddity {
    /// A word or two.
    pub kind: &'static str,
    /// A sentence on its first occurrence.
    pub message: String,
    /// Number of occurrences.
    pub count: u64,
}

/// Odd things in the order in which they were first met.
#[derive(Clone, Debug, Default)]
pub(super) struct Oddities(Vec<Oddity>);

impl Oddities {
    /// Notes something odd; the sentence of the first time stays.
    pub(super) fn record(
        &mut self,
        kind: &'static str,
        count: u64,
        message: impl FnOnce() -> String,
    ) {
        if count == 0 {
            return;
        }
        match self.0.iter_mut().find(|oddity| oddity.kind == kind) {
            Some(oddity) => oddity.count += count,
            None => self.0.push(Oddity { kind, message: message(), count }),
        }
    }

    pub(super) fn into_vec(self) -> Vec<Oddity> {
        self.0
    }
}

/// A time in words: seconds since the first packet.
pub(super) fn seconds(time: i64, began: i64) -> String {
    format!("{:.6} s", time.saturating_sub(began) as f64 / 1e9)
}
