"""The exact solution of idealised SACK.

Against the simulator: `test_agreement`; slot by slot in Rust: `crates/analysis/tests/oracle.rs`.
"""

import pytest

from airtcp.errors import InputError
from airtcp.models import zorzi
from airtcp.scenario.two_state import TwoState

CHANNELS = [TwoState(p_gb=0.1, p_bg=0.9), TwoState(p_gb=0.05, p_bg=0.2), TwoState.iid(0.3)]
RATES = ("throughput", "transmissions", "timeouts", "fast_retransmits", "mean_cycle_slots")


def exact(variant: str, channel: TwoState, window: int) -> zorzi.Answer:
    return zorzi.solve(variant, channel, window=window, timeout=50, method="exact")


@pytest.mark.parametrize("channel", CHANNELS, ids=repr)
@pytest.mark.parametrize("window", [1, 3, 4])
def test_with_one_hole_at_most_sack_is_newreno(channel: TwoState, window: int) -> None:
    """Up to a window of K + 1 all K packets after the first hole must arrive. To rounding."""
    sack, newreno = exact("sack", channel, window), exact("newreno", channel, window)
    for name in RATES:
        assert getattr(sack, name) == pytest.approx(getattr(newreno, name), rel=1e-12), name


@pytest.mark.parametrize("channel", CHANNELS, ids=repr)
@pytest.mark.parametrize("window", [5, 8, 16])
def test_with_more_holes_sack_resends_more_and_delivers_more(
    channel: TwoState, window: int
) -> None:
    sack, newreno = exact("sack", channel, window), exact("newreno", channel, window)
    assert sack.throughput > newreno.throughput + 10 * (sack.error_bound + newreno.error_bound)
    assert sack.transmissions > newreno.transmissions


def test_nothing_lost_again_nothing_gained() -> None:
    """They differ by two holes and a lost resend: at least quadratic in p_gb."""
    gains = []
    for p_gb in (1e-3, 1e-4):
        channel = TwoState(p_gb=p_gb, p_bg=1.0)
        gains.append(exact("sack", channel, 9).throughput - exact("newreno", channel, 9).throughput)
    assert 0 < gains[1] < gains[0] / 50  # error bounds are below 1e-11


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"method": "embedded"}, "method = 'embedded': must be exact for sack"),
        ({"window": 49}, 'window = 49: must be at most 48 for method "exact"$'),
        ({"timeout": 24}, "timeout = 24: must be at least 25 slots for sack at window 24"),
    ],
)
def test_refusals(changes: dict, line: str) -> None:
    arguments = {"window": 24, "method": "exact", **changes}
    with pytest.raises(InputError, match=line):
        zorzi.solve("sack", CHANNELS[0], **arguments)
