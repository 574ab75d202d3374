"""Progress on stderr: a bar on a terminal, a line of text in a notebook, which needs no widgets."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import nbformat
import pytest

from airtcp.support import progress
from airtcp.support.progress import progress_bar, progress_report

ROOT = Path(__file__).parent.parent


Captured = pytest.CaptureFixture[str]


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> Captured:
    monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))
    return capsys


def seconds(monkeypatch: pytest.MonkeyPatch, *times: float) -> None:
    ticks = iter(times)
    monkeypatch.setattr(progress, "time", types.SimpleNamespace(monotonic=lambda: next(ticks)))


def test_a_notebook_gets_a_line(notebook: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds(monkeypatch, 0.0, 0.1, 10.0, 40.0)
    with progress_report(True) as report:
        for done in (0, 1, 25, 100):
            report("simulating", done, 100)
    written = notebook.readouterr().err.split("\r")[1:]
    assert written[0] == "simulating 0 %"
    assert written[1] == "simulating 25 %, 0:30 left"  # 25 of 100 in 10 s; 0.1 s was too soon
    assert written[2].rstrip() == "simulating 100 %"
    assert written[3].strip() == ""
    assert written[-1] == ""


def test_a_line_ends_where_an_error_ends_the_work(notebook: Captured) -> None:
    with pytest.raises(KeyboardInterrupt), progress_bar(True, "solving", 10):
        raise KeyboardInterrupt
    assert notebook.readouterr().err == f"\rsolving 0 %\r{11 * ' '}\r"


def test_nothing_is_written_unless_it_is_shown(notebook: Captured) -> None:
    with progress_bar(False, "solving", 10) as advance:
        advance(10)
    assert notebook.readouterr().err == ""


@pytest.mark.filterwarnings("default")  # those of Jupyter's packages are not ours
def test_a_real_notebook_has_text_and_no_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    from notebooks import executed

    scenario = {"profile": "zorzi", "tcp": {"variant": "reno", "window": 8}}
    scenario |= {"channel": {"kind": "iid", "loss_rate": 0.1}, "stop": {"slots": 1000}}
    source = f"import airtcp as at\nat.simulate({scenario}, replications=3, progress=True).seed"
    file = tmp_path / "one.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)]), file)
    outputs = executed(file).cells[0].outputs
    assert {output.output_type for output in outputs} == {"stream", "execute_result"}
    text = "".join(output.text for output in outputs if output.output_type == "stream")
    assert "simulating" in text
    assert "ipywidgets" not in text
    assert {output.name for output in outputs if output.output_type == "stream"} == {"stderr"}
