"""Text that `airtcp contest` prints."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from airtcp.cli.text import cell_texts, fits, make_table, records, render_page, to_csv, to_json
from airtcp.support.format import UNEQUAL_MARK, few_mark, few_mark_lines, has_mark
from airtcp.terminal import Printable

if TYPE_CHECKING:
    from rich.table import Table

    from airtcp.simulation.contests import Contest

MEAN_COLUMNS = ("share", "harm", "rival_harm")  # those with an interval
UNEQUAL_LEVEL = 0.05  # below it a share is called unequal


def contest_text(contest: Contest, form: str) -> Printable:
    """The matrix of shares, and a line per pair; or all of the table."""
    if form == "csv":
        return to_csv(contest.table)
    if form == "json":
        return to_json(
            {
                "variants": contest.variants,
                "flows": contest.flows,
                "chance": contest.chance,
                "pairs": records(contest.table),
            }
        )
    rows = contest.table.to_dict("records")
    met = {(row["variant"], row["rival"]): row for row in rows}
    matrix = [
        [variant, *(_share_cell(met[variant, other]) for other in contest.variants)]
        for variant in contest.variants
    ]
    heads = ["share of, against", *contest.variants]
    shares = make_table(heads, matrix, len(contest.variants))
    others, left = _pairs_table([row for row in rows if _is_first(contest, row)])
    cells = cell_texts(shares, others)
    without, n = _no_intervals_lines(contest, rows), max(row["replications"] for row in rows)
    notes = without or few_mark_lines(cells, rows, MEAN_COLUMNS, n)
    last = [*left, *notes, _footer(contest, "" if without else _interval_words(n, cells))]
    return render_page([shares, "", others, "", *last])


PAIR_COLUMNS: dict[str, Callable[[dict[str, Any]], str]] = {  # column: its cell
    "variant": lambda row: row["variant"],
    "rival": lambda row: row["rival"],
    "Mbit/s": lambda row: f"{row['goodput_bps'] / 1e6:.3g}",
    "busy\n(%)": lambda row: f"{100.0 * row['utilisation']:.1f}",
    "fairness": lambda row: _value_or_dash(row["fairness"], "{:.2f}".format),
    "harm\n(%)": lambda row: _percent_cell(row, "harm"),
    "harm\nof rival\n(%)": lambda row: _percent_cell(row, "rival_harm"),
    "delay\n(ms)": lambda row: _value_or_dash(row["delay_median"], _milliseconds),
    "delay\nof rival\n(ms)": lambda row: _value_or_dash(row["rival_delay_median"], _milliseconds),
}
# Left out first where the terminal is narrow.
COLUMNS_TO_DROP_FIRST = ("fairness", "busy\n(%)", "Mbit/s")


def _pairs_table(rows: list[dict[str, Any]]) -> tuple[Table, list[str]]:
    """A row per pair, with as many columns as fit, and a line on those left out."""
    for number in range(len(COLUMNS_TO_DROP_FIRST) + 1):
        heads = [head for head in PAIR_COLUMNS if head not in COLUMNS_TO_DROP_FIRST[:number]]
        table = make_table(
            heads, ([PAIR_COLUMNS[head](row) for head in heads] for row in rows), len(heads) - 2
        )
        if fits(table):
            break
    left = [head.replace("\n", " ") for head in COLUMNS_TO_DROP_FIRST[:number]]
    return table, [f"Not shown for lack of width: {', '.join(left)}."] if left else []


def _is_first(contest: Contest, row: dict[str, Any]) -> bool:
    place = contest.variants.index
    return place(row["variant"]) <= place(row["rival"])


def _share_cell(row: dict[str, Any]) -> str:
    star = UNEQUAL_MARK if row["p"] < UNEQUAL_LEVEL else ""
    return f"{_mean_with_half_width(row, 'share', '{:.2f}'.format, '0.01')}{star}"


def _percent_cell(row: dict[str, Any], name: str) -> str:
    return _mean_with_half_width(row, name, lambda value: f"{100.0 * value:.0f}", "1")


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.3g}"


def _value_or_dash(value: float, write_number: Callable[[float], str]) -> str:
    """A value; a dash without one, such as a delay where nothing arrived."""
    return "-" if math.isnan(value) else write_number(value)


def _mean_with_half_width(
    row: dict[str, Any], name: str, write_number: Callable[[float], str], step: str
) -> str:
    """A mean and half of its interval, marked where few replications carry the scatter.

    An interval narrower than the `step` of the digits shown is written as that step, not as 0.
    """
    half = (row[f"{name}_high"] - row[f"{name}_low"]) / 2.0
    few = row.get(f"{name}_carriers", math.nan)
    if math.isnan(row[name]):
        return "-"
    if few == 0.0:
        return f"{write_number(row[name])} ± ?"
    width = (
        f"<{step}" if half > 0.0 and write_number(half) == write_number(0.0) else write_number(half)
    )
    interval = "" if math.isnan(half) else f" ± {width}"
    return f"{write_number(row[name])}{interval}{few_mark(not math.isnan(few))}"


def _no_intervals_lines(contest: Contest, rows: list[dict[str, Any]]) -> list[str]:
    """Line on the reason why there are no intervals, where there are none."""
    if contest.chance:
        return [contest.chance]
    n = max(row["replications"] for row in rows)
    if n == 1:
        return ["One replication per pair, so no intervals; use --replications 2 or more."]
    if all(math.isnan(row["share_low"]) for row in rows):
        return [
            f"All {n} replications of each pair are equal: no random event fell into them, so that"
            " no interval can be estimated. Run more or longer replications."
        ]
    return []


def _interval_words(n: int, cells: list[str]) -> str:
    """Words on the intervals, and on the mark of shares where a cell has it."""
    words = (
        f"; {n} replications, each run twice, with either variant starting first. ±: half the 95 %"
        " confidence interval (Student's t)"
    )
    if has_mark(cells, UNEQUAL_MARK):
        words += (
            f"; {UNEQUAL_MARK}: the share differs from 1/2 (p < {UNEQUAL_LEVEL:g}, after Holm's"
            " correction for all pairs)"
        )
    return words


def _footer(contest: Contest, sure: str) -> str:
    return (
        f"Share: part of the goodput of {contest.flows} + {contest.flows} flows{sure}. Mbit/s:"
        " goodput"
        " of all flows. busy: utilisation of the bottleneck. fairness: Jain's index over all flows."
        " harm: goodput lost to this rival, relative to that against its own kind. delay: median,"
        " from a packet's first transmission to its arrival."
    )
