"""TCP over a link layer that sends again: reference points, Monte Carlo, limits, refusals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from airtcp.errors import InputError
from airtcp.models import MODELS, chockalingam, zorzi
from airtcp.models.chockalingam import VARIANTS, advise, solve
from airtcp.models.chockalingam.link import Link
from airtcp.models.fading import packet_errors
from airtcp.scenario.two_state import TwoState
from arq_simulation import ArqSimulation

SCALE = 0.002  # 0.2 % of the scale of the figures


def throughput(channel: TwoState, attempts: int, **case: Any) -> float:
    given = {"variant": "tahoe", "fragments": 32, **case}
    return solve(given.pop("variant"), channel, attempts=attempts, **given).throughput


def half_a_digit(value: float) -> float:
    return 0.5 * 10.0 ** -len(f"{value:.6f}".rstrip("0").partition(".")[2])


def near(value: float) -> Any:
    """A reference point: 0.2 % of scale, and what its last digit leaves open."""
    return pytest.approx(value, abs=SCALE + half_a_digit(value))


# Reference points [chockalingam reading, section 10]


@pytest.mark.parametrize(
    ("loss_rate", "burst", "attempts", "expected"),
    [
        *((0.1, 2, 16, 0.900), (0.1, 20, 16, 0.1906), (0.1, 100, 16, 0.354)),
        *((0.1, 1000, 16, 0.759), (0.01, 2, 16, 0.990), (0.1, 2, 128, 0.900)),
        *((0.1, 170, 128, 0.862), (0.1, 2, 1, 0.0004), (0.1, 20, 1, 0.046)),
        *((0.1, 100, 1, 0.206), (0.1, 1000, 1, 0.71)),
    ],
)
def test_figs_3_and_4(loss_rate: float, burst: float, attempts: int, expected: float) -> None:
    channel = TwoState.from_burst(loss_rate=loss_rate, mean_burst=burst)
    assert throughput(channel, attempts) == near(expected)


def test_the_minimum_of_fig_3_lies_at_a_burst_of_20() -> None:
    bursts = range(12, 31)
    found = [
        throughput(TwoState.from_burst(loss_rate=0.1, mean_burst=burst), 16) for burst in bursts
    ]
    assert bursts[int(np.argmin(found))] == 20
    # n_l retransmissions instead of transmissions in all
    again = [
        throughput(TwoState.from_burst(loss_rate=0.1, mean_burst=b), 16, count="retransmissions")
        for b in bursts
    ]
    assert bursts[int(np.argmin(again))] > 20


@pytest.mark.parametrize(
    ("snr_db", "attempts", "expected"),
    [
        *((10, 1, 0.0011), (10, 8, 0.0088), (10, 16, 0.041), (10, 128, 0.670)),
        *((20, 1, 0.045), (20, 8, 0.318), (20, 16, 0.871), (20, 128, 0.960)),
    ],
)
def test_fig_5(snr_db: float, attempts: int, expected: float) -> None:
    losses = packet_errors(snr_db=snr_db, doppler_hz=10, bytes=32)
    assert throughput(losses.two_state, attempts) == near(expected)


@pytest.mark.parametrize(
    ("ll_bytes", "attempts", "expected"),
    [(64, 16, 0.064), (128, 16, 0.115), (64, 128, 0.629), (128, 128, 0.590)],
)
def test_fig_6(ll_bytes: int, attempts: int, expected: float) -> None:
    losses = packet_errors(snr_db=10, doppler_hz=10, bytes=ll_bytes)
    assert throughput(losses.two_state, attempts, fragments=1024 // ll_bytes) == near(expected)


@pytest.mark.parametrize(
    ("size", "doppler", "expected"),
    [(1024, 1, 0.774), (1024, 10, 0.443), (512, 1, 0.801), (512, 10, 0.654)],
)
def test_fig_2_without_arq(size: int, doppler: float, expected: float) -> None:
    losses = packet_errors(snr_db=20, doppler_hz=doppler, bytes=size)
    assert throughput(losses.two_state, 1, fragments=1) == near(expected)


@pytest.mark.parametrize(
    ("code", "doppler", "expected"),
    [
        *((None, 1, 0.041), ("bch(255,131)", 1, 0.175), ("bch(255,87)", 1, 0.248)),
        *((None, 100, 0.048), ("bch(255,131)", 100, 0.786), ("bch(255,87)", 100, 0.896)),
    ],
)
def test_fig_7(code: str | None, doppler: float, expected: float) -> None:
    losses = packet_errors(snr_db=10, doppler_hz=doppler, bytes=32, code=code)
    assert throughput(losses.two_state, 16) == near(expected)


def test_as_good_as_newreno_holds_partly() -> None:
    def gap(snr_db: float, doppler: float) -> float:
        losses = packet_errors(snr_db=snr_db, doppler_hz=doppler, bytes=32, code="bch(255,131)")
        tahoe, newreno = (
            throughput(losses.two_state, 16, variant=variant) for variant in ("tahoe", "newreno")
        )
        return newreno - tahoe

    # The reference of Fig. 8 is simulated [chockalingam reading, section 10]
    assert gap(12.5, 1) == pytest.approx(0.467 - 0.413, abs=0.01)
    assert 0.0 <= gap(22.5, 1) < 0.006


def test_a_recovery_that_is_sure_but_for_rounding_is_no_error() -> None:
    """128 attempts make P(arrives | lost before) 1 up to rounding, here 1 + 2e-16."""
    found = solve("tahoe", TwoState(p_gb=0.069, p_bg=0.49), fragments=32, attempts=128)
    assert found.packet.p_bg == 1.0


# Against the models and simulations that it stands on


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    ("window", "dupacks", "p_gb", "p_bg"),
    [(24, 3, 0.01, 0.2), (6, 3, 0.1, 0.9), (5, 1, 0.3, 0.8), (1, 3, 0.3, 0.2), (7, 9, 0.9, 0.7)],
)
def test_one_fragment_and_one_attempt_are_the_model_of_zorzi(
    variant: str, window: int, dupacks: int, p_gb: float, p_bg: float
) -> None:
    channel, tcp = TwoState(p_gb=p_gb, p_bg=p_bg), {"window": window, "dupacks": dupacks}
    known = zorzi.solve(variant, channel, **tcp)
    found = solve(variant, channel, fragments=1, attempts=1, **tcp)
    for name in ("lower", "upper", "throughput", "transmissions", "timeouts", "fast_retransmits"):
        assert getattr(found, name) == pytest.approx(getattr(known, name), abs=1e-10)
    assert found.tcp_packets == pytest.approx(known.transmissions, abs=1e-10)
    assert found.mean_cycle_slots == pytest.approx(known.mean_cycle_slots, rel=1e-9)
    assert found.packet == pytest.approx(channel) or found.packet.p_gb == pytest.approx(p_gb)
    assert found.late_timers < 1e-8


def packet_by_packet(
    channel: TwoState, fragments: int, attempts: int, packets: int
) -> dict[tuple[bool, bool], list[int]]:
    """Durations of TCP packets sent one after the other, by outcome before and outcome."""
    rng = np.random.default_rng(5)
    bad, lost = False, False
    durations: dict[tuple[bool, bool], list[int]] = {}
    for _ in range(packets):
        before, slots, lost = lost, 0, False
        for _ in range(fragments):
            for _ in range(attempts):
                bad = bool(rng.random() < (channel.p_bb if bad else channel.p_gb))
                slots += 1
                if not bad:
                    break
            if bad:
                lost = True
                break
        durations.setdefault((before, lost), []).append(slots)
    return durations


@pytest.mark.parametrize(("fragments", "attempts"), [(4, 3), (1, 5), (6, 1)])
def test_the_chain_of_tcp_packets_against_a_monte_carlo(fragments: int, attempts: int) -> None:
    channel, z = TwoState(p_gb=0.1, p_bg=0.3), 0.9
    durations = packet_by_packet(channel, fragments, attempts, 60_000)
    transforms = Link(channel, fragments, attempts).packet_transforms(
        np.array([z, 1.0], dtype=complex)
    )
    names = {(False, False): "gg", (False, True): "gb", (True, False): "bg", (True, True): "bb"}
    for (before, lost), name in names.items():
        trials = sum(len(durations[before, flag]) for flag in (False, True))
        at_z, at_one = getattr(transforms, name).real
        values = z ** np.array(durations[before, lost])
        # 4.5 standard errors: no seed exceeds them once in 10^5
        share = values.size / trials
        assert abs(share - at_one) < 4.5 * math.sqrt(share * (1.0 - share) / trials)
        second = (values**2).sum() / trials
        mean = values.sum() / trials
        assert abs(mean - at_z) < 4.5 * math.sqrt((second - mean**2) / trials)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    ("window", "fragments", "attempts", "channel"),
    [
        (6, 4, 3, TwoState(p_gb=0.05, p_bg=0.25)),
        (8, 3, 1, TwoState(p_gb=0.02, p_bg=0.4)),
    ],
    ids=["retransmits", "gives up at once"],
)
def test_tcp_over_arq_against_a_slot_simulation(
    variant: str, window: int, fragments: int, attempts: int, channel: TwoState
) -> None:
    tcp: dict[str, Any] = {"window": window, "dupacks": 3, "timeout": 30 * fragments}
    arq = {"fragments": fragments, "attempts": attempts}
    found = solve(variant, channel, **tcp, **arq)
    runs = []
    for seed in range(12):
        simulation = ArqSimulation(variant, channel, seed=seed, **tcp, **arq)
        counts = simulation.run(25_000)
        per_slot = np.array(
            [
                fragments * counts.deliveries,
                simulation.air,
                counts.timeouts,
                counts.fast_retransmits,
            ]
        )
        runs.append(per_slot / counts.slots)
    mean = np.mean(runs, axis=0)
    error = np.std(runs, axis=0, ddof=1) / math.sqrt(len(runs))
    # 5.5 standard errors of 12 runs: Student's t with 11 degrees exceeds them twice in 10^4
    assert found.lower - 5.5 * error[0] < mean[0] < found.upper + 5e-4 + 5.5 * error[0]
    assert error[0] < 0.02
    rates = [found.transmissions, found.timeouts, found.fast_retransmits]
    for value, simulated, spread in zip(rates, mean[1:], error[1:], strict=True):
        assert abs(value - simulated) <= 5.5 * spread + 4e-4 * value
    assert found.late_timers < 1e-4


# Limits


def test_energy_and_net_throughput_charge_the_parity() -> None:
    channel = TwoState.from_burst(loss_rate=0.05, mean_burst=3)
    plain, coded = (
        solve("tahoe", channel, fragments=32, attempts=16, code_rate=rate) for rate in (1.0, 0.25)
    )
    assert coded.throughput == plain.throughput == plain.net_throughput
    assert coded.net_throughput == pytest.approx(0.25 * plain.throughput)
    assert plain.bits_per_delivered_bit == pytest.approx(plain.transmissions / plain.throughput)
    assert coded.bits_per_delivered_bit == pytest.approx(4.0 * plain.bits_per_delivered_bit)
    assert 1.0 < plain.bits_per_delivered_bit < 1.2


def test_a_link_that_never_gives_up_delivers_what_the_channel_lets_through() -> None:
    channel = TwoState(p_gb=0.1, p_bg=0.4)
    for variant in VARIANTS:
        found = solve(variant, channel, fragments=8, attempts=10_000, timeout=8000)
        assert found.throughput == pytest.approx(1.0 - channel.loss_rate, rel=1e-9)
        assert found.transmissions == pytest.approx(1.0, rel=1e-9)
    for loss_rate in np.geomspace(1e-4, 0.4, 40):  # no probability above 1 by rounding
        channel = TwoState.from_burst(loss_rate=loss_rate, mean_burst=8)
        assert 0.59 < throughput(channel, 128, fragments=16) < 1.0
    never = solve("tahoe", TwoState(p_gb=0.0, p_bg=1.0), fragments=8, attempts=2)
    assert (never.throughput, never.timeouts, never.mean_cycle_slots) == (1.0, 0.0, math.inf)
    always = solve("tahoe", TwoState(p_gb=1.0, p_bg=0.0), fragments=8, attempts=2)
    assert always.throughput == pytest.approx(0.0, abs=1e-12)
    assert always.bits_per_delivered_bit > 1e9


def test_retransmissions_are_transmissions_but_one() -> None:
    channel = TwoState(p_gb=0.1, p_bg=0.4)
    again = solve("reno", channel, fragments=8, attempts=3, count="retransmissions")
    assert again.throughput == solve("reno", channel, fragments=8, attempts=4).throughput
    once = solve("reno", channel, fragments=8, attempts=0, count="retransmissions")
    assert once.throughput == solve("reno", channel, fragments=8, attempts=1).throughput


def test_timers_that_expire_while_the_window_is_sent_are_reported() -> None:
    bursts = TwoState(p_gb=0.01, p_bg=0.01)
    short = solve("tahoe", bursts, window=8, fragments=4, attempts=100, timeout=32)
    assert short.late_timers > 0.5
    assert (
        solve("tahoe", bursts, window=8, fragments=4, attempts=100, timeout=4000).late_timers < 0.1
    )


# Advice


def test_advice_ranks_every_choice() -> None:
    case: dict[str, Any] = {"snr_db": 20, "doppler_hz": 10, "ll_bytes": (32, 64)}
    case |= {"attempts": (1, 16), "codes": (None, "bch(255,239)")}
    fast, lean = (advise(objective=objective, **case) for objective in chockalingam.OBJECTIVES)
    assert len(fast) == len(lean) == 1 + 2 * 2 * 2
    rates, energy = fast["bits_per_second"], lean["bits_per_delivered_bit"]
    assert rates.tolist() == sorted(rates, reverse=True)
    assert energy.tolist() == sorted(energy)
    best = {name: fast[name][0] for name in fast}
    losses = packet_errors(snr_db=20, doppler_hz=10, bytes=int(best["ll_bytes"]))
    assert best["code"] == "none"
    answer = solve(
        "tahoe",
        losses.two_state,
        fragments=int(best["fragments"]),
        attempts=int(best["attempts"]),
    )
    assert best["bits_per_second"] == pytest.approx(answer.throughput * 1.5e6, rel=1e-12)
    assert 1024 in fast["ll_bytes"]


def test_advice_with_a_timer_in_seconds() -> None:
    case: dict[str, Any] = {"snr_db": 10, "doppler_hz": 10, "ll_bytes": (32,), "attempts": (16,)}
    case |= {"codes": (None,)}
    airtimes = 32 * 100 * 256 / 1.5e6  # of 100 uncoded packets: the default, in every row
    same = advise(timeout=airtimes, **case)["throughput"]
    assert same == pytest.approx(advise(**case)["throughput"], rel=1e-12)
    assert (advise(timeout=4 * airtimes, **case)["throughput"] < same).all()


# Refusals

CHANNEL = TwoState(p_gb=0.1, p_bg=0.4)
REFUSED = [
    ({"variant": "taho"}, "variant = 'taho': .*did you mean 'tahoe'"),
    ({"channel": 0.1}, "channel = 0.1: must be a TwoState"),
    ({"fragments": 0}, "fragments = 0: must be a whole number from 1"),
    ({"attempts": 0}, "attempts = 0: must be a whole number from 1"),
    ({"attempts": -1, "count": "retransmissions"}, "attempts = -1: must be a whole number from 0"),
    ({"window": 65}, "window = 65: must be a whole number from 1 to 64"),
    ({"dupacks": 0}, "dupacks = 0: must be"),
    ({"timeout": 767}, "timeout = 767: must be at least 768 slots for tahoe at window 24"),
    ({"timeout": 768, "variant": "reno"}, "timeout = 768: must be at least 800 slots for reno"),
    ({"timeout": 10**9}, "timeout = 1000000000: must be a whole number from 1 to 200000"),
    ({"code_rate": 0.0}, r"code_rate = 0.0: must be a number in \(0, 1\]"),
    ({"count": "tries"}, "count = 'tries': must be one of transmissions, retransmissions"),
    ({"method": "exct"}, "method = 'exct': must be one of"),
]


@pytest.mark.parametrize(("change", "message"), REFUSED, ids=lambda parameter: str(parameter)[:40])
def test_refusals(change: dict[str, Any], message: str) -> None:
    case = {"variant": "tahoe", "channel": CHANNEL, "fragments": 32, "attempts": 16, **change}
    with pytest.raises(InputError, match=message) as refused:
        solve(**case)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"objective": "energi"}, "objective = 'energi': .*did you mean 'energy'"),
        ({"codes": []}, "codes = .*: must be a list of at least one value"),
        ({"codes": "bch(255,87)"}, "codes = .*: must be a list"),
        ({"attempts": (0,)}, "attempts = 0: must be"),
        ({"timeout": 0.0}, "timeout = 0.0: must be a time above 0"),
        ({"timeout": 1e-3}, "timeout = .*: must be at least"),
        ({"snr_db": math.nan}, "snr_db = nan"),
        ({"packet_bytes": 0}, "packet_bytes = 0"),
    ],
)
def test_refusals_of_advice(change: dict[str, Any], message: str) -> None:
    case = {"snr_db": 20, "doppler_hz": 10, "ll_bytes": (32,), "codes": (None,), **change}
    with pytest.raises(InputError, match=message):
        advise(**case)


def test_it_is_registered() -> None:
    assert MODELS["chockalingam"] is chockalingam
