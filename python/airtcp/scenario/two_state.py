"""The two-state Markov loss process: every slot is good (G, delivered) or bad (B, lost).

This is the channel of [zorzi eq. 1], known in other fields as the simple Gilbert model, and as
netem's ``loss gemodel`` with h = 0 and k = 1. One object is built from any of these dialects and
prints itself in all of them.

The chain itself has no clock: whoever uses it says whether a step is a slot of time (the channel
moves while nobody sends, as in [zorzi]) or a packet (as in netem). Losses *inside* a state with a
probability strictly between 0 and 1 (the general Gilbert-Elliott model) are left out: such a
process is not a two-state Markov chain of losses.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from airtcp import _native
from airtcp.errors import InputError, real_number, refusal, whole_number
from airtcp.support.html import html_rows

Floats = NDArray[np.float64]

_MOST_STEPS = 2**63 - 1


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class TwoState:
    """A stationary two-state Markov loss process [zorzi eq. 1].

    Parameters
    ----------
    p_gb : float
        P[bad next | good now] per step, in [0, 1]; netem's p.
    p_bg : float
        P[good next | bad now] per step, in [0, 1]; netem's r. Both zero is refused, since that
        chain has no single stationary distribution.

    Raises
    ------
    InputError
        For a value out of its domain.

    Examples
    --------
    >>> from airtcp import TwoState
    >>> chain = TwoState(p_gb=0.01, p_bg=0.4)
    >>> round(chain.loss_rate, 4), round(chain.mean_burst, 4)
    (0.0244, 2.5)
    >>> chain.tc("wlan0")
    'tc qdisc add dev wlan0 root netem loss gemodel 1% 40%'
    """

    p_gb: float
    p_bg: float

    def __post_init__(self) -> None:
        """Check the two probabilities."""
        object.__setattr__(self, "p_gb", _probability("p_gb", self.p_gb))
        object.__setattr__(self, "p_bg", _probability("p_bg", self.p_bg))
        if self.p_gb == 0.0 and self.p_bg == 0.0:
            raise InputError(
                "p_gb = 0.0, p_bg = 0.0: must not both be 0 (the channel would stay for ever where"
                " it starts, and no stationary loss rate exists)"
            )

    @classmethod
    def iid(cls, loss_rate: float) -> TwoState:
        """Make a chain of independent losses: p_GB = p_BB = `loss_rate`.

        Parameters
        ----------
        loss_rate : float
            The loss rate, in [0, 1].

        Returns
        -------
        TwoState
            The chain.

        Raises
        ------
        InputError
            For a value out of its domain.
        """
        rate = _probability("loss_rate", loss_rate)
        return cls(p_gb=rate, p_bg=1.0 - rate)

    @classmethod
    def from_burst(cls, *, loss_rate: float, mean_burst: float) -> TwoState:
        """Make a chain from its loss rate and the mean length of a run of losses.

        Parameters
        ----------
        loss_rate : float
            The mean loss rate P, in [0, 1).
        mean_burst : float
            The mean length in steps, at least 1 and at least P/(1 - P): below that p_GB would
            exceed 1.

        Returns
        -------
        TwoState
            The chain.

        Raises
        ------
        InputError
            For a value out of its domain.

        Examples
        --------
        >>> from airtcp import TwoState
        >>> round(TwoState.from_burst(loss_rate=0.01, mean_burst=3.0).p_bg, 4)
        0.3333
        """
        rate = _probability("loss_rate", loss_rate)
        burst = real_number("mean_burst", mean_burst, "a finite number >= 1")
        if rate == 1.0:
            raise refusal("loss_rate", loss_rate, "in [0, 1): at 1 there is no good run to end it")
        try:
            return cls._of("burst", {"loss_rate": rate, "mean_burst": burst})
        except InputError:
            least = max(1.0, rate / (1.0 - rate))
            allowed = f"at least {least:.6g} at loss_rate {rate:g}"
            raise refusal("mean_burst", mean_burst, allowed) from None

    @classmethod
    def from_rayleigh(
        cls,
        *,
        doppler: float,
        loss_rate: float | None = None,
        fading_margin_db: float | None = None,
    ) -> TwoState:
        """Make a chain from flat Rayleigh fading, lost below the threshold of the margin F.

        The correlation rho of the fading between two steps is ``|J0(2 pi f_d T)|``, and p_BG =
        [Q1(theta, rho theta) - Q1(rho theta, theta)] / (exp(1/F) - 1) with theta^2 = 2 / (F (1 -
        rho^2)) [zorzi III-A and the model that it cites as 16].

        Parameters
        ----------
        doppler : float
            f_d T, the maximum Doppler shift times the step length, 1e-9 to 1e3.
        loss_rate : float, optional
            P_E = 1 - exp(-1/F), in [0, 1). Exactly one of this and the margin is given.
        fading_margin_db : float, optional
            10 log10 F in dB, -20 to 200.

        Returns
        -------
        TwoState
            The chain.

        Raises
        ------
        InputError
            For a value out of its domain.
        """
        values = {"doppler": real_number("doppler", doppler, "a number from 1e-9 to 1e3")}
        if loss_rate is not None:
            values["loss_rate"] = _probability("loss_rate", loss_rate)
        if fading_margin_db is not None:
            allowed = "a number from -20 to 200 dB"
            values["fading_margin_db"] = real_number("fading_margin_db", fading_margin_db, allowed)
        return cls._of("rayleigh-two-state", values)

    @classmethod
    def from_netem(
        cls, *, p: float, r: float | None = None, h: float = 0.0, k: float = 1.0
    ) -> TwoState:
        """Make a chain from ``tc ... netem loss gemodel p r 1-h 1-k``.

        netem moves this chain once per packet, not in time.

        Parameters
        ----------
        p : float
            P[good -> bad], in [0, 1], not per cent.
        r : float, optional
            P[bad -> good], in [0, 1]; None: 1 - p.
        h : float, default 0.0
            1 less the loss probability in state bad.
        k : float, default 1.0
            1 less the loss probability in state good.

        Returns
        -------
        TwoState
            The chain.

        Raises
        ------
        InputError
            Unless the losses are exactly a two-state chain. So they are where each state loses all
            or nothing, and where they are independent: p + r = 1, the same loss probability in both
            states, or a state that is never left.
        """
        p, h, k = _probability("p", p), _probability("h", h), _probability("k", k)
        r = 1.0 - p if r is None else _probability("r", r)
        return cls._of("gilbert-elliott", {"p": p, "r": r, "h": h, "k": k})

    @classmethod
    def fit(cls, losses: ArrayLike) -> TwoStateFit:
        """Fit the chain to a trace by maximum likelihood.

        Parameters
        ----------
        losses : array_like
            1 or True where a step was lost, in one dimension.

        Returns
        -------
        TwoStateFit
            The chain, with standard errors.

        Raises
        ------
        InputError
            For a trace of other shape or values, and for one in which no step follows a loss or
            none follows a delivery.

        Examples
        --------
        >>> from airtcp import TwoState
        >>> TwoState.fit([0, 0, 1, 1, 0, 0, 0, 1, 0]).p_gb
        0.4
        """
        return _fit(losses)

    @classmethod
    def _of(cls, kind: str, values: dict[str, float]) -> TwoState:
        """The chain of a scenario's channel: one implementation for both."""
        chain = _chain_of_channel(kind, values)
        if chain is None:
            given = ", ".join(f"{name} = {value!r}" for name, value in values.items())
            raise InputError(
                f"{given}: must be h = 0 and k = 1 (or p + r = 1, or h = k); otherwise the losses"
                " do not tell the state, and so are no two-state Markov chain"
            )
        return cls(p_gb=chain[0], p_bg=chain[1])

    @property
    def p_bb(self) -> float:
        """P[bad next | bad now]."""
        return 1.0 - self.p_bg

    @property
    def p_gg(self) -> float:
        """P[good next | good now]."""
        return 1.0 - self.p_gb

    @property
    def loss_rate(self) -> float:
        """Stationary probability of a loss, P_E = p_GB / (p_GB + p_BG)."""
        return self.p_gb / (self.p_gb + self.p_bg)

    @property
    def mean_burst(self) -> float:
        """Mean length of a run of losses in steps, 1 / p_BG."""
        return 1.0 / self.p_bg if self.p_bg > 0.0 else math.inf

    @property
    def correlation(self) -> float:
        """Lag-one autocorrelation of the losses: lambda = 1 - p_GB - p_BG, in [-1, 1)."""
        return (1.0 - self.p_bg) - self.p_gb

    def power(self, n: int) -> Floats:
        """Compute the transition matrix of n steps, in closed form [zorzi eq. 12].

        Parameters
        ----------
        n : int
            Number of steps, 0 to 2^63 - 1.

        Returns
        -------
        numpy.ndarray of float64
            Rows (from) and columns (to) in the order (B, G).

        Raises
        ------
        InputError
            For a number out of its domain.
        """
        steps = whole_number("n", n, 0, _MOST_STEPS)
        p_bb, p_bg, p_gb, p_gg = n_step(self.p_gb, self.p_bg, steps)
        return np.array([[p_bb, p_bg], [p_gb, p_gg]], dtype=np.float64)

    def netem(self) -> str:
        """netem's words for this chain: ``loss gemodel P% R%`` (h = 0 and k = 1 are its defaults).

        netem steps the chain once per packet, whatever the time between packets.
        """
        return f"loss gemodel {100.0 * self.p_gb:.10g}% {100.0 * self.p_bg:.10g}%"

    def tc(self, device: str = "eth0") -> str:
        """Format the `tc` command that applies this chain to packets which leave a device.

        Parameters
        ----------
        device : str, default "eth0"
            The network device.

        Returns
        -------
        str
            The command.
        """
        return f"tc qdisc add dev {device} root netem {self.netem()}"

    def __repr__(self) -> str:
        """The chain in all dialects."""
        return (
            f"TwoState(p_gb={self.p_gb:.9g}, p_bg={self.p_bg:.9g})"
            f" [loss_rate {self.loss_rate:.6g}, mean_burst {self.mean_burst:.6g},"
            f" correlation {self.correlation:.6g}; netem: {self.netem()}]"
        )

    def _repr_html_(self) -> str:
        rows = {
            "p_GB, p_BG": f"{self.p_gb:.9g}, {self.p_bg:.9g}",
            "loss rate": f"{self.loss_rate:.6g}",
            "mean burst (steps)": f"{self.mean_burst:.6g}",
            "correlation": f"{self.correlation:.6g}",
            "netem": self.netem(),
        }
        return html_rows("TwoState", rows)


@dataclass(frozen=True, eq=False)
class TwoStateFit:
    """A fitted channel with standard errors.

    `transitions` counts the steps, rows (from) and columns (to) in the order (B, G). The standard
    errors of p_GB and p_BG are the binomial ones (asymptotically independent estimates); that of
    the loss rate follows by the delta method. They are 0 where an estimate is 0 or 1: the trace is
    too short there to say how uncertain it is.
    """

    channel: TwoState
    p_gb_se: float
    p_bg_se: float
    loss_rate_se: float
    transitions: NDArray[np.int64]

    @property
    def p_gb(self) -> float:
        """Estimate of P[bad next | good now]."""
        return self.channel.p_gb

    @property
    def p_bg(self) -> float:
        """Estimate of P[good next | bad now]."""
        return self.channel.p_bg

    @property
    def loss_rate(self) -> float:
        """Stationary loss rate of the fitted chain (not the share of losses in the trace)."""
        return self.channel.loss_rate

    def __repr__(self) -> str:
        """Estimates with their standard errors."""
        return (
            f"TwoStateFit(p_gb={self.p_gb:.6g} +- {self.p_gb_se:.2g},"
            f" p_bg={self.p_bg:.6g} +- {self.p_bg_se:.2g},"
            f" loss_rate={self.loss_rate:.6g} +- {self.loss_rate_se:.2g},"
            f" {int(self.transitions.sum())} transitions)"
        )


def n_step(p_gb: ArrayLike, p_bg: ArrayLike, n: ArrayLike) -> tuple[Floats, Floats, Floats, Floats]:
    """n-step probabilities (p_BB, p_BG, p_GB, p_GG), broadcast over the arguments [zorzi eq. 12].

    With lambda = 1 - p_GB - p_BG: p_BG(n) = P_G (1 - lambda^n). The complement 1 - lambda^n comes
    from expm1, so slow channels (lambda near 1) keep their relative accuracy; lambda < 0 is handled
    by the parity of n.
    """
    gb, bg = np.asarray(p_gb, dtype=np.float64), np.asarray(p_bg, dtype=np.float64)
    steps = np.asarray(n)
    leave = gb + bg
    with np.errstate(divide="ignore", invalid="ignore"):
        log_memory = np.log1p(np.where(leave <= 1.0, -leave, leave - 2.0))  # log |lambda|
        exponent = np.where(steps == 0, 0.0, steps * log_memory)  # 0 * log 0 is 0 here
    flips = (leave > 1.0) & (steps % 2 == 1)
    memory = np.where(flips, -np.exp(exponent), np.exp(exponent))
    forgotten = np.where(flips, 1.0 + np.exp(exponent), -np.expm1(exponent))
    bad, good = gb / leave, bg / leave
    return (
        np.clip(bad + good * memory, 0.0, 1.0),
        np.clip(good * forgotten, 0.0, 1.0),
        np.clip(bad * forgotten, 0.0, 1.0),
        np.clip(good + bad * memory, 0.0, 1.0),
    )


def _fit(losses: ArrayLike) -> TwoStateFit:
    lost = _loss_trace(losses)
    pairs = 2 * (1 - lost[:-1]) + (1 - lost[1:])  # B = 0, G = 1
    counts = np.bincount(pairs, minlength=4).reshape(2, 2).astype(np.int64)
    from_bad, from_good = (int(total) for total in counts.sum(axis=1))
    if from_bad == 0 or from_good == 0:
        missing = "a loss" if from_bad == 0 else "a delivery"
        raise InputError(
            f"losses = {lost.size} steps: must hold a step after {missing}; none is there,"
            " so that row of the transition matrix cannot be estimated"
        )
    p_bg, p_gb = counts[0, 1] / from_bad, counts[1, 0] / from_good
    p_bg_se = math.sqrt(p_bg * (1.0 - p_bg) / from_bad)
    p_gb_se = math.sqrt(p_gb * (1.0 - p_gb) / from_good)
    # d P_E / d p_GB = p_BG / (p_GB + p_BG)^2, and the mirror image for p_BG
    loss_rate_se = math.hypot(p_bg * p_gb_se, p_gb * p_bg_se) / (p_gb + p_bg) ** 2
    return TwoStateFit(
        channel=TwoState(p_gb=p_gb, p_bg=p_bg),
        p_gb_se=p_gb_se,
        p_bg_se=p_bg_se,
        loss_rate_se=loss_rate_se,
        transitions=counts,
    )


def _loss_trace(losses: ArrayLike) -> NDArray[np.int64]:
    try:
        trace = np.asarray(losses)
    except ValueError:  # ragged lists
        raise refusal("losses", losses, "one list of 0 (delivered) and 1 (lost)") from None
    if trace.ndim != 1 or trace.size < 2:
        raise InputError(
            f"losses = array of shape {trace.shape}: must be one-dimensional, with at least 2 steps"
        )
    if trace.dtype.kind not in "biuf" or not np.all((trace == 0) | (trace == 1)):
        raise InputError(
            f"losses = array of {trace.dtype}: must hold only 0 (delivered) and 1 (lost)"
        )
    return trace.astype(np.int64)


def _chain_of_channel(kind: str, values: dict[str, float]) -> tuple[float, float] | None:
    """(p_GB, p_BG) of a scenario's channel table; None if its losses are no two-state chain."""
    try:
        return _native.channel_two_state(json.dumps({"kind": kind, **values}))
    except _native.ScenarioError as refused:
        path, reason = refused.args
        raise InputError(f"{path.removeprefix('channel.')}: {reason}") from None


def _probability(field: str, value: Any) -> float:
    number = real_number(field, value, "a probability in [0, 1]")
    if not 0.0 <= number <= 1.0:
        raise refusal(field, number, "a probability in [0, 1]")
    return number + 0.0  # -0.0 becomes 0.0
