"""Models of the losses of a measured link: estimates, a choice between them, tests of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from airtcp.errors import known_name, refusal, whole_number
from airtcp.fitting import losses_estimate as estimates
from airtcp.fitting import selection
from airtcp.fitting.chains import Chain, Floats, independent_chain
from airtcp.fitting.estimates import Estimate
from airtcp.fitting.losses_data import Fates, fates_of_packets
from airtcp.fitting.losses_estimate import FAMILIES, INDEPENDENT, ChainEstimate, ChainFamily
from airtcp.fitting.losses_parameters import chain_parameters, rate_parameter
from airtcp.fitting.losses_tests import TEST_LEVEL, fit_test, independence_test
from airtcp.fitting.losses_waits import WaitingTimes
from airtcp.measured.loss_rate import loss_rate
from airtcp.measured.measurement import LOST, Packets
from airtcp.stats.intervals import Interval
from airtcp.support.progress import Report

Clock = Literal["packet", "time"]
CLOCKS: tuple[Clock, ...] = ("packet", "time")
MODEL_NAMES = tuple(family.name for family in FAMILIES)
_FOLDS, _BLOCKS = 5, 4  # folds, and blocks of each
_LOSSES_PER_PARAMETER = 5
# Times the distance of the packets of the traffic, above which a record is sparse.
SPARSE_FACTOR = 10
_UNITS = (("s", 10**9), ("ms", 10**6), ("us", 10**3), ("ns", 1))


@dataclass(frozen=True, eq=False)
class LossModel:
    """A model of losses, fitted.

    - `name`: a family of `MODEL_NAMES`; `clock`: the clock that moves its chain, None without
      memory;
    - `step`: the step of a time clock in ns;
    - `chain`: the states, by their losses; `parameters`: as a scenario calls them;
    - `log_likelihood`: log-likelihood of all data;
    - `held_out`: mean log-likelihood per packet left out of fits; `gain`: its excess over that of
      independent losses; `gain_se`: standard error of the gain over blocks;
    - `p_value`: p value of the hypothesis that this model made the data; `is_accepted`: False if
      the test rejects it;
    - `spacing`: commonest distance between packets in steps; `waits`: the distances by fates, of a
      tool that waited for replies, on a time clock.
    """

    name: str
    clock: Clock | None
    step: int | None
    chain: Chain
    parameters: tuple[Estimate, ...]
    log_likelihood: float
    held_out: float
    gain: float
    gain_se: float
    p_value: float
    spacing: int = 1
    waits: WaitingTimes | None = field(default=None, repr=False)
    _scores: Floats = field(default_factory=lambda: np.empty(0), repr=False)

    @property
    def is_accepted(self) -> bool:
        """False where the test rejects the model."""
        return self.p_value > TEST_LEVEL

    @property
    def label(self) -> str:
        """Name and clock."""
        return self.name if self.clock is None else f"{self.name} on the {self.clock} clock"

    def channel(self) -> dict[str, Any]:
        """The channel of a scenario."""
        move, loss = self.chain.transition.tolist(), self.chain.loss.tolist()
        if self.clock is None:
            return {"kind": "iid", "loss_rate": loss[0]}
        if self.clock == "packet" and self.name == estimates.GILBERT.name:
            chain = {"p_gb": move[0][1], "p_bg": move[1][0]}
            return {"kind": "two-state", **chain, "clock": "packet"}
        if self.clock == "packet" and self.name == estimates.GILBERT_ELLIOTT.name:
            chain = {"p": move[0][1], "r": move[1][0], "h": 1.0 - loss[1], "k": 1.0 - loss[0]}
            return {"kind": "gilbert-elliott", **chain, "clock": "packet"}
        clock = "packet" if self.step is None else _time_text(self.step)
        return {"kind": "states", "loss": loss, "transition": move, "clock": clock}

    def simulate(self, rng: np.random.Generator, n: int) -> NDArray[np.int8]:
        """Fates (1 = lost) of `n` packets, sent as in the record or at the commonest distance."""
        if self.waits is not None:
            begin = np.zeros(1, dtype=np.int64)
            return np.asarray(self.waits.simulate(self.chain, n, 1, rng, begin)[0], dtype=np.int8)
        gaps = None if self.step is None else np.full(n, self.spacing, dtype=np.uint32)
        return self.chain.simulate(n, (int(rng.integers(2**63)), 0), gaps=gaps)

    def burst_length_distribution(self, n: int) -> Floats:
        """Probabilities of bursts of 1, 2, ..., n losses in a row, at the commonest distance."""
        return self.chain.burst_length_distribution(n, self.spacing)

    def gap_length_distribution(self, n: int) -> Floats:
        """Probabilities of 1, 2, ..., n arrivals in a row, at the commonest distance."""
        return self.chain.gap_length_distribution(n, self.spacing)

    def autocorrelation(self, lags: int) -> Floats:
        """Correlations of losses 1, 2, ..., `lags` packets apart, at the commonest distance."""
        return self.chain.autocorrelation(lags, self.spacing)

    def json(self) -> dict[str, Any]:
        """All of it as plain data."""
        plain = ("name", "clock", "step", "log_likelihood", "held_out", "gain", "gain_se")
        found = {name: getattr(self, name) for name in (*plain, "p_value")}
        found["fits"] = self.is_accepted
        found["parameters"] = [parameter.json() for parameter in self.parameters]
        return found | {"loss_rate": self.chain.loss_rate, "channel": self.channel()}


@dataclass(frozen=True, eq=False)
class LossFit:
    """Fitted models of losses, and which of them is the answer.

    - `models`: all of them, the smallest first; `chosen`: one of them;
    - `why`: the reasons for it;
    - `clock`: the clock of the losses; `clock_why`: the reasons for that clock;
      `is_clock_identified`: True if the losses themselves show it; `step`: the step of a time
      clock, ns;
    - `packet_distance`: median time between packets, ns; `is_sparse`: True if that is much longer
      than between packets of the traffic; `rate`: share of packets lost, with its interval;
    - `independence_p`: p value of the hypothesis that losses are independent;
    - `packets`: number of packets with a known fate; `losses_used`: number of lost ones among them;
    - `models_left_out`: a sentence for each model that was not fitted, or that cannot be;
    - `is_accepted`: False where the tests reject every model.
    """

    models: tuple[LossModel, ...]
    chosen: LossModel
    why: str
    clock: Clock
    clock_why: str
    is_clock_identified: bool
    step: int
    packet_distance: float
    is_sparse: bool
    rate: Interval
    independence_p: float
    packets: int
    losses_used: int
    models_left_out: tuple[str, ...] = ()

    @property
    def is_accepted(self) -> bool:
        """False where the tests reject every model."""
        return any(model.is_accepted for model in self.models)

    def model_labelled(self, label: str) -> LossModel:
        """The model with that label; if none has it, as in a replay, the chosen one."""
        return next((model for model in self.models if model.label == label), self.chosen)

    def json(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "chosen": self.chosen.json(),
            "why": self.why,
            "clock": self.clock,
            "clock_why": self.clock_why,
            "rate": self.rate._asdict(),
            "fits": self.is_accepted,
            "independence_p": self.independence_p,
            "packets": self.packets,
            "losses_used": self.losses_used,
            "models": [model.json() for model in self.models],
            "left_out": list(self.models_left_out),
        }


def fit_losses(
    packets: Packets | Sequence[Packets],
    *,
    models: Sequence[str] | None = None,
    clock: Literal["auto", "packet", "time"] = "auto",
    step: int | None = None,
    traffic: float | None = None,
    seed: int = 1,
    draws: int = 99,
    report: Report | None = None,
) -> LossFit:
    """Fit models of losses to packets, and choose one.

    - `packets`: packets of a link; several are taken as independent pieces of its record. Losses in
      queues count as packets of unknown fate;
    - `models`: names out of `MODEL_NAMES`; all if not given, and independent losses always;
    - `clock`: what moves the chain: "packet", "time", or "auto", as the data decide;
    - `step`: the step of the time clock in ns; a round number about as long as the shorter
      distances between packets if not given;
    - `traffic`: ns between packets of the traffic that will meet the link; as in the record if not
      given. A record with packets more than `SPARSE_FACTOR` times as far apart says nothing about
      losses so close together. Unless losses identify the clock, the chain then moves with time, so
      that a bad state lasts as long for fast traffic as for slow probes;
    - `seed`: seed of the tests, which draw; `draws`: number of draws of the test of each model;
    - `report`: called with the name of a step, the work done in it, and the work of it in all.

    If a test of exact level 5 % does not reject independent losses, these are the choice. Otherwise
    it is among the models that their own tests do not reject, or among all if every one is
    rejected: the smallest one that the best one does not clearly beat on data left out
    (`selection`). Ctrl-C ends the fit within a second. Raises `InputError`.
    """
    fates = fates_of_packets(packets)
    families = _families(models)
    seed = whole_number("seed", seed, 0, 2**64 - 1)
    draws = whole_number("draws", draws, 19, 10**6)
    if step is not None:
        step = whole_number("step", step, 1, 2**62)
    if clock not in ("auto", *CLOCKS):
        raise refusal("clock", clock, '"auto", "packet" or "time"')
    work = _LossFitter(fates, families, seed, draws, report or (lambda what, done, total: None))
    work.is_sparse = traffic is not None and fates.median_distance > SPARSE_FACTOR * traffic
    return work.fit(clock, step)


def _families(models: Sequence[str] | None) -> list[ChainFamily]:
    names = MODEL_NAMES if models is None else tuple(models)
    for name in names:
        known_name("models", name, MODEL_NAMES)
    return [family for family in FAMILIES if family == INDEPENDENT or family.name in names]


class _LossFitter:
    """A fit in progress."""

    def __init__(
        self, fates: Fates, families: list[ChainFamily], seed: int, draws: int, report: Report
    ) -> None:
        self.fates, self.seed, self.draws = fates, seed, draws
        self.known, self.lost = len(fates.known_fates), fates.lost_count
        self.left_out: list[str] = []
        self.families = [INDEPENDENT, *self._families_to_fit(families)]
        self.report, self.done, self.total = report, 0, 1
        self.is_sparse = False
        self.folds = selection.folds(len(fates), _FOLDS, _BLOCKS)
        blocks = [block for fold in self.folds for block in fold]
        self.blocks = [fates.select_ranges([block]) for block in blocks]
        self._base = self._independent_scores()

    def _families_to_fit(self, families: list[ChainFamily]) -> Iterator[ChainFamily]:
        rarer = min(self.lost, self.known - self.lost)
        for family in families[1:]:
            needed = _LOSSES_PER_PARAMETER * family.parameters
            if rarer >= needed:
                yield family
            else:
                kind = "losses" if rarer == self.lost else "arrivals"
                self.left_out.append(f"{family.name}: needs {needed} {kind}, has {rarer}")

    def fit(self, clock: Literal["auto", "packet", "time"], step: int | None) -> LossFit:
        clocks, clock_why = self._clocks_to_try(clock)
        is_told = clock != "auto"
        self.total = len(clocks) * (len(self.families) - 1) * (1 + _FOLDS) + 2
        longest = int(self.fates.distances.max(initial=0))
        if step is not None and longest // step > (most := self.fates.longest_gap):
            raise refusal("step", step, f"{longest // most + 1} at least, for this record")
        p = independence_test(self.fates, self.seed)
        self._advance("testing independence")
        rate = loss_rate(self.fates.known_fates == LOST)
        assert rate is not None  # some fate is known
        length = step or self.fates.natural_step()
        steps = {"packet": None, "time": length}
        models = [self._independent_model()]
        for tried_clock in clocks:
            models += self._models_on_clock(tried_clock, steps[tried_clock])
        models = [self._with_test(model) for model in models]
        tried = models
        if len(clocks) == 2:
            better, clock_why = self._preferred_clock(models)
            is_told = better is not None
            if better is None and self.is_sparse:
                better = "time"
                clock_why += f", and {self._sparse_words()}"
            tried = [model for model in models if better is None or model.clock in (None, better)]
        chosen, why = self._choose_model(models, tried, p)
        return LossFit(
            models=tuple(models),
            chosen=chosen,
            why=why,
            clock=chosen.clock or (clocks[0] if clock != "auto" else "packet"),
            clock_why=clock_why,
            is_clock_identified=is_told,
            step=length,
            packet_distance=self.fates.median_distance,
            is_sparse=self.is_sparse,
            rate=rate,
            independence_p=p,
            packets=self.known,
            losses_used=self.lost,
            models_left_out=tuple(self.left_out),
        )

    def _sparse_words(self) -> str:
        apart = _time_text(_round_time(self.fates.median_distance))
        return f"packets {apart} apart say nothing about losses closer together: the time clock"

    def _advance(self, what: str) -> None:
        self.done += 1
        self.report(what, self.done, self.total)

    def _clocks_to_try(self, clock: str) -> tuple[tuple[Clock, ...], str]:
        if clock != "auto":
            return tuple(
                known for known in CLOCKS if known == clock
            ), f"the {clock} clock, as requested"
        if self.fates.is_evenly_spaced():
            why = "evenly spaced packets do not distinguish the packet clock from the time clock"
            if self.is_sparse:
                return ("time",), f"{why}, and {self._sparse_words()}"
            return ("packet",), f"{why}: the packet clock"
        return CLOCKS, ""

    def _independent_model(self) -> LossModel:
        rate = self.lost / self.known
        scores = self._base
        log = _binomial_log_likelihood(rate, self.lost, self.known)
        return LossModel(
            name=INDEPENDENT.name,
            clock=None,
            step=None,
            chain=independent_chain(rate),
            parameters=(rate_parameter(self.lost, self.known),),
            log_likelihood=log,
            held_out=float(scores.sum()) / self.known,
            gain=0.0,
            gain_se=0.0,
            p_value=1.0,
            _scores=scores,
        )

    def _independent_scores(self) -> Floats:
        found: list[float] = []
        for fold in self.folds:
            train = self.fates.select_ranges(selection.ranges_outside(len(self.fates), fold))
            rate = np.clip(
                train.lost_count / max(len(train.known_fates), 1),
                *_possible_rates(len(train.known_fates)),
            )
            for block in self.blocks[len(found) : len(found) + len(fold)]:
                found.append(
                    _binomial_log_likelihood(float(rate), block.lost_count, len(block.known_fates))
                )
        return np.array(found)

    def _models_on_clock(self, clock: Clock, step: int | None) -> Iterator[LossModel]:
        data = self.fates.to_native(step)
        trained = [
            self.fates.select_ranges(selection.ranges_outside(len(self.fates), fold)).to_native(
                step
            )
            for fold in self.folds
        ]
        held = [
            [self.fates.select_ranges([block]).to_native(step) for block in fold]
            for fold in self.folds
        ]
        smaller: ChainEstimate | None = None
        for family in self.families[1:]:
            if family.states > 2 and (smaller is None or smaller.chain.states != family.states - 1):
                smaller = estimates.estimate_by_growing(family.states - 1, self.fates, step)
            found = estimates.estimate(family, self.fates, step, smaller)
            self._advance(f"fitting {family.name}")
            if found is None:
                self.left_out.append(
                    f"{family.name} on the {clock} clock: impossible, as packets within one step"
                    " had different fates"
                )
                continue
            found = estimates.with_covariance(found, data)
            scores = []
            for train, blocks in zip(trained, held, strict=True):
                scores += self._held_out_scores(found, train, blocks)
                self._advance(f"fitting {family.name}")
            yield self._model(found, clock, step, np.array(scores))
            if not family.has_certain_states:
                smaller = found

    @staticmethod
    def _held_out_scores(found: ChainEstimate, train: Any, blocks: Sequence[Any]) -> list[float]:
        there = estimates.maximise_likelihood(
            found.family, train, estimates.without_zeros(found), prune=False
        )
        if there is None:
            return [-np.inf] * len(blocks)
        return [float(estimates.log_likelihoods(block, there.chain).sum()) for block in blocks]

    def _model(
        self, found: ChainEstimate, clock: Clock, step: int | None, scores: Floats
    ) -> LossModel:
        gain = selection.score_difference(scores, self._base)
        return LossModel(
            name=found.family.name,
            clock=clock,
            step=step,
            chain=found.chain,
            parameters=chain_parameters(found),
            log_likelihood=found.log_likelihood,
            held_out=float(scores.sum()) / self.known,
            gain=gain.value / self.known,
            gain_se=gain.se / self.known,
            p_value=1.0,
            spacing=self.fates.common_spacing(step),
            waits=WaitingTimes.from_record(self.fates, step),
            _scores=scores,
        )

    def _with_test(self, model: LossModel) -> LossModel:
        p = fit_test(
            model.chain,
            self.fates,
            model.step,
            (self.seed, self.draws),
            lambda: self.report(f"testing {model.label}", self.done, self.total),
        )
        return replace(model, p_value=p)

    def _preferred_clock(self, models: Sequence[LossModel]) -> tuple[Clock | None, str]:
        """The clock that held-out data prefer, None if they prefer neither, and a sentence."""
        best = {
            clock: max(
                (model for model in models if model.clock == clock),
                key=lambda model: (model.is_accepted, model.held_out),
                default=None,
            )
            for clock in CLOCKS
        }
        packet, time = best["packet"], best["time"]
        if packet is None or time is None:
            return None, "only one of the clocks allows a model"
        apart = selection.score_difference(time._scores, packet._scores)
        worth = f"held-out log-likelihood, time minus packet: {apart.value:+.3g} ± {apart.se:.2g}"
        if abs(apart.value) <= selection.CLEAR_ERRORS * apart.se:
            return None, f"the clocks cannot be told apart ({worth})"
        better: Clock = "time" if apart.value > 0.0 else "packet"
        return better, f"the {better} clock predicts better ({worth})"

    def _choose_model(
        self, models: Sequence[LossModel], tried: Sequence[LossModel], p: float
    ) -> tuple[LossModel, str]:
        base = models[0]
        if p > TEST_LEVEL or len(models) == 1:
            if len(models) == 1 and p <= TEST_LEVEL:
                why = f"losses are not independent (p = {p:.2g}), but no other model was fitted"
            elif self.lost in (0, self.known):
                why = f"{base.parameters[0].remark}; no other model can be fitted"
            else:
                why = f"no evidence against independent losses (p = {p:.2g})"
            return base, why + self._rejection_words(models, base)
        fitting = [[model for model in some if model.is_accepted] for some in (tried, models)]
        candidates = next(filter(None, fitting), tried)
        best = max(candidates, key=lambda model: model.held_out)
        candidates = [model for model in candidates if model.clock in (None, best.clock)]
        sizes = {family.name: family.parameters for family in FAMILIES}
        index = selection.choose_smallest(
            [model._scores for model in candidates], [sizes[model.name] for model in candidates]
        )
        chosen = candidates[index]
        among = "" if len(candidates) == len(tried) else " of the models that fit"
        if chosen is best:
            why = f"{chosen.label} predicts held-out data best{among}"
            if any(sizes[model.name] < sizes[chosen.name] for model in candidates):
                why += ", clearly better than smaller ones"
        else:
            why = (
                f"{chosen.label} is the smallest model that predicts held-out data not clearly"
                f" worse than the best one{among}, {best.label}"
            )
        why += f"; independent losses are rejected (p = {p:.2g})"
        return chosen, why + self._rejection_words(models, chosen)

    @staticmethod
    def _rejection_words(models: Sequence[LossModel], chosen: LossModel) -> str:
        if not any(model.is_accepted for model in models):
            return "; no model fits: a goodness-of-fit test rejects each of them"
        if not chosen.is_accepted:
            return f"; a goodness-of-fit test rejects it (p = {chosen.p_value:.2g})"
        return ""


def _binomial_log_likelihood(rate: float, lost: int, known: int) -> float:
    """Log-likelihood of independent losses."""
    with np.errstate(divide="ignore"):
        of_lost = lost * np.log(rate) if lost else 0.0
        of_arrived = (known - lost) * np.log1p(-rate) if known > lost else 0.0
    return float(of_lost + of_arrived)


def _possible_rates(n: int) -> tuple[float, float]:
    """Rates kept half a packet of n away from 0 and 1, so that no data are impossible."""
    edge = 0.5 / (n + 1)
    return edge, 1.0 - edge


def _round_time(ns: float) -> int:
    """A length of time to three digits."""
    return int(float(f"{ns:.3g}"))


def _time_text(ns: int) -> str:
    """A length of time as a scenario writes it."""
    unit, size = next((unit, size) for unit, size in _UNITS if ns % size == 0)
    return f"{ns // size}{unit}"
