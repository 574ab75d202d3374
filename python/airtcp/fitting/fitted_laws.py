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
from airtcp.fitting.losses_tests import TEST_LEVEL


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedLaw(ABC):
    """A law fitted to data.

    - `name`: name of the law; `parameters`: its parameters with standard errors and intervals;
    - `log_likelihood`: log-likelihood of all data;
    - `held_out`: mean log-likelihood per datum left out of fits; `held_out_se`: its standard error;
    - `p_value`: p value of the hypothesis that this law made the data; `is_accepted`: False if the
      test rejects it.
    """

    name: str
    parameters: tuple[Estimate, ...]
    log_likelihood: float
    held_out: float
    held_out_se: float
    p_value: float
    _scores: NDArray[np.float64] = field(repr=False)

    @property
    def is_accepted(self) -> bool:
        """False where the test rejects the law."""
        return self.p_value > TEST_LEVEL

    @abstractmethod
    def scenario_table(self) -> dict[str, Any] | None:
        """The scenario's table of the law; None where it has none."""

    def json(self) -> dict[str, Any]:
        """All of it as plain data."""
        plain = ("name", "log_likelihood", "held_out", "held_out_se", "p_value")
        found: dict[str, Any] = {name: getattr(self, name) for name in plain}
        found["fits"] = self.is_accepted
        parameters = [parameter.json() for parameter in self.parameters]
        return found | {"parameters": parameters, "law": self.scenario_table()}


FittedLawType = TypeVar("FittedLawType", bound=FittedLaw)


class Choice(NamedTuple):
    """A choice among laws: those tried, the best of them on data left out, and the chosen one."""

    tried: Sequence[Any]
    best: Any
    chosen: Any


def choose_law(models: Sequence[FittedLawType], sizes: Sequence[int]) -> Choice:
    """Choose among the laws that tests do not reject, or among all if they reject every one.

    The choice is the smallest law that the best one does not clearly beat (`selection.chosen`);
    `sizes` are the numbers of parameters.
    """
    places = [i for i, model in enumerate(models) if model.is_accepted] or range(len(models))
    tried = [models[i] for i in places]
    index = selection.choose_smallest([law._scores for law in tried], [sizes[i] for i in places])
    return Choice(tried, max(tried, key=lambda law: law.held_out), tried[index])


def choice_reason(why: str, chosen: FittedLaw) -> str:
    """A reason for a choice, and what the test says of it."""
    if not chosen.is_accepted:
        return f"{why}; no law fits: a goodness-of-fit test rejects each of them"
    return f"{why}; a goodness-of-fit test does not reject it (p = {chosen.p_value:.2g})"
