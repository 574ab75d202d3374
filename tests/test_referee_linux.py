"""Profile `linux` beside what a kernel sent under forced losses (referee_linux.jsonl).

The kernel played every list of losses twice. The new packets between retransmissions move by one
where an ACK comes some microseconds later, in the kernel's own plays too.
"""

from collections import Counter
from pathlib import Path

import pytest

from modules import module

ROOT = Path(__file__).parent.parent
LISTS = 400  # of either control 200
RESENT, SENT = 0.99, 0.97  # least shares of the same order, where the kernel's plays agree


lists = module("referee_lists")


@pytest.fixture(scope="module")
def counts() -> dict[str, Counter]:
    found = {"sent": Counter(), "sent again": Counter()}
    for row in lists.recorded():
        for what, which in lists.verdicts(row).items():
            found[what][which] += 1
    return found


def test_everything_was_played() -> None:
    asked = {(entry["name"], control) for entry in lists.lists() for control in lists.CONTROLS}
    assert {(row["name"], row["control"]) for row in lists.recorded()} == asked
    assert sum(name.startswith("list ") for name, _ in asked) == LISTS


def test_what_is_sent_again_has_the_kernels_order(counts: dict[str, Counter]) -> None:
    again = counts["sent again"]
    assert again["kernel"] < 0.02 * again.total()
    assert again["same"] >= RESENT * (again["same"] + again["other"])


def test_all_that_is_sent_has_the_kernels_order(counts: dict[str, Counter]) -> None:
    sent = counts["sent"]
    assert sent["same"] >= SENT * (sent["same"] + sent["other"])


def test_text_is_read_as_it_is_written() -> None:
    order = (0, 1, 2, 3, 1, 4, 5, 9)
    assert lists.text(order) == "0-3 1 4 5 9"
    assert lists.numbers(lists.text(order)) == order
