"""Fading as it is drawn, against its law; bits, codes and packets.

Statistical checks: fixed seeds, twenty of them for the fading. The limit is five standard errors,
found from the replications themselves (Student's law with 39 degrees of freedom leaves 1.3e-5 per
check), and 1e-6 for tests of a distribution.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
from typing import Any

import galois
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special, stats

import airtcp as at

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

SEEDS = range(1, 21)
REPLICATIONS = 40
LIMIT = 5.0
APART = 20.25  # cycles between samples that are taken as independent: J0^2 is 0.003 there


def deviation(samples: Floats, expected: float) -> float:
    """Standard errors between the mean of `samples` and the expected one."""
    return float((samples.mean() - expected) / stats.sem(samples))


def gains(times: Floats, seed: int, **options: Any) -> Complexes:
    """Replications as rows, at 1 Hz: times are in cycles."""
    rows = [
        at.fading(times, doppler="1Hz", seed=seed, replication=i, **options)
        for i in range(REPLICATIONS)
    ]
    return np.array(rows)


@pytest.mark.parametrize("seed", SEEDS)
def test_powers_are_exponential(seed: int) -> None:
    power = np.abs(gains(APART * np.arange(50), seed).ravel()) ** 2
    assert stats.kstest(power, "expon").pvalue > 1e-6
    assert abs(deviation(power, 1.0)) < LIMIT
    phase = np.angle(gains(APART * np.arange(50), seed).ravel())
    assert stats.kstest(phase, stats.uniform(-math.pi, 2.0 * math.pi).cdf).pvalue > 1e-6


@pytest.mark.parametrize("seed", SEEDS)
def test_the_autocorrelation_is_a_bessel_function(seed: int) -> None:
    """At f_d T from 1e-6 to 0.5, up to 20 steps."""
    lags = np.array([f * k for f in (1e-6, 1e-4, 0.01, 0.05, 0.2, 0.5) for k in (1, 2, 7, 20)])
    start = APART * np.arange(25)
    h = gains((start[:, None] + np.concatenate(([0.0], lags))).ravel(), seed)
    h = h.reshape(REPLICATIONS, start.size, -1)
    for i, lag in enumerate(lags, start=1):
        product = (h[:, :, i] * np.conj(h[:, :, 0])).mean(axis=1)
        assert abs(deviation(product.real, special.j0(2.0 * math.pi * lag))) < LIMIT, lag
        assert abs(deviation(product.imag, 0.0)) < LIMIT, lag
        # Displacements of the gain tell short lags from one another.
        moved = (np.abs(h[:, :, i] - h[:, :, 0]) ** 2).mean(axis=1)
        expected = 2.0 * one_minus_j0(2.0 * math.pi * lag)
        assert abs(deviation(moved, expected)) < LIMIT, lag


def one_minus_j0(x: float) -> float:
    """Without cancellation for small x."""
    return x * x / 4.0 * (1.0 - x * x / 16.0) if x < 1e-3 else 1.0 - float(special.j0(x))


@pytest.mark.parametrize("doppler", [0.002, 0.01, 0.05])
@pytest.mark.parametrize("margin_db", [3.0, 10.0])
def test_level_crossings_and_fade_durations(doppler: float, margin_db: float) -> None:
    """Downward crossings per sample, and what a fade lasts, against the law of two samples.

    That law is exact at any f_d T, where Rice's rate is that of continuous time.
    """
    chain = at.TwoState.from_rayleigh(doppler=doppler, fading_margin_db=margin_db)
    rate = (1.0 - chain.loss_rate) * chain.p_gb
    times = doppler * np.arange(math.ceil(40.0 / doppler))
    for seed in SEEDS:
        below = np.abs(gains(times, seed)) ** 2 < 10.0 ** (-margin_db / 10.0)
        down = (below[:, 1:] & ~below[:, :-1]).mean(axis=1)
        assert abs(deviation(down, rate)) < LIMIT, seed
        # The mean duration of a fade is the time below by the number of crossings.
        inside = below[:, 1:].mean(axis=1) - down / chain.p_bg
        assert abs(deviation(inside, 0.0)) < LIMIT, seed


def test_crossings_are_those_of_rice_in_continuous_time() -> None:
    """N = sqrt(2 pi) f_d rho exp(-rho^2) [Rice 1945; Jakes 1974, section 1.3]."""
    step, rho = 0.001, math.sqrt(0.1)
    below = np.abs(gains(step * np.arange(100_000), 1)) < rho
    crossings = (below[:, 1:] & ~below[:, :-1]).sum(axis=1) / (step * 99_999)
    expected = math.sqrt(2.0 * math.pi) * rho * math.exp(-rho * rho)
    assert abs(deviation(crossings, expected)) < LIMIT


def test_time_averages_converge() -> None:
    """Of the power over n cycles: what they are off by falls as n grows."""
    spread = []
    for cycles in (50, 5000):
        power = np.abs(gains(0.2 * np.arange(5 * cycles), 2)) ** 2
        spread.append(power.mean(axis=1).std())
    # J0^2 falls as 1/lag: the variance as log(n)/n. A ratio of 7.6 is expected.
    assert 4.0 < spread[0] / spread[1] < 15.0


def test_a_direct_path_makes_it_rician() -> None:
    k = 4.0
    power = np.abs(gains(APART * np.arange(50), 3, rician_k=k).ravel()) ** 2
    law = stats.ncx2(2, 2.0 * k, scale=0.5 / (1.0 + k))
    assert stats.kstest(power, law.cdf).pvalue > 1e-6


def test_jakes_is_not_rayleigh() -> None:
    """The mean power is 1, but its law is another."""
    power = np.abs(gains(APART * np.arange(2000), 4, oscillators=8).ravel()) ** 2
    assert abs(deviation(power, 1.0)) < LIMIT
    assert stats.kstest(power, "expon").pvalue < 1e-6


def test_questions_in_between_change_nothing() -> None:
    times = np.sort(np.random.default_rng(1).uniform(0.0, 1e5, 2000))
    for options in ({}, {"oscillators": 8}, {"rician_k": 2.0}):
        path = at.fading(times, doppler="3Hz", **options)
        assert np.array_equal(at.fading(times[::7], doppler="3Hz", **options), path[::7])
        assert np.array_equal(at.fading(times[5], doppler="3Hz", **options), path[5])


@pytest.mark.parametrize(("doppler", "end"), [("1MHz", 1e6), ("8Hz", 9.2e9)])
def test_a_path_ends_where_its_places_are_not_known(doppler: str, end: float) -> None:
    with pytest.raises(at.InputError, match=r"^doppler: .* more than 2\^36 cycles of fading"):
        at.fading([0.0, end], doppler=doppler)
    assert np.isfinite(at.fading([2.0**36 / 8.0], doppler="8Hz")).all()


def test_packets_end_where_the_places_of_their_fading_are_not_known() -> None:
    channel = {"kind": "rayleigh", "snr": "20dB", "doppler": "700kHz"}
    for table, place in [(channel, ""), ({"kind": "series", "of": [channel]}, r"\.of\[0\]")]:
        with pytest.raises(at.InputError, match=rf"channel{place}\.doppler: .* 2\^36 cycles"):
            at.fates(table, 2**32)
        assert at.fates(table, 10).size == 10


INTERRUPTED = """
import signal, threading, time
import numpy as np
import airtcp as at
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize(
    "call",
    [
        'at.fates({"kind": "rayleigh", "snr": "20dB", "doppler": "10kHz"}, 2**30)',
        'at.fading(np.arange(5e6), doppler="1kHz", oscillators=1024)',
    ],
)
def test_sample_paths_can_be_interrupted(call: str) -> None:
    """Each would take minutes."""
    command = [sys.executable, "-c", INTERRUPTED.format(call=call)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "interrupted\n"


def lost(mode: str, n: int, replication: int = 0, **keys: Any) -> NDArray[np.bool_]:
    channel = {"kind": "rayleigh", "mode": mode, **keys}
    return at.fates(channel, n, seed=11, replication=replication)


MODES = [
    {"snr": "10dB", "doppler": "1Hz"},
    {"snr": "10dB", "doppler": "100Hz"},
    {"snr": "20dB", "doppler": "10Hz", "modulation": "dpsk"},
    {"snr": "20dB", "doppler": "3kHz", "modulation": "fsk"},
    {"snr": "20dB", "doppler": "100Hz", "modulation": "ncfsk", "rician_k": 2.0},
    {"snr": "10dB", "doppler": "10Hz", "code": "bch(255,87)"},
    {"snr": "20dB", "doppler": "100Hz", "code": "bch(255,87)"},
    {"snr": "10dB", "doppler": "1kHz", "code": "bch(63,36)"},
]


@pytest.mark.parametrize("keys", MODES, ids=lambda keys: "-".join(map(str, keys.values())))
def test_fast_and_bitwise_fates_have_one_law(keys: dict[str, Any]) -> None:
    """On the same fading: where the two differ, each is the lost one equally often.

    So it is for packets, and for runs of two losses, by which they could differ in memory. Five
    standard errors of a fair coin.
    """
    fast, bitwise = lost("fast", 100_000, **keys), lost("bits", 100_000, **keys)
    assert 100 < fast.sum() < 99_900
    for first, second in ((fast, bitwise), (fast[1:] & fast[:-1], bitwise[1:] & bitwise[:-1])):
        fewer, more = int((first & ~second).sum()), int((second & ~first).sum())
        assert abs(fewer - more) <= LIMIT * math.sqrt(fewer + more + 1)


# Exact (P_E, r) by quadrature: r = P(success | previous packet lost), 32 bytes at 1.5 Mbit/s.
TABLE_1 = {
    ("none", "1Hz", "10dB"): (0.330156, 0.123343),
    ("none", "1Hz", "20dB"): (0.0398408, 0.15100),
    ("none", "1Hz", "30dB"): (4.06361e-3, 0.15417),
    ("none", "10Hz", "10dB"): (0.330168, 0.123465),
    ("none", "10Hz", "20dB"): (0.0398572, 0.15244),
    ("none", "10Hz", "30dB"): (4.08036e-3, 0.16796),
    ("none", "100Hz", "10dB"): (0.331377, 0.134897),
    ("none", "100Hz", "20dB"): (0.0413433, 0.24735),
    ("none", "100Hz", "30dB"): (5.10354e-3, 0.5086),
    ("bch(255,87)", "1Hz", "10dB"): (0.08706, 0.06456),
    ("bch(255,87)", "1Hz", "20dB"): (9.0752e-3, 0.06854),
    ("bch(255,87)", "1Hz", "30dB"): (9.139e-4, 0.07986),
    ("bch(255,87)", "10Hz", "10dB"): (0.08732, 0.07628),
    ("bch(255,87)", "10Hz", "20dB"): (9.3247e-3, 0.14553),
    ("bch(255,87)", "10Hz", "30dB"): (1.0670e-3, 0.3544),
    ("bch(255,87)", "100Hz", "10dB"): (0.10148, 0.3410),
    ("bch(255,87)", "100Hz", "20dB"): (0.015137, 0.6981),
    ("bch(255,87)", "100Hz", "30dB"): (2.160e-3, 0.938),
}


@pytest.mark.parametrize("entry", TABLE_1)
def test_loss_rates_and_recoveries_are_the_exact_ones(entry: tuple[str, str, str]) -> None:
    code, doppler, snr = entry
    keys = {"snr": snr, "doppler": doppler} | ({} if code == "none" else {"code": code})
    runs = [lost("fast", 50_000, i, **keys) for i in range(REPLICATIONS)]
    loss_rate, recovery = TABLE_1[entry]
    assert abs(deviation(np.array([run.mean() for run in runs]), loss_rate)) < LIMIT
    # Of the losses, the share r is followed by a success: the difference has mean 0.
    after = [(run[:-1] & ~run[1:]).mean() - recovery * run[:-1].mean() for run in runs]
    assert abs(deviation(np.array(after), 0.0)) < LIMIT


@pytest.mark.parametrize(("n", "k"), [(7, 4), (63, 36), (511, 259)])
def test_codes_are_those_of_a_real_codec(n: int, k: int) -> None:
    """A code that is written with the t of the library is the one of the table."""
    t = galois.BCH(n, k).t
    channel = {"kind": "rayleigh", "snr": "20dB", "doppler": "1Hz", "code": f"bch({n},{k},{t})"}
    document = {"profile": "zorzi", "tcp": {"variant": "tahoe"}, "channel": channel}
    [point] = at.Scenario.from_dict(document).points()
    assert point.data["channel"]["code"] == f"bch({n},{k})"


@pytest.mark.parametrize(("n", "k", "t"), [(255, 131, 18), (255, 87, 26)])
def test_codes_correct_what_a_real_decoder_corrects(n: int, k: int, t: int) -> None:
    """A decoder of the library `galois`: t errors anywhere are corrected, t + 1 are not.

    And the channel loses words as that t says, where all bits are in error with one probability.
    """
    codec = galois.BCH(n, k)
    assert codec.t == t
    rng = np.random.default_rng(n + k)
    message = galois.GF2.Random((20, k), seed=n)
    sent = codec.encode(message)
    for errors, corrected in ((t, True), (t + 1, False)):
        received = sent.copy()
        for row in received:
            row[rng.choice(n, errors, replace=False)] ^= galois.GF2(1)
        decoded = codec.decode(received)
        assert np.all(decoded == message, axis=1).all() == corrected
    # A gain that is constant but for 0.1 %: the errors in a word are binomial.
    channel = {"kind": "rayleigh", "snr": "0dB", "doppler": "0Hz", "rician_k": 1e6}
    p = 0.5 * math.erfc(1.0)
    expected = float(stats.binom.sf(t, n, p))
    fates = at.fates(channel | {"code": f"bch({n},{k})"}, 20_000, packet="1B")
    words = math.ceil(8 / k)
    expected = 1.0 - (1.0 - expected) ** words
    sigma = math.sqrt(max(expected * (1.0 - expected), 1e-4) / 20_000)
    assert abs(fates.mean() - expected) < LIMIT * sigma + 0.02 * expected


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"snr": "NaNdB"}, "snr"),
        ({"snr": 20}, "snr"),
        ({"doppler": "-1Hz"}, "doppler"),
        ({"doppler": "1MHz"}, "half the rate"),
        ({"code": "bch(255,88)"}, 'did you mean "bch(255,87)"'),
        ({"code": "bch(255,87,85)"}, "(n-k)/2 = 84"),
        ({"modulation": "bspk"}, "bpsk"),
        ({"rician_k": -1.0}, "rician_k"),
        ({"oscillators": 8}, "oscillators"),
    ],
)
def test_what_makes_no_sense_is_refused(keys: dict[str, Any], said: str) -> None:
    channel = {"kind": "rayleigh", "snr": "20dB", "doppler": "10Hz"} | keys
    with pytest.raises(at.InputError) as refused:
        at.fates(channel, 10)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_times_and_options_are_checked() -> None:
    for times in (-1.0, math.nan, [0.0, math.inf], 1e300, "soon", [[0.0], [1.0, 2.0]]):
        with pytest.raises(at.InputError, match="times"):
            at.fading(times, doppler="10Hz")  # type: ignore[arg-type]
    for options in ({"rician_k": -1.0}, {"rician_k": 1.0, "oscillators": 8}, {"oscillators": 0}):
        with pytest.raises(at.InputError):
            at.fading(0.0, doppler="10Hz", **options)
    for doppler in ("-1Hz", "10", 10):
        with pytest.raises(at.InputError, match="doppler"):
            at.fading(0.0, doppler=doppler)  # type: ignore[arg-type]


def test_a_code_makes_slots_longer() -> None:
    document: dict[str, Any] = {
        "profile": "zorzi",
        "tcp": {"variant": "tahoe"},
        "link": {"rate": "1.5Mbps", "packet": "32B"},
        "channel": {"kind": "rayleigh", "snr": "20dB", "doppler": "10Hz", "code": "bch(255,87)"},
    }
    [point] = at.Scenario.from_dict(document).points()
    assert at._native.slot(point.compiled) == (510e-6, 256, 1)


def test_a_code_slows_a_hop_down() -> None:
    """A clear link that is kept busy: packets of 32 bytes take 765 bits instead of 256."""
    channel = {"kind": "rayleigh", "snr": "100dB", "doppler": "1Hz"}
    rates = []
    for code in ({}, {"code": "bch(255,87)"}):
        document = {
            "profile": "ns2",
            "tcp": {"variant": "newreno", "window": 20, "packet": "32B", "ack": "4B"},
            "path": {"hop": [{"rate": "1.5Mbps", "delay": "0.1ms", "channel": channel | code}]},
            "stop": {"time": "20s", "replications": 1},
        }
        [throughput] = at.simulate(at.Scenario.from_dict(document)).summary()["throughput_bps"]
        rates.append(throughput)
    assert rates[0] / rates[1] == pytest.approx(765 / 256, rel=2e-3)


@pytest.mark.parametrize(
    "channel",
    [
        {"kind": "on-off", "on": "1ns", "off": "1ns", "loss_rate": 0.5},
        {"kind": "sojourn", "good": "1ns", "bad": "1ns"},
        {"kind": "series", "of": [{"kind": "sojourn", "good": "1s", "bad": "1ns"}]},
    ],
)
def test_phases_of_nanoseconds_are_refused(channel: dict[str, Any]) -> None:
    """They would be passed through one by one, millions in a slot."""
    with pytest.raises(at.InputError, match="1ns is too short; must be at least 1us"):
        at.fates(channel, 10)
