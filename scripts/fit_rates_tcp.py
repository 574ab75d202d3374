"""TCP over processes fitted to traces beside the traces: docs/evidence/fitting/rate_*.csv.

`python scripts/fit_rates_tcp.py` (`make fit-rates-tcp`) needs the recorded traces of the shared
folder. It fits each of them and measures transfer times of twelve sizes, and goodput and 95 %
delay of long flows over three queues, over the trace and over the process. It writes
rate_transfers.csv, rate_tcp.csv, and rate_answers.csv with what `airtcp fit` says of each trace,
and ends with 1 if a promise is broken. Traces in the folder that AIRTCP_FURTHER_TRACES names are
measured alike, with fewer runs, into rate_further_*.csv; no promise is for them. `make
fit-rates-coverage` then makes the page anew. What is done is kept in out/fit_rates_tcp, where it
goes on until that is removed. Seeds are fixed.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from kept_results import Kept
from numpy.typing import NDArray

import airtcp
from airtcp.fitting.rates import fit_rates_and_outages
from airtcp.fitting.rates_data import OPPORTUNITY, of_opportunities
from airtcp.scenario.tables import read_trace

ROOT = Path(__file__).parent.parent
TRACES = Path(os.environ.get("AIRTCP_SHARED", ROOT.parent / "shared")) / "traces"
TRANSFERS = ROOT / "docs/evidence/fitting/rate_transfers.csv"
TCP = ROOT / "docs/evidence/fitting/rate_tcp.csv"
FURTHER_TRANSFERS = ROOT / "docs/evidence/fitting/rate_further_transfers.csv"
FURTHER_TCP = ROOT / "docs/evidence/fitting/rate_further_tcp.csv"
ANSWERS = ROOT / "docs/evidence/fitting/rate_answers.csv"
FURTHER_ANSWERS = ROOT / "docs/evidence/fitting/rate_further_answers.csv"
KEPT = ROOT / "out/fit_rates_tcp"
NAMES = (
    "ATT-LTE-driving-2016.down",
    "ATT-LTE-driving-2016.up",
    "Verizon-LTE-short.down",
    "Verizon-LTE-short.up",
)
MSS = 1448
SIZES = tuple(round(1e4 * 1000 ** (k / 11) / MSS) for k in range(12))  # packets, 10 kB to 10 MB
STARTS, PER_CALL = 160, 40  # starts over a trace, evenly spread
DRAWN = 2500  # transfers of each size over the process
ASKED = 100  # random starts of each that the promise asks for
AGAIN = 400  # pairs of so many, by which chance is told
PASSES, RUNS = 4, 96  # long flows over trace and process, each as long as the trace
# Over traces that are many times as long: long flows, and transfers from fewer starts, each of them
# over the opportunities that follow, which are several times as many as the largest has packets.
FURTHER_PASSES, FURTHER_RUNS = 2, 48
FURTHER_STARTS, FURTHER_DRAWN, FOLLOWING = 40, 600, 30_000
QUEUES: dict[str, Any] = {"deep": 1000, "50": 50, "CoDel": {"kind": "codel", "packets": 1000}}
CONTROLS = ("cubic", "reno", "bbr")
EVEN_CONTROLS = ("cubic", "reno")
EVEN_STEPS = (20, 5)  # ms, in which opportunities are evened out
GOODPUT, DELAY, TRANSFER = 0.1, 0.2, 0.067  # by which process and trace may differ
Floats = NDArray[np.float64]


def document(hop: dict[str, Any], queue: Any, control: str, stop: float) -> dict[str, Any]:
    """A flow over one hop."""
    link = {"delay": "20ms", "queue": queue, "back": {"rate": "100Mbps"}}
    return {
        "profile": "linux",
        "tcp": {"congestion": control},
        "path": {"hop": [link | hop]},
        "stop": {"time": f"{stop:g}s"},
    }


def simulated(scenario: dict[str, Any], replications: int, seed: int = 1) -> pd.DataFrame:
    """A row per run."""
    found = airtcp.simulate(scenario, seed=seed, replications=replications, progress=False)
    return found.runs.to_pandas()


def seed_of(name: str) -> int:
    """The seed of a trace: 1 for those with a promise, and one of its own for each further one.

    With the same seed, processes of all traces would be drawn from the same normal numbers: fast by
    chance over one, they would be fast over all.
    """
    return 1 if name in NAMES else zlib.crc32(name.encode())


def path_of(name: str) -> Path:
    """The file of a trace."""
    return (TRACES if name in NAMES else further_folder()) / name


def opportunities(name: str) -> NDArray[np.int64]:
    """A trace, in ms."""
    return np.array(read_trace(path_of(name)), dtype=np.int64)


def further_folder() -> Path:
    """The folder of further traces; one without any where none is named."""
    return Path(os.environ.get("AIRTCP_FURTHER_TRACES", os.devnull))


def further_names() -> list[str]:
    """Further traces, but for those measured anyhow."""
    found = [*further_folder().glob("*.down"), *further_folder().glob("*.up")]
    return sorted(path.name for path in found if path.name not in NAMES)


def begun_at(millis: NDArray[np.int64], begin: int) -> NDArray[np.int64]:
    """A trace that begins at a time of it, in ms, and goes on with what is before that."""
    found: NDArray[np.int64] = np.sort((millis - 1 - begin) % int(millis[-1]) + 1)
    return found


def hop_of(millis: NDArray[np.int64]) -> dict[str, Any]:
    """A hop with a trace."""
    mean = len(millis) * OPPORTUNITY * 1e3 / int(millis[-1])
    return {"opportunities": millis.tolist(), "rate": f"{mean:.6g}bps"}


def evened(millis: NDArray[np.int64], step: int) -> dict[str, Any]:
    """A hop with the rates of a trace in steps of so many ms, which are repeated."""
    length = int(millis[-1])
    counts = np.bincount(millis % length // step)[: length // step]
    rates = np.round(counts * OPPORTUNITY * 1e3 / step).astype(np.int64).tolist()
    values = "\n".join(f"{k * step * 1_000_000} {rate}" for k, rate in enumerate(rates))
    return {"rates": {"kind": "steps", "values": values, "end": "repeat"}}


@cache
def process(name: str) -> dict[str, Any]:
    """A hop with the process fitted to a trace."""
    rates = of_opportunities(opportunities(name))
    assert rates is not None
    model = fit_rates_and_outages(rates, seed=1, draws=19)
    assert model is not None
    return model.hop()


def _times(rows: pd.DataFrame) -> list[list[float]]:
    (column,) = (name for name in rows.columns if name.endswith("packets"))
    by_size = [rows.loc[rows[column] == size, "time_ns"].to_numpy(float) / 1e9 for size in SIZES]
    found: list[list[float]] = np.array(by_size).T.tolist()
    return found


def over_trace(name: str, call: int) -> list[list[float]]:
    """Transfer times (s) by start and size, over some of the starts."""
    millis = opportunities(name)
    length = int(millis[-1])
    scenario = document(hop_of(millis), 1000, "cubic", length / 1000 + 300)
    starts = range(call * PER_CALL, (call + 1) * PER_CALL)
    at = [f"{int((k + 0.5) * length / STARTS)}ms" for k in starts]
    return _times(simulated(scenario | {"flow": [{"packets": list(SIZES), "start": at}]}, 1))


def over_further_trace(name: str, start: int) -> list[list[float]]:
    """Transfer times (s) by size, over what follows one of the starts."""
    millis = opportunities(name)
    length = int(millis[-1])
    begin = int((start + 0.5) * length / FURTHER_STARTS)
    following = begun_at(millis, begin)[:FOLLOWING]
    scenario = document(hop_of(following), 1000, "cubic", length / 1000 + 300)
    return _times(simulated(scenario | {"flow": [{"packets": list(SIZES)}]}, 1))


def over_process(name: str, _: int) -> list[list[float]]:
    """Transfer times (s) by draw and size."""
    drawn = DRAWN if name in NAMES else FURTHER_DRAWN
    scenario = document(process(name), 1000, "cubic", 300)
    flow = {"flow": [{"packets": list(SIZES)}]}
    return _times(simulated(scenario | flow, drawn, seed_of(name)))


def long_flows(name: str, queue: str, control: str, which: int) -> list[list[float]]:
    """Goodput and 95 % delay of runs over the trace (0) or over the process (1)."""
    length = int(opportunities(name)[-1])
    if which:
        hops, runs = [process(name)], RUNS if name in NAMES else FURTHER_RUNS
    else:
        hops, runs = [hop_of(millis) for millis in passes(name)], 1
    rows = pd.concat(
        simulated(document(hop, QUEUES[queue], control, length / 1000), runs, seed_of(name))
        for hop in hops
    )
    found: list[list[float]] = rows[["goodput_bps", "delay_p95"]].to_numpy(float).tolist()
    return found


def passes(name: str) -> list[NDArray[np.int64]]:
    """A trace from several beginnings, evenly spread."""
    millis = opportunities(name)
    number, length = PASSES if name in NAMES else FURTHER_PASSES, int(millis[-1])
    at = [begun_at(millis, k * length // number) for k in range(number)]
    # The period of a trace ends with its last opportunity.
    return [np.append(begun[:-1], length) for begun in at]


def over_evened(name: str, control: str, which: int) -> float:
    """Mean goodput over a queue of 50, over the trace with even steps of that index."""
    hops = [evened(millis, EVEN_STEPS[which]) for millis in passes(name)]
    stop = int(opportunities(name)[-1]) / 1000
    rows = [simulated(document(hop, QUEUES["50"], control, stop), 1, seed_of(name)) for hop in hops]
    return float(pd.concat(rows)["goodput_bps"].mean())


def answer(name: str, _: int) -> dict[str, Any]:
    """Verdict of `airtcp fit` on a trace, and the form of the link that it writes."""
    found = airtcp.fit(path_of(name))
    model, hop = found.parts.rates, found.scenario.to_dict()["path"]["hop"][0]
    assert model is not None
    # The trace is written as it is: what TCP does over it, it does over the scenario.
    assert "rates" in hop or hop["opportunities"] == opportunities(name).tolist()
    return {
        "step_ms": model.rates.every / 1e6,
        "p_value": model.p_value,
        "bunch": model.rates.bunch,
        "written": "process" if "rates" in hop else "trace",
    }


def mean_error(times: Floats, other: Floats) -> float:
    """Mean over sizes of the relative difference of medians."""
    return float(np.abs(np.median(times, axis=0) / np.median(other, axis=0) - 1.0).mean())


def by_chance(times: Floats) -> float:
    """Mean error of two samples of `ASKED` starts over the very same link."""
    rng = np.random.default_rng(1)
    pairs = (
        times[rng.integers(len(times), size=(2, min(ASKED, len(times))))] for _ in range(AGAIN)
    )
    return float(np.mean([mean_error(*pair) for pair in pairs]))


def transfers(kept: Kept, names: Sequence[str]) -> pd.DataFrame:
    """A row per trace: mean errors, and those of every size."""
    table = []
    for name in names:
        run = kept.of(f"{name} trace")
        if name in NAMES:
            calls = run(partial(over_trace, name), range(STARTS // PER_CALL))
        else:
            calls = run(partial(over_further_trace, name), range(FURTHER_STARTS))
        trace = np.concatenate([np.array(times) for times in calls])
        (drawn,) = kept.of(f"{name} process")(partial(over_process, name), range(1))
        ratios = np.median(drawn, axis=0) / np.median(trace, axis=0) - 1.0
        row = {
            "trace": name,
            "error": mean_error(np.array(drawn), trace),
            "by_chance": by_chance(trace),
        }
        sizes = (f"{size * MSS / 1000:.0f} kB" for size in SIZES)
        table.append(row | dict(zip(sizes, ratios.tolist(), strict=True)))
    return pd.DataFrame(table)


def flows(kept: Kept, names: Sequence[str]) -> pd.DataFrame:
    """A row per trace, queue and control: ratios of goodput and delay with standard errors."""
    return pd.DataFrame(_flows(kept, names))


def _flows(kept: Kept, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    for name in names:
        for queue in QUEUES:
            for control in CONTROLS:
                run = kept.of(f"{name} {queue} {control}")
                trace, drawn = run(partial(long_flows, name, queue, control), range(2))
                row: dict[str, Any] = {"trace": name, "queue": queue, "tcp": control}
                pairs = zip(_columns(drawn), _columns(trace), strict=True)
                for metric, (by_process, by_trace) in zip(("goodput", "delay"), pairs, strict=True):
                    ratio = float(by_process.mean() / by_trace.mean())
                    spread = [
                        values.std(ddof=1) / values.mean() / np.sqrt(len(values))
                        for values in (by_process, by_trace)
                    ]
                    row |= {metric: ratio, f"{metric}_se": ratio * float(np.hypot(*spread))}
                yield row


def answers(kept: Kept, names: Sequence[str]) -> pd.DataFrame:
    """A row per trace: the answer of `airtcp fit`, and goodputs with even steps by the trace's."""
    return pd.DataFrame(_answers(kept, names))


def _answers(kept: Kept, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    for name in names:
        (row,) = kept.of(f"{name} answer")(partial(answer, name), range(1))
        for control in EVEN_CONTROLS:
            (trace,) = kept.of(f"{name} 50 {control}")(
                partial(long_flows, name, "50", control), [0]
            )
            even = kept.of(f"{name} even {control}")(
                partial(over_evened, name, control), range(len(EVEN_STEPS))
            )
            for step, goodput in zip(EVEN_STEPS, even, strict=True):
                row[f"{control}_{step}ms"] = goodput / float(_columns(trace)[0].mean())
        yield {"trace": name} | row


def _columns(rows: list[list[float]]) -> Floats:
    return np.array(rows).T


def outside(table: pd.DataFrame) -> dict[tuple[str, str, str, str], str]:
    """Metrics of long flows that differ by more than is promised, in words."""
    found = {}
    for row in table.to_dict("records"):
        for metric, most in (("goodput", GOODPUT), ("delay", DELAY)):
            if abs(row[metric] - 1.0) > most:
                place = (row["trace"], row["queue"], row["tcp"])
                words = f"{metric} {row[metric]:.3f} ± {row[f'{metric}_se']:.3f}"
                found[*place, metric] = f"{', '.join(place)}: {words}"
    return found


def broken(times: pd.DataFrame, table: pd.DataFrame) -> list[str]:
    """Promises that are not kept."""
    slow = times[times["error"] > TRANSFER]
    found = [
        f"{row['trace']}: transfer times {100 * row['error']:.1f} %"
        for row in slow.to_dict("records")
    ]
    return [*found, *outside(table).values()]


def measured(
    kept: Kept, names: Sequence[str], times_to: Path, flows_to: Path, answers_to: Path
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tables of transfers and of long flows of some traces; all three are written too."""
    times = transfers(kept, names)
    times.round(4).to_csv(times_to, index=False)
    print(times.to_string(index=False), flush=True)
    table = flows(kept, names)
    table.round(4).to_csv(flows_to, index=False)
    print(table.to_string(index=False), flush=True)
    said = answers(kept, names)
    said.round(4).to_csv(answers_to, index=False)
    print(said.to_string(index=False), flush=True)
    return times, table


def main() -> int:
    """Write the tables."""
    kept = Kept(KEPT, map)
    found = broken(*measured(kept, NAMES, TRANSFERS, TCP, ANSWERS))
    print("\n".join(found) or "every promise is kept")
    if further := further_names():
        paths = FURTHER_TRANSFERS, FURTHER_TCP, FURTHER_ANSWERS
        others = broken(*measured(kept, further, *paths))
        print("\n".join(others) or "further traces: all figures are within the bounds")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
