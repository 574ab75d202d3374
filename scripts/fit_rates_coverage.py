"""Write docs/evidence/fitting_rates.md: how often intervals of fitted rates cover the truth.

`python scripts/fit_rates_coverage.py` (`make fit-rates-coverage`) fits records that were drawn from
known processes, writes the page and docs/evidence/fitting/rate_coverage.csv, and ends with 1 if a
promise is broken; `--records N` takes N of each process, and prints only; `--page` writes the page
alone, from tables as they are. Ctrl-C ends it; what is done is kept in out/fit_rates_coverage,
where it goes on until that is removed. Seeds are fixed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from coverage_promises import CHANCE, LEAST, least_kept
from fit_filled_coverage import EVERY as FILLED_EVERY
from fit_filled_coverage import STEP, rejected_share, section
from fit_rates_tcp import (
    ANSWERS,
    ASKED,
    DELAY,
    DRAWN,
    EVEN_CONTROLS,
    EVEN_STEPS,
    FURTHER_ANSWERS,
    FURTHER_DRAWN,
    FURTHER_PASSES,
    FURTHER_RUNS,
    FURTHER_STARTS,
    FURTHER_TCP,
    FURTHER_TRANSFERS,
    GOODPUT,
    PASSES,
    STARTS,
    TCP,
    TRANSFER,
    TRANSFERS,
    outside,
)
from kept_results import Kept, Run, workers
from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import ndtr

from airtcp.fitting.losses_tests import TEST_LEVEL
from airtcp.fitting.rates import MOST_BUNCH, fit_rates
from airtcp.fitting.rates_data import Rates
from airtcp.fitting.rates_memory import Memories

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/evidence/fitting_rates.md"
TABLE = ROOT / "docs/evidence/fitting/rate_coverage.csv"
KEPT = ROOT / "out/fit_rates_coverage"
RECORDS = 240
STEPS, EVERY = 6_000, 20_000_000  # of a record, and ns of a step
DRAWS = 59  # of a fit, in place of 199 for time
FALSE = 0.05  # of records of a true process that the test rejects, at most, beyond chance
LEVELS = np.array([0.0, 0.6e6, 2.4e6, 6.0e6, 18.0e6])
SHARES = np.array([0.15, 0.2, 0.3, 0.25, 0.1])


class Process(NamedTuple):
    """A process of rates with these memories, in steps."""

    name: str
    memories: Memories

    @property
    def truth(self) -> dict[str, float]:
        """Parameters and their values."""
        mean, square = float(LEVELS @ SHARES), float(LEVELS**2 @ SHARES)
        found = {
            "mean rate": mean,
            "standard deviation / mean": float(np.sqrt(square - mean**2)) / mean,
            "share of time without a rate": float(SHARES[0]),
        }
        for after in (0.1, 1.0, 10.0):
            lag = np.array([after * 1e9 / EVERY])
            found[f"correlation after {after:g} s"] = float(self.memories.correlation(lag)[0])
        return found


PROCESSES = (
    Process("0.1 s and 2 s", Memories(np.array([5.0, 100.0]), np.array([0.3, 0.5]))),
    Process("0.5 s", Memories(np.array([25.0]), np.array([0.8]))),
)


def record(process: Process, seed: int, steps: int = STEPS) -> Rates:
    """A record drawn from a process."""
    scores = process.memories.scores(np.random.default_rng([seed, 5]), steps)
    level = np.searchsorted(np.cumsum(SHARES)[:-1], ndtr(scores), side="right")
    return Rates(EVERY, LEVELS[level])


def covered(process: Process, narrow: float, seed: int) -> dict[str, Any]:
    """Coverage by intervals `narrow` times as wide as those of a fit, and the test's verdict."""
    model = fit_rates(record(process, seed), seed=seed, draws=DRAWS)
    assert model is not None
    by_name = {parameter.name: parameter for parameter in model.estimates}
    found: dict[str, Any] = {"rejected": bool(model.is_rejected)}
    for name, truth in process.truth.items():
        estimate = by_name[name]
        place = estimate.value + (truth - estimate.value) / narrow
        found[name] = bool(estimate.covers(place))
    return found


def rows(records: int, run: Callable[[str], Run], narrow: float = 1.0) -> pd.DataFrame:
    """Counts of records that are covered, by process and parameter."""
    table = []
    for process in PROCESSES:
        found = list(run(process.name)(partial(covered, process, narrow), range(records)))
        rejected = sum(verdict["rejected"] for verdict in found)
        for name, truth in process.truth.items():
            times = sum(verdict[name] for verdict in found)
            row = {"memories": process.name, "parameter": name, "truth": truth}
            table.append(row | {"records": records, "covered": times, "rejected": rejected})
    return pd.DataFrame(table)


def broken(table: pd.DataFrame) -> list[str]:
    """Promises that a table does not keep, beyond chance."""
    found = []
    for row in table.to_dict("records"):
        times, records = int(row["covered"]), int(row["records"])
        if times < least_kept(records):
            found.append(f"{row['memories']}, {row['parameter']}: covered {times} of {records}")
        if row["rejected"] > most_kept(records):
            found.append(f"{row['memories']}: {row['rejected']} of {records} true ones rejected")
    return found


def most_kept(records: int) -> int:
    """The most rejected of so many records of a true process that do not break the promise."""
    return int(stats.binom.isf(CHANCE, records, FALSE))


def page(table: pd.DataFrame) -> str:
    """The page of a table."""
    records = int(table["records"].iloc[0])
    least, most = least_kept(records), most_kept(records)
    lines = [
        "# Processes of rates, and how well they are fitted",
        "",
        "`airtcp.fitting.rates.fit_rates` fits the process"
        " [`autoregressive`](../reference/rates.md#autoregressive) to a rate that changes"
        " ([method](../explanation/measured.md#a-process-of-rates)).",
        "",
        f"The study draws records of {STEPS * EVERY / 1e9:g} s in steps of {EVERY / 1e6:g} ms from"
        " known processes and fits them. Each has five rates and the memories of the first column:"
        " few periods of the longest memory, so that chance is large. Promised is that 95 %"
        f" intervals cover the truth in {100 * LEAST:g} % of records or more, and that the test"
        f" rejects a true process in at most {100 * FALSE:g} %, both beyond chance. Each fit draws"
        f" {DRAWS} records for its intervals and its test, and chance is a probability of"
        f" {CHANCE:g} per row: with {records} records of a process, the study fails where fewer"
        f" than {least} are covered, or more than {most} rejected. `make fit-rates-coverage` makes"
        " this page; `tests/test_fit_rates_study.py` repeats it in small.",
        "",
        "Three corrections keep the intervals as wide as they say. Correlations are estimated"
        " around the mean of the record, which takes the variance of that mean from each of them:"
        " memories are fitted to what such estimates are expected to be. A record that wanders"
        " little by chance shows a short memory, and so a small error: deviations of drawn records"
        " count in units of the scatter that each of them shows (bootstrap-t). The interval ends"
        " where 95 % of the deviations do, not at 1.96 standard deviations of them, and that of a"
        " share has the scale of the arcsine of its root. Of a correlation that is nearly 0 the"
        " interval is too wide, as estimates are not below 0.",
        "",
        "| memories | parameter | truth | covered | records | share | rejected |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row['memories']} | {row['parameter']} | {row['truth']:.3g} | {row['covered']} |"
        f" {row['records']} | {100 * row['covered'] / row['records']:.1f} % |"
        f" {row['rejected']} |"
        for row in table.to_dict("records")
    ]
    lines += ["", *section(), "", *beside(), "", *written(), "", *limits(), ""]
    return "\n".join(lines)


def beside() -> list[str]:
    """TCP over fitted processes beside the traces, by the tables of `make fit-rates-tcp`."""
    times, table = pd.read_csv(TRANSFERS), pd.read_csv(TCP)
    least, most = 100 * times["by_chance"].min(), 100 * times["by_chance"].max()
    return [
        "## TCP over a process beside its trace",
        "",
        "`make fit-rates-tcp` fits four traces of LTE (Winstein et al. 2013; AT&T 2016). Transfers"
        f" of twelve sizes by CUBIC start at {STARTS} places spread evenly over the trace, and in"
        f" {DRAWN} draws of the process, over a deep queue. The error is the mean over sizes of the"
        " relative difference of medians; promised is at most"
        f" {100 * TRANSFER:.1f} %. Of {ASKED} random starts of each, chance alone makes"
        f" {least:.0f} to {most:.0f} %: the column *by chance* has the mean error of two such"
        " samples of the very same trace.",
        "",
        *transfer_rows(times),
        "",
        "`ATT-LTE-driving-2016.up` is within the bound by the chance of its seed"
        " ([limits](#limits)).",
        "",
        "Long flows run as long as the trace, over the trace and over the process. Goodput must"
        f" agree within {100 * GOODPUT:g} %, 95 % delay within {100 * DELAY:g} %. The table has the"
        " process by the trace, with a standard error over the runs of both; those over a trace are"
        f" the same record from {PASSES} places. {len(outside(table))} of {2 * len(table)} figures"
        " are outside; `make fit-rates-tcp` fails where one is.",
        "",
        *flow_rows(table),
        "",
        *further(),
    ]


def further() -> list[str]:
    """Traces by which nothing was chosen."""
    times, table = pd.read_csv(FURTHER_TRANSFERS), pd.read_csv(FURTHER_TCP)
    slow = int((times["error"] > TRANSFER).sum())
    return [
        "## Further traces",
        "",
        "The traces below are others of Mahimahi's folder `traces` (ravinet/mahimahi, Winstein et"
        " al. 2013). No number of the process or of its rules was chosen by them."
        " `AIRTCP_FURTHER_TRACES=FOLDER make fit-rates-tcp` measures those of a folder, with"
        f" {FURTHER_PASSES} passes of long flows over a trace and {FURTHER_RUNS} draws of the"
        f" process, and with transfers from {FURTHER_STARTS} starts and in {FURTHER_DRAWN} draws:"
        " so few starts differ from the trace by chance as the column says. All flows of a trace"
        " meet the same draws, which are off together.",
        "",
        *transfer_rows(times),
        "",
        f"{slow} of {len(times)} errors of transfer times, and {len(outside(table))} of"
        f" {2 * len(table)} figures of long flows, are outside the bounds above.",
        "",
        *flow_rows(table),
    ]


def written() -> list[str]:
    """Scenarios of `airtcp fit`, and where processes differ from their traces."""
    said = pd.concat([pd.read_csv(ANSWERS), pd.read_csv(FURTHER_ANSWERS)])
    table = pd.concat([pd.read_csv(TCP), pd.read_csv(FURTHER_TCP)])
    as_process = said["trace"][said["written"] == "process"]
    missed = outside(table[table["trace"].isin(as_process)])
    figures = 2 * len(table)
    unlike = int((said["p_value"] < TEST_LEVEL).sum())
    only_bunched = (said["p_value"] >= TEST_LEVEL) & (said["written"] == "trace")
    bunched = said["trace"][only_bunched].tolist()
    alone = " and ".join(f"`{trace}`" for trace in bunched)
    return [
        "## What is written of a trace",
        "",
        "`airtcp fit TRACE` does not write a process that its test rejects, or one that evens out"
        " [bunches](../explanation/measured.md#a-process-of-rates) for which more than"
        f" {MOST_BUNCH:g} packets wait: the scenario then has the trace itself, which every run"
        " repeats, and `--model"
        f" autoregressive` takes the process. The test rejects {unlike} of {len(said)} processes"
        + (f", and bunches alone are why that of {alone} is not written" if bunched else "")
        + f". So {len(said) - len(as_process)} of {len(said)} scenarios have the trace, and"
        f" {figures - len(missed)} of {figures} figures of long flows over what is written are"
        " within the bounds above, those over a trace because it is the same. A process is for"
        " many draws of a link, with the errors of the tables above.",
        "",
        "The last three columns show where errors come from: the goodput of CUBIC over a queue of"
        " 50 packets, by that over the trace, if recorded opportunities are even within steps of"
        f" {' or of '.join(f'{step} ms' for step in EVEN_STEPS)}, and over the process. Where even"
        " steps of the record are as far off as the process, bunches are the cause.",
        "",
        "| trace | p of the test | packets in bunches | written |"
        + "".join(f" even, {step} ms |" for step in EVEN_STEPS)
        + " process |",
        "|---" * (5 + len(EVEN_STEPS)) + "|",
        *_written_rows(said, table),
    ]


def _written_rows(said: pd.DataFrame, table: pd.DataFrame) -> Iterator[str]:
    cubic = table[(table["queue"] == "50") & (table["tcp"] == "cubic")].set_index("trace")
    for row in said.to_dict("records"):
        even = "".join(f" {row[f'cubic_{step}ms']:.3f} |" for step in EVEN_STEPS)
        yield (
            f"| `{row['trace']}` | {row['p_value']:.2g} | {row['bunch']:.1f} | {row['written']} |"
            f"{even} {cubic['goodput'][row['trace']]:.3f} |"
        )


def transfer_rows(times: pd.DataFrame) -> list[str]:
    """Transfer times as a table of the page."""
    small, large = times.columns[3], times.columns[-1]
    return [
        f"| trace | error | by chance | {small} | {large} |",
        "|---|---|---|---|---|",
        *(
            f"| `{row['trace']}` | {100 * row['error']:.1f} % | {100 * row['by_chance']:.1f} % |"
            f" {100 * row[small]:+.1f} % | {100 * row[large]:+.1f} % |"
            for row in times.to_dict("records")
        ),
    ]


def flow_rows(table: pd.DataFrame) -> list[str]:
    """Long flows as a table of the page."""
    missed = outside(table)
    lines = ["| trace | queue | TCP | goodput | 95 % delay | |", "|---|---|---|---|---|---|"]
    for row in table.to_dict("records"):
        place = (row["trace"], row["queue"], row["tcp"])
        misses = [metric for metric in ("goodput", "delay") if (*place, metric) in missed]
        lines.append(
            f"| `{row['trace']}` | {row['queue']} | {row['tcp']} |"
            f" {row['goodput']:.3f} ± {row['goodput_se']:.3f} |"
            f" {row['delay']:.3f} ± {row['delay_se']:.3f} |"
            f" {'outside: ' + ', '.join(misses) if misses else ''} |"
        )
    return lines


def limits() -> list[str]:
    """Where fitted processes are not as the record, with the figures of the tables."""
    times, table = pd.read_csv(TRANSFERS), pd.read_csv(FURTHER_TCP)
    gated = times.set_index("trace").loc["ATT-LTE-driving-2016.up"]
    middle = 100.0 * gated["433 kB":"1520 kB"].astype(float)
    lte = table[table["trace"].str.startswith("TMobile-LTE")]
    bunched = lte[(lte["queue"] == "50") & (lte["tcp"] != "bbr")]["goodput"]
    bbr = table[table["tcp"] == "bbr"]
    short = bbr[(bbr["trace"] == "TMobile-LTE-short.down") & (bbr["queue"] != "50")]
    delayed, slowest = short["delay"], bbr.loc[bbr["delay"].idxmax()]
    said = pd.read_csv(FURTHER_ANSWERS)
    said = said[said["trace"].str.startswith("TMobile-LTE")]
    even, finer = (
        said[[f"{control}_{step}ms" for control in EVEN_CONTROLS]].to_numpy() for step in EVEN_STEPS
    )
    return [
        "## Limits",
        "",
        "- A trace has opportunities that come in bunches, which a rate over 20 ms evens out:"
        " transfers of few packets take somewhat less time over the process. Steps of 5 ms brought"
        " the smallest sizes closer, but not the mean over all sizes, and steps of 1 ms were"
        " worse.",
        "- Outages longer than the process makes are a gate if there are five or more. Without it"
        " the process of `ATT-LTE-driving-2016.up` spread the time of its outages over many slow"
        " spells: with a queue of 50 packets, 95 % delays of CUBIC and NewReno were outside the"
        " bound. The gate costs accuracy elsewhere: the error of transfer times is"
        f" {100 * gated['error']:.1f} %, of a bound of {100 * TRANSFER:.1f} %, and was smaller"
        f" without the gate. Transfers of 433 kB to 1.5 MB differ by {middle.min():+.0f} to"
        f" {middle.max():+.0f} %, and differed less.",
        "- Slow and fast spells of one Gaussian process are alike in length. The rate over 1 s of"
        " `Verizon-EVDO-driving.up` is mostly near its median and seldom slow for long, and its"
        " process is near the median less often: transfers of 100 kB to 1 MB take longer over the"
        " process. `ATT-LTE-driving-2016.up` has one fast spell of seconds, which its process"
        " spreads over many: with and without the gate such transfers take less time.",
        "- Goodputs of CUBIC and NewReno over a queue of 50 packets are"
        f" {_above(bunched)} too high over the processes of `TMobile-LTE`. Bunches are why: over"
        f" the record itself, even within steps of {EVEN_STEPS[0]} ms, they are {_above(even)} too"
        f" high, and {_above(finer)} in steps of {EVEN_STEPS[1]} ms. Over a process in such steps"
        " they came nearer too (tried with `TMobile-LTE-short.down`), but 95 % delays of BBR over a"
        f" deep queue and over CoDel, which are {_above(delayed)} too large in steps of"
        f" {EVEN_STEPS[0]} ms, went outside the bound. No key of a process serves packets of a step"
        " in bunches.",
        "- 95 % delays of BBR are too large over processes of some further traces, up to"
        f" {100.0 * (slowest['delay'] - 1.0):.0f} % (`{slowest['trace']}`), and those of CUBIC and"
        " NewReno over CoDel too small over"
        " `TMobile-LTE-driving.down`: no cause is known. The test rejects these processes.",
        "- Draws of one seed may be fast or slow together. With seed 1 for all traces, the goodput"
        " of CUBIC over a deep queue was above the capacity of three further traces, and with other"
        " seeds at it or below. So further traces have seeds of their own. The four traces keep"
        " seed 1. Their long flows keep the bounds with other seeds too, and one of transfers does"
        " not: the error of `ATT-LTE-driving-2016.up` was above the bound with each of the next"
        " four seeds, and within it without the gate. Evening out within steps of"
        f" {EVEN_STEPS[0]} ms alone makes a smaller part of it.",
        "- The test rejects more true processes than its level of 5 % where their steps are not"
        f" those of the record: {rejected_share()} in the captures above, for steps of"
        f" {FILLED_EVERY} ms of the process and usually of {STEP} ms of the record. A mean over"
        " steps and parts of them changes more smoothly than a sum of memories can. A test that"
        " allows for it would need the rates within the steps of a record. So a rejected process"
        " may be true.",
        "- `tests/test_fit_rates_traces.py` repeats long flows where the traces are there. A"
        " constant rate of the same mean fails in at least half of the cases.",
    ]


def _above(ratios: ArrayLike) -> str:
    """The least and the greatest excess over 1."""
    found = 100.0 * (np.asarray(ratios) - 1.0)
    return f"{found.min():.0f} to {found.max():.0f} %"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write page and table, or print those of fewer records."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int)
    parser.add_argument("--page", action="store_true")
    given = parser.parse_args(arguments)
    if given.page:
        PAGE.write_text(page(pd.read_csv(TABLE)), encoding="utf-8")
        return 0
    records = given.records
    with workers() as pool:
        kept = Kept(KEPT, pool.map)
        table = rows(records or RECORDS, kept.of)
    if records is None:
        TABLE.write_text(table.to_csv(index=False), encoding="utf-8")
        PAGE.write_text(page(table), encoding="utf-8")
    print(table.to_string(index=False))
    found = broken(table)
    print("\n".join(found) or "every promise is kept")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
