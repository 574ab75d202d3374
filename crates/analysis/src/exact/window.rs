//! Window classes and the growth of the window in phase one [zorzi, section IV-A].
//!
//! All that phase two asks of the window `Y` at the loss is `(floor Y, ceil(Y/2))`, so windows
//! fall into the classes [1,2) {2} (2,3) [3,4) {4} (4,5) .. {`W_max`}. From a given start the
//! window is a fixed sequence: +1 per ACK below the threshold, +1/W above, at most `W_max`; W is
//! the real window, not its integer part.

use super::channel::Slot;

/// A class of windows that behave alike in phase two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Class {
    /// `floor Y`, the packets that may be outstanding.
    pub(super) floor: u32,
    /// `ceil(Y/2)`, the threshold after the loss.
    pub(super) half_window: u32,
    /// The slot before the lost packet.
    pub(super) slot_before_loss: Slot,
}

/// Start of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CycleStart {
    /// Slow start from a window of one up to the threshold.
    SlowStart,
    /// Congestion avoidance with the window at the threshold.
    Recovered,
}

/// The classes and growth paths for one maximum window.
#[derive(Clone, Debug)]
pub(super) struct Windows {
    max: u32,
    pub(super) classes: Vec<Class>,
    /// The first class with a given floor, by floor.
    first_by_floor: Vec<usize>,
    /// Class of the window after 0, 1, 2, .. ACKs; the last entry holds for ever.
    paths: Vec<Vec<u16>>,
}

impl Windows {
    pub(super) fn new(max: u32) -> Self {
        let mut windows = Self {
            max,
            classes: Vec::new(),
            first_by_floor: vec![0; max as usize + 1],
            paths: Vec::new(),
        };
        for floor in 1..=max {
            windows.first_by_floor[floor as usize] = windows.classes.len();
            windows.classes.push(Class {
                floor,
                half_window: floor.div_ceil(2),
                slot_before_loss: Slot::Good,
            });
            if floor < max && floor % 2 == 0 {
                windows.classes.push(Class {
                    floor,
                    half_window: floor / 2 + 1,
                    slot_before_loss: Slot::Good,
                });
            }
        }
        let thresholds = 1..=max.div_ceil(2);
        let starts = thresholds.clone().map(|t| (1, t)).chain(thresholds.map(|t| (t, t)));
        windows.paths =
            starts.map(|(window, threshold)| windows.growth_path(window, threshold)).collect();
        windows
    }

    /// The path of a cycle that starts with the given threshold.
    pub(super) fn path_index(&self, start: CycleStart, threshold: u32) -> usize {
        let offset = match start {
            CycleStart::SlowStart => 0,
            CycleStart::Recovered => self.max.div_ceil(2),
        };
        (offset + threshold - 1) as usize
    }

    pub(super) fn path_count(&self) -> usize {
        self.paths.len()
    }

    /// The class of the window after `acks` ACKs.
    pub(super) fn class_after(&self, path: usize, acks: usize) -> usize {
        let path = &self.paths[path];
        usize::from(path[acks.min(path.len() - 1)])
    }

    /// The class at the next loss, given `acks` ACKs so far, the last one in the slot before. The
    /// class of `W_max` takes the whole geometric tail.
    pub(super) fn class_at_loss(&self, path: usize, acks: usize, p_gb: f64) -> Vec<f64> {
        let mut distribution = vec![0.0; self.classes.len()];
        let mut survive = 1.0;
        let last = self.paths[path].len() - 1;
        for n in acks..last {
            distribution[self.class_after(path, n)] += survive * p_gb;
            survive *= 1.0 - p_gb;
        }
        distribution[self.class_after(path, last)] += survive;
        distribution
    }

    fn growth_path(&self, start: u32, threshold: u32) -> Vec<u16> {
        let (max, threshold) = (f64::from(self.max), f64::from(threshold));
        let mut window = f64::from(start);
        let mut path = Vec::new();
        while window < max {
            path.push(self.class_of_window(window));
            window += if window < threshold { 1.0 } else { window.recip() };
        }
        path.push(self.class_of_window(max));
        path
    }

    fn class_of_window(&self, window: f64) -> u16 {
        let floor = window as u32;
        let above_even = floor.is_multiple_of(2) && window > f64::from(floor);
        (self.first_by_floor[floor as usize] + usize::from(above_even)) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_of_classes() {
        for (max, count) in [(1, 1), (2, 2), (3, 4), (4, 5), (5, 7), (6, 8), (24, 35), (31, 46)] {
            assert_eq!(Windows::new(max).classes.len(), count);
        }
    }

    #[test]
    fn threshold_one_starts_in_avoidance() {
        let windows = Windows::new(6);
        let path = windows.path_index(CycleStart::SlowStart, 1);
        let floors: Vec<u32> =
            (0..6).map(|n| windows.classes[windows.class_after(path, n)].floor).collect();
        // 1, 2, 2.5, 2.9, 3.24, 3.55
        assert_eq!(floors, [1, 2, 2, 2, 3, 3]);
        assert_eq!(windows.classes[windows.class_after(path, 1)].half_window, 1);
        assert_eq!(windows.classes[windows.class_after(path, 2)].half_window, 2);
    }

    #[test]
    fn windows_are_never_close_to_an_integer_by_rounding() {
        for start in 1..=24_u32 {
            let mut window = f64::from(start) + f64::from(start).recip();
            if start == 1 {
                window += window.recip();
            }
            while window < 48.0 {
                assert!((window - window.round()).abs() > 1e-9);
                window += window.recip();
            }
        }
    }

    #[test]
    fn class_at_loss_is_a_distribution() {
        let windows = Windows::new(9);
        for path in 0..windows.path_count() {
            let sum: f64 = windows.class_at_loss(path, 3, 0.2).iter().sum();
            assert!((sum - 1.0).abs() < 1e-14);
        }
    }
}
