//! Small square matrices of a size that is known when they are compiled.

/// A row vector.
pub(super) type Row<const K: usize> = [f64; K];

/// A matrix, row by row.
pub(super) type Matrix<const K: usize> = [Row<K>; K];

/// 0 everywhere.
pub(super) const fn zero<const K: usize>() -> Matrix<K> {
    [[0.0; K]; K]
}

/// The identity.
pub(super) fn identity<const K: usize>() -> Matrix<K> {
    let mut unit = zero();
    for (i, row) in unit.iter_mut().enumerate() {
        row[i] = 1.0;
    }
    unit
}

/// a M.
#[inline]
pub(super) fn row_times_matrix<const K: usize>(a: &Row<K>, m: &Matrix<K>) -> Row<K> {
    let mut out = [0.0; K];
    for (weight, row) in a.iter().zip(m) {
        for (to, value) in out.iter_mut().zip(row) {
            *to += weight * value;
        }
    }
    out
}

/// M b.
#[inline]
pub(super) fn matrix_times_row<const K: usize>(m: &Matrix<K>, b: &Row<K>) -> Row<K> {
    let mut out = [0.0; K];
    for (to, row) in out.iter_mut().zip(m) {
        *to = dot(row, b);
    }
    out
}

/// The scalar product.
#[inline]
pub(super) fn dot<const K: usize>(a: &Row<K>, b: &Row<K>) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// A B.
pub(super) fn product<const K: usize>(a: &Matrix<K>, b: &Matrix<K>) -> Matrix<K> {
    let mut out = zero();
    for (to, row) in out.iter_mut().zip(a) {
        *to = row_times_matrix(row, b);
    }
    out
}

/// The derivatives by A and B of what has the derivative `c` by A B, added to theirs.
pub(super) fn product_derivatives<const K: usize>(
    c: &Matrix<K>,
    (a, b): (&Matrix<K>, &Matrix<K>),
    scale: f64,
) -> (Matrix<K>, Matrix<K>) {
    let (mut by_a, mut by_b) = (zero(), zero());
    for i in 0..K {
        for j in 0..K {
            by_a[i][j] = scale * dot(&c[i], &b[j]);
            let weight = scale * a[i][j];
            for l in 0..K {
                by_b[j][l] += weight * c[i][l];
            }
        }
    }
    (by_a, by_b)
}

/// Adds a matrix to another.
pub(super) fn add_to<const K: usize>(to: &mut Matrix<K>, other: &Matrix<K>) {
    for (row, more) in to.iter_mut().zip(other) {
        for (value, addend) in row.iter_mut().zip(more) {
            *value += addend;
        }
    }
}

/// The inverse, by Gauss and Jordan with pivots; `None` where there is none.
pub(super) fn inverse<const K: usize>(matrix: &Matrix<K>) -> Option<Matrix<K>> {
    let (mut left, mut right) = (*matrix, identity::<K>());
    for column in 0..K {
        let size = |row: &usize| left[*row][column].abs();
        let pivot = (column..K).max_by(|a, b| size(a).total_cmp(&size(b)))?;
        left.swap(column, pivot);
        right.swap(column, pivot);
        let scale = left[column][column];
        if scale == 0.0 || !scale.is_finite() {
            return None;
        }
        for j in 0..K {
            left[column][j] /= scale;
            right[column][j] /= scale;
        }
        for row in (0..K).filter(|row| *row != column) {
            let factor = left[row][column];
            for j in 0..K {
                left[row][j] -= factor * left[column][j];
                right[row][j] -= factor * right[column][j];
            }
        }
    }
    Some(right)
}
