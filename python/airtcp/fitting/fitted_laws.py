"""Fitted laws, of sojourns or of delays: scores, the verdict of a test, and the choice of one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from airtcp.fitting import selection
from airtcp.fitting.estimates import Estimate
from airtcp.fitting.losses_tests import LEVEL


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedLaw(ABC):
    """A law fitted to data.

    - `name`: name of the law; `parameters`: its parameters with standard errors and intervals;
    - `log_likelihood`: log-likelihood of all data;
    - `held_out`: mean log-likelihood per datum left out of fits; `held_out_se`: its standard error;
    - `p_value`: p value of the hypothesis that this law made the data; `fits`: False if the test
      rejects it.
    """

    name: str
    parameters: tuple[Estimate, ...]
    log_likelihood: float
    held_out: float
    held_out_se: float
    p_value: float
    _scores: NDArray[np.float64] = field(repr=False)

    @property
    def fits(self) -> bool:
        """False where the test rejects the law."""
        return self.p_value > LEVEL

    @abstractmethod
    def law(self) -> dict[str, Any] | None:
        """The scenario's table of the law; None where it has none."""

    def json(self) -> dict[str, Any]:
        """All of it as plain data."""
        plain = ("name", "log_likelihood", "held_out", "held_out_se", "p_value", "fits")
        found: dict[str, Any] = {name: getattr(self, name) for name in plain}
        parameters = [one.json() for one in self.parameters]
        return found | {"parameters": parameters, "law": self.law()}


One = TypeVar("One", bound=FittedLaw)


class Choice(NamedTuple):
    """A choice among laws: those tried, the best of them on data left out, and the chosen one."""

    tried: Sequence[Any]
    best: Any
    chosen: Any


def choice(models: Sequence[One], sizes: Sequence[int]) -> Choice:
    """Choose among the laws that tests do not reject, or among all if they reject every one.

    The choice is the smallest law that the best one does not clearly beat (`selection.chosen`);
    `sizes` are the numbers of parameters.
    """
    places = [i for i, model in enumerate(models) if model.fits] or range(len(models))
    tried = [models[i] for i in places]
    index = selection.chosen([one._scores for one in tried], [sizes[i] for i in places])
    return Choice(tried, max(tried, key=lambda one: one.held_out), tried[index])


def tested(why: str, chosen: FittedLaw) -> str:
    """A reason for a choice, and what the test says of it."""
    if not chosen.fits:
        return f"{why}; no law fits: a goodness-of-fit test rejects each of them"
    return f"{why}; a goodness-of-fit test does not reject it (p = {chosen.p_value:.2g})"
