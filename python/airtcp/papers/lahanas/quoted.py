"""The percentages that the text quotes, each from two means of 10 runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from airtcp.papers.base import Judgement, Statement, judge_share, percent
from airtcp.papers.lahanas.pairs import paired_differences, ten_run_range
from airtcp.papers.lahanas.study import WORDS, Floats, LahanasStudy

_HALF_UNIT = 0.005  # a quoted percentage stands for what is rounded to it
Pair = tuple[str, str]

_TAHOE_PAIR, _RENO_PAIR = ("tahoe-probing", "tahoe"), ("reno-probing", "reno")


@dataclass(frozen=True, kw_only=True)
class QuotedDifferences:
    """Relative differences at one On length, by pair and error rate; "3 times faster" is -2/3."""

    name: str
    text: str
    where: str
    quantity: str
    on: int
    values: dict[Pair, dict[int, float]]

    @property
    def statement(self) -> Statement:
        """A statement that the intervals of our differences judge."""
        return Statement(
            name=self.name,
            text=self.text,
            where=self.where,
            rule="every quoted difference lies in the 95 % interval of ours, to half a percent"
            " (partly: at least half of them do)",
            judge=self._judge,
            of="study",
        )

    def _judge(self, study: LahanasStudy) -> Judgement:
        tables = [self._compare(study, pair) for pair in self.values]
        all_cells = pd.concat(tables)
        inside, noise = int(all_cells["inside"].sum()), int(all_cells["noise"].sum())
        return Judgement(
            verdict=judge_share(all_cells["inside"], 0.5),
            finding=f"{inside} of {len(all_cells)} do; {noise} lie where 95 % of comparisons of two"
            f" means of 10 runs fall. {'; '.join(map(_pair_words, tables))}.",
            numbers={
                f"{WORDS[row.one]}, {row.other}, {row.error_rate_pct} %": row.relative
                for row in all_cells.itertuples()
            },
        )

    def _compare(self, study: LahanasStudy, pair: Pair) -> pd.DataFrame:
        """One row per quoted difference of a pair."""
        rates, quoted = list(self.values[pair]), np.array(list(self.values[pair].values()))
        found = paired_differences(study, self.quantity, [pair], [self.on], rates).assign(
            quoted=quoted
        )
        ranges = [ten_run_range(study, self.quantity, pair, self.on, rate) for rate in rates]
        low, high = np.array(ranges).T
        found["inside"] = _is_between(quoted, found["low"].to_numpy(), found["high"].to_numpy())
        found["noise"] = _is_between(quoted, low, high)
        return found


def _is_between(quoted: Floats, low: Floats, high: Floats) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (low - _HALF_UNIT <= quoted) & (quoted <= high + _HALF_UNIT)
    return found


def _pair_words(found: pd.DataFrame) -> str:
    """All differences of a pair in one clause."""
    first = found.iloc[0]
    rates = ", ".join(str(rate) for rate in found["error_rate_pct"])
    ours = ", ".join(percent(difference) for difference in found["relative"])
    quoted = ", ".join(percent(difference) for difference in found["quoted"])
    names = f"{WORDS[first['one']]} against {WORDS[first['other']]}"
    return f"{names} at {rates} %: {ours} (quoted {quoted})"


QUOTED = {
    "fig2": QuotedDifferences(
        name="time-1s-quoted",
        text="With On 1 s probing saves Tahoe 2 to 24 % of its time, Reno 1.2 to 36 %.",
        where="4, Fig. 2",
        quantity="time_s",
        on=1,
        values={
            _TAHOE_PAIR: {1: -0.02, 20: -0.03, 33: -0.09, 50: -0.24, 99: -0.18},
            _RENO_PAIR: {20: -0.035, 33: -0.012, 50: -0.08, 99: -0.36},
        },
    ),
    "fig3": QuotedDifferences(
        name="time-3s-quoted",
        text="With On 3 s Tahoe-Probing is 2.3 % to 3 times faster than Tahoe, Reno-Probing 1.5 %"
        " to 5.5 times faster than Reno (five numbers, which fit the error rates from 10 % on).",
        where="4, Fig. 3",
        quantity="time_s",
        on=3,
        values={
            _TAHOE_PAIR: {10: -0.023, 20: -0.14, 33: -0.27, 50: -0.62, 99: 1.0 / 3.0 - 1.0},
            _RENO_PAIR: {10: -0.13, 20: -0.015, 33: -0.2, 50: -0.33, 99: 1.0 / 5.5 - 1.0},
        },
    ),
    "fig5": QuotedDifferences(
        name="overhead-1s-quoted",
        text="With On 1 s probing saves Tahoe 1 to 8 % of its overhead, Reno 3 and 4 %.",
        where="4, Fig. 5",
        quantity="overhead_pct",
        on=1,
        values={
            _TAHOE_PAIR: {1: -0.04, 20: -0.01, 33: -0.06, 50: -0.05, 99: -0.08},
            _RENO_PAIR: {50: -0.03, 99: -0.04},
        },
    ),
    "fig9": QuotedDifferences(
        name="adaptive-1s-quoted",
        text="With On 1 s and 99 % Adaptive is 13 % faster than Tahoe-Probing, 16 % than"
        " Reno-Probing.",
        where="4.1, Fig. 9",
        quantity="time_s",
        on=1,
        values={
            ("adaptive", "tahoe-probing"): {99: -0.13},
            ("adaptive", "reno-probing"): {99: -0.16},
        },
    ),
    "fig10": QuotedDifferences(
        name="adaptive-2s-quoted",
        text="With On 2 s and 33 % Adaptive is 8 % faster than Reno-Probing, 11 % than"
        " Tahoe-Probing.",
        where="4.1, Fig. 10",
        quantity="time_s",
        on=2,
        values={
            ("adaptive", "reno-probing"): {33: -0.08},
            ("adaptive", "tahoe-probing"): {33: -0.11},
        },
    ),
}
