//! Observations as a straight-line program of matrices, the same for every chain.

use std::collections::HashMap;

/// Fate of a packet as it was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fate {
    /// The packet arrived.
    Arrived,
    /// The packet was lost.
    Lost,
    /// Unknown: the chain moves without an observation.
    Unknown,
}

/// Recipe for a matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum MatrixRecipe {
    /// The identity: packets of one step.
    Identity,
    /// The transition matrix.
    Step,
    /// The product of two that were made before.
    Product(u32, u32),
    /// An earlier matrix followed by an observation.
    Seen(u32, Fate),
}

/// Digits are to this base: the powers of a matrix up to 16^l take 15 l products, and a power of a vector
/// one product per digit that is not 0.
const BASE: u64 = 16;

/// Packets of one fate at equal distances.
#[derive(Clone, Copy)]
struct FateRun {
    gap: u64,
    fate: Fate,
    count: u64,
}

/// Observations of a chain, in pieces that are independent of each other.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub(super) matrices: Vec<MatrixRecipe>,
    /// The matrices that act on the forward probabilities, in their order.
    pub(super) operations: Vec<u32>,
    /// First operation of each piece.
    pub(super) pieces: Vec<usize>,
}

/// The distances and fates of packets: `gaps` in steps from the packet before, or `None` where every packet is
/// a step. The gap of the first packet of a piece has no meaning.
#[derive(Clone, Copy, Debug)]
pub struct PacketFates<'a> {
    /// Steps since the packet before.
    pub gaps: Option<&'a [u32]>,
    /// 1 for a loss, 0 for an arrival, any other number for neither.
    pub fates: &'a [i8],
    /// Indices of the first packets of pieces; the first is 0.
    pub starts: &'a [usize],
}

impl Program {
    /// The program of these packets.
    #[must_use]
    pub fn new(packets: PacketFates<'_>) -> Self {
        let mut maker = ProgramBuilder::default();
        let ends = packets.starts.iter().skip(1).copied().chain([packets.fates.len()]);
        for (&start, end) in packets.starts.iter().zip(ends) {
            maker.program.pieces.push(maker.program.operations.len());
            maker.add_piece(packets, start, end);
        }
        maker.program
    }

    /// Number of products of a vector and a matrix in an evaluation.
    #[must_use]
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// True where nothing was seen.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }
}

#[derive(Default)]
struct ProgramBuilder {
    program: Program,
    step: Option<u32>,
    /// T^gap.
    step_matrices: HashMap<u64, u32>,
    /// T^gap D.
    observation_matrices: HashMap<(u64, Fate), u32>,
    /// Powers of each matrix M: at `l`, M^(16^l), M^(2 16^l), ...
    powers: HashMap<u32, Vec<Vec<u32>>>,
}

impl ProgramBuilder {
    fn add_piece(&mut self, packets: PacketFates<'_>, start: usize, end: usize) {
        let fate = |i: usize| match packets.fates[i] {
            1 => Fate::Lost,
            0 => Fate::Arrived,
            _ => Fate::Unknown,
        };
        // A chain as after a long time does not change by a step: the first may be as long as others.
        let gap = |i: usize| match packets.gaps {
            Some(gaps) if i > start => u64::from(gaps[i]),
            _ => 1,
        };
        let mut i = start;
        while i < end {
            let run = FateRun { gap: gap(i), fate: fate(i), count: 1 };
            let mut next = i + 1;
            while next < end && gap(next) == run.gap && fate(next) == run.fate {
                next += 1;
            }
            self.add_run(FateRun { count: (next - i) as u64, ..run });
            i = next;
        }
    }

    fn add_run(&mut self, run: FateRun) {
        let base = self.observation_matrix(run.gap, run.fate);
        let factors = self.power_factors(base, run.count);
        self.program.operations.extend(factors);
    }

    fn add_matrix(&mut self, how: MatrixRecipe) -> u32 {
        self.program.matrices.push(how);
        (self.program.matrices.len() - 1) as u32
    }

    fn observation_matrix(&mut self, gap: u64, fate: Fate) -> u32 {
        if let Some(&known) = self.observation_matrices.get(&(gap, fate)) {
            return known;
        }
        let moved = self.step_matrix(gap);
        let made = if fate == Fate::Unknown {
            moved
        } else {
            self.add_matrix(MatrixRecipe::Seen(moved, fate))
        };
        self.observation_matrices.insert((gap, fate), made);
        made
    }

    fn step_matrix(&mut self, gap: u64) -> u32 {
        if let Some(&known) = self.step_matrices.get(&gap) {
            return known;
        }
        let step = match self.step {
            Some(step) => step,
            None => *self.step.insert(self.program.matrices.len() as u32),
        };
        if step as usize == self.program.matrices.len() {
            self.add_matrix(MatrixRecipe::Step);
        }
        let factors = self.power_factors(step, gap);
        let product = factors
            .into_iter()
            .reduce(|first, second| self.add_matrix(MatrixRecipe::Product(first, second)));
        let made = product.unwrap_or_else(|| self.add_matrix(MatrixRecipe::Identity));
        self.step_matrices.insert(gap, made);
        made
    }

    /// Matrices whose product is the power `n` of `base`: one per digit that is not 0.
    fn power_factors(&mut self, base: u32, n: u64) -> Vec<u32> {
        let (mut factors, mut rest, mut level) = (vec![], n, 0);
        while rest > 0 {
            let digit = (rest % BASE) as usize;
            if digit > 0 {
                factors.push(self.power_matrix(base, level, digit));
            }
            rest /= BASE;
            level += 1;
        }
        factors
    }

    /// M^(digit 16^level).
    fn power_matrix(&mut self, base: u32, level: usize, digit: usize) -> u32 {
        let mut powers = self.powers.remove(&base).unwrap_or_else(|| vec![vec![base]]);
        while powers.len() <= level {
            let last = powers.len() - 1;
            self.ensure_power(&mut powers[last], BASE as usize - 1);
            let (first, most) = (powers[last][0], powers[last][BASE as usize - 2]);
            powers.push(vec![self.add_matrix(MatrixRecipe::Product(most, first))]);
        }
        self.ensure_power(&mut powers[level], digit);
        let found = powers[level][digit - 1];
        self.powers.insert(base, powers);
        found
    }

    fn ensure_power(&mut self, row: &mut Vec<u32>, digit: usize) {
        while row.len() < digit {
            let next = self.add_matrix(MatrixRecipe::Product(row[row.len() - 1], row[0]));
            row.push(next);
        }
    }
}
