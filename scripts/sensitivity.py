"""Write docs/papers/lahanas_sensitivity.md: which claims depend on how the paper is read.

`python scripts/sensitivity.py` (`make sensitivity`) simulates the paper of Lahanas and Tsaoussidis
under every reading, keeps finished runs in out/sensitivity, so that it goes on where it was
interrupted, and writes the results beside the page. `--page` writes the page from those alone.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

from airtcp.papers.base import percent
from airtcp.papers.lahanas.readings import DEFAULT_READING, READINGS, Reading
from airtcp.papers.lahanas.sensitivity import (
    PRINTED_MET_WORDS,
    TIME_MEASURE,
    ReadingStudy,
    judge_readings,
    statements,
)

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/papers/lahanas_sensitivity.md"
RESULTS = PAGE.with_suffix(".csv")
KEPT = ROOT / "out/sensitivity"
RUNS = 200  # per cell
SEEDS = (1, 2, 3)  # of the reading as decided; the others have the first
SIGNS = {"holds": "holds", "partly": "*partly*", "fails": "**fails**"}
Verdicts = dict[str, dict[str, str]]  # claim -> reading -> verdict


def main() -> int:
    """Compute what is missing and write both files."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--page", action="store_true", help="write the page alone")
    if not options.parse_args().page:
        compute(studies(RUNS, KEPT)).to_csv(RESULTS, index=False, float_format="%.6g")
    PAGE.write_text(page(pd.read_csv(RESULTS)), encoding="utf-8")
    return 0


def studies(runs: int, kept: Path | None) -> Iterator[ReadingStudy]:
    """A study per reading, and of the first one per seed."""
    for reading in READINGS:
        for seed in SEEDS if reading is DEFAULT_READING else SEEDS[:1]:
            yield ReadingStudy(reading, runs=runs, seed=seed, out=_folder(kept, reading, seed))


def _folder(kept: Path | None, reading: Reading, seed: int) -> Path | None:
    """A journal for each study: opening one goes through all of its runs."""
    if kept is None:
        return None
    folder = kept / f"{re.sub(r'[^a-z0-9]+', '-', reading.name.lower())}-{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def compute(every: Iterable[ReadingStudy]) -> pd.DataFrame:
    """The rows of all studies, one after the other."""
    tables = []
    for study in every:
        print(study.reading.name, study.seed, file=sys.stderr, flush=True)
        tables.append(judge_readings(study))
    return pd.concat(tables, ignore_index=True)


def page(found: pd.DataFrame) -> str:
    """The page that the results make."""
    first = found[found["seed"] == SEEDS[0]]
    verdicts = table_of(first)
    noisy = unsettled(found)
    parts = [
        "# Lahanas and Tsaoussidis: other readings",
        f"`make sensitivity` judges every claim of the paper under {len(READINGS)} readings of what"
        f" [the paper leaves open](lahanas.md#3-scenario), by the rules of the"
        f" [gallery](../gallery/lahanas.md), with {first['runs'].iloc[0]} runs per cell. It writes"
        f" this page from its results, `{RESULTS.name}`. All protocols and readings meet the same"
        f" phases. We also simulated the reading as decided with seeds {SEEDS[1]} and {SEEDS[2]}:"
        " if its verdict differs between seeds, randomness decides, not the reading.",
        "## 1. Readings",
        "Under all readings a transfer without errors takes 12.8 s and has the printed overhead."
        " The last columns count the printed times and overheads, of 168 each, that a mean of 10"
        " runs may give (with a probability of at least 5 %). The paper has no other evidence for"
        " or against a reading.",
        readings_table(first),
        best_fit(first),
        "## 2. What does not depend on the reading",
        constant(verdicts, noisy),
        "## 3. What depends on it",
        "The table names readings by their numbers in section 1.",
        varying(verdicts, noisy),
        "## 4. By how much",
        "The tables show relative differences of means, averaged over the cells of a claim, with a"
        " 95 % interval for each reading; counts and times have none.",
        *measures(first, verdicts),
    ]
    return "\n\n".join(parts) + "\n"


def table_of(found: pd.DataFrame) -> Verdicts:
    """Verdicts by claim and reading, in the order of the results."""
    verdicts: Verdicts = {}
    for row in found.itertuples():
        verdicts.setdefault(row.claim, {})[row.reading] = row.verdict
    return verdicts


def unsettled(found: pd.DataFrame) -> set[str]:
    """Claims whose verdict differs between seeds of the reading as decided."""
    same = found[found["reading"] == DEFAULT_READING.name]
    counts = same.groupby("claim")["verdict"].nunique()
    return set(counts[counts > 1].index)


def readings_table(found: pd.DataFrame) -> str:
    """A table of the readings, and how they fit."""
    rows = [
        f"| {number} | {reading.name} | {reading.window} | {reading.rate} |"
        f" {reading.delay} | {reading.tick} |"
        f" {'all' if reading.rewind else 'one segment'} |"
        f" {'doubles' if reading.backoff else 'constant'} |"
        f" {total(found, reading, TIME_MEASURE):.2f} s |"
        f" {' | '.join(f'{n:.0f}' for n in met(found, reading))} |"
        for number, reading in enumerate(READINGS, 1)
    ]
    return table(
        "no. | reading | window | link | delay | tick | sent again after a cycle | probe timer"
        " | 0 % | times | overheads",
        rows,
    )


def total(found: pd.DataFrame, reading: Reading, measure: str) -> float:
    """The sum over the claims that have this measure."""
    here = found[(found["reading"] == reading.name) & (found["measure"] == measure)]
    return float(here["value"].sum())


def met(found: pd.DataFrame, reading: Reading) -> list[float]:
    """Numbers of printed times and overheads that are met."""
    return [total(found, reading, measure) for measure in PRINTED_MET_WORDS.values()]


def best_fit(found: pd.DataFrame) -> str:
    """The readings that meet most numbers, and least."""
    counts = {reading.name: sum(met(found, reading)) for reading in READINGS}
    most, least = max(counts, key=counts.__getitem__), min(counts, key=counts.__getitem__)
    return (
        f"Of the 336 numbers *{most}* meets most ({counts[most]:.0f}), *{least}* fewest"
        f" ({counts[least]:.0f}), and the reading as decided {counts[DEFAULT_READING.name]:.0f}."
    )


def constant(verdicts: Verdicts, noisy: set[str]) -> str:
    """A table of the claims with one verdict in all readings, failing ones first."""
    rows = [
        f"| `{name}` | {text(name)} | {SIGNS[verdict]} |"
        for verdict in reversed(SIGNS)
        for name, row in verdicts.items()
        if set(row.values()) == {verdict} and name not in noisy
    ]
    return table("name | claim | verdict", rows)


def varying(verdicts: Verdicts, noisy: set[str]) -> str:
    """A table of the claims whose verdict changes, and with which readings."""
    rows = [
        f"| `{name}` | {text(name)} | {SIGNS[row[DEFAULT_READING.name]]} | {others(row)} |"
        f" {'yes' if name in noisy else ''} |"
        for name, row in verdicts.items()
        if len(set(row.values())) > 1 or name in noisy
    ]
    heads = "name | claim | as decided | with these readings | seeds alone change it"
    return table(heads, rows)


def others(row: dict[str, str]) -> str:
    """The verdicts other than the one as decided, with the numbers of their readings."""
    numbers = {reading.name: number for number, reading in enumerate(READINGS, 1)}
    found = [
        f"{sign} {', '.join(str(numbers[reading]) for reading in row if row[reading] == verdict)}"
        for verdict, sign in SIGNS.items()
        if verdict != row[DEFAULT_READING.name] and verdict in row.values()
    ]
    return "; ".join(found)


def text(name: str) -> str:
    """A claim in words, with its place in the paper."""
    claim = next(statement for statement in statements() if statement.name == name)
    return f"{claim.text.removesuffix('.')} ({claim.where})."


def measures(found: pd.DataFrame, verdicts: Verdicts) -> Iterator[str]:
    """A table per claim: readings by measures."""
    for name in verdicts:
        here = found[found["claim"] == name]
        words = list(dict.fromkeys(here["measure"]))
        rows = [
            [reading.name, SIGNS[verdicts[name][reading.name]], *cells(here, reading, words)]
            for reading in READINGS
        ]
        yield f"**`{name}`**"
        lines = (f"| {' | '.join(row)} |" for row in rows)
        yield table(f"reading | verdict | {' | '.join(words)}", lines)


def cells(found: pd.DataFrame, reading: Reading, words: Iterable[str]) -> Iterator[str]:
    """Values with intervals, as they are printed."""
    rows = found[found["reading"] == reading.name].set_index("measure")
    for word in words:
        row = rows.loc[word]
        if not math.isnan(row["low"]):
            low, high = percent(row["low"]), percent(row["high"])
            yield f"{percent(row['value'])} [{low}, {high}]".replace(" %", "", 2).replace(
                " %]", "] %"
            )
        elif word in PRINTED_MET_WORDS.values():
            yield f"{row['value']:.0f} of 42"
        else:
            yield f"{row['value']:.4g}"


def table(heads: str, rows: Iterable[str]) -> str:
    """A table in Markdown."""
    rule = "|".join("---" for _ in heads.split(" | "))
    return "\n".join([f"| {heads} |", f"|{rule}|", *rows])


if __name__ == "__main__":
    sys.exit(main())
