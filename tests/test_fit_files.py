"""Files that `airtcp fit` takes together, what it says of them first, and where it writes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import airtcp
from airtcp import InputError
from airtcp.cli.main import main
from airtcp.fitted.options import FitOptions
from airtcp.fitted.packets import fit_packets
from airtcp.measured.measurement import UNKNOWN


def trips(path: Path, shift: int = 0, packets: int = 300) -> Path:
    """A table of time, number and round trip with a loss in 50."""
    kept = (k for k in range(packets) if (k + shift) % 50)
    path.write_text("\n".join(f"{0.2 * k:.3f}\t{k}\t{40 + (k * 7 + shift) % 11}" for k in kept))
    return path


def ping(path: Path) -> Path:
    lines = (
        f"64 bytes from 192.0.2.1: icmp_seq={k} ttl=57 time={40 + k % 9} ms" for k in range(99)
    )
    path.write_text("\n".join(["PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.", *lines]) + "\n")
    return path


def test_files_of_two_forms_are_refused_by_name(tmp_path: Path) -> None:
    files = [trips(tmp_path / "trips.txt"), ping(tmp_path / "ping.txt")]
    with pytest.raises(InputError, match=r"ping\.txt is ping, .*trips\.txt is table of time"):
        airtcp.fit(files, check=False)


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    folder = Path(__file__).parent / "stored/model7/log"
    found = airtcp.fit(folder, check=False)
    (note,) = (remark for remark in found.parts.remarks if "--about" in remark)
    assert note.startswith("fitted is log, log of airtcp live, ")
    assert "1 other measurement" in note
    alone = airtcp.fit(trips(tmp_path / "trips.txt"), check=False)
    assert not any("--about" in remark for remark in alone.parts.remarks)


def test_a_file_given_again_tells_nothing_new(tmp_path: Path) -> None:
    first, same = trips(tmp_path / "one.txt"), trips(tmp_path / "same.txt")
    second = trips(tmp_path / "other.txt", shift=7)
    found = airtcp.fit([first, same, second], check=False)
    assert [Path(of.source).name for of in found.chosen] == ["one.txt", "other.txt"]
    (note,) = (said for said in found.parts.remarks if "counted once" in said)
    assert note.startswith(f"{same} holds what")
    alone, twice = (
        airtcp.fit(files, check=False).parts.losses
        for files in ([first, second], [first, same, second])
    )
    assert alone is not None
    assert twice is not None
    assert alone.chosen.parameters[0].low == twice.chosen.parameters[0].low


def test_many_files_have_a_row_each_and_one_of_all(tmp_path: Path) -> None:
    files = [str(trips(tmp_path / f"{k}.txt", shift=k)) for k in range(20)]
    found = CliRunner().invoke(main, ["fit", *files, "--facts"], catch_exceptions=False)
    rows = found.output.splitlines()
    assert len(rows) < 30
    (total,) = (row.split() for row in rows if row.startswith("all 20"))
    # Of 6000 with 120 losses a file begins with one, and another ends with one: these are not seen.
    assert total[4:6] == ["5998", "118:"]
    few = CliRunner().invoke(main, ["fit", *files[:3], "--facts"], catch_exceptions=False)
    assert few.output.count("delay (round trip)") == 3


def test_facts_come_before_models(tmp_path: Path) -> None:
    """So that a pipe sees them at once, and an error afterwards does not take them."""
    path = trips(tmp_path / "trips.txt")
    told: list[int] = []
    with pytest.raises(InputError, match="5 states"):
        airtcp.fit(
            path, model="5 states", check=False, on_facts=lambda held: told.append(len(held))
        )
    assert told == [1]
    found = CliRunner().invoke(main, ["fit", str(path), "--model", "5 states", "--no-tcp"])
    assert found.exit_code == 2
    assert "delay (round trip)" in found.stdout
    whole = CliRunner().invoke(main, ["fit", str(path), "--no-tcp"], catch_exceptions=False)
    assert whole.stdout.count("delay (round trip)") == 1


@pytest.mark.parametrize("option", ["--out", "--report"])
def test_a_folder_is_no_file(tmp_path: Path, option: str) -> None:
    path = trips(tmp_path / "trips.txt")
    suffix = ".toml" if option == "--out" else ".html"
    (tmp_path / f"held{suffix}").mkdir()
    for name, said in (("./", "suffix"), (f"held{suffix}", "is a folder")):
        target = tmp_path / name
        found = CliRunner().invoke(main, ["fit", str(path), option, str(target), "--no-tcp"])
        assert found.exit_code == 2
        assert said in found.stderr
        assert len(found.stderr.splitlines()) == 1


def test_a_trace_of_opportunities_runs_at_once(tmp_path: Path) -> None:
    trace = tmp_path / "down.trace"
    trace.write_text("".join(f"{3 * k}\n" for k in range(1, 401)))
    found = airtcp.fit(trace)
    link = found.write(tmp_path / "link.toml")
    result = airtcp.simulate(airtcp.Scenario.load(link), replications=1)
    # 1504 bytes every 3 ms, of which headers take a part
    assert result.to_pandas()["goodput_bps"].max() == pytest.approx(4.01e6, rel=0.1)
    with pytest.raises(InputError, match=r"^rate: .*down\.trace has the opportunities"):
        airtcp.fit(trace, rate="4Mbps")


def test_a_trace_says_which_line_is_wrong(tmp_path: Path) -> None:
    trace = tmp_path / "down.trace"
    lines = [str(k) for k in range(40)]
    for wrong, said in (
        ("3", "line 31 falls, from 29 to 3"),
        ("x", "line 31 is not a whole number"),
    ):
        trace.write_text("\n".join([*lines[:30], wrong, *lines[31:]]))
        with pytest.raises(InputError, match=f"down.trace: is not a trace: {said}"):
            airtcp.fit(trace)


def test_few_delays_are_no_reason_to_refuse_losses(tmp_path: Path) -> None:
    short = trips(tmp_path / "short.txt", packets=15)
    found = airtcp.fit(short, check=False)
    assert found.parts.delays is not None
    assert "fewer than 20 delays (14 here)" in found.parts.delays.why
    assert found.parts.hop.keys["delay"] == "20ms"
    assert "jitter" not in found.parts.hop.keys


def test_a_pause_of_years_does_not_keep_a_record_from_being_fitted(tmp_path: Path) -> None:
    path = trips(tmp_path / "trips.txt", packets=4000)
    lines = path.read_text().splitlines()
    later = (line.split("\t") for line in lines[2000:])
    lines[2000:] = [f"{float(at) + 1e9:.3f}\t{number}\t{rtt}" for at, number, rtt in later]
    path.write_text("\n".join(lines))
    found = airtcp.fit(path, clock="time", check=False)
    assert any("1e+09 s" in odd.said or "gap" in odd.kind for odd in found.facts[0].oddities)
    assert found.parts.losses is not None
    assert found.parts.losses.rate.value == pytest.approx(0.02, rel=0.05)


def test_files_that_tell_no_fate_are_refused_by_name(tmp_path: Path) -> None:
    table = tmp_path / "trips.txt"
    table.write_text("".join(f"{0.2 * k:.3f}\t{k}\t40\n" for k in range(30)))
    (measurement,) = airtcp.measured.read(table)
    assert measurement.packets is not None
    nobody = replace(
        measurement, packets=replace(measurement.packets, fate=np.full(30, UNKNOWN, dtype=np.int8))
    )
    with pytest.raises(InputError, match=r"trips\.txt: .*the file does not show for any packet"):
        fit_packets([nobody], FitOptions(), lambda *_: None)
