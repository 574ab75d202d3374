"""Files that `airtcp fit` takes together, what it says of them first, and where it writes."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import airtcp
from airtcp import InputError
from airtcp.cli.main import main


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
    (note,) = (one for one in found.parts.remarks if "--about" in one)
    assert note.startswith("fitted is log, log of airtcp live, ")
    assert "1 other measurement" in note
    alone = airtcp.fit(trips(tmp_path / "trips.txt"), check=False)
    assert not any("--about" in one for one in alone.parts.remarks)


def test_a_file_given_again_tells_nothing_new(tmp_path: Path) -> None:
    one, same = trips(tmp_path / "one.txt"), trips(tmp_path / "same.txt")
    other = trips(tmp_path / "other.txt", shift=7)
    found = airtcp.fit([one, same, other], check=False)
    assert [Path(of.source).name for of in found.chosen] == ["one.txt", "other.txt"]
    (note,) = (said for said in found.parts.remarks if "counted once" in said)
    assert note.startswith(f"{same} holds what")
    alone, twice = (
        airtcp.fit(files, check=False).parts.losses for files in ([one, other], [one, same, other])
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
