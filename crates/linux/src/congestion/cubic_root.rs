//! The integer cube root [rules/cubic.md rule 9].

/// The largest integer whose cube is at most `a`. The kernel's own estimate deviates from it by -0.10 %
/// to +0.16 %.
#[must_use]
pub(super) fn cube_root(a: u64) -> u32 {
    if a == 0 {
        return 0;
    }
    // A power of two above the root; Newton's steps fall monotonically to its floor.
    let bits = 64 - a.leading_zeros();
    let mut x = 1u64 << bits.div_ceil(3);
    loop {
        let next = (2 * x + a / (x * x)) / 3;
        if next >= x {
            return x as u32;
        }
        x = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::cubic::CUBE_FACTOR;
    use proptest::prelude::*;

    fn is_root(a: u64, x: u32) -> bool {
        let cube = |x: u32| u128::from(x).pow(3);
        cube(x) <= u128::from(a) && u128::from(a) < cube(x + 1)
    }

    #[test]
    fn roots_are_exact_at_cubes_and_beside_them() {
        for x in (0..2_642_245u64).step_by(101).chain([1, 2, 3, 2_642_245]) {
            let cube = x * x * x;
            assert_eq!(u64::from(cube_root(cube)), x);
            assert!(is_root(cube + 1, cube_root(cube + 1)));
            assert!(cube == 0 || is_root(cube - 1, cube_root(cube - 1)));
        }
        assert!(is_root(u64::MAX, cube_root(u64::MAX)));
    }

    // Newton's step of rule 9 leaves an exact root where it is, up to its factor 341 / 1024 for 1 / 3 and
    // truncation: the kernel's root and the exact one are the same within what the rule states.
    #[test]
    fn the_kernels_step_keeps_an_exact_root() {
        for n in 1..=20_000u64 {
            let a = CUBE_FACTOR * n;
            let x = u64::from(cube_root(a));
            let step = ((2 * x + a / (x * (x - 1))) * 341) >> 10;
            let deviation = (step as f64 - x as f64) / x as f64;
            assert!((-0.0015..=0.0).contains(&deviation), "{n}: {deviation}");
        }
    }

    proptest! {
        #[test]
        fn roots_are_exact(a: u64, shift in 0u32..64) {
            prop_assert!(is_root(a >> shift, cube_root(a >> shift)));
        }
    }
}
