"""Rates that change with time: what files and tables say, what is refused, what follows."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from airtcp import InputError, Scenario, simulate
from airtcp.links.mahimahi import opportunities
from airtcp.links.netem import tc_lines
from airtcp.models.zoo.path import conditions_of_point
from airtcp.scenario.tables import read_rates

STEPS = [
    {"at": "0s", "rate": "10Mbps"},
    {"at": "2s", "rate": "2Mbps"},
    {"at": "4s", "rate": "0bps"},
]


def scenario(hop: dict[str, Any], profile: str = "linux", **more: Any) -> dict[str, Any]:
    tcp = {} if profile == "linux" else {"variant": "reno"}
    path = {"hop": [{"delay": "10ms", "queue": 50} | hop]}
    return {"profile": profile, "tcp": tcp, "path": path, "stop": {"time": "8s"}} | more


def measured(hop: dict[str, Any], profile: str = "linux", replications: int = 2) -> pd.DataFrame:
    return simulate(scenario(hop, profile), seed=3, replications=replications).runs.to_pandas()


def refused(hop: dict[str, Any], folder: Path | None = None) -> str:
    with pytest.raises(InputError) as error:
        Scenario.from_dict(scenario(hop), folder=folder or Path())
    return str(error.value)


LOSSY = {"channel": {"kind": "iid", "loss_rate": 0.01}}
BESIDE = {
    "plain": LOSSY,
    "red": {"queue": {"kind": "red", "min": 3, "max": 12, "packets": 40}} | LOSSY,
    "jitter": {"jitter": {"kind": "exponential", "mean": "3ms"}} | LOSSY,
    "gate": {"gate": {"kind": "on-off", "up": "1s", "down": "0.1s", "loses": "all"}},
    "arq": {"arq": {"fragment": "300B", "attempts": 3}} | LOSSY,
}


@pytest.mark.parametrize("profile", ["ns2", "rfc", "bsd", "linux"])
@pytest.mark.parametrize("beside", BESIDE)
def test_constant_rates_are_a_rate_to_the_bit(beside: str, profile: str) -> None:
    same = [{"at": "0s", "rate": "3.3Mbps"}, {"at": "1s", "rate": "3300kbps"}]
    back = {"rates": {"kind": "steps", "values": "0 700000\n5000000 700000", "end": "repeat"}}
    varied = measured({"rates": same, "back": back} | BESIDE[beside], profile)
    constant = measured({"rate": "3.3Mbps", "back": {"rate": "700kbps"}} | BESIDE[beside], profile)
    same_but_for_its_hash = [runs.drop(columns="scenario") for runs in (varied, constant)]
    pd.testing.assert_frame_equal(*same_but_for_its_hash, check_exact=True)


def test_goodput_follows_the_rate_and_ends_with_it() -> None:
    """4 s at 2 Mbit/s in 8, after 2 s at 10 Mbit/s: without losses the link is full."""
    full = measured({"rates": STEPS[:2]})["goodput_bps"].mean()
    stopped = measured({"rates": STEPS})["goodput_bps"].mean()
    assert full == pytest.approx((2 * 10e6 + 6 * 2e6) / 8 * 1448 / 1500, rel=0.03)
    assert stopped == pytest.approx((2 * 10e6 + 2 * 2e6) / 8 * 1448 / 1500, rel=0.03)


FILES: dict[str, tuple[str, str]] = {
    "no column of times": ("x,rate\n0,1\n", "line 1: no column of times, named time, seconds,"),
    "no column of rates": ("time,x\n0,1\n", "line 1: no column of rates, named rate,"),
    "no rows": ("time,rate\n", "no rows below its header"),
    "empty": ("", "line 1: no column of times"),
    "negative rate": ("time,rate\n0,1\n1,-1\n", 'line 3: rate: "-1" is not a rate in Mbps: 0, or'),
    "no number": ("time,rate\n0,1\n1,nan\n", 'line 3: rate: "nan" is not a rate in Mbps'),
    "infinite": ("time,rate\n0,inf\n", 'line 2: rate: "inf" is not a rate in Mbps'),
    "too slow": ("time,rate\n0,1e-9\n", 'line 2: rate: "1e-9" is not a rate in Mbps: 0, or 1bps'),
    "missing": ("time,rate\n0,1\n1\n", 'line 3: rate: "" is not a rate in Mbps'),
    "unordered": (
        "time,rate\n0,1\n2,1\n1,1\n",
        "line 4: time: 1 comes after 2, but times must increase",
    ),
    "twice": (
        "time,rate\n0,1\n1,1\n1.0,1\n",
        "line 4: time: 1.0 comes after 1, but times must increase; or same_time = "
        '"first", "last" or "mean"',
    ),
    "negative time": ("time,rate\n-1,1\n", 'line 2: time: "-1" is not a time in s, 0 or more'),
    "no time": ("time,rate\nnan,1\n", 'line 2: time: "nan" is not a time in s'),
    "no unit": ("time,rate (furlongs)\n0,1\n", 'line 1: "furlongs" is no unit here (allowed: Mbps'),
    "a unit in capitals": (
        "time,rate_MBPS\n0,1\n",
        'line 1: "MBPS" is no unit here (allowed: Mbps, bps, kbps, Gbps, B/s, kB/s, MB/s, GB/s): '
        "it is bits or bytes, Mbps or MB/s",
    ),
    "all 0": ("time,rate\n0,0\n1,0\n", "all rates are 0; at least one must be above 0"),
    "no such day": (
        "time,rate\n2024-02-31 10:00:00,1\n",
        'line 2: time: "2024-02-31 10:00:00" is not a date: month 2 of 2024 has 29 days',
    ),
    "half a day": (
        "time,rate\n2024-02-28 10:00:00 PM,1\n",
        'line 2: time: "2024-02-28 10:00:00 PM" is not a date: "PM" is not a time zone',
    ),
    "two zones": (
        "time,rate\n2024-10-27 02:59:59 CEST,1\n2024-10-27 02:00:00 CET,1\n",
        'line 3: time: "2024-10-27 02:00:00 CET": zone CET comes after zone CEST; write',
    ),
    "too close": (
        "time,rate\n0,1\n1e-8,2\n",
        "line 3: time: 1e-8 is only 10ns after 0; rows must be at least 1us apart",
    ),
}


@pytest.mark.parametrize(("content", "line"), FILES.values(), ids=FILES)
def test_a_file_that_cannot_be_is_refused(content: str, line: str, tmp_path: Path) -> None:
    (tmp_path / "rates.csv").write_text(content)
    said = refused({"rates": "rates.csv"}, tmp_path)
    assert line in said
    assert said.startswith("scenario: path.hop[0].rates")
    assert "\n" not in said


READ: dict[str, tuple[str, dict[str, Any], str]] = {
    "as airtcp has them": ("time,rate\n0,10\n0.5,0.520863\n", {}, "0 10000000\n500000000 520863\n"),
    "units in names": ("time_ms;rate_kbps\n0;10\n500;0\n", {}, "0 10000\n500000000 0\n"),
    "units in brackets": ("T (us)\tMbit/s\n7\t1\n9\t2\n", {}, "7000 1000000\n9000 2000000\n"),
    "named": (
        '"a","when","DL_bitrate"\n"x,y","0","5"\n"z","1","6"\n',
        {"time_column": "when", "rate_column": "DL_bitrate", "rate_unit": "kbps"},
        "0 5000\n1000000000 6000\n",
    ),
    "dates": (
        "Timestamp,rate\n2019.12.14_10.16.30,1\n2019.12.14_10.17.31,2\n",
        {},
        "0 1000000\n61000000000 2000000\n",
    ),
    "seconds since 1970": (
        "timestamp,rate\n1700000000,20\n1700000002,2\n1700000004.5,40\n",
        {},
        "0 20000000\n2000000000 2000000\n4500000000 40000000\n",
    ),
    "milliseconds since 1970": (
        "timestamp,rate\n1700000000123,20\n1700000002123,2\n",
        {"time_unit": "ms"},
        "0 20000000\n2000000000 2000000\n",
    ),
    "the last of one time": (
        "time,rate\n0,1\n0,2\n1,3\n1,5\n1.0,7\n",
        {"same_time": "last"},
        "0 2000000\n1000000000 7000000\n",
    ),
    "the first of one time": (
        "time,rate\n0,1\n0,2\n1,3\n",
        {"same_time": "first"},
        "0 1000000\n1000000000 3000000\n",
    ),
    "the mean of one time": (
        "time,rate\n0,1\n1,3\n1,5\n1,7\n",
        {"same_time": "mean"},
        "0 1000000\n1000000000 5000000\n",
    ),
    # As a running mean, rounded at every row, it is 6.333333333333334.
    "the mean of three rows is rounded once": (
        "time,rate\n0,1\n1,8\n1,9\n1,2\n",
        {"same_time": "mean", "rate_unit": "bps"},
        "0 1\n1000000000 6.333333333333333\n",
    ),
    "numbered": (
        "1453120782.686 x 100\n1453120783.686 y 200\n",
        {"time_column": 1, "rate_column": "3", "rate_unit": "B/s", "from_first": True},
        "0 800\n1000000000 1600\n",
    ),
}


@pytest.mark.parametrize(("content", "columns", "lines"), READ.values(), ids=READ)
def test_files_are_read_as_they_are(
    content: str, columns: dict[str, Any], lines: str, tmp_path: Path
) -> None:
    file = tmp_path / "rates.csv"
    file.write_text(content)
    assert read_rates(file, **columns) == lines
    table = {"kind": "steps", "file": "rates.csv", "end": "repeat"} | columns
    read = Scenario.from_dict(scenario({"rates": table}), folder=tmp_path)
    (point,) = read.points()
    kept = point.data["path"]["hop"][0]["rates"]
    assert kept == {"kind": "steps", "values": lines, "end": "repeat"}
    assert Scenario.from_dict(point.data).points()[0].json == point.json


UNITS = {
    "Mbps Mb/s Mbit/s mbit Mbits/sec mbps": 1_000_000,
    "kbps Kb/s kbit kbit/s Kbits/sec": 1000,
    "Gbps gbit Gb/s": 1_000_000_000,
    "bps bit b/s bits/s": 1,
    "MBps MB/s": 8_000_000,
    "KBps kBps KB/s": 8000,
    "GBps GB/s": 8_000_000_000,
    "Bps B/s": 8,
}


@pytest.mark.parametrize(("names", "bits"), UNITS.items())
def test_a_unit_is_bits_or_bytes_wherever_it_stands(names: str, bits: int, tmp_path: Path) -> None:
    file = tmp_path / "rates.csv"
    for unit in names.split():
        for head, given in (
            ("rate", {"rate_unit": unit}),
            (f"rate_{unit}", {}),
            (f"rate ({unit})", {}),
        ):
            file.write_text(f"time,{head}\n0,3\n1,4\n")
            assert read_rates(file, **given) == f"0 {3 * bits}\n1000000000 {4 * bits}\n", unit


def test_a_million_rows_load_and_one_more_is_refused(tmp_path: Path) -> None:
    draw, file = random.Random(1), tmp_path / "rates.csv"
    rows = [f"{i / 1000},{draw.uniform(0, 50):.3f}\n" for i in range(1_000_000)]
    file.write_text("time,rate\n" + "".join(rows))
    lines = read_rates(file).splitlines()
    assert len(lines) == 1_000_000
    assert lines[-1] == f"{999_999 * 10**6} {round(float(rows[-1].split(',')[1]) * 10**6)}"
    Scenario.from_dict(scenario({"rates": "rates.csv"}), folder=tmp_path)
    with file.open("a") as more:
        more.write("1001,1\n")
    assert "line 1000002: more than 1000000 rows" in refused({"rates": "rates.csv"}, tmp_path)


WALK = {"kind": "random-walk", "low": "1Mbps", "high": "2Mbps", "step": "200kbps", "every": "10ms"}
SINE = {"kind": "sine", "mean": "2Mbps", "amplitude": "1Mbps", "period": "1s"}
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "neither": ({}, "[0].rate: missing"),
    "both": ({"rate": "1Mbps", "rates": STEPS}, "[0].rates: give either this or rate"),
    "opportunities": (
        {"opportunities": [5], "rates": STEPS},
        "[0].rates: give either this or opportunities",
    ),
    "opportunities back": (
        {"rates": STEPS, "back": {"opportunities": [5]}},
        "[0].back.opportunities: cannot be combined with the rates of the forward direction, which"
        " apply here; give back.rate",
    ),
    "both back": (
        {"rate": "1Mbps", "back": {"rate": "1Mbps", "rates": STEPS}},
        "[0].back.rates: give either this or rate",
    ),
    "slotted": ({"rates": STEPS, "slotted": True}, "[0].rates: give either this or slotted"),
    "slots": (
        {"rates": STEPS, "channel": {"kind": "two-state", "p_gb": 0.1, "p_bg": 0.5}},
        "[0].channel: counts slots, which have no fixed length with rates",
    ),
    "slots back": (
        {
            "rates": STEPS,
            "back": {"channel": {"kind": "gilbert-elliott", "p": 0.1, "r": 0.5, "clock": "slot"}},
        },
        "[0].back.channel: counts slots",
    ),
    "unordered": ({"rates": [STEPS[1], STEPS[0]]}, "rates[1].at: 0s comes after 2s, but times"),
    "negative": (
        {"rates": [{"at": "0s", "rate": "-1Mbps"}]},
        'rates[0].rate: "-1Mbps" is outside 1bps to 1e6Gbps',
    ),
    "empty": ({"rates": []}, "[0].rates: the list is empty"),
    "no end": (
        {"rates": {"kind": "steps", "values": STEPS[:1], "end": "stop"}},
        'rates.end: "stop" needs a second row',
    ),
    "no such kind": ({"rates": {"kind": "sinus"}}, 'rates.kind: unknown kind "sinus"'),
    "amplitude": ({"rates": SINE | {"amplitude": "3Mbps"}}, "amplitude: 3Mbps is more than the"),
    "walk": ({"rates": WALK | {"high": "1Mbps"}}, "high: 1Mbps is not above low"),
    "step": ({"rates": WALK | {"step": "1Mbps"}}, "step: 1Mbps is more than half of high minus"),
}


@pytest.mark.parametrize(("hop", "line"), REFUSED.values(), ids=REFUSED)
def test_what_contradicts_itself_is_refused(hop: dict[str, Any], line: str) -> None:
    assert line in refused(hop)


def test_a_walk_is_drawn_and_a_sine_is_not() -> None:
    assert measured({"rates": WALK}, replications=4)["goodput_bps"].nunique() == 4
    sine = scenario({"rates": SINE}) | {"profile": "rfc", "tcp": {"variant": "sack"}}
    assert not Scenario.from_dict(sine).points()[0].is_random


def test_what_has_one_rate_alone_says_so() -> None:
    (point,) = Scenario.from_dict(scenario({"rates": STEPS})).points()
    assert tc_lines(point)[0] == "# hop 0: netem has nothing for rates"
    assert tc_lines(point)[1] == "# hop 0, back: netem has nothing for rates"
    assert conditions_of_point(point) == "the formulas cover no changing rates"


def test_a_trace_of_mahimahi_follows_the_rates() -> None:
    (point,) = Scenario.from_dict(scenario({"rates": STEPS})).points()
    times = opportunities(point, 6.0)
    assert len(times) == (2 * 10_000_000 + 2 * 2_000_000) // (8 * 1504)
    assert sum(time <= 2000 for time in times) == pytest.approx(2 * 10e6 / (8 * 1504), abs=1)
    assert times[-1] <= 4000


TRACES = Path(__file__).parent.parent / "examples" / "traces"
OF_UCC = {"time_column": "Timestamp", "rate_column": "DL_bitrate", "rate_unit": "kbps"}
PUBLISHED: dict[str, dict[str, Any]] = {
    "4g_drive.csv": OF_UCC,
    "5g_drive.csv": OF_UCC | {"same_time": "last"},
    "starlink_drive.csv": {},
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_files_as_published_data_sets_have_them_run_as_they_are(name: str) -> None:
    table = {"kind": "steps", "file": name, "end": "repeat"} | PUBLISHED[name]
    document = scenario({"rates": table, "queue": "1MB"})
    given = Scenario.from_dict(document, folder=TRACES)
    lines = given.points()[0].data["path"]["hop"][0]["rates"]["values"].splitlines()
    assert len(lines) == 300
    assert lines[0].startswith("0 ")
    rows = pd.read_csv(TRACES / name)
    column, unit = ("throughput", 1e6) if name == "starlink_drive.csv" else ("DL_bitrate", 1e3)
    last = rows.groupby(rows.columns[0], sort=False)[column].last()
    said = [float(line.split()[1]) for line in lines]
    assert said == pytest.approx(last * unit)
    # All bits of 8 s, less at most those of the handshake and slow start, 6 round trips of 20 ms:
    # 10 packets double 4 times to 160, more than the way holds. Later the queue never runs empty.
    share, seconds, start = 1448 / 1500, 8, 6 * 0.020
    most = share * unit * last[:seconds].sum()
    least = most - share * unit * last.iloc[0] * start
    goodput = simulate(given, replications=1).runs.to_pandas()["goodput_bps"].mean()
    assert least <= seconds * goodput <= most


IN_FILE = {"kind": "steps", "file": "rates.csv"}


@pytest.mark.parametrize(
    ("rates", "line"),
    [
        (IN_FILE | {"rate_column": 0}, "rates.rate_column: 0 is not a name, or a number from 1"),
        (IN_FILE | {"from_first": "yes"}, 'rates.from_first: "yes" is not true or false'),
        (
            IN_FILE | {"rate_colum": 2},
            'rates: unknown key "rate_colum"; did you mean "rate_column"?',
        ),
        (
            IN_FILE | {"values": []},
            "rates.values: give either this or file, 'rates.csv'",
        ),
        ({"kind": "steps", "rate_column": 2}, "rates.rate_column: applies only with file"),
        ({"kind": "steps", "fil": "x"}, 'rates: unknown key "fil"; did you mean "file"? (allowed:'),
        (
            {"kind": "steps", "FILE": "x"},
            'rates: unknown key "FILE"; did you mean "file"? (allowed',
        ),
        (IN_FILE | {"time_unit": 1}, "rates.time_unit: 1 is not a text"),
        (IN_FILE | {"time_column": True}, "rates.time_column: true is not a name, or a number"),
        (
            {"kind": "steps", "values": ""},
            "rates.values: the text is empty; give lines of a time in ns and",
        ),
        (
            {"kind": "steps", "values": "0 1\n100 2"},
            "rates.values: line 2: 100ns after the row before it; rows must be at least 1us apart",
        ),
        (
            [{"at": "0s", "rate": "1Mbps"}, {"at": "10ns", "rate": "2Mbps"}],
            "rates[1].at: 10ns after the row before it; rows must be at least 1us apart",
        ),
        (
            "20mbit",
            "20mbit: No such file or directory; rates must be a list of changes or a file; for",
        ),
        ("1" * 300, "1: File name too long; rates must be a list of changes or a file; for a"),
        ("", "rates: rates = '': must be the name of a file"),
    ],
)
def test_what_stands_beside_a_file_or_in_its_place_is_refused(
    rates: Any, line: str, tmp_path: Path
) -> None:
    (tmp_path / "rates.csv").write_text("time,rate\n0,1\n1,2\n")
    assert line in refused({"rates": rates}, tmp_path)


def test_a_mean_below_1_bps_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "rates.csv").write_text("time,rate\n0,1\n1,0\n1.0,1e-6\n2,1\n")
    table = {"kind": "steps", "file": "rates.csv", "same_time": "mean"}
    said = refused({"rates": table}, tmp_path)
    end = "line 4: rate: 0.5bps, the mean of the 2 rows of 1, is not a rate: 0, or 1bps to 1e6Gbps"
    assert said.endswith(end)
    assert "rates.csv" in said


def test_two_rows_of_one_second_are_refused_with_the_way_out() -> None:
    table = {"kind": "steps", "file": "5g_drive.csv"} | OF_UCC
    said = refused({"rates": table}, TRACES)
    assert "after 2019.12.16_11.50.00, but times must increase; or same_time" in said
    assert "line 4: Timestamp" in said
    table["same_time"] = "lst"
    assert 'rates.same_time: "lst" is not one of first, last, mean' in refused(
        {"rates": table}, TRACES
    )


def test_the_files_are_those_that_the_script_writes(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("make", TRACES / "make.py")
    assert spec is not None
    assert spec.loader is not None
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    make.write(tmp_path)
    for name in PUBLISHED:
        assert (tmp_path / name).read_bytes() == (TRACES / name).read_bytes()
