//! The best value of a moving window, from three samples [rules/rtt.md rule 11; Kathleen Nichols'
//! windowed filter].

/// A value and when it was seen; times are modulo 2^32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sample<V> {
    time: u32,
    value: V,
}

/// A windowed minimum or maximum: use one of the two methods on an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MinMax<V = u32> {
    best: [Sample<V>; 3],
}

impl<V: Copy + PartialOrd> MinMax<V> {
    /// A filter that has seen `value` at `time`.
    #[must_use]
    pub fn new(time: u32, value: V) -> Self {
        MinMax { best: [Sample { time, value }; 3] }
    }

    /// The best value of the window.
    #[must_use]
    pub fn best_value(&self) -> V {
        self.best[0].value
    }

    /// Adds `value` at `time`; the minimum of the last `window`.
    pub fn running_min(&mut self, window: u32, time: u32, value: V) -> V {
        self.add(window, Sample { time, value }, |new, old| new <= old)
    }

    /// Adds `value` at `time`; the maximum of the last `window`.
    pub fn running_max(&mut self, window: u32, time: u32, value: V) -> V {
        self.add(window, Sample { time, value }, |new, old| new >= old)
    }

    #[inline]
    fn add(&mut self, window: u32, new: Sample<V>, is_better: impl Fn(V, V) -> bool) -> V {
        let [first, second, third] = &mut self.best;
        if is_better(new.value, first.value) || new.time.wrapping_sub(third.time) > window {
            self.best = [new; 3];
            return new.value;
        }
        if is_better(new.value, second.value) {
            (*second, *third) = (new, new);
        } else if is_better(new.value, third.value) {
            *third = new;
        }
        self.age_samples(window, new)
    }

    /// Lets the second and third best step in for what grows too old.
    fn age_samples(&mut self, window: u32, new: Sample<V>) -> V {
        let [first, second, third] = &mut self.best;
        let age = new.time.wrapping_sub(first.time);
        if age > window {
            self.best = [*second, *third, new];
            if new.time.wrapping_sub(self.best[0].time) > window {
                self.best = [self.best[1], self.best[2], new];
            }
        } else if second.time == first.time && age > window / 4 {
            (*second, *third) = (new, new);
        } else if third.time == second.time && age > window / 2 {
            *third = new;
        }
        self.best_value()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn samples(filter: &MinMax) -> [(u32, u32); 3] {
        filter.best.map(|s| (s.time, s.value))
    }

    #[test]
    fn second_and_third_best_come_from_later_quarters() {
        let mut filter = MinMax::new(0, 100);
        assert_eq!(filter.running_max(40, 5, 90), 100);
        assert_eq!(samples(&filter), [(0, 100), (0, 100), (0, 100)]);
        filter.running_max(40, 11, 50); // age 11 > 10
        assert_eq!(samples(&filter), [(0, 100), (11, 50), (11, 50)]);
        filter.running_max(40, 15, 60); // better than the second
        assert_eq!(samples(&filter), [(0, 100), (15, 60), (15, 60)]);
        filter.running_max(40, 21, 55); // age 21 > 20, third of the second's time
        assert_eq!(samples(&filter), [(0, 100), (15, 60), (21, 55)]);
        assert_eq!(filter.running_max(40, 41, 10), 60);
        assert_eq!(samples(&filter), [(15, 60), (21, 55), (41, 10)]);
    }

    #[test]
    fn a_quarter_without_a_second_best_takes_what_there_is() {
        let mut filter = MinMax::new(0, 10);
        assert_eq!(filter.running_min(40, 11, 30), 10);
        assert_eq!(samples(&filter), [(0, 10), (11, 30), (11, 30)]);
    }

    #[test]
    fn after_a_silence_of_a_window_everything_is_new() {
        let mut filter = MinMax::new(u32::MAX - 1, 10);
        assert_eq!(filter.running_min(40, 38, 70), 10);
        assert_eq!(filter.running_min(40, 78, 80), 70);
        assert_eq!(samples(&filter), [(38, 70), (38, 70), (78, 80)]);
        assert_eq!(filter.running_min(40, 78 + 41, 90), 90);
    }

    proptest! {
        // The filter forgets good values early, but never reports one that is better than the window's
        // best, nor one that is worse than the newest.
        #[test]
        fn the_result_lies_between_the_best_and_the_newest(
            steps in prop::collection::vec((0u32..30, 0u32..1000), 1..60), start: u32
        ) {
            let mut time = start;
            let mut seen: Vec<(u32, u32)> = Vec::new();
            let mut filter = MinMax::new(start, 0);
            for (wait, value) in steps {
                time = time.wrapping_add(wait);
                seen.push((time, value));
                let result = filter.running_max(100, time, value);
                let best = seen.iter().filter(|s| time.wrapping_sub(s.0) <= 100).map(|s| s.1).max();
                prop_assert!(value <= result);
                prop_assert!(result <= best.unwrap_or(0));
            }
        }
    }
}
