"""Profile `linux` beside the kernel's throughput on six links, as bench/kernel.csv has recorded it.

The ratio of a pair may be away from 1 by `TOLERANCE`, without SACK by `LOOSER`; a test fails if its
interval of 95 % lies beyond that. With a true ratio within the tolerance one does so once in forty
at most, so of 24 that are all at the edge two or more would; those found here are well within.
"""

from pathlib import Path

import pytest

from modules import module

ROOT = Path(__file__).parent.parent
TOLERANCE, LOOSER = 0.03, 0.05


page = module("kernel_page", "bench")


@pytest.mark.parametrize("link", list(page.LINKS))
@pytest.mark.parametrize("name", list(page.KERNELS))
def test_throughput_is_that_of_the_kernel(link: str, name: str) -> None:
    pair = page.pair(link, name, page.KERNELS[name])
    found = pair.ratio
    tolerance = LOOSER if name == "reno" else TOLERANCE
    assert len(pair.kernel) >= 10
    assert abs(found.value - 1) - found.half <= tolerance, found


def test_a_simulator_that_is_a_tenth_faster_is_found_out() -> None:
    wrong = []
    for link in page.LINKS:
        pair = page.pair(link, "cubic", page.KERNELS["cubic"])
        pair.simulator["throughput_pps"] *= 1.1
        wrong.append(abs(pair.ratio.value - 1) - pair.ratio.half > TOLERANCE)
    assert sum(wrong) >= 5
