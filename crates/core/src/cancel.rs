//! A flag that asks long-running work to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A shared flag: once set, work that checks it ends soon, and its result is dropped.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A flag that is not set.
    #[must_use]
    pub fn new() -> Self {
        Cancel::default()
    }

    /// Sets the flag.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether the flag is set.
    #[inline]
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Rounds between two looks at the flag.
const CALLS_PER_CHECK: u32 = 1 << 10;

/// Watch of a cancel flag, at which a loop of many short rounds looks now and then.
#[derive(Clone, Debug, Default)]
pub struct CancelCheck {
    cancel: Cancel,
    calls: u32,
}

impl CancelCheck {
    /// A watch for this flag.
    #[must_use]
    pub fn new(cancel: &Cancel) -> Self {
        CancelCheck { cancel: cancel.clone(), calls: 0 }
    }

    /// Counts a round: whether it is not to be gone, nor any later one.
    #[inline]
    pub fn is_cancelled(&mut self) -> bool {
        if self.calls < CALLS_PER_CHECK {
            self.calls += 1;
            return false;
        }
        self.read_flag()
    }

    #[cold]
    fn read_flag(&mut self) -> bool {
        if !self.cancel.is_set() {
            self.calls = 0;
        }
        self.calls > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_ends_soon_and_for_good() {
        let cancel = Cancel::new();
        let mut watch = CancelCheck::new(&cancel);
        assert!((0..10 * CALLS_PER_CHECK).all(|_| !watch.is_cancelled()));
        cancel.clone().set();
        let more = (0..2 * CALLS_PER_CHECK).take_while(|_| !watch.is_cancelled()).count();
        assert!(more <= CALLS_PER_CHECK as usize);
        assert!((0..10).all(|_| watch.is_cancelled()));
    }
}
