"""Seeds and the numbers of replications, and the refusals of invalid ones."""

from __future__ import annotations

from airtcp.errors import whole_number

MOST_REPLICATIONS = 1_000_000
SEED_RANGE = (0, 2**64 - 1)  # the first and the last one
REPLICATION_RANGE = (0, MOST_REPLICATIONS - 1)


def check_seed(value: int) -> int:
    """A seed, as a caller or an option gives it. Raises `InputError`."""
    return whole_number("seed", value, *SEED_RANGE)


def check_replication(value: int) -> int:
    """The number of one replication, from 0. Raises `InputError`."""
    return whole_number("replication", value, *REPLICATION_RANGE)
