"""Nothing is written through a symbolic link in a folder of results; nested input is a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from airtcp.cli.main import main

SCENARIO = """
profile = "zorzi"
tcp = {variant = "tahoe", window = 8, timeout = 20}
link = {rate = "1.5Mbps", packet = "1400B"}
channel = {kind = "iid", loss_rate = 0.1}
stop = {slots = 100, replications = 2}
"""


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1, error
    return error


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    file = tmp_path / "z.toml"
    file.write_text(SCENARIO)
    return str(file)


@pytest.mark.parametrize("command", ["run", "sweep"])
@pytest.mark.parametrize(
    "name", ["runs.sqlite-commits", ".lock", "table.csv", "data/part-00000.parquet"]
)
def test_a_link_is_refused(
    command: str, name: str, scenario: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    victim, link = tmp_path / "victim", tmp_path / "out" / name
    victim.write_text("precious")
    link.parent.mkdir(parents=True)
    link.symlink_to(victim)
    error = refused(capsys, command, scenario, "--out", str(tmp_path / "out"))
    assert (
        error
        == f"error: {link}: is a symbolic link; remove it, because results are written there\n"
    )
    assert victim.read_text() == "precious"


def test_nesting_without_end(
    scenario: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deep = tmp_path / "deep.toml"
    for text in ("a" + ".a" * 900 + " = 1", "[a" + ".a" * 2000 + "]"):
        deep.write_text(text)
        assert "nested too deeply" in refused(capsys, "run", str(deep))
    value = f"tcp.window={'[' * 3000}{']' * 3000}"
    assert "nested too deeply" in refused(capsys, "run", scenario, "--set", value)
