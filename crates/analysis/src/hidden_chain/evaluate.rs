//! Logarithm of the likelihood and its exact derivative: forward and backward through the program.

use super::matrix::{
    Matrix, Row, add_to, dot, identity, inverse, matrix_times_row, product, product_derivatives,
    row_times_matrix, zero,
};
use super::program::{Fate, MatrixRecipe, Program};
use airtcp_core::Cancel;

/// Acts between two forward vectors that are kept: the others are computed again on the way back.
const CHECKPOINT_INTERVAL: usize = 1 << 10;

/// The logarithm of a likelihood, with its derivatives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// Logarithm of the likelihood, of each piece.
    pub pieces: Vec<f64>,
    /// Derivative by each transition probability, row by row, with the starts as they are. Times that probability, it is
    /// the number of such transitions that is expected given what was seen.
    pub transition_derivatives: Vec<f64>,
    /// Derivative by each transition probability of the starts' contribution.
    pub start_derivatives: Vec<f64>,
    /// Derivative by the probability of an arrival in each state.
    pub arrival_derivatives: Vec<f64>,
    /// Derivative by the probability of a loss in each state.
    pub loss_derivatives: Vec<f64>,
}

impl Evaluation {
    /// Logarithm of the likelihood of all.
    #[must_use]
    pub fn log_likelihood(&self) -> f64 {
        self.pieces.iter().sum()
    }
}

/// Evaluates a chain of 1 to 6 states, which starts every piece as after a long time: `transition` row by row, `loss` in
/// each state. `None` where the sizes do not fit, the chain has no such start, or `cancel` was set. Without `derivatives`
/// these are empty. What cannot have been seen has a likelihood of 0, and no derivatives.
#[must_use]
pub fn evaluate(
    program: &Program,
    transition: &[f64],
    loss: &[f64],
    derivatives: bool,
    cancel: &Cancel,
) -> Option<Evaluation> {
    let work = Evaluator { program, derivatives, cancel };
    match loss.len() {
        1 => work.evaluate::<1>(transition, loss),
        2 => work.evaluate::<2>(transition, loss),
        3 => work.evaluate::<3>(transition, loss),
        4 => work.evaluate::<4>(transition, loss),
        5 => work.evaluate::<5>(transition, loss),
        6 => work.evaluate::<6>(transition, loss),
        _ => None,
    }
}

struct Evaluator<'a> {
    program: &'a Program,
    derivatives: bool,
    cancel: &'a Cancel,
}

/// A matrix divided by a number, so that the powers for long runs neither vanish nor grow.
#[derive(Clone, Copy)]
struct Scaled<const K: usize> {
    matrix: Matrix<K>,
    /// Logarithm of the number.
    log_scale: f64,
    /// Scale factor of the last product alone, without its factors'.
    norm: f64,
}

impl Evaluator<'_> {
    fn evaluate<const K: usize>(&self, transition: &[f64], loss: &[f64]) -> Option<Evaluation> {
        let loss: Row<K> = loss.try_into().ok()?;
        let rows: Vec<Row<K>> = transition.as_chunks::<K>().0.to_vec();
        let step: Matrix<K> = rows.try_into().ok()?;
        let start = StationaryShares::from_transition_matrix(&step)?;
        let seen = [loss.map(|p| 1.0 - p), loss];
        let matrices = self.scaled_matrices(&step, &seen);
        let (pieces, kept) = self.forward_pass(&matrices, &start.shares)?;
        if !self.derivatives || pieces.iter().any(|log| !log.is_finite()) {
            return Some(Evaluation { pieces, ..Evaluation::default() });
        }
        let (by_matrix, by_start) = self.backward_pass(&matrices, &start.shares, &kept)?;
        let (by_step, by_seen) = self.derivatives_of_products(&matrices, by_matrix, &seen);
        Some(Evaluation {
            pieces,
            transition_derivatives: by_step.as_flattened().to_vec(),
            start_derivatives: start.back_propagate(&by_start).as_flattened().to_vec(),
            arrival_derivatives: by_seen[0].to_vec(),
            loss_derivatives: by_seen[1].to_vec(),
        })
    }

    fn scaled_matrices<const K: usize>(
        &self,
        step: &Matrix<K>,
        seen: &[Row<K>; 2],
    ) -> Vec<Scaled<K>> {
        let mut made: Vec<Scaled<K>> = Vec::with_capacity(self.program.matrices.len());
        let plain = |matrix| Scaled { matrix, log_scale: 0.0, norm: 1.0 };
        for how in &self.program.matrices {
            let next = match *how {
                MatrixRecipe::Identity => plain(identity()),
                MatrixRecipe::Step => plain(*step),
                MatrixRecipe::Seen(moved, fate) => {
                    let Scaled { mut matrix, log_scale: log, .. } = made[moved as usize];
                    for row in &mut matrix {
                        for (value, p) in row.iter_mut().zip(&seen[usize::from(fate == Fate::Lost)])
                        {
                            *value *= p;
                        }
                    }
                    Scaled { matrix, log_scale: log, norm: 1.0 }
                }
                MatrixRecipe::Product(a, b) => {
                    let (a, b) = (&made[a as usize], &made[b as usize]);
                    let mut matrix = product(&a.matrix, &b.matrix);
                    let most = matrix.as_flattened().iter().copied().fold(0.0, f64::max);
                    let norm = if most > 0.0 && !(1e-3..2.0).contains(&most) { most } else { 1.0 };
                    matrix.as_flattened_mut().iter_mut().for_each(|value| *value /= norm);
                    Scaled { matrix, log_scale: a.log_scale + b.log_scale + libm::log(norm), norm }
                }
            };
            made.push(next);
        }
        made
    }

    /// The acts of each piece.
    fn piece_ranges(&self) -> impl DoubleEndedIterator<Item = (usize, usize)> + '_ {
        let pieces = &self.program.pieces;
        let end =
            move |i: usize| pieces.get(i + 1).copied().unwrap_or(self.program.operations.len());
        pieces.iter().enumerate().map(move |(i, start)| (*start, end(i)))
    }

    fn forward_pass<const K: usize>(
        &self,
        matrices: &[Scaled<K>],
        shares: &Row<K>,
    ) -> Option<(Vec<f64>, Vec<Row<K>>)> {
        let (mut logs, mut kept) = (vec![], vec![]);
        for (from, to) in self.piece_ranges() {
            let (mut vector, mut log, mut scale) = (*shares, 0.0, 1.0);
            for block in self.program.operations[from..to].chunks(CHECKPOINT_INTERVAL) {
                if self.cancel.is_set() {
                    return None;
                }
                if self.derivatives {
                    kept.push(vector);
                }
                for act in block {
                    let by = &matrices[*act as usize];
                    let sum;
                    (vector, sum) = advance(&vector, &by.matrix);
                    log += by.log_scale;
                    scale *= sum;
                    if scale < 1e-200 {
                        log += libm::log(scale);
                        scale = 1.0;
                    }
                }
            }
            // Observations that are impossible have a sum of 0, and every number after them is NaN.
            let log = log + libm::log(scale);
            logs.push(if log.is_nan() { f64::NEG_INFINITY } else { log });
        }
        Some((logs, kept))
    }

    /// The derivatives by all scaled matrices, and by the start.
    fn backward_pass<const K: usize>(
        &self,
        matrices: &[Scaled<K>],
        shares: &Row<K>,
        kept: &[Row<K>],
    ) -> Option<(Vec<Matrix<K>>, Row<K>)> {
        let mut by_matrix = vec![zero(); matrices.len()];
        let mut by_start = [0.0; K];
        let mut forward = Vec::with_capacity(CHECKPOINT_INTERVAL);
        let mut kept = kept.iter().rev();
        for (from, to) in self.piece_ranges().rev() {
            let mut after = [1.0; K];
            for block in self.program.operations[from..to].chunks(CHECKPOINT_INTERVAL).rev() {
                if self.cancel.is_set() {
                    return None;
                }
                forward.clear();
                let mut vector = *kept.next()?;
                for act in block {
                    let before = vector;
                    let sum;
                    (vector, sum) = advance(&before, &matrices[*act as usize].matrix);
                    forward.push((before, 1.0 / sum));
                }
                for (act, (before, inverse)) in block.iter().zip(&forward).rev() {
                    let act = *act as usize;
                    for (row, weight) in by_matrix[act].iter_mut().zip(before) {
                        let weight = weight * inverse;
                        for (to, value) in row.iter_mut().zip(&after) {
                            *to += weight * value;
                        }
                    }
                    after = matrix_times_row(&matrices[act].matrix, &after)
                        .map(|value| value * inverse);
                }
            }
            if from < to {
                let all = dot(shares, &after);
                by_start.iter_mut().zip(&after).for_each(|(to, value)| *to += value / all);
            }
        }
        Some((by_matrix, by_start))
    }

    /// The derivatives by the transition matrix and by what was seen, from those by all matrices.
    fn derivatives_of_products<const K: usize>(
        &self,
        matrices: &[Scaled<K>],
        mut by: Vec<Matrix<K>>,
        seen: &[Row<K>; 2],
    ) -> (Matrix<K>, [Row<K>; 2]) {
        let (mut by_step, mut by_seen) = (zero(), [[0.0; K]; 2]);
        for (i, how) in self.program.matrices.iter().enumerate().rev() {
            let own = by[i];
            match *how {
                MatrixRecipe::Identity => {}
                MatrixRecipe::Step => add_to(&mut by_step, &own),
                MatrixRecipe::Seen(moved, fate) => {
                    let fate = usize::from(fate == Fate::Lost);
                    let matrix = &matrices[moved as usize].matrix;
                    for row in 0..K {
                        for column in 0..K {
                            by_seen[fate][column] += own[row][column] * matrix[row][column];
                            by[moved as usize][row][column] +=
                                own[row][column] * seen[fate][column];
                        }
                    }
                }
                MatrixRecipe::Product(a, b) => {
                    let (a, b) = (a as usize, b as usize);
                    let factors = (&matrices[a].matrix, &matrices[b].matrix);
                    let (by_a, by_b) = product_derivatives(&own, factors, 1.0 / matrices[i].norm);
                    add_to(&mut by[a], &by_a);
                    add_to(&mut by[b], &by_b);
                }
            }
        }
        (by_step, by_seen)
    }
}

/// The next forward vector, whose sum is 1, and what it was divided by.
#[inline]
fn advance<const K: usize>(vector: &Row<K>, matrix: &Matrix<K>) -> (Row<K>, f64) {
    let next = row_times_matrix(vector, matrix);
    let sum: f64 = next.iter().sum();
    let inverse = 1.0 / sum;
    (next.map(|value| value * inverse), sum)
}

/// The shares of the states after a long time.
struct StationaryShares<const K: usize> {
    shares: Row<K>,
    /// (I - T + 1 shares)^-1, the fundamental matrix [kemeny1960, section 4.3].
    fundamental: Matrix<K>,
}

impl<const K: usize> StationaryShares<K> {
    fn from_transition_matrix(step: &Matrix<K>) -> Option<Self> {
        // shares (I - T + E) = (1, ..., 1) with E full of ones, as the sum of the shares is 1.
        let mut system = zero();
        for i in 0..K {
            for j in 0..K {
                system[i][j] = f64::from(u8::from(i == j)) - step[i][j] + 1.0;
            }
        }
        let shares = row_times_matrix(&[1.0; K], &inverse(&system)?).map(|share| share.max(0.0));
        for row in &mut system {
            for (value, share) in row.iter_mut().zip(&shares) {
                *value += share - 1.0;
            }
        }
        let fundamental = inverse(&system)?;
        shares
            .iter()
            .all(|share| share.is_finite())
            .then_some(StationaryShares { shares, fundamental })
    }

    /// The derivative by the transition matrix of what has this derivative by the shares: these change by
    /// shares dT Z with the fundamental matrix Z, where the rows of dT sum to 0.
    fn back_propagate(&self, by_shares: &Row<K>) -> Matrix<K> {
        let moved = matrix_times_row(&self.fundamental, by_shares);
        self.shares.map(|share| moved.map(|value| share * value))
    }
}
