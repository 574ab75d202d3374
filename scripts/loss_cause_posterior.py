"""Write python/airtcp/data/loss_causes.csv: coefficients of the posterior of causes of losses.

`python scripts/loss_cause_posterior.py` (`make loss-cause-posterior`) simulates captures of the
cells of the known matrix of `loss_causes.py`, with other links and seeds than that study, and fits
a logistic regression to the true causes. Ctrl-C ends it; captures that are done are kept in
out/loss_cause_posterior. Seeds are fixed: the file is the same on every machine.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from kept_results import Kept, workers
from loss_cause_captures import Cell, Link, captured
from loss_causes import KNOWN, MATRICES
from numpy.typing import NDArray
from scipy import optimize, special

from airtcp.measured.causes import judged
from airtcp.measured.causes_posterior import FEATURES, INTERCEPT
from airtcp.measured.measurement import UNKNOWN

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "python/airtcp/data/loss_causes.csv"
KEPT = ROOT / "out/loss_cause_posterior"
SEED = 101_000  # of the first capture
RIDGE = 1.0  # half of the penalty on squared coefficients, against features that go together
MOST = 100  # losses of a view of a capture that are taken
DIGITS = 4

Floats = NDArray[np.float64]


def case(number: int) -> tuple[Cell, Link, int]:
    """The cell, the link and the seed of a capture; the link is the next one of the list."""
    matrix = MATRICES[KNOWN]
    _, link, _ = matrix.case(number)
    after = matrix.links[(matrix.links.index(link) + 1) % len(matrix.links)]
    return matrix.cells[number], after, SEED + number


def examples(number: int) -> list[list[Any]]:
    """Of each view of a capture: features of losses, true causes, and the weight of each.

    Of many losses some are drawn. A view counts as the square root of its losses: they are right or
    wrong together.
    """
    found = []
    for _, seen in captured(*case(number)):
        known = judged(seen.packets)
        cause = seen.cause[known.losses]
        rows = np.flatnonzero(cause != UNKNOWN)
        if not len(rows):
            continue
        weight = np.sqrt(len(rows)) / min(len(rows), MOST)
        drawn = np.random.default_rng(SEED + number).permutation(rows)[:MOST]
        features = known.features[drawn].round(DIGITS + 2)
        found.append([features.tolist(), cause[drawn].tolist(), float(weight)])
    return found


def fit(features: Floats, by_queue: Floats, weight: Floats) -> Floats:
    """Coefficients of greatest penalized likelihood, and the intercept behind them."""
    every = np.column_stack([features, np.ones(len(features))])
    penalty = np.append(np.full(features.shape[1], RIDGE), 0.0)

    def loss(at: Floats) -> tuple[float, Floats]:
        score = every @ at
        value = weight @ (np.logaddexp(0.0, score) - by_queue * score) + penalty @ at**2
        slope = every.T @ (weight * (special.expit(score) - by_queue)) + 2.0 * penalty * at
        return float(value), slope

    start = np.zeros(every.shape[1])
    return np.asarray(optimize.minimize(loss, start, jac=True, method="L-BFGS-B", tol=1e-12).x)


def fitted(views: Sequence[Sequence[Any]]) -> Floats:
    """Coefficients from the examples of all views."""
    features = np.concatenate([np.array(rows) for rows, _, _ in views])
    by_queue = np.concatenate([np.array(cause, dtype=np.float64) for _, cause, _ in views])
    weight = np.concatenate(
        [np.full(len(cause), weight_of_view) for _, cause, weight_of_view in views]
    )
    return fit(features, by_queue, weight)


def write(coefficients: Floats, path: Path = TABLE) -> None:
    """Write the table."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["feature", "coefficient"])
        for name, value in zip((*FEATURES, INTERCEPT), coefficients, strict=True):
            table.writerow([name, f"{value:.{DIGITS}f}"])


def main() -> int:
    """Simulate, fit and write."""
    numbers = range(len(MATRICES[KNOWN].cells))
    with workers() as pool:
        try:
            run = Kept(KEPT, partial(pool.map, chunksize=5)).of(KNOWN)
            captures = list(run(examples, numbers))
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            print("interrupted", file=sys.stderr)
            return 130
    write(fitted([view for views in captures for view in views]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
