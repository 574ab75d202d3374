//! What a transfer sends.

use std::sync::Arc;

/// Bytes without end: some that are repeated.
#[derive(Clone, Debug)]
pub struct Content {
    period: Arc<[u8]>,
}

impl Content {
    /// `period` over and over; `None` if it is empty.
    #[must_use]
    pub fn repeated(period: Vec<u8>) -> Option<Self> {
        (!period.is_empty()).then(|| Content { period: period.into() })
    }

    /// What comes at position `at`, at least one byte.
    #[must_use]
    pub fn from(&self, at: u64) -> &[u8] {
        &self.period[(at % self.period.len() as u64) as usize..]
    }

    /// `length` bytes from position `at` on.
    #[must_use]
    pub fn part(&self, mut at: u64, length: usize) -> Vec<u8> {
        let mut part = Vec::with_capacity(length);
        while part.len() < length {
            let next = self.from(at);
            let amount = next.len().min(length - part.len());
            part.extend(&next[..amount]);
            at += amount as u64;
        }
        part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_on_where_it_is_repeated() {
        let content = Content::repeated(vec![1, 2, 3]).expect("it is not empty");
        assert_eq!(content.part(5_000_000_000, 8), [3, 1, 2, 3, 1, 2, 3, 1]);
        assert!(Content::repeated(vec![]).is_none());
    }
}
