"""Packet errors on a Rayleigh channel: reference values, closed forms, fits, what is refused."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import j0, ndtr

from airtcp.errors import InputError
from airtcp.models import MODELS, fading
from airtcp.models.fading import BCH, Chain, code_of, fit, packet_errors
from airtcp.models.fading.decoding import decoding_probability
from airtcp.models.fading.modes import Modes
from airtcp.scenario.two_state import TwoState
from fading_paths import fading as fading_path
from fading_paths import uncoded_fates

Floats = NDArray[np.float64]
RATE = 1.5e6

# [chockalingam reading, section 9]: code, f_d in Hz, then P_E and r at 10, 20, 30 dB as written
# there (their last digits are part of the tolerance)
TABLE_1 = [
    (None, 1, [(".330156", ".123343"), (".0398408", ".15100"), ("4.06361e-3", ".15417")]),
    (None, 10, [(".330168", ".123465"), (".0398572", ".15244"), ("4.08036e-3", ".16796")]),
    (None, 100, [(".331377", ".134897"), (".0413433", ".24735"), ("5.10354e-3", ".5086")]),
    ("bch(255,87)", 1, [(".08706", ".06456"), ("9.0752e-3", ".06854"), ("9.139e-4", ".07986")]),
    ("bch(255,87)", 10, [(".08732", ".07628"), ("9.3247e-3", ".14553"), ("1.0670e-3", ".3544")]),
    ("bch(255,87)", 100, [(".10148", ".3410"), (".015137", ".6981"), ("2.160e-3", ".938")]),
]
ENTRIES = [
    (code, doppler, snr, *entry)
    for code, doppler, row in TABLE_1
    for snr, entry in zip((10, 20, 30), row, strict=True)
] + [("bch(255,131)", 100, 20, ".01505", ".5535")]


def half_a_digit(text: str) -> float:
    mantissa, _, exponent = text.partition("e")
    return 0.5 * 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


@pytest.mark.parametrize(("code", "doppler", "snr", "loss", "recovery"), ENTRIES)
def test_exact_table_1(code: str | None, doppler: int, snr: int, loss: str, recovery: str) -> None:
    found = packet_errors(snr_db=snr, doppler_hz=doppler, bytes=32, code=code)
    table = 1e-4 if code is None else 2e-3  # relative accuracy stated there
    for value, error, text in (
        (found.loss_rate, found.loss_rate_error, loss),
        (found.recovery, found.recovery_error, recovery),
    ):
        assert error <= value * (1e-3 if code is None else 1e-2)
        assert value == pytest.approx(float(text), abs=table * value + error + half_a_digit(text))


def test_a_tcp_packet() -> None:
    found = packet_errors(snr_db=20, doppler_hz=10, bytes=1024)
    assert found.loss_rate == pytest.approx(0.0868, abs=1e-4)
    assert found.recovery == pytest.approx(0.387, abs=1e-3)


def test_answers_are_a_two_state_chain_with_airtime() -> None:
    plain = packet_errors(snr_db=20, doppler_hz=10, bytes=32)
    coded = packet_errors(snr_db=20, doppler_hz=10, bytes=32, code="BCH(255, 87, 26)")
    assert plain.two_state.loss_rate == pytest.approx(plain.loss_rate, rel=1e-12)
    assert plain.two_state.p_bg == plain.recovery
    assert (plain.air_bits, plain.code_rate) == (256, 1.0)
    assert (coded.air_bits, coded.code_rate) == (765, 256 / 765)
    assert coded.airtime == pytest.approx(510e-6, rel=1e-12)
    assert packet_errors(snr_db=20, doppler_hz=10, bits=256) == plain
    slower = packet_errors(snr_db=20, doppler_hz=1, bytes=32, rate="150kbps")
    assert slower.loss_rate == pytest.approx(plain.loss_rate, rel=1e-9)


@pytest.mark.parametrize("snr_db", [0.0, 10.0, 30.0])
def test_bits_have_the_mean_error_rates_of_the_textbook(snr_db: float) -> None:
    snr = 10.0 ** (snr_db / 10.0)
    mean = {
        "bpsk": 0.5 * (1.0 - math.sqrt(snr / (1.0 + snr))),
        "dpsk": 0.5 / (1.0 + snr),
        "fsk": 0.5 * (1.0 - math.sqrt(snr / (2.0 + snr))),
        "ncfsk": 1.0 / (2.0 + snr),
    }
    assert set(mean) == set(fading.MODULATIONS)
    for modulation, expected in mean.items():
        found = packet_errors(snr_db=snr_db, doppler_hz=10, bits=1, modulation=modulation)
        assert found.loss_rate == pytest.approx(expected, rel=1e-6)


def sampled(doppler: float, snr: float, bits: int, draws: int) -> tuple[Floats, Floats]:
    """P[lost] and P[lost, then arrives] of `draws` pairs of packets, by Gaussian vectors."""
    times = (np.arange(96) + 0.5) / 48.0  # 48 instants per packet, the unit of time
    law = j0(2.0 * np.pi * doppler * (times[:, None] - times))
    powers, vectors = np.linalg.eigh(law)
    root = vectors * np.sqrt(np.maximum(powers, 0.0) / 2.0)
    rng = np.random.default_rng(7)
    h = (rng.standard_normal((draws, 96)) + 1j * rng.standard_normal((draws, 96))) @ root.T
    logs = np.log1p(-ndtr(-np.sqrt(2.0 * snr) * np.abs(h))) * (bits / 48.0)
    first, second = np.exp(logs[:, :48].sum(axis=1)), np.exp(logs[:, 48:].sum(axis=1))
    return 1.0 - first, (1.0 - first) * second


@pytest.mark.parametrize(("doppler_hz", "bits"), [(100.0, 256), (500.0, 256), (100.0, 4096)])
def test_integration_against_sampled_fading(doppler_hz: float, bits: int) -> None:
    lost, then = sampled(doppler_hz * bits / RATE, 100.0, bits, 100_000)
    found = packet_errors(snr_db=20.0, doppler_hz=doppler_hz, bits=bits)
    both = found.loss_rate * found.recovery_error + found.recovery * found.loss_rate_error
    # 4.5 standard errors: no seed exceeds them once in 10^5; 48 instants stand for the bits
    for value, error, samples in (
        (found.loss_rate, found.loss_rate_error, lost),
        (found.loss_rate * found.recovery, both, then),
    ):
        spread = samples.std() / math.sqrt(samples.size)
        assert spread < 0.03 * value
        assert abs(samples.mean() - value) < 4.5 * spread + error + 1e-3 * value


# SNR in dB, f_d in Hz, bytes, then P_E and r with their standard errors, by the simulation of
# tests/fading_reference.py with 200 000 draws and seed 1. `airtcp.fates` has .08392 +- .00013 and
# .8996 +- .0006 for the first one, .02217 +- .00005 and .9734 +- .0003 for the second.
SHORT_FADES = [
    (30, 100, 1024, (0.08388, 1.6e-4), (0.8995, 8.7e-4)),
    (40, 100, 1024, (0.02210, 4.7e-5), (0.9730, 4.7e-4)),
    (50, 10, 1500, (1.2387e-3, 2.5e-6), (0.9789, 4.6e-4)),
    (50, 100, 128, (6.874e-4, 1.4e-6), (0.9866, 3.2e-4)),
]


@pytest.mark.parametrize(("snr", "doppler", "size", "loss", "recovery"), SHORT_FADES)
def test_short_fades_at_a_high_snr(
    snr: int,
    doppler: int,
    size: int,
    loss: tuple[float, float],
    recovery: tuple[float, float],
) -> None:
    """Fades last 1 / (f_d sqrt(SNR)), a small part of a packet; the rule in time must see them."""
    found = packet_errors(snr_db=snr, doppler_hz=doppler, bytes=size)
    for value, error, (expected, deviation) in (
        (found.loss_rate, found.loss_rate_error, loss),
        (found.recovery, found.recovery_error, recovery),
    ):
        assert error < 0.015 * value
        assert abs(value - expected) <= error + 3.0 * deviation


# Codes


def test_the_table_of_codes_is_what_cyclotomic_cosets_give() -> None:
    for n, codes in BCH.items():
        roots: set[int] = set()
        found: dict[int, int] = {}
        for t in range(1, n // 2 + 1):
            for power in (2 * t - 1, 2 * t):
                roots |= {power * 2**i % n for i in range(n.bit_length())}
            if n - len(roots) > 1:
                found[n - len(roots)] = t  # the largest t with these roots
        assert list(found.items()) == [(k, t) for k, t in codes if k in found]
        assert len(found) == len(codes)


def exactly(bit_errors: Floats, t: int) -> float:
    """P[at most t errors], by adding one bit after the other."""
    law = np.zeros(t + 1)
    law[0] = 1.0
    for p in bit_errors:
        law[1:] = law[1:] * (1.0 - p) + law[:-1] * p
        law[0] *= 1.0 - p
    return float(law.sum())


@pytest.mark.parametrize("name", ["bch(255,87)", "bch(255,131)", "bch(127,64)"])
@pytest.mark.parametrize(
    ("shape", "error"),
    [
        (lambda s: 0.03 * np.exp(-s), 1e-7),
        (lambda s: 0.05 + 0.1 * s, 1e-5),
        (lambda s: 0.02 + 0.2 * s**2, 1e-4),
        (lambda s: 0.5 * np.exp(-6.0 * s), 1e-3),
    ],
)
def test_decoding_with_errors_that_vary_along_a_word(name: str, shape: Any, error: float) -> None:
    code = code_of(name)
    assert code is not None
    x, w = np.polynomial.legendre.leggauss(9)
    expected = exactly(shape((np.arange(code.n) + 0.5) / code.n), code.t)
    found = decoding_probability(shape(0.5 * (x + 1.0))[None, :], 0.5 * w, code)[0]
    assert found == pytest.approx(expected, abs=error)


@pytest.mark.parametrize("name", ["bch(255,239)", "bch(255,215)", "bch(255,87)", "bch(63,57)"])
@pytest.mark.parametrize("width", [0.02, 0.05, 0.2, 0.5])
def test_decoding_of_words_with_a_short_fade(name: str, width: float) -> None:
    """Bits err with probability 1/2 in the middle of a fade, and hardly ever around it."""
    code = code_of(name)
    assert code is not None
    for middle in (0.0, 0.1, 0.5):
        amplitude = 2.0 * np.abs((np.arange(code.n) + 0.5) / code.n - middle) / width
        errors = ndtr(-math.sqrt(2.0) * amplitude)
        found = decoding_probability(errors[None, :], np.full(code.n, 1.0 / code.n), code)[0]
        assert found == pytest.approx(exactly(errors, code.t), abs=2e-5)


@pytest.mark.parametrize("doppler", [1e-3, 0.1, 1.0, 2.0])
def test_modes_have_the_autocorrelation_of_the_fading(doppler: float) -> None:
    times = np.linspace(0.0, 2.0, 41)
    modes = Modes(doppler, 1e-13)
    shapes = modes.shapes(times)
    law = j0(2.0 * np.pi * doppler * (times[:, None] - times))
    assert shapes @ shapes.T == pytest.approx(law, abs=1e-9)
    within = np.linspace(0.01, 0.99, 33)
    known, slopes = modes.first_packet_shapes(within)
    before, after = (modes.first_packet_shapes(within + step)[0] for step in (-1e-5, 1e-5))
    assert known == pytest.approx(modes.shapes(within)[:, : modes.first_packet_modes], abs=1e-9)
    assert slopes == pytest.approx((after - before) / 2e-5, abs=1e-6)


# Fits


@pytest.fixture(scope="module")
def slow_fates() -> NDArray[np.bool_]:
    """32 uncoded bytes, 1 Hz, 10 dB: 1365 s of fading."""
    path = fading_path(1.0, 1400.0, seed=1)
    return uncoded_fates(path, snr=10.0, bits=256, rate=RATE, packets=8_000_000, seed=2)


def test_the_two_state_fit_hides_the_long_fades(slow_fates: NDArray[np.bool_]) -> None:
    found = fit(slow_fates)
    runs = found.losses
    # [chockalingam reading, section 11]: mean 8.1, median 1, an errored packet's run 1285. Some
    # 1000 fades: the errors are a few per cent
    assert runs.data.mean == pytest.approx(8.1, rel=0.05)
    assert runs.data.median == 1
    assert runs.data.length_biased == pytest.approx(1285.0, rel=0.1)
    assert runs.model.mean == pytest.approx(runs.data.mean, rel=1e-9)
    assert runs.model.length_biased == pytest.approx(15.0, abs=0.6)
    assert runs.slot_distance > 0.6
    assert found.two_state.mean_burst == pytest.approx(runs.data.mean, rel=1e-9)
    exact = packet_errors(snr_db=10, doppler_hz=1, bytes=32)
    assert 1.0 / exact.recovery == pytest.approx(runs.data.mean, rel=0.05)


def test_more_states_do_better(slow_fates: NDArray[np.bool_]) -> None:
    fits = [fit(slow_fates, loss_states=n, delivery_states=n) for n in (1, 2, 3)]
    for simple, rich in pairwise(fits):
        assert rich.log_likelihood > simple.log_likelihood + 0.01
        assert rich.losses.distance < 0.7 * simple.losses.distance
        assert rich.losses.slot_distance < simple.losses.slot_distance
        assert rich.losses.model.length_biased > 2.0 * simple.losses.model.length_biased
    assert fits[2].chain.loss_rate == pytest.approx(slow_fates.mean(), rel=0.03)


def test_a_fit_finds_the_chain_that_made_the_fates() -> None:
    true = Chain(
        loss_stay=np.array([0.2, 0.98]),
        delivery_stay=np.array([0.6, 0.995]),
        to_delivery=np.array([[0.9, 0.1], [0.3, 0.7]]),
        to_loss=np.array([[0.8, 0.2], [0.4, 0.6]]),
    )
    fates = true.fates(1_000_000, seed=3)
    assert true.fates(1_000_000, seed=3).tolist() == fates.tolist()
    assert fates.mean() == pytest.approx(true.loss_rate, rel=0.05)
    found = fit(fates, loss_states=2, delivery_states=2)
    # some 16 000 runs: standard errors of a probability near 1/2 are about 0.01
    assert found.settled
    assert found.chain.transition == pytest.approx(true.transition, abs=0.04)
    assert found.losses.slot_distance < 0.03
    assert found.chain.transition.sum(axis=1) == pytest.approx(1.0)
    assert found.chain.lost.tolist() == [True, True, False, False]


def test_one_state_of_each_kind_is_the_two_state_chain() -> None:
    rng = np.random.default_rng(4)
    lengths = np.stack([rng.geometric(0.25, 20_000), rng.geometric(0.05, 20_000)], axis=1).ravel()
    fates = np.repeat(np.tile([True, False], 20_000), lengths)
    found = fit(fates.astype(int))
    assert found.chain.loss_stay[0] == pytest.approx(1.0 - found.two_state.p_bg, rel=1e-12)
    assert found.chain.loss_rate == pytest.approx(found.two_state.loss_rate, rel=1e-12)
    # 1.95 / sqrt(runs): the Kolmogorov bound at 99.9 %
    assert found.losses.distance < 1.95 / math.sqrt(20_000)
    assert found.deliveries.distance < 1.95 / math.sqrt(20_000)
    assert found.losses.model.length_biased == pytest.approx((2 - 0.25) / 0.25, rel=0.05)
    known = TwoState.fit(fates).channel
    assert found.two_state.p_bg == pytest.approx(known.p_bg, rel=1e-3)
    columns = ["length", "data", "model", "data_slots", "model_slots"]
    assert list(found.losses.table) == columns
    assert found.losses.table["data"][0] == 1.0
    assert found.losses.table["model_slots"][0] == pytest.approx(1.0)


# Refusals


REFUSED = [
    ({"snr_db": math.nan}, "snr_db = nan: must be a number from -30 to 80 dB"),
    ({"snr_db": "10"}, "snr_db = '10': must be a number"),
    ({"snr_db": 200.0}, "snr_db = 200.0: must be"),
    ({"doppler_hz": 0.0}, "doppler_hz = 0.0: must be a number > 0, in Hz"),
    ({"doppler_hz": 1e5}, "doppler_hz = 100000.0: must be at most 11718.8 Hz"),
    ({"bytes": 0}, "bytes = 0: must be a whole number from 1"),
    ({"bytes": 1.5}, "bytes = 1.5: must be a whole number"),
    ({"bits": 256}, "bytes, bits: must be exactly one of the two"),
    ({"bytes": None}, "bytes, bits: must be exactly one of the two"),
    ({"code": "bch(255,88)"}, r"code = 'bch\(255,88\)': .*did you mean 'bch\(255,87\)'"),
    ({"code": "bch(256,88)"}, "of length n = 7, 15, 31, 63, 127, 255, 511"),
    ({"code": "bhc(255,87)"}, r"code = 'bhc\(255,87\)': .*did you mean 'bch\(255,87\)'"),
    ({"code": "bch(255,87,85)"}, r"t = 85 must be at most \(n - k\)/2 = 84"),
    ({"code": "bch(15,15,0)"}, "k < n"),
    ({"modulation": "bpks"}, "modulation = 'bpks': .*did you mean 'bpsk'"),
    ({"rate": "1.5"}, "rate = '1.5': must be a rate above 0 with its unit"),
    (
        {"code": "bch(255,9)", "bytes": 1200},
        r"bytes = 1200: must be at most 1000 codewords, and bch\(255,9\) needs 1067; airtcp.fates",
    ),
    ({"rate": "0Mbps"}, "rate = '0Mbps': must be a rate above 0"),
]


@pytest.mark.parametrize(("change", "message"), REFUSED, ids=lambda parameter: str(parameter)[:40])
def test_refusals(change: dict[str, Any], message: str) -> None:
    case = {"snr_db": 20.0, "doppler_hz": 10.0, "bytes": 32, **change}
    with pytest.raises(InputError, match=message) as refused:
        packet_errors(**case)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("fates", "states", "message"),
    [
        ([0, 1, 2], 1, "must be one-dimensional and hold only 0"),
        ([[0, 1], [1, 0]], 1, "must be one-dimensional"),
        ([[0, 1], [1]], 1, "must be one list of 0"),
        ([0, 1] * 10, 1, "9 whole runs of losses: must be at least 20"),
        ([0] * 10, 1, "0 whole runs of losses"),
        ([0, 1] * 100, 9, "loss_states = 9: must be a whole number from 1 to 8"),
    ],
)
def test_refusals_of_fits(fates: Any, states: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        fit(fates, loss_states=states)


def test_it_is_registered() -> None:
    assert MODELS["fading"] is fading


def test_a_channel_that_lets_nothing_through_is_one_of_probability_one() -> None:
    """At -15 dB P_E differs from 1 by less than a double shows, and sums of weights by rounding."""
    found = fading.packet_errors(snr_db=-15.0, doppler_hz=10.0, bytes=32)
    assert found.loss_rate == 1.0
    assert 0.0 < found.recovery < 1e-15
    assert found.two_state.loss_rate == pytest.approx(1.0, abs=1e-15)
