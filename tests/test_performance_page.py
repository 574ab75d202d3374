"""docs/evidence/performance.md says what bench/README.md has measured, and nothing else."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
NUMBER = re.compile(r"(?<![\w.^])\d+(?:\.\d+)?(?![\w^])")
# 10^9 / 28.0 million: follows from a figure there
OF_ITS_OWN = {"36"}


def numbers(text: str) -> set[str]:
    return set(NUMBER.findall(text))


def test_every_figure_was_measured() -> None:
    page = (ROOT / "docs/evidence/performance.md").read_text(encoding="utf-8")
    measured = numbers((ROOT / "bench/README.md").read_text(encoding="utf-8"))
    assert len(numbers(page)) > 50
    assert numbers(page) - OF_ITS_OWN <= measured
