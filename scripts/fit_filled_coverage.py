"""Coverage of intervals of rates fitted to captures: a section of docs/evidence/fitting_rates.md.

`python scripts/fit_filled_coverage.py` (`make fit-filled-coverage`) simulates CUBIC over links
whose rates follow known processes, captures it, fits the captures, writes
docs/evidence/fitting/filled_coverage.csv, and ends with 1 if a promise is broken; `--records N`
takes N captures of each kind in place of 100. `fit_rates_coverage.py --page` then makes the page
anew. Ctrl-C ends it; what is done is kept in out/fit_filled_coverage, where it goes on until that
is removed. Seeds are fixed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from coverage_promises import CHANCE, LEAST, least_kept, share_words
from kept_results import Kept, Run, workers
from scipy.special import ndtr, ndtri

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from airtcp.fitted.filled import filled_model
from airtcp.fitted.link_rate import LEAST_VARIATION
from airtcp.fitting.rates import FEWEST
from airtcp.fitting.rates_data import Floats, Rates
from airtcp.fitting.rates_filled import FilledIntervals, filled_by_packets
from airtcp.fitting.rates_memory import Memories, Ranks, correlations, lags_of, refined
from airtcp.measured.captures import read
from airtcp.measured.measurement import Packets
from simulated_captures import RECEIVER, SENDER, capture, played

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "docs/evidence/fitting/filled_coverage.csv"
KEPT = ROOT / "out/fit_filled_coverage"
RECORDS = 100
SECONDS = 120  # of a capture
EVERY = 20  # ms, of a step of the process
STEP = 50  # ms, of true means: the usual step of these captures
DRAWS = 59  # of a fit, in place of 199 for time
LONG = 1_000_000  # steps of the record by which the true values of means over steps are told
SHARE = 0.95  # of the variance that the memory has
DEEP, SHORT = 300, 8  # packets
ENDS = {"both": (SENDER, RECEIVER), "sender": (SENDER,), "receiver": (RECEIVER,)}
AFTER = (0.1, 1.0, 10.0)  # s
DATA = ":49152 to "  # the direction of data
FITTED = "fitted"


class Marginal(NamedTuple):
    """A distribution of rates, Mbit/s."""

    rates: Floats
    shares: Floats


def _log_normal(number: int, median: float, sigma: float) -> Marginal:
    """Equally likely levels in the middle of their parts."""
    middle = ndtri((np.arange(number) + 0.5) / number)
    rates = np.round(median * np.exp(sigma * middle), 3)
    return Marginal(rates, np.full(number, 1.0 / number))


MARGINALS = {
    "three rates": Marginal(np.array([1.0, 4.0, 10.0]), np.array([0.3, 0.5, 0.2])),
    "log-normal": _log_normal(20, 4.0, 0.6),
    "with outages": Marginal(np.array([0.0, 2.0, 6.0]), np.array([0.15, 0.5, 0.35])),
}


class Kind(NamedTuple):
    """Captures of one process: memory (s), queue (packets), jitter (ms), and the end.

    Without a capture (`end`: "none") the true means over steps of `STEP` ms are fitted.
    """

    rates: str
    memory: float
    queue: int
    jitter: float
    end: str

    @property
    def name(self) -> str:
        """All of it."""
        if self.end == "none":
            return f"{self.rates}, {self.memory:g} s, true means, no capture"
        jitter = f", jitter {self.jitter:g} ms" if self.jitter else ""
        return f"{self.rates}, {self.memory:g} s, queue {self.queue}{jitter}, {self.end}"

    def document(self) -> dict[str, Any]:
        """The scenario of its captures."""
        rates, shares = MARGINALS[self.rates]
        hop: dict[str, Any] = {
            "delay": "20ms",
            "queue": self.queue,
            "rates": {
                "kind": "autoregressive",
                "every": f"{EVERY}ms",
                "levels": [
                    {"rate": f"{rate:g}Mbps", "share": share}
                    for rate, share in zip(rates.tolist(), shares.tolist(), strict=True)
                ],
                "memories": [{"time": f"{self.memory:g}s", "share": SHARE}],
            },
        }
        if self.jitter:
            hop["jitter"] = {"kind": "uniform", "min": "0ms", "max": f"{self.jitter:g}ms"}
        return {
            "profile": "linux",
            "tcp": {"congestion": "cubic"},
            "path": {"hop": [hop]},
            "flow": [{}],
            "stop": {"time": f"{SECONDS}s", "replications": 1},
        }


KINDS = (
    *(Kind("three rates", memory, DEEP, 0.0, "both") for memory in (0.1, 1.0, 10.0)),
    *(Kind("log-normal", memory, DEEP, 0.0, "sender") for memory in (0.1, 1.0, 10.0)),
    Kind("log-normal", 1.0, DEEP, 10.0, "both"),
    Kind("log-normal", 1.0, DEEP, 10.0, "sender"),
    Kind("log-normal", 1.0, SHORT, 0.0, "both"),
    Kind("log-normal", 1.0, DEEP, 0.0, "receiver"),
    Kind("with outages", 1.0, DEEP, 0.0, "both"),
    *(Kind("log-normal", memory, 0, 0.0, "none") for memory in (0.1, 10.0)),
)


def packets(kind: Kind, seed: int) -> Packets:
    """The data of a capture."""
    events = played(kind.document(), seed)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{name}.pcapng" for name in ENDS[kind.end]]
        for file, interface in zip(files, ENDS[kind.end], strict=True):
            file.write_bytes(capture(events, interface))
        measured = read(files)
    (found,) = (measurement.packets for measurement in measured if DATA in measurement.about)
    assert found is not None  # a capture
    return found


def drawn(kind: Kind, seed: int, number: int) -> Floats:
    """Rates of so many steps of the process, Mbit/s."""
    levels, shares = MARGINALS[kind.rates]
    memories = Memories(np.array([kind.memory * 1e3 / EVERY]), np.array([SHARE]))
    scores = memories.scores(np.random.default_rng([seed, 9]), number)
    found: Floats = levels[np.searchsorted(np.cumsum(shares)[:-1], ndtr(scores), side="right")]
    return found


def means(rates: Floats, every: int) -> Floats:
    """Means of the rates of steps of the process over steps of `every` ms, no multiple of them."""
    part = int(np.gcd(EVERY, every))
    fine, size = np.repeat(rates, EVERY // part), every // part
    found: Floats = np.round(fine[: len(fine) // size * size].reshape(-1, size).mean(axis=1), 9)
    return found


def fitted(kind: Kind, seed: int) -> dict[str, Any]:
    """Step, verdict and intervals that a fit states about a capture, or why there is none."""
    if kind.end == "none":
        rates = 1e6 * means(drawn(kind, seed, SECONDS * 1000 // EVERY), STEP)
        found: FilledIntervals | None = FilledIntervals(Rates(STEP * 1_000_000, rates))
    else:
        found = filled_by_packets(packets(kind, seed))
    if found is None:
        return {"state": "no delays"}
    if not found.is_enough:
        return {"state": "not filled", "share": found.share}
    known = found.rates.known
    if known.std() <= LEAST_VARIATION * known.mean() or len(known) < FEWEST:
        return {"state": "hardly changes, or too few"}
    model = filled_model(found, seed=seed, draws=DRAWS)
    assert model is not None
    return {
        "state": FITTED,
        "every": found.rates.every // 1_000_000,
        "rejected": bool(model.is_rejected),
        "estimates": {
            estimate.name: [
                estimate.value,
                *(bound for bound in (estimate.low, estimate.high) if bound is not None),
            ]
            for estimate in model.estimates
        },
        "remark": model.estimates[0].remark,
    }


@cache
def truth(rates: str, memory: float, every: int) -> dict[str, float]:
    """Parameters of means over steps of `every` ms, by a record of many steps.

    A correlation after more than three memories follows from that after three. Memories are those
    nearest to correlations at the lags of a capture.
    """
    told_by = means(drawn(Kind(rates, memory, 0, 0.0, "none"), LONG, LONG), every)
    ranks = Ranks(told_by)
    near = np.minimum(AFTER, 3.0 * memory)  # beyond, chance in so many steps would hide the rest
    lags = np.maximum(np.round(near * 1e3 / every), 1.0)
    told = ranks.scores(correlations(ranks.normal_scores(told_by), lags))
    told = told * np.exp(-(np.array(AFTER) - lags * every / 1e3) / memory)
    own_lags = lags_of(SECONDS * 1000 // every)
    at = ranks.scores(correlations(ranks.normal_scores(told_by), own_lags))
    start = Memories(np.array([memory * 1e3 / every]), np.array([SHARE]))
    memories = refined(at, own_lags, start, np.inf)
    levels, shares = MARGINALS[rates]
    mean = float(levels @ shares)
    return {
        "mean rate": 1e6 * mean,
        "standard deviation / mean": float(told_by.std()) / mean,
        **{f"correlation after {a:g} s": float(r) for a, r in zip(AFTER, told, strict=True)},
        "memories[0].time": float(memories.times[0]) * every / 1e3,
        "memories[0].share": float(memories.shares[0]),
    }


def rows(
    records: int, run: Callable[[str], Run], kinds: Sequence[Kind] = KINDS, narrow: float = 1.0
) -> pd.DataFrame:
    """Counts of captures, fits, stated intervals and of those that cover the truth.

    Intervals are taken `narrow` times as wide as they are. Those of memories count where a fit has
    one memory, as the process has: others have no true value.
    """
    lines: list[dict[str, Any]] = []
    for kind in kinds:
        found = list(run(kind.name)(partial(fitted, kind), range(records)))
        fits = [outcome for outcome in found if outcome["state"] == FITTED]
        states = Counter(outcome["state"] for outcome in found if outcome["state"] != FITTED)
        steps = sorted({fit["every"] for fit in fits})
        head = {
            **kind._asdict(),
            "captures": records,
            "fitted": len(fits),
            "not_fitted": ", ".join(f"{state}: {n}" for state, n in sorted(states.items())),
            "steps_ms": "/".join(str(step) for step in steps),
            "rejected": sum(fit["rejected"] for fit in fits),
        }
        if not fits:
            lines.append(head | {"parameter": "", "truth": np.nan, "stated": 0, "covered": 0})
            continue
        usual = Counter(fit["every"] for fit in fits).most_common(1)[0][0]
        for name, value in truth(kind.rates, kind.memory, usual).items():
            covers = list(_covers(kind, fits, name, narrow))
            row = {"parameter": name, "truth": value, "stated": len(covers), "covered": sum(covers)}
            lines.append(head | row)
    return pd.DataFrame(lines)


def _covers(kind: Kind, fits: Sequence[dict[str, Any]], name: str, narrow: float) -> Iterator[bool]:
    """For each stated interval, whether it covers the truth."""
    for fit in fits:
        if name.startswith("memories") and "memories[1].time" in fit["estimates"]:
            continue
        value, *bounds = fit["estimates"][name]
        if bounds:
            true = truth(kind.rates, kind.memory, fit["every"])[name]
            yield bounds[0] <= value + (true - value) / narrow <= bounds[1]


def broken(found: pd.DataFrame) -> list[str]:
    """Promises that a table does not keep, beyond chance."""
    said = []
    for row in found.to_dict("records"):
        kind = Kind(*(row[name] for name in Kind._fields)).name
        stated, covered = int(row["stated"]), int(row["covered"])
        if covered < least_kept(stated):
            said.append(f"{kind}, {row['parameter']}: covered {covered} of {stated}")
    for name, row in pooled(found).iterrows():
        stated, covered = int(row["stated"]), int(row["covered"])
        if covered < least_kept(stated):
            said.append(f"all captures, {name}: covered {covered} of {stated}")
    return said


def pooled(found: pd.DataFrame) -> pd.DataFrame:
    """Counts of stated intervals of all captures, and of those that cover the truth."""
    own = found[(found["stated"] > 0) & (found["end"] != "none")]
    return own.groupby("parameter", sort=False)[["stated", "covered"]].sum()


def table() -> pd.DataFrame:
    """The table as written."""
    return pd.read_csv(TABLE, keep_default_na=False, na_values={"truth": [""]})


def section() -> list[str]:
    """The section of the page, by the table as written."""
    found = table()
    lines = [
        "## Processes from captures",
        "",
        "`make fit-filled-coverage` fits the process to simulated captures of CUBIC, as"
        f" `airtcp fit` does. Each has {SECONDS} s over a link whose rate follows a process in"
        f" steps of {EVERY} ms, with one memory that has {100 * SHARE:g} % of the variance: three"
        " rates (1, 4 and 10 Mbit/s), a log-normal rate in 20 levels (median 4 Mbit/s, scatter of"
        " the logarithm 0.6), or rates of 0, 2 and 6 Mbit/s. A packet takes 20 ms one way, in some"
        " captures up to 10 ms more (jitter). A capture is of the sender, of the receiver, or of"
        f" both ends. Each fit draws {DRAWS} records. The tables have the first"
        f" {found['captures'].min()} to {found['captures'].max()} of {RECORDS} captures of each"
        " kind, which is enough for all of them together and little for one:"
        " `docs/evidence/fitting/filled_coverage.csv` has the intervals of each kind.",
        "",
        "The parameters that a fit states are those of means over its own steps, which hold 8"
        " packets or more. So the true values are those of means over such steps, from"
        f" {LONG / 1e6:g} million steps of the process; the mean is that of the process. A memory"
        " of the fit has a true value where the fit has one memory, as the process has. Shares of"
        " intervals that cover the truth have binomial intervals of 95 % (Clopper and Pearson).",
        "",
        "| captures | fitted | steps | rejected | not fitted |",
        "|---|---|---|---|---|",
    ]
    for name, some in _by_kind(found):
        row = some.iloc[0]
        steps = f"{row['steps_ms']} ms" if row["fitted"] else ""
        lines.append(
            f"| {name} | {row['fitted']} of {row['captures']} | {steps} |"
            f" {row['rejected'] if row['fitted'] else ''} | {row['not_fitted']} |"
        )
    lines += [
        "",
        "| parameter, in all captures | covered | share |",
        "|---|---|---|",
    ]
    for parameter, row in pooled(found).iterrows():
        covered, stated = int(row["covered"]), int(row["stated"])
        lines.append(f"| {parameter} | {covered} of {stated} | {share_words(covered, stated)} |")
    return [*lines, "", *_findings(found)]


def _findings(found: pd.DataFrame) -> list[str]:
    """Sentences about all captures together."""
    own = found[~found["parameter"].str.startswith("memories") & (found["end"] != "none")]
    stated, covered = int(own["stated"].sum()), int(own["covered"].sum())
    missed = own.assign(missed=own["stated"] - own["covered"]).groupby("parameter")["missed"].sum()
    kinds = found.drop_duplicates(list(Kind._fields))
    seen, exact = kinds[kinds["end"] != "none"], kinds[kinds["end"] == "none"]
    rejected, fits = int(seen["rejected"].sum()), int(seen["fitted"].sum())
    bare, means_fitted = int(exact["rejected"].sum()), int(exact["fitted"].sum())
    memories = ", ".join(
        f"{some['rejected'].sum()} of {some['fitted'].sum()} ({memory:g} s)"
        for memory, some in seen.groupby("memory")
    )
    return [
        f"- **Coverage.** {covered} of {stated} intervals of captures cover the truth"
        f" ({100 * covered / stated:.1f} %), those of memories not counted. Most often missed is"
        f" the {missed.idxmax()} ({missed.max()} times). The study fails where intervals of a"
        f" parameter, of one kind or of all captures, cover fewer than {100 * LEAST:g} % beyond"
        f" chance, a probability of {CHANCE:g}.",
        f"- **False rejections.** The process is true, and the test rejects {rejected} of {fits}"
        f" fits: {share_words(rejected, fits)}. By memory it rejects {memories}. Of true means over"
        f" {STEP} ms, which no capture has changed, it rejects {share_words(bare, means_fitted)},"
        f" {bare} of {means_fitted}. A fit that is rejected says so, and the scenario repeats the"
        " rates of the record.",
        "- **Not stated.** Beside outages no parameter has an interval, whether or not the process"
        " is rejected, as ACKs that wait hide where these begin and end. A queue that is too short"
        " runs empty, so that the sender does not fill the link, and the receiver alone sees no"
        " delays: neither is fitted, and a note says why. Without a process the mean has no"
        " interval.",
    ]


def _by_kind(found: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    for keys, some in found.groupby(list(Kind._fields), sort=False):
        yield Kind(*keys).name, some


def rejected_share() -> str:
    """Share of true processes in captures that the test rejects, of the table as written."""
    kinds = table().drop_duplicates(list(Kind._fields))
    seen = kinds[kinds["end"] != "none"]
    return share_words(int(seen["rejected"].sum()), int(seen["fitted"].sum()))


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=RECORDS)
    records = parser.parse_args(arguments).records
    with workers() as pool:
        found = rows(records, Kept(KEPT, pool.map).of)
    TABLE.write_text(found.to_csv(index=False), encoding="utf-8")
    print(found.to_string(index=False))
    said = broken(found)
    print("\n".join(said) or "every promise is kept")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
