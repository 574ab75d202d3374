//! The content of a transfer.

use std::sync::Arc;

/// An endless stream of bytes: a period that is repeated.
#[derive(Clone, Debug)]
pub struct Content {
    period: Arc<[u8]>,
}

impl Content {
    /// Repeats `period` without end; `None` if it is empty.
    #[must_use]
    pub fn repeated(period: Vec<u8>) -> Option<Self> {
        (!period.is_empty()).then(|| Content { period: period.into() })
    }

    /// The bytes from position `at` to the end of the period, at least one.
    #[must_use]
    pub fn slice_from(&self, at: u64) -> &[u8] {
        &self.period[(at % self.period.len() as u64) as usize..]
    }

    /// `length` bytes from position `at` on.
    #[must_use]
    pub fn bytes_at(&self, mut at: u64, length: usize) -> Vec<u8> {
        let mut part = Vec::with_capacity(length);
        while part.len() < length {
            let next = self.slice_from(at);
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
        assert_eq!(content.bytes_at(5_000_000_000, 8), [3, 1, 2, 3, 1, 2, 3, 1]);
        assert!(Content::repeated(vec![]).is_none());
    }
}
