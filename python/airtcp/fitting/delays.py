"""Laws of the delay of a measured link: estimates, a choice between them, tests of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from airtcp.errors import InputError, known_name, whole_number
from airtcp.fitting import selection
from airtcp.fitting.delays_data import DelayCells, Floats, delay_cells
from airtcp.fitting.delays_errors import parameter_estimates
from airtcp.fitting.delays_estimate import DelayLaw, neighbour_correlation
from airtcp.fitting.delays_laws import LAWS, MarginalLaw
from airtcp.fitting.delays_tests import fit_test
from airtcp.fitting.fitted_laws import FittedLaw, choice_reason, choose_law
from airtcp.fitting.sojourns_laws import seconds_text
from airtcp.measured.measurement import ARRIVED, NO_DELAY, UNKNOWN, Delays, Packets

_MEMORY = "autoregressive "  # begins the name of a law whose delays depend on the last
LAW_NAMES = (*(kind.name for kind in LAWS), *(f"{_MEMORY}{kind.name}" for kind in LAWS))
_FOLDS, _BLOCKS = 5, 4
FEWEST_DELAYS = 20  # delays of a law
_RATE_WINDOW_NS = 100_000_000  # ns, over which the rate sent is counted
# Rank correlation of delay and rate, above which the sender's own queue is seen.
_QUEUE_CORRELATION = 0.3


@dataclass(frozen=True, eq=False, kw_only=True)
class DelayModel(FittedLaw):
    """A law of delays, fitted; delays in ms.

    `name`: one of `LAW_NAMES`; "autoregressive ..." if each delay depends on the one before. The
    first of `parameters` is the base; the others describe what is above it. Scores are per block.
    """

    _law: DelayLaw = field(repr=False)

    @property
    def base(self) -> float:
        """The base in ms."""
        return self._law.marginal.base

    def scenario_table(self) -> dict[str, Any]:
        """The law of the delay above the base, as a table of a scenario."""
        table = self._law.marginal.scenario_table()
        if self._law.correlation == 0.0:
            return table
        rho = round(self._law.correlation, 4)
        return {"kind": "autoregressive", "marginal": table, "correlation": rho}

    def cdf(self, x: ArrayLike) -> Floats:
        """Probabilities of at most x ms."""
        above = np.maximum(np.asarray(x, dtype=np.float64) - self.base, 0.0)
        return self._law.marginal.below(above)

    def simulate(self, rng: np.random.Generator, n: int) -> Floats:
        """Delays in ms of packets one after the other."""
        return self._law.simulate(rng, n)


@dataclass(frozen=True, eq=False)
class DelayFit:
    """Fitted laws of delays, and which of them is the answer.

    - `models`: all of them, the smallest first; empty if only the base can be estimated;
    - `chosen`: one of them, or None; `why`: the reasons;
    - `delays`: number of delays; `lowest_delay`: the least of them in ms; `delay_kind`: "one way",
      "round trip" or the like.
    """

    models: tuple[DelayModel, ...]
    chosen: DelayModel | None
    why: str
    delays: int
    lowest_delay: float
    delay_kind: Delays

    @property
    def is_accepted(self) -> bool:
        """False where the tests reject every law."""
        return any(model.is_accepted for model in self.models)

    @property
    def base(self) -> float:
        """Delay in ms to which the jitter is added."""
        return self.lowest_delay if self.chosen is None else self.chosen.base

    def hop_keys(self) -> list[tuple[str, Any, str]]:
        """Keys of a hop, each with the comment above it."""
        if self.delay_kind == "one way with an unknown offset":
            found: list[tuple[str, Any, str]] = []
        else:
            is_round = self.delay_kind == "round trip"
            base = max(self.base, 0.0) / (2.0 if is_round else 1.0)
            said = "half the base of the round trip" if is_round else "the base of the delay"
            found = [("delay", seconds_text(base / 1e3) if base > 0.0 else "0s", said)]
        if self.chosen is not None:
            way = (
                "; the variation of both ways, on the way there"
                if self.delay_kind == "round trip"
                else ""
            )
            found.append(("jitter", self.chosen.scenario_table(), self.why + way))
        return found

    def json(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "chosen": None if self.chosen is None else self.chosen.json(),
            "why": self.why,
            "fits": self.is_accepted,
            "delays": self.delays,
            "lowest": self.lowest_delay,
            "base": self.base,
            "way": self.delay_kind,
            "models": [model.json() for model in self.models],
        }


def fit_delays(
    packets: Packets | Sequence[Packets],
    *,
    model: str | None = None,
    seed: int = 1,
    draws: int = 99,
) -> DelayFit:
    """Fit laws to delays of packets, and choose one.

    - `packets`: packets of a link; several are taken as independent pieces of its record;
    - `model`: the law to take, out of `LAW_NAMES`; all are fitted if not given;
    - `seed`: seed of the tests, which draw; `draws`: number of draws of the test of each law.

    Laws are gamma and log-normal above a base. Delays are independent, or each depends on the one
    before (an autoregressive process of first order, made from normal numbers). The likelihood is
    that of the cells which the resolution of the file leaves.

    The choice is among the laws that no test rejects, or among all if every one is rejected. It is
    the smallest law that the best one does not beat by more than two standard errors on data left
    out. If a sender filled its own queue, the delays arose there, and only the base is given.
    Raises `InputError`, also where a law is asked for that cannot be fitted.
    """
    if model is not None:
        known_name("delay", model, LAW_NAMES)
    pieces = [packets] if isinstance(packets, Packets) else list(packets)
    pieces = [piece for piece in pieces if (piece.delay != NO_DELAY).any()]
    if not pieces:
        raise InputError("packets: has no delays; at least one is needed")
    seed, draws = whole_number("seed", seed, 0, 2**64 - 1), whole_number("draws", draws, 19, 10**6)
    way = pieces[0].delays
    if any(piece.delays != way for piece in pieces):
        raise InputError("packets: delays must all be of round trips, or all of one way")
    cells = delay_cells(pieces)
    lowest = float(cells.middles[cells.occupied[0]])
    why = _reason_for_no_law(pieces, cells)
    if why:
        if model is not None:
            raise InputError(f"delay: {model} cannot be fitted: {why}")
        return DelayFit((), None, why, len(cells), lowest, way)
    bound = -np.inf if way == "one way with an unknown offset" else 0.0
    names = LAW_NAMES if model is None else (model,)
    models = _fit_laws(cells, bound, names, (seed, draws))
    if not models:
        raise InputError(
            f"delay: {model} cannot be fitted: no two packets in a row have a delay, so nothing"
            " tells the correlation"
        )
    chosen, why = (
        _choose_model(models) if model is None else (models[0], _requested_reason(models[0]))
    )
    return DelayFit(tuple(models), chosen, why, len(cells), lowest, way)


def _reason_for_no_law(pieces: Sequence[Packets], cells: DelayCells) -> str:
    """Reason to fit no law; empty if there is none."""
    loaded = _reason_for_own_queue(pieces)
    if loaded:
        return f"{loaded}: delays include the sender's own queue, so only the base is fitted"
    if len(cells) < FEWEST_DELAYS:
        return f"no jitter is fitted to fewer than {FEWEST_DELAYS} delays ({len(cells)} here)"
    if len(cells.occupied) < 3:
        return "no jitter is fitted to fewer than three distinct delays"
    return ""


def _fit_laws(
    cells: DelayCells, bound: float, names: Sequence[str], stream: tuple[int, int]
) -> list[DelayModel]:
    spread = float(np.ptp(cells.middles))
    lowest = max(bound, float(cells.low[0]) - 10.0 * spread)
    folds = selection.folds(len(cells), _FOLDS, _BLOCKS)
    rests = [
        cells.select_ranges(
            [
                outside
                for outside in selection.ranges_outside(len(cells), fold)
                if outside[0] < outside[1]
            ]
        )
        for fold in folds
    ]
    found: list[DelayModel] = []
    for place, kind in enumerate(LAWS):
        if not {kind.name, f"{_MEMORY}{kind.name}"} & set(names):
            continue
        marginal = kind.fit(cells, lowest)
        trained = [kind.fit(rest, lowest, marginal) for rest in rests]
        for is_correlated in (False, True):
            law = _fit_law(marginal, cells, is_correlated)
            if _law_name(law) not in names or (is_correlated and law.correlation == 0.0):
                continue
            scores = [
                float(
                    _fit_law(trained_law, rest, is_correlated)
                    .scores(cells.select_ranges([block]))
                    .sum()
                )
                for trained_law, rest, fold in zip(trained, rests, folds, strict=True)
                for block in fold
                if block[0] < block[1]
            ]
            p = fit_test(law, cells, (stream[0], 2 * place + is_correlated), stream[1])
            found.append(_delay_model(law, cells, np.array(scores), p))
    return sorted(found, key=lambda model: model._law.correlation != 0.0)


def _fit_law(marginal: MarginalLaw, cells: DelayCells, is_correlated: bool) -> DelayLaw:
    return DelayLaw(marginal, neighbour_correlation(marginal, cells) if is_correlated else 0.0)


def _law_name(law: DelayLaw) -> str:
    return law.marginal.name if law.correlation == 0.0 else f"{_MEMORY}{law.marginal.name}"


def _delay_model(law: DelayLaw, cells: DelayCells, scores: Floats, p: float) -> DelayModel:
    return DelayModel(
        name=_law_name(law),
        parameters=parameter_estimates(law, cells),
        log_likelihood=float(law.scores(cells).sum()),
        held_out=float(scores.sum()) / len(cells),
        held_out_se=float(scores.std(ddof=1)) * np.sqrt(len(scores)) / len(cells),
        p_value=p,
        _law=law,
        _scores=scores,
    )


def _choose_model(models: Sequence[DelayModel]) -> tuple[DelayModel, str]:
    _, best, chosen = choose_law(models, [len(model.parameters) for model in models])
    if chosen is best:
        why = f"{chosen.name} predicts held-out delays best"
    else:
        why = f"{chosen.name} is the smallest law that predicts held-out delays not clearly"
        why += f" worse than the best one, {best.name}"
    return chosen, choice_reason(why, chosen)


def _requested_reason(model: DelayModel) -> str:
    test = "does not reject it" if model.is_accepted else "rejects it"
    return f"{model.name}, as asked for; a goodness-of-fit test {test} (p = {model.p_value:.2g})"


def _reason_for_own_queue(pieces: Sequence[Packets]) -> str:
    """Reason to think that delays arose in the sender's own queue; empty if there is none."""
    if any((piece.cause != UNKNOWN).any() for piece in pieces):
        return "the link was loaded, as a queue dropped packets or may have"
    for piece in pieces:
        if not piece.is_time_measured:
            continue
        rises = _delay_rate_correlation(piece)
        if rises > _QUEUE_CORRELATION:
            return f"delay rises with the rate sent (rank correlation {rises:.2f})"
    return ""


def _delay_rate_correlation(packets: Packets) -> float:
    """Rank correlation of delay and packets sent in the 0.1 s before.

    It is 0 where there are fewer than 100 delays, or packets are evenly spaced.
    """
    known = (packets.delay != NO_DELAY) & (packets.fate == ARRIVED)
    apart = np.diff(packets.time)
    if np.count_nonzero(known) < 100 or apart.std() < 0.3 * apart.mean():
        return 0.0
    first = np.searchsorted(packets.time, packets.time - _RATE_WINDOW_NS)
    sent = (np.arange(len(packets.time)) - first)[known]
    if np.ptp(sent) < 2:
        return 0.0
    return float(stats.spearmanr(sent, packets.delay[known]).statistic)
