"""The order of the tests: the files that take longest come first.

Two workers then end at nearly the same time, each file being the work of one of them. Each worker
multiplies matrices in one thread: with a thread for every core, waiting for each other costs a
third of their processor time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is loaded

LONGEST = (
    "test_docs",
    "test_live_terminal",
    "test_live",
    "test_chockalingam_paper",
    "test_kernel_rates",
    "test_live_stack",
    "test_aqm",
    "test_papers",
    "test_promises",
    "test_lahanas_paper",
    "test_cli",
    "test_fading",
    "test_fading_model",
    "test_agreement",
    "test_kernel_agreement",
    "test_kernel_linux",
    "test_referee_linux",
    "test_ns2_suite",
    "test_containers",
    "test_elaarag",
    "test_live_axis",
    "test_metamorphic",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort by file, and within a file leave the order as it is."""
    place = {f"{name}.py": place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path.name, len(LONGEST)))


def pytest_configure(config: pytest.Config) -> None:
    """Hand files out in this order, not by how many tests they have."""
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False


@pytest.fixture(scope="module")
def few_resamples() -> Iterator[None]:
    """Claims of papers are judged on ten resamples, a quarter of what they are."""
    from airtcp.papers import resampling

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resampling, "RESAMPLES", 10)
        yield
