"""The notebooks of the docs run, and what is stored in them is what comes out."""

from pathlib import Path
from typing import Any

import nbformat
import pytest

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))


def data(output: Any) -> dict[str, str]:
    return {"text": output.text} if output.output_type == "stream" else dict(output.data)


@pytest.mark.usefixtures("scripts")
@pytest.mark.filterwarnings("default")  # those of Jupyter's packages are not ours
@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_is_stored_as_it_comes_out(file: Path) -> None:
    from figure import alike
    from notebooks import executed

    stored = nbformat.read(file, as_version=4)
    today = executed(file)
    compared = 0
    for old, new in zip(stored.cells, today.cells, strict=True):
        assert old.source == new.source
        outputs = zip(old.get("outputs", []), new.get("outputs", []), strict=True)
        for first, second in (map(data, pair) for pair in outputs):
            compared += 1
            assert first.keys() == second.keys()
            for kind, text in first.items():
                if kind == "image/svg+xml":
                    assert alike(text, second[kind])
                else:
                    assert text == second[kind], old.source
    assert compared > 5


@pytest.mark.usefixtures("scripts")
def test_a_notebook_becomes_a_page() -> None:
    from notebook_pages import page

    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "\n", "Text."]},
        {
            "cell_type": "code",
            "source": "f()",
            "outputs": [
                {"output_type": "stream", "text": ["a\n", "b\n"]},
                {"output_type": "execute_result", "data": {"text/plain": "1"}},
                {"output_type": "display_data", "data": {"image/svg+xml": ["<svg/>"]}},
            ],
        },
    ]
    pictures: list[str] = []
    text = page({"cells": cells}, "x", pictures)
    assert text.startswith("# Title\n\nText.\n\n```python\nf()\n```\n\n```text\na\nb\n```\n\n")
    assert "```text\n1\n```\n\n![figure 1](x-0.svg)" in text
    assert pictures == ["<svg/>"]
