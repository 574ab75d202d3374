"""Laws of sojourns, such as the lengths of outages: estimates, a choice, tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from airtcp.errors import InputError, refusal, whole_number
from airtcp.fitting import selection
from airtcp.fitting.fitted_laws import FittedLaw, choice_reason, choose_law
from airtcp.fitting.sojourns_laws import LAWS, Floats, Law, Lengths
from airtcp.fitting.sojourns_tests import fit_test

FEWEST_ENDED = 5  # sojourns that ended
_FOLDS = 5
_MOST_HIDDEN_SHARE = 0.5


@dataclass(frozen=True, eq=False, kw_only=True)
class SojournModel(FittedLaw):
    """A law of sojourns, fitted; times in seconds.

    `least`: sojourns up to this length are never seen, which estimates and test allow for.
    """

    least: float
    _law: Law = field(repr=False)

    def scenario_table(self) -> dict[str, Any] | None:
        """The scenario's table of the law; None where its mean is infinite."""
        return self._law.scenario_table()

    def cdf(self, x: ArrayLike) -> Floats:
        """Probabilities of at most x seconds."""
        return self._law.cdf(np.asarray(x, dtype=np.float64))

    def simulate(self, rng: np.random.Generator, n: int) -> Floats:
        """Independent sojourns."""
        return self._law.simulate(rng, n)

    @property
    def seen_share(self) -> float:
        """Share of the sojourns that are longer than `least`."""
        return float(np.exp(self._law.log_survival(np.array([self.least])))[0])

    def json(self) -> dict[str, Any]:
        """All of it as plain data."""
        return super().json() | {"least": self.least}


@dataclass(frozen=True, eq=False)
class SojournFit:
    """Fitted laws of sojourns, and which of them is the answer.

    - `models`: all of them, the smallest first; `chosen`: one of them; `why`: the reasons for it;
    - `sojourns`: number of all sojourns; `censored`: number of those that ended unseen;
    - `laws_left_out`: a sentence for each law that cannot be fitted.
    """

    models: tuple[SojournModel, ...]
    chosen: SojournModel
    why: str
    sojourns: int
    censored: int
    laws_left_out: tuple[str, ...] = ()

    @property
    def is_accepted(self) -> bool:
        """False where the tests reject every law."""
        return any(model.is_accepted for model in self.models)

    def json(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "chosen": self.chosen.json(),
            "why": self.why,
            "fits": self.is_accepted,
            "sojourns": self.sojourns,
            "censored": self.censored,
            "models": [model.json() for model in self.models],
            "left_out": list(self.laws_left_out),
        }


def fit_sojourns(
    lengths: ArrayLike,
    *,
    censored: ArrayLike | None = None,
    least: float = 0.0,
    resolution: float = 0.0,
    seed: int = 1,
    draws: int = 99,
) -> SojournFit:
    """Fit laws to lengths of time that are independent of each other, and choose one.

    - `lengths`: lengths in seconds; `censored`: True for lengths with an unseen end;
    - `least`: sojourns up to this length are never seen, in seconds;
    - `resolution`: distance between the instants at which ends can be seen, in seconds;
    - `seed`: seed of the tests, which draw; `draws`: number of draws of the test of each law.

    The choice is among the laws that no test rejects, or among all if every one is rejected. It is
    the smallest law that the best one does not beat by more than two standard errors on sojourns
    left out. Each law is tested by the distance of Anderson and Darling. Draws from the fitted law,
    fitted again, censored alike and seen at the same resolution, show how large that distance gets
    by chance (parametric bootstrap). Raises `InputError`.
    """
    data = _check_lengths(lengths, censored, least)
    seed, draws = whole_number("seed", seed, 0, 2**64 - 1), whole_number("draws", draws, 19, 10**6)
    if not resolution >= 0.0:
        raise refusal("resolution", resolution, "a number of seconds from 0")
    models, left_out = [], []
    for number, kind in enumerate(LAWS):
        found = kind.fit(data)
        if found is None:
            left_out.append(f"{kind.name}: cannot be fitted to these lengths")
            continue
        hidden = 1.0 - float(np.exp(found.log_survival(np.array([least])))[0])
        if hidden > _MOST_HIDDEN_SHARE:
            share = f"{100.0 * hidden:.0f} %"
            left_out.append(
                f"{kind.name}: {share} would be too short to be seen (up to {least:g} s)"
            )
            continue
        p = fit_test(found, data, resolution, np.random.default_rng((seed, number)), draws)
        models.append(_sojourn_model(found, data, p))
    if not models:
        raise InputError(f"lengths: no law can be fitted ({'; '.join(left_out)})")
    chosen, why = _choose_model(models)
    censored_ones = int(data.censored.sum())
    return SojournFit(tuple(models), chosen, why, len(data), censored_ones, tuple(left_out))


def _check_lengths(lengths: ArrayLike, censored: ArrayLike | None, least: float) -> Lengths:
    seen = np.asarray(lengths, dtype=np.float64)
    mask = np.zeros(len(seen), bool) if censored is None else np.asarray(censored, dtype=bool)
    if seen.ndim != 1 or mask.shape != seen.shape:
        raise InputError("lengths, censored: must be lists of equal length")
    if not np.isfinite(seen).all() or (seen < 0.0).any() or (seen[~mask] <= 0.0).any():
        raise InputError("lengths: must be finite numbers of seconds above 0")
    if not least >= 0.0 or (seen[~mask] < least).any():
        raise refusal("least", least, "a number of seconds from 0 to the shortest length")
    used = ~mask | (seen > least)  # a censored length that says nothing is none
    if int((~mask).sum()) < FEWEST_ENDED:
        raise InputError(
            f"lengths: {int((~mask).sum())} that ended; at least {FEWEST_ENDED} are needed"
        )
    return Lengths(seen[used], mask[used], least)


def _sojourn_model(law: Law, data: Lengths, p: float) -> SojournModel:
    scores = _held_out_scores(law, data)
    return SojournModel(
        name=law.name,
        parameters=law.estimates(data),
        log_likelihood=float(law.log_likelihoods(data).sum()),
        held_out=float(scores.mean()),
        held_out_se=float(scores.std(ddof=1) / np.sqrt(len(scores))),
        p_value=p,
        least=data.least,
        _law=law,
        _scores=scores,
    )


def _held_out_scores(law: Law, data: Lengths) -> Floats:
    """Log-likelihoods of sojourns under laws fitted to the other folds."""
    fold = np.arange(len(data)) % _FOLDS
    scores = np.full(len(data), -np.inf)
    for number in range(_FOLDS):
        train, test = data.select(fold != number), data.select(fold == number)
        found = type(law).fit(train)
        if found is not None:
            scores[fold == number] = found.held_out_log_likelihoods(train, test)
    return scores


def _choose_model(models: Sequence[SojournModel]) -> tuple[SojournModel, str]:
    sizes = {kind.name: kind.parameter_count for kind in LAWS}
    tried, best, chosen = choose_law(models, [sizes[model.name] for model in models])
    near = [
        model.name
        for model in tried
        if model is not best
        and not selection.score_difference(best._scores, model._scores).is_clear
    ]
    if chosen is not best:
        why = f"{chosen.name} is the smallest law that predicts held-out sojourns not clearly"
        why += f" worse than the best one, {best.name}"
    elif near:
        why = f"{chosen.name} predicts held-out sojourns best, but not clearly better than "
        why += " and ".join(near)
    else:
        why = f"{chosen.name} predicts held-out sojourns best"
    rejected = [model.name for model in models if not model.is_accepted]
    against = f"; rejected: {', '.join(rejected)}" if chosen.is_accepted and rejected else ""
    return chosen, choice_reason(why, chosen) + against
