"""Write docs/evidence/loss_causes.md: how often the causes of losses in captures are right.

`python scripts/loss_causes.py` (`make loss-causes`) simulates captures with losses of a queue and
of a link, attributes the losses, writes the page and docs/evidence/fitting/loss_causes.csv, and
ends with 1 if a promise is broken; `--part N` takes every N-th capture, and prints only. Ctrl-C
ends it; what is done is kept in out/loss_causes, where it goes on until that is removed. Seeds are
fixed: the page is the same on every machine.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from kept_results import Kept, workers
from loss_cause_captures import Cell, Link, captured
from promise_rows import Promise, Row

from airtcp.measured.measurement import UNKNOWN
from airtcp.support.progress import progress_bar

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/evidence/loss_causes.md"
TABLE = ROOT / "docs/evidence/fitting/loss_causes.csv"
KEPT = ROOT / "out/loss_causes"
RIGHT = Promise(0.95)
FEWEST = 20  # attributed losses of a cell, from which on its share of right ones is judged
CLEAR = 4.0  # noises of the queue's delay, above which half of the losses are to be attributed
CONTROLS = ("newreno", "reno", "cubic", "bbr", "bbr3")
LOSSES = ("independent", "bursts", "before")
KNOWN, NEW = "known", "new"
# Cells in which the promise is not kept, and why.
LIMITS = {
    "known, bbr, red": "The queue hardly ever runs empty, so that drops come at every delay, and"
    " where three flows share it their gaps do not tell either: one such capture has 156 of the 255"
    " wrong ones.",
    "known, bbr, codel": "CoDel keeps the delay of BBR even, too. One capture of three flows has 89"
    " of the 188 wrong ones, one with jitter 63.",
    "new, reno, pie": "PIE drops at random, by a probability that it computes from past delays:"
    " at 7 Mbit/s and 25 ms, where few packets wait, also while one to five do (in one capture half"
    " of the drops taken for the link's fell at 3.4 ms or less).",
}


class Matrix(NamedTuple):
    """Cells, and links that their captures take in turn."""

    cells: tuple[Cell, ...]
    links: tuple[Link, ...]
    seed: int

    def case(self, number: int) -> tuple[Cell, Link, int]:
        """The cell, the link and the seed of a capture; some go round the links before others."""
        link = self.links[(number + number // len(self.links)) % len(self.links)]
        return self.cells[number], link, self.seed + number


def _matrix(
    queues: Sequence[float | str],
    jitters: Sequence[float],
    flows: Sequence[int],
    links: Sequence[tuple[float, float, float]],
    seed: int,
) -> Matrix:
    cells = itertools.product(CONTROLS, queues, LOSSES, jitters, flows)
    return Matrix(tuple(Cell(*cell) for cell in cells), tuple(Link(*link) for link in links), seed)


# The method was developed on captures like those of the first; none of the second had a part in it.
MATRICES = {
    KNOWN: _matrix(
        (0.25, 4.0, "red", "codel", "fq-codel"),
        (0.0, 2.0),
        (1, 3),
        ((10, 40, 0.01), (20, 40, 0.002), (20, 80, 0.01), (10, 40, 0.002)),
        1000,
    ),
    NEW: _matrix(
        (0.5, 2.0, "red", "pie"),
        (0.0, 1.0),
        (1, 2),
        ((7, 25, 0.005), (35, 60, 0.003), (14, 120, 0.02)),
        5000,
    ),
}


class Count(NamedTuple):
    """Losses of a capture as seen from one end.

    - `lost`, `attributed`, `right`: all of them;
    - `clear`, `clear_attributed`: those at a delay of the queue above `CLEAR` noises;
    - `is_clear`: 1 if the queue's delay spans more than that, else 0.
    """

    end: str
    lost: int
    attributed: int
    right: int
    clear: int
    clear_attributed: int
    is_clear: int


def judged(name: str, number: int) -> list[Count]:
    """The losses of a capture as seen from each end."""
    found = []
    for end, seen in captured(*MATRICES[name].case(number)):
        cause = seen.packets.cause
        lost = seen.cause != UNKNOWN
        attributed = lost & (cause != UNKNOWN)
        clear = lost & (seen.queue_delay > CLEAR * seen.noise)
        span = np.quantile(seen.queue_delay, 0.995)
        numbers = (
            lost.sum(),
            attributed.sum(),
            (attributed & (cause == seen.cause)).sum(),
            clear.sum(),
            (clear & attributed).sum(),
            span > CLEAR * seen.noise,
        )
        found.append(Count(end, *(int(number) for number in numbers)))
    return found


def table(results: dict[str, dict[int, list[Any]]]) -> pd.DataFrame:
    """A row for each capture and end."""
    rows = []
    for name, captures in results.items():
        for number, counts in captures.items():
            cell, link, _ = MATRICES[name].case(number)
            for count in counts:
                row = {"matrix": name, **cell._asdict(), **link._asdict()}
                rows.append(row | Count(*count)._asdict())
    return pd.DataFrame(rows).astype({"queue": str})


def right(what: str, rows: pd.DataFrame) -> Row:
    """The share of attributed losses that are right."""
    return Row(what, RIGHT, int(rows["right"].sum()), int(rows["attributed"].sum()))


def cells_of(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Captures of one matrix with one congestion control and one kind of queue."""
    for keys, cell in rows.groupby(["matrix", "control", "queue"], sort=False):
        yield ", ".join(str(key) for key in keys), cell


def broken(rows: pd.DataFrame) -> list[str]:
    """The promises that are broken by more than chance."""
    found = [right(name, matrix) for name, matrix in rows.groupby("matrix", sort=False)]
    found += [right(what, cell) for what, cell in cells_of(rows)]
    judged_rows = [row for row in found if row.cases >= FEWEST and row.what not in LIMITS]
    return [row.what for row in judged_rows if not row.is_kept]


def _share(part: pd.Series, of: pd.Series) -> str:
    return f"{100.0 * part.sum() / of.sum():.0f}" if of.sum() else "-"


def _halves(rows: pd.DataFrame) -> str:
    """Count captures with a clear queue of which at least half of the losses are attributed."""
    clear = rows[(rows["is_clear"] == 1) & (rows["lost"] > 0)]
    return f"{int((2 * clear['attributed'] >= clear['lost']).sum())} of {len(clear)}"


def _line(name: str, rows: pd.DataFrame) -> str:
    row = right(name, rows)
    low, high = (100.0 * end for end in row.interval) if row.cases else (0.0, 100.0)
    share = f"{100.0 * row.share:.1f} ({low:.1f} to {high:.1f})" if row.cases else "-"
    cells = [
        name,
        str(int(rows["lost"].sum())),
        _share(rows["attributed"], rows["lost"]),
        share,
        _share(rows["clear_attributed"], rows["clear"]),
        _halves(rows),
    ]
    return f"| {' | '.join(cells)} |"


HEAD = (
    "| losses | attributed % | of these right % (95 % interval) | attributed % of those at a clear"
    " delay | captures with half attributed |\n|---|---|---|---|---|---|"
)
INTRODUCTION = """\
A capture shows losses, and some of them TCP caused itself by filling a queue.
[The method](../explanation/measured.md#causes-of-losses) attributes a loss to the queue or to the
link, or says that it cannot tell. This study simulates captures with losses of both kinds and
compares each attribution with the simulation.

- **Captures** last 20 s and are read from the sender's end, and from both ends. From the receiver's
  end alone no delay is known, and nothing is attributed. Every row of a matrix is simulated once,
  with a rate, a round trip and a loss rate from a list in turn.
- **Losses of the link** are independent; or come in bursts of 3 packets on average; or are
  independent and lie before the bottleneck, where they leave no gap, as the queue's do.
- **The noise** is the standard deviation of the jitter, at least the time of one packet on the
  link. A queue's delay is *clear* above four times the noise. That half of the losses should be
  attributed where the delay is clear can be read in two ways: of all losses that fell at a clear
  delay; and of the losses of each capture whose queue reaches a clear delay (99.5 % quantile).
- **The new matrix** has other rates, round trips, loss rates, buffers, queues (PIE), jitters and
  numbers of flows. The method was not developed on it.

Promised is that 95 % of the attributed losses are right, in each matrix and in each cell of one
congestion control and one queue with 20 attributed losses or more, but for those
[below](#limits). `make
loss-causes` makes this page and fails where that is broken by more than chance;
`tests/test_loss_causes_study.py` repeats it in small."""
MATRIX_WORDS = {
    KNOWN: "Known: 10 and 20 Mbit/s, 40 and 80 ms, link losses of .2 and 1 %, jitter of 0 and 2 ms,"
    " 1 and 3 flows, drop-tail queues of .25 and 4 BDP, RED, CoDel, FQ-CoDel",
    NEW: "New: 7, 14 and 35 Mbit/s, 25, 60 and 120 ms, link losses of .3, .5 and 2 %, jitter of 0"
    " and 1 ms, 1 and 2 flows, drop-tail queues of .5 and 2 BDP, RED, PIE",
}


def page(rows: pd.DataFrame) -> str:
    """The page."""
    lines = ["# Causes of losses, and how often they are right", "", INTRODUCTION]
    for name, matrix in rows.groupby("matrix", sort=False):
        lines += ["", f"## {MATRIX_WORDS[str(name)].split(':')[0]} captures", ""]
        lines += [f"{MATRIX_WORDS[str(name)]}.", "", f"| captures {HEAD}", _line("all", matrix)]
        for keys in (["end"], ["losses"], ["jitter"], ["flows"]):
            for value, part in matrix.groupby(keys[0], sort=False):
                word = {"jitter": f"jitter {value} ms", "end": f"end: {value}"}
                word |= {"flows": f"flows: {value}", "losses": f"link losses: {value}"}
                lines.append(_line(word[keys[0]], part))
        is_clean = (matrix["flows"] == 1) & (matrix["jitter"] == 0.0)
        for end, part in matrix[is_clean & (matrix["losses"] != "before")].groupby("end"):
            lines.append(_line(f"end: {end}; one flow, no jitter, losses at the bottleneck", part))
        lines += ["", "By congestion control and queue (a number is a buffer in BDP):", ""]
        lines.append(f"| cell {HEAD}")
        for (control, queue), cell in matrix.groupby(["control", "queue"], sort=False):
            lines.append(_line(f"{control}, {queue}", cell))
    lines += ["", "## Limits", ""]
    cells = dict(cells_of(rows))
    kept = len(cells) - len(LIMITS)
    lines += [f"{kept} of {len(cells)} cells keep the promise, but for chance. The others:", ""]
    for what, why in LIMITS.items():
        row = right(what, cells[what])
        lines.append(f"- **{what}**: {100.0 * row.share:.1f} % of {row.cases} are right. {why}")
    return "\n".join([*lines, ""])


def study(part: int, kept: Kept, advance: Any) -> pd.DataFrame:
    """All rows."""
    results: dict[str, dict[int, list[Any]]] = {}
    for name, matrix in MATRICES.items():
        numbers = range(0, len(matrix.cells), part)
        run = kept.of(f"{name} {part}")
        counts = run(partial(_nth, name, part), range(len(numbers)))
        results[name] = dict(zip(numbers, counts, strict=True))
        advance(1)
    return table(results)


def _nth(name: str, part: int, nth: int) -> list[Count]:
    return judged(name, nth * part)


def main() -> int:
    """Measure, and write or print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--part", type=int, default=1, help="every N-th capture; print only")
    part = options.parse_args().part
    if part < 1:
        print(f"--part {part}: must be at least 1", file=sys.stderr)
        return 2
    with workers() as pool, progress_bar(sys.stderr.isatty(), "captures", 2) as advance:
        try:
            rows = study(part, Kept(KEPT, partial(pool.map, chunksize=5)), advance)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            print("interrupted", file=sys.stderr)
            return 130
    if part == 1:
        TABLE.parent.mkdir(exist_ok=True)
        rows.to_csv(TABLE, index=False)
        PAGE.write_text(page(rows), encoding="utf-8")
    else:
        print(page(rows))
    found = broken(rows)
    for what in found:
        print(f"broken: {what}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
