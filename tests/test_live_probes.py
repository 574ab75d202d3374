"""The emulator by UDP probes, for every registered channel and gate.

A train of probes waits behind a gate on the first hop until all have been sent, and then goes over
the second hop without gaps. When each is transmitted is then known beforehand, so that the law of
what the receiving program sees is exact, and a failure does not depend on the machine. Nothing here
asserts a timing: what is compared are instants of one run.
"""

from __future__ import annotations

import functools
import json
import shlex
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import airtcp
from airtcp import _native
from airtcp.links.mahimahi import hop_of
from airtcp.live import LiveLog, live
from fate_laws import (
    LEVEL,
    Law,
    counts,
    exposed,
    false_alarm,
    in_series,
    independent,
    rejected,
    rejected_by_trains,
    two_state,
)

Table = dict[str, Any]
PROGRAM = [sys.executable, "-I", "-S", str(Path(__file__).parent / "programs" / "probes.py")]
PROBES, BYTES, SEED = 6000, 125, 11
MS = 1_000_000
SLOT = MS // 5  # airtime of a probe at 5 Mbit/s, in ns
OPENS = 2000 * MS  # everything has been sent by then
DELAY = 3 * MS
WORDS = np.dtype([(name, "<i8") for name in ("number", "came", "before", "real", "after")])
FADING = {"snr": "13dB", "doppler": "200Hz"}
TRAINS = 400  # in which fading is met, beside that of the emulator
NEVER = (1 << 62, 1 << 62)


@dataclass(frozen=True)
class Case:
    """A channel, a gate or a link layer on the second hop, and the law of the losses that it makes.

    The law is in steps of a probe; None if it has no closed form, or if the fates are certain.
    """

    hop: Table
    law: Law | None
    name: str

    @property
    def scenario(self) -> Table:
        return {
            "profile": "rfc",
            "tcp": {"variant": "newreno", "packet": f"{BYTES}B"},
            "path": {"hop": [self.first, self.second]},
        }

    @property
    def first(self) -> Table:
        """Holds the train, and lets it go: at once, or by and by before a gate, which destroys."""
        gate = {"kind": "schedule", "toggles": ["0s", f"{OPENS}ns"], "loses": "nothing"}
        if "gate" in self.hop:
            return {"rate": "5Mbps", "delay": "0s", "gate": gate}
        return {"rate": "10Gbps", "delay": f"{SLOT - 100}ns", "gate": gate}

    @property
    def second(self) -> Table:
        return {"rate": "5Mbps", "delay": f"{DELAY}ns", **self.hop}


def channel(law: Law | None, name: str = "", **spec: Any) -> Case:
    return Case({"channel": spec}, law, name or spec["kind"])


def gate(law: Law | None, **spec: Any) -> Case:
    """On a hop of twice the rate: a probe is on it for 150 us of every 200."""
    return Case({"rate": "10Mbps", "delay": "50us", "gate": spec}, law, spec["kind"])


def slots(millis: float) -> float:
    return millis * MS / SLOT


RAYLEIGH = airtcp.TwoState.from_rayleigh(loss_rate=0.1, doppler=0.05)
BURST = airtcp.TwoState.from_burst(loss_rate=0.1, mean_burst=4)
SOJOURN = two_state(0.05, 0.3)
CHANNELS = [
    channel(independent(0.1), kind="iid", loss_rate=0.1),
    channel(SOJOURN, kind="two-state", p_gb=0.05, p_bg=0.3),
    channel(
        two_state(BURST.p_gb, BURST.p_bg),
        kind="burst",
        loss_rate=0.1,
        mean_burst=4,
        clock="packet",
    ),
    channel(
        two_state(RAYLEIGH.p_gb, RAYLEIGH.p_bg),
        kind="rayleigh-two-state",
        loss_rate=0.1,
        doppler=0.05,
    ),
    channel(None, kind="rayleigh", **FADING),
    channel(None, kind="jakes", **FADING),
    channel(None, kind="epochs", every="20ms", loss={"rate": 0.1, "deviation": 0.5}),
    channel(
        two_state(0.05, 0.25, bad=0.8, good=0.01),
        kind="gilbert-elliott",
        p=0.05,
        r=0.25,
        h=0.2,
        k=0.99,
    ),
    channel(
        exposed(slots(4), slots(1)),
        name="sojourn in time",
        kind="sojourn",
        good="4ms",
        bad="1ms",
        start="stationary",
    ),
    channel(
        exposed(20, 2, clean=True), name="sojourn", kind="sojourn", good="20packets", bad="2packets"
    ),
    channel(
        exposed(slots(5), slots(2), loss=0.5),
        kind="on-off",
        on="2ms",
        off="5ms",
        loss_rate=0.5,
        start="stationary",
    ),
    channel(
        two_state(0.1, 0.4, bad=0.5),
        kind="states",
        loss=[0.0, 0.5],
        transition=[[0.9, 0.1], [0.4, 0.6]],
    ),
    channel(independent(1.0 - (1.0 - 1e-4) ** (8 * BYTES)), kind="bit-errors", bit_error_rate=1e-4),
    channel(None, kind="trace", lost=[0, 0, 1, 0, 1, 1, 0]),
    channel(
        in_series(independent(0.05), SOJOURN),
        kind="series",
        of=[{"kind": "iid", "loss_rate": 0.05}, {"kind": "two-state", "p_gb": 0.05, "p_bg": 0.3}],
    ),
]
GATES = [
    gate(exposed(slots(8), slots(2), window=0.75), kind="on-off", up="8ms", down="2ms"),
    gate(None, kind="periodic", up="7ms", down="3ms"),
    gate(None, kind="schedule", toggles=["2.1s", "2.15s", "2.3s", "2.3001s"]),
    gate(
        None,
        kind="spikes",
        interval={"kind": "uniform", "min": "6ms", "max": "10ms"},
        duration={"kind": "uniform", "min": "1ms", "max": "3ms"},
    ),
]
# A probe in five fragments, each of which has two attempts.
ARQ = {"fragment": "25B", "attempts": 2, "feedback_delay": "2ms"}
LINK_LAYER = Case(
    {"rate": "20Mbps", "channel": {"kind": "iid", "loss_rate": 0.15}, "arq": ARQ},
    independent(1 - (1 - 0.15**2) ** 5),
    "arq",
)
TIMES = np.sort(np.random.default_rng(3).integers(0, 400, 150)).tolist()
TRACE = Case(hop_of(TIMES, f"{DELAY}ns"), None, "opportunities")
CASES = {case.name: case for case in [*CHANNELS, *GATES, LINK_LAYER, TRACE]}
AT_ONCE = 3  # their emulators mostly wait


@dataclass(frozen=True)
class Run:
    """The train in the log and in the receiving program."""

    case: Case
    log: LiveLog
    seen: np.ndarray[Any, Any]

    @functools.cached_property
    def records(self) -> np.ndarray[Any, Any]:
        """Of the probes, in the order in which they were sent."""
        records = self.log.records[self.log.records["direction"] == 0]
        return records[np.argsort(records["id"])][:PROBES]

    @property
    def delivered(self) -> np.ndarray[Any, Any]:
        return self.records["fate"] == 0

    @property
    def lost(self) -> np.ndarray[Any, Any]:
        """By the receiving program."""
        return ~np.isin(np.arange(PROBES), self.seen["number"])


def run_of(case: Case, folder: Path) -> Run:
    folder.mkdir()
    file = folder / "seen.bin"
    command = [*PROGRAM, "train", str(PROBES), str(BYTES)]
    server = shlex.join([*PROGRAM, "sink", str(file)])
    report = live(case.scenario, command, server=server, seed=SEED, out=folder)
    assert report.exit_code == 0
    run = Run(case, LiveLog(folder), np.fromfile(file, WORDS))
    assert (run.records["arrival"] < OPENS).all(), "the machine took too long to send the train"
    return run


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Future[Run]]:
    try:
        live(LINK_LAYER.scenario, ["true"])
    except airtcp.InputError as error:
        pytest.skip(f"not granted here: {error}")
    folder = tmp_path_factory.mktemp("probes")
    pool = ThreadPoolExecutor(AT_ONCE)
    found = {name: pool.submit(run_of, case, folder / name) for name, case in CASES.items()}
    pool.shutdown(wait=False)
    return found


@pytest.fixture(params=CASES)
def run(runs: dict[str, Future[Run]], request: pytest.FixtureRequest) -> Run:
    return runs[request.param].result()


def test_the_program_sees_the_fates_of_the_log_and_those_are_the_replay_s(run: Run) -> None:
    assert (run.records["bits"] == 8 * BYTES).all()
    assert run.seen["number"].tolist() == np.flatnonzero(run.delivered).tolist()
    replay = run.log.replay()
    assert replay.differing == 0, str(replay)
    assert replay.packets == len(run.log.records) > PROBES


def test_rate_and_delay_are_exact_in_logical_time(run: Run) -> None:
    hop, records = run.case.hop, run.records
    if run.case is LINK_LAYER:
        # Five fragments of 10 us each; more if one is repeated.
        assert ((records["end"] - records["start"])[run.delivered] >= 50_000).all()
        assert ((records["at"] - records["end"])[run.delivered] >= DELAY).all()
    elif run.case is TRACE:
        starts, ends = by_opportunities()
        assert (records["start"] == starts).all()
        assert (records["end"] == ends).all()
        assert (records["at"] - records["end"] == DELAY).all()
    elif "gate" in hop:
        starts, fates, ends = through_gate(hop["gate"])
        assert (records["start"] == starts).all()
        assert (run.lost == fates).all()
        assert (records["at"] == ends).all()
    else:
        assert (records["start"] == OPENS + SLOT * np.arange(1, PROBES + 1)).all()
        assert (records["end"] - records["start"] == SLOT).all()
        assert (records["at"] - records["end"] == DELAY).all()


def by_opportunities() -> tuple[list[int], list[int]]:
    """When the bytes of each probe are sent, the first and the last: all of them wait."""
    period = MS * TIMES[-1]
    passes = OPENS // period
    slots = [passes * period + k * period + MS * time for k in range(9) for time in TIMES]
    of_bytes = np.repeat([at for at in slots if at > OPENS + SLOT], 1504)
    first = BYTES * np.arange(PROBES)
    return of_bytes[first].tolist(), of_bytes[first + BYTES - 1].tolist()


def through_gate(spec: Table) -> tuple[list[int], list[bool], list[int]]:
    """Fates of a probe every `SLOT` at a gate: start, whether it is lost, when its way ends.

    At most one is on a hop that destroys, and those that wait go in their order.
    """
    outages = _native.outages(json.dumps(spec), SEED, "hop1/gate", 0, 2000)
    holds = spec["kind"] == "spikes"
    starts, fates, ends, free = [], [], [], 0
    for number in range(PROBES):
        start = max(OPENS + SLOT * (number + 1), free)
        down, up = next(((down, up) for down, up in outages if up > start), NEVER)
        if holds:
            start = max(start, up) if down <= start else start
        free, end = start + 100_000, start + 150_000
        lost = not holds and down < end
        starts.append(-1 if lost and down <= start else start)
        fates.append(lost)
        ends.append(max(down, start) if lost else end)
    return starts, fates, ends


def test_no_probe_arrives_early_nor_later_than_the_report_says(run: Run) -> None:
    seen, report = run.seen, run.log.meta["report"]
    due = report["origin"] + run.records["at"][seen["number"]]
    late = run.records["late"][seen["number"]]
    assert (seen["after"] >= due).all()
    # The kernel's stamp by the monotonic clock is between these, whatever interrupted the program.
    stamp = seen["came"] - seen["real"]
    assert (stamp + seen["after"] >= due).all()
    assert (stamp + seen["before"] <= due + late).all()
    assert late.max() <= round(1e9 * report["lateness"][3])


WITH_LAW = [name for name, case in CASES.items() if case.law]


@pytest.mark.parametrize("name", WITH_LAW)
def test_losses_and_runs_obey_the_law(name: str, runs: dict[str, Future[Run]]) -> None:
    law = CASES[name].law
    assert law
    assert rejected(law, runs[name].result().lost) == []


@pytest.mark.parametrize("kind", ["rayleigh", "jakes"])
def test_losses_in_fading_are_those_of_other_sample_paths(
    kind: str, runs: dict[str, Future[Run]]
) -> None:
    spec = CASES[kind].hop["channel"]
    fates = functools.partial(airtcp.fates, spec, PROBES, packet=f"{BYTES}B", rate="5Mbps")
    trains = [fates(seed=5, replication=replication) for replication in range(TRAINS)]
    assert rejected_by_trains(trains, runs[kind].result().lost) == []


def test_a_trace_loses_what_it_names(runs: dict[str, Future[Run]]) -> None:
    wanted = np.resize(CASES["trace"].hop["channel"]["lost"], PROBES)
    assert (runs["trace"].result().lost == wanted).all()


def test_every_channel_and_gate_is_probed() -> None:
    registry = _native.registry()
    for where, cases, key in (("channels", CHANNELS, "channel"), ("gates", GATES, "gate")):
        assert {case.hop[key]["kind"] for case in cases} == {name for name, _, _ in registry[where]}


def test_a_law_is_tested_at_its_level_and_another_one_is_found_out() -> None:
    law = CASES["two-state"].law
    assert law
    alarms = [false_alarm(count.pmf(law, PROBES), LEVEL / len(counts())) for count in counts()]
    assert 0 < sum(alarms) <= LEVEL
    binomial = counts()[0].pmf(independent(0.1), 50)
    assert binomial[:2] == pytest.approx([0.9**50, 5 * 0.9**49])
    # Of the same loss rate, 1 in 7, in shorter runs; and of runs as long, but more of them.
    lost = airtcp.fates({"kind": "two-state", "p_gb": 0.07, "p_bg": 0.42}, PROBES)
    assert any("runs" in line for line in rejected(law, lost))
    lost = airtcp.fates({"kind": "two-state", "p_gb": 0.08, "p_bg": 0.3}, PROBES)
    assert any("losses, expected" in line for line in rejected(law, lost))
