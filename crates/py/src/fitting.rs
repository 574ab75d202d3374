//! Likelihood and simulation of losses for the fits of measured links.

use crate::interrupt::cancellable;
use crate::memory::Words;
use airtcp_analysis::hidden_chain::{PacketFates, Program, evaluate, simulate};
use airtcp_analysis::loss_scales::{self, shuffled_pairs};
use airtcp_core::{Cancel, Stream};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Work of an evaluation that takes long enough to be worth a thread, from which Ctrl-C ends it.
const LONG_INPUT: usize = 1 << 17;

/// The fates of packets, ready for any chain: 1 for a loss, 0 for an arrival, another byte for neither; `gaps`, 32 bits each
/// as they lie in memory, are the steps since the packet before, none where each packet is a step; `starts` are the
/// numbers of the first packets of pieces.
#[pyclass(frozen, module = "airtcp._native")]
pub(crate) struct Losses(Program);

/// Log-likelihood of each piece; derivatives by the transitions, by them through the starts, by the probabilities of arrivals
/// and of losses.
type Answer = (Vec<f64>, Vec<f64>, Vec<f64>, Vec<f64>, Vec<f64>);

#[pymethods]
impl Losses {
    #[new]
    fn new(
        py: Python<'_>,
        fates: &[u8],
        gaps: Option<&[u8]>,
        starts: Vec<usize>,
    ) -> PyResult<Self> {
        let gaps = gaps.map(words);
        check(fates.len(), gaps.as_deref(), &starts)?;
        let fates: Vec<i8> = fates.iter().map(|byte| byte.cast_signed()).collect();
        let made = move || {
            Program::new(PacketFates { gaps: gaps.as_deref(), fates: &fates, starts: &starts })
        };
        Ok(Losses(py.detach(made)))
    }

    /// Number of products of a vector and a matrix in an evaluation.
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Log-likelihood of each piece and its derivatives (empty unless asked for), or None where the chain has no long run.
    fn evaluate(
        &self,
        py: Python<'_>,
        transition: Vec<f64>,
        loss: Vec<f64>,
        derivatives: bool,
    ) -> PyResult<Option<Answer>> {
        let work =
            move |cancel: &Cancel| evaluate(&self.0, &transition, &loss, derivatives, cancel);
        let found = if self.0.len() < LONG_INPUT {
            py.detach(|| work(&Cancel::new()))
        } else {
            cancellable(py, work)?
        };
        Ok(found.map(|e| {
            (
                e.pieces,
                e.transition_derivatives,
                e.start_derivatives,
                e.arrival_derivatives,
                e.loss_derivatives,
            )
        }))
    }
}

/// The numbers of the packets lost among `n` that meet a chain of transitions, losses, and shares of the states at the start
/// of each piece; `stream` is a seed and a replication.
#[pyfunction]
pub(crate) fn simulate_losses(
    py: Python<'_>,
    chain: (Vec<f64>, Vec<f64>, Vec<f64>),
    n: usize,
    gaps: Option<&[u8]>,
    starts: Vec<usize>,
    stream: (u64, u64),
) -> PyResult<Words> {
    let gaps = gaps.map(words);
    check(n, gaps.as_deref(), &starts)?;
    let (transition, loss, shares) = chain;
    if shares.len() != loss.len() || transition.len() != loss.len() * loss.len() {
        return Err(PyValueError::new_err("sizes of a chain that do not fit"));
    }
    let mut stream = Stream::new(stream.0, "fitting/losses", stream.1);
    let lost = cancellable(py, move |cancel| {
        let chain = (&transition[..], &loss[..], &shares[..]);
        let lost = simulate(chain, gaps.as_deref(), (n, &starts), &mut stream, cancel);
        lost.into_iter().map(|at| [at]).collect::<Vec<_>>()
    })?;
    Ok(lost.into())
}

/// Neighbours among the losses, and pairs of them in blocks of 2, 4, 8, ... packets; `losses` are 64 bits each.
#[pyfunction]
pub(crate) fn loss_pairs(losses: &[u8], n: u64) -> Vec<f64> {
    let losses = losses.as_chunks().0.iter().map(|bytes| u64::from_ne_bytes(*bytes));
    loss_scales::loss_pairs(&losses.collect::<Vec<_>>(), n)
}

/// Pairs of losses, by their distance, in `times` random orders of `lost` losses among `n` packets.
#[pyfunction]
pub(crate) fn shuffled_loss_pairs(
    py: Python<'_>,
    lost: u64,
    n: u64,
    times: usize,
    seed: u64,
) -> PyResult<Vec<Vec<f64>>> {
    if lost > n {
        return Err(PyValueError::new_err("more losses than packets"));
    }
    let mut stream = Stream::new(seed, "fitting/orders", 0);
    cancellable(py, |cancel| shuffled_pairs(lost, n, times, &mut stream, cancel))
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|bytes| u32::from_ne_bytes(*bytes)).collect()
}

fn check(n: usize, gaps: Option<&[u32]>, starts: &[usize]) -> PyResult<()> {
    let fit = gaps.is_none_or(|gaps| gaps.len() == n)
        && starts.first() == Some(&0)
        && starts.is_sorted()
        && starts.last() <= Some(&n);
    if fit { Ok(()) } else { Err(PyValueError::new_err("fates, gaps and starts that do not fit")) }
}
