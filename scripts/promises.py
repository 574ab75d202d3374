"""Write docs/evidence/promises.md: what intervals, tests and verdicts promise, and what they keep.

`python scripts/promises.py` (`make statistics`) repeats each statistic on values whose truth is
known, in minutes, writes the page, and ends with 1 if a promise is broken; `--cases N` repeats it
N times instead, for a quick look, and prints only. Ctrl-C ends it. Seeds are fixed: the page is the
same on every machine.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import claim_rows
import interval_rows
import verdict_rows
from promise_rows import Row

from airtcp.support.progress import progress_bar

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/evidence/promises.md"
CASES = 10_000
LEAST = 1000  # cases that `--cases` takes


@dataclass(frozen=True)
class Table:
    """Rows of one kind under a title and a sentence.

    - `heads`: of the first columns and of what stands beside; `groups`: what makes the rows, from
      the number of cases.
    """

    title: str
    text: str
    heads: tuple[str, ...]
    groups: tuple[Callable[[int], Iterator[Row]], ...]

    @property
    def all_heads(self) -> list[str]:
        """The heads of all columns."""
        first, *beside = self.heads
        return [first, "promised %", "measured %", *beside, "cases"]


TABLES = (
    Table(
        "Means",
        "The table shows how often Student's 95 % interval covers the mean: of all intervals"
        " (measured), and of those without the mark that few runs decide them (unmarked). For"
        " skewed values, or too few to show skewness, there is no promise.",
        ("values, runs", "unmarked %", "marked %"),
        (interval_rows.means,),
    ),
    Table(
        "Marks",
        "The table shows how often an interval misses the mean and has no mark, and how often"
        " normal values are marked. Fewer than twenty values do not show their skewness; a line"
        " below each table of results says so.",
        ("means, runs",),
        (interval_rows.marks,),
    ),
    Table(
        "Other intervals",
        "The table shows the coverage of 95 % intervals for normal values, medians of exponential"
        " values, and correlated time series. The median of five runs or fewer has no interval"
        " between order statistics. Bootstrap intervals of fewer than ten (medians) or thirty"
        " (ratios) values are too narrow and have no promise.",
        ("interval, runs",),
        interval_rows.OTHERS,
    ),
    Table(
        "After a search for a precision",
        "The table shows the coverage of the mean after a search for a relative half-width, and"
        " how many runs the search took on average.",
        ("values, precision", "runs"),
        (interval_rows.searches,),
    ),
    Table(
        "False claims",
        "The table shows how often a ranking excludes one of four equal variants, or the better of"
        " two whose rival is better in most runs and far worse in few. (Hidden: with 1 ms of"
        " jitter, the marks do not show that no run met a timeout.) It shows how often a contest"
        " of a TCP with itself finds an unequal share, and how often a statement exactly on the"
        " edge of its rule gets a verdict. The last rows show the coverage of a contest's share of"
        " 1/2 and harm of 0, and how often the advised number of runs decides a statement.",
        ("claim, runs",),
        (
            claim_rows.rankings,
            claim_rows.rare_rankings,
            claim_rows.contests,
            claim_rows.claims,
            claim_rows.advised_claims,
        ),
    ),
    Table(
        "Verdicts",
        "Two engines have independent normal runs with standard deviation sd, and are equal, 1 or"
        " 2 % apart. The table shows how often the first look finds a difference, how often the"
        " verdict is wrong after runs were added as advised, and how often the first advice"
        " suffices. Rows have independent random numbers, and are also counted together.",
        ("verdict: runs, sd",),
        (verdict_rows.verdicts,),
    ),
)
Measured = list[tuple[Table, list[Row]]]


def measured(cases: int, advance: Callable[[int], object] = lambda _: None) -> Measured:
    """All tables with their rows; `advance` is told of each group of rows."""
    found: Measured = []
    for table in TABLES:
        rows: list[Row] = []
        for group in table.groups:
            rows += group(cases)
            advance(1)
        found.append((table, rows))
    return found


def page(tables: Measured) -> str:
    """The page."""
    lines = [
        "# Promises of the statistics, and how well they are kept",
        "",
        "This study applies each statistic of airtcp to values whose truth is known. Shares have"
        " 95 % intervals (Clopper and Pearson 1934). `make statistics` makes this page, and fails"
        " if a share breaks its promise by more than random error (one in ten thousand);"
        " `tests/test_promises.py` repeats it in small. [Statistics](../explanation/statistics.md)"
        " and [verdicts](../reference/metrics.md#verdicts) describe the methods.",
    ]
    for table, rows in tables:
        lines += ["", f"## {table.title}", "", table.text, ""]
        lines.append(f"| {' | '.join(table.all_heads)} |")
        lines.append("|" + "---|" * len(table.all_heads))
        lines += [f"| {' | '.join(row.cells)} |" for row in rows]
    return "\n".join(lines) + "\n"


def text(tables: Measured) -> str:
    """The tables for a terminal of 80 columns."""
    lines: list[str] = []
    for table, rows in tables:
        cells = [table.all_heads, *(row.cells for row in rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines += ["", table.title, ""]
        for row in cells:
            padded = (cell.ljust(n) for cell, n in zip(row, widths, strict=True))
            lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def broken(tables: Measured) -> list[str]:
    """A line for each promise that is not kept."""
    return [
        f"{row.what}: {row.promise.words} % promised, {100.0 * row.share:.1f} % measured"
        for _, rows in tables
        for row in rows
        if not row.is_kept
    ]


def main(arguments: Iterable[str] | None = None) -> int:
    """Measure, and write or print; 1 if a promise is broken."""
    parser = argparse.ArgumentParser(description="Measure what statistics promise.")
    parser.add_argument("--cases", type=int, help=f"repetitions; {CASES} write the page")
    asked = parser.parse_args(None if arguments is None else list(arguments)).cases
    if asked is not None and asked < LEAST:
        print(f"--cases {asked}: at least {LEAST}", file=sys.stderr)
        return 2
    try:
        number = sum(len(table.groups) for table in TABLES)
        with progress_bar(True, "measuring", number) as advance:
            tables = measured(asked or CASES, advance)
    except KeyboardInterrupt:
        print("interrupted: nothing is written", file=sys.stderr)
        return 130
    print(text(tables))
    if asked is None:
        PAGE.write_text(page(tables), encoding="utf-8")
    lines = broken(tables)
    if lines:
        print("\n".join(["", "Broken promises:", *lines]), file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
