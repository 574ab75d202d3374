"""The result of a reproduction: a table, a figure, judged claims, agreement of two engines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from scipy import special

from airtcp.papers.claims import Claim, Verdict, whole_percent
from airtcp.report.page import inline_svg, render
from airtcp.stats import CONFIDENCE, mean_intervals, miss_probability, z_scores


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """Position of simulated points relative to the analysis.

    Each point's interval misses the true value with probability 1 - `confidence`, independently
    (every point has its own random stream), so `misses` is binomial if the analysis is right.
    `chance` is the probability of at least that many. `largest_z` is the largest deviation, as the
    standard normal quantile with the same tail as its Student t.
    """

    points: int
    misses: int
    expected: float
    chance: float
    largest_z: float
    confidence: float = CONFIDENCE

    def __str__(self) -> str:
        """The agreement in a sentence."""
        return (
            f"{self.misses} of {self.points} intervals ({whole_percent(self.confidence)}) miss the"
            f" analysis;"
            f" {self.expected:.1f} are expected, at least {self.misses} happen with probability"
            f" {self.chance:.2g}; largest deviation |z| = {self.largest_z:.2f}"
        )


@dataclass(frozen=True, kw_only=True, repr=False)
class Reproduction:
    """A figure, table or experiment of a paper, or (with `parts`) the whole paper.

    - `title`, `text`: a description, one paragraph;
    - `table`: the numbers, one row per curve and abscissa; `figure`: a matplotlib figure, or None;
      `unit`: of its ordinate, and how many of the table's units make one;
    - `tables`: further tables by name, for programs: lists in JSON, CSV files beside the page;
    - `claims`: the paper's statements on it, judged; `agreement_with_truth`: simulation against
    analysis;
    - `cover`: the part whose figure stands for the paper in an index; empty: the first one;
    - `name`: "zorzi/fig2"; `references`: the works to cite, keys of the bibliography; `facts`:
      versions, seed and sizes of this run; `report`: the page, if one was written. `reproduce`
      fills them in.
    """

    title: str
    table: pd.DataFrame
    name: str = ""
    text: str = ""
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    figure: Figure | None = None
    unit: tuple[str, float] = ("", 1.0)
    agreement: Agreement | None = None
    parts: tuple[Reproduction, ...] = ()
    cover: str = ""
    references: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    report: Path | None = None

    def __getitem__(self, part: str) -> Reproduction:
        """A part by the last piece of its name: ``whole["fig2"]``."""
        for part_found in self.parts:
            if part in (part_found.name, part_found.slug):
                return part_found
        raise KeyError(part)

    @property
    def slug(self) -> str:
        """The last piece of the name, for files."""
        return self.name.rpartition("/")[2]

    @property
    def verdicts(self) -> dict[Verdict, int]:
        """Numbers of claims that hold, hold partly, fail, or are undecided."""
        found = [claim.verdict for claim in self.claims]
        kinds: tuple[Verdict, ...] = ("holds", "partly", "fails", "undecided")
        return {kind: found.count(kind) for kind in kinds}

    @property
    def files(self) -> dict[str, pd.DataFrame]:
        """Tables that lie beside a page as CSV, by the name of the file without its ending."""
        own = {name: name if self.parts else f"{self.slug}-{name}" for name in self.tables}
        found = {own[name]: table for name, table in self.tables.items()}
        for part in self.parts or (self,):
            found[part.slug] = part.table
        if self.claims:
            found["claims" if self.parts else f"{self.slug}-claims"] = self.claims_table()
        return found

    def claims_table(self) -> pd.DataFrame:
        """The claims, one row each."""
        columns = ["name", "where", "text", "verdict", "finding", "rule"]
        rows = [[getattr(claim, column) for column in columns] for claim in self.claims]
        return pd.DataFrame(rows, columns=columns)

    def __repr__(self) -> str:
        """Name, title, size and verdicts in a few lines."""
        counted = ", ".join(f"{number} {kind}" for kind, number in self.verdicts.items() if number)
        return f"Reproduction({self.name}: {self.title}; {len(self.table)} rows; {counted})"

    def _repr_html_(self) -> str:
        figure = self.figure
        picture = None if figure is None else inline_svg(figure, self.slug, self.title)
        return render("fragment.html.j2", part=self, picture=picture)


def agreement_with_truth(
    mean: ArrayLike, sd: ArrayLike, replications: ArrayLike, truth: ArrayLike
) -> Agreement:
    """Compare simulated means with the values they should have; see `Agreement`."""
    error = np.asarray(sd, dtype=float) / np.sqrt(np.asarray(replications, dtype=float))
    z = z_scores(mean, truth, error, replications)
    z = z[np.isfinite(z)]  # without scatter there is no interval
    misses = int((np.abs(z) > special.ndtri(0.5 + CONFIDENCE / 2.0)).sum())
    return Agreement(
        points=z.size,
        misses=misses,
        expected=z.size * (1.0 - CONFIDENCE),
        chance=miss_probability(misses, z.size, CONFIDENCE),
        largest_z=float(np.abs(z).max(initial=0.0)),
    )


def interval_of_mean(values: ArrayLike) -> dict[str, float]:
    """`mean` of independent values, its 95 % interval `low` to `high`, and `sd` of one value."""
    row = np.asarray(values, dtype=np.float64)
    return {
        name: float(estimate[0]) for name, estimate in mean_intervals(row[np.newaxis, :]).items()
    }
