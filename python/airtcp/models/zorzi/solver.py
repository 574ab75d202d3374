"""Solve and sweep: the semi-Markov steady state of [zorzi IV-C, eqs. 4-8].

The core takes a vector of channels at once. Of the reward matrices D, T, S of eq. (6) only the row
sums enter eq. (8) (they are weighted by P already), so only those are computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from airtcp import _native
from airtcp.errors import InputError, known_name, refusal, whole_number
from airtcp.models.table import Table
from airtcp.models.zorzi.answer import Answer
from airtcp.models.zorzi.recovery import (
    EXACT_ONLY,
    FAST_RECOVERY,
    VARIANTS,
    AfterLoss,
    Recovery,
)
from airtcp.models.zorzi.windows import Floats, first_loss, mean_first_loss, window_classes
from airtcp.scenario.two_state import TwoState
from airtcp.support.progress import Advance, progress_bar

METHODS = ("printed", "tight", "embedded", "exact")

MOST_WINDOW = 1024  # of the polynomial methods: they take O(W_max^3) time, 20 s per channel there
MOST_WINDOW_EXACT = 48  # the width of a state of the compiled solver
MOST_DUPACKS = 1_000_000
MOST_TIMEOUT = 1_000_000_000

_RATE_COLUMNS = (
    "lower",
    "upper",
    "throughput",
    "transmissions",
    "transmissions_lower",
    "transmissions_upper",
    "mean_cycle_slots",
    "timeouts",
    "fast_retransmits",
)
_INTEGER_COLUMNS = ("window", "dupacks", "timeout")
_KEY_COLUMNS = ("variant", "p_gb", "p_bg", "loss_rate", "correlation", *_INTEGER_COLUMNS, "method")
_EXACT_COLUMNS = ("pruned", "error_bound", "states")
_CELLS_AT_ONCE = 2_000_000  # bound on the size of the batched matrices (16 MB each)


class ChannelArrays(Protocol):
    """Anything with arrays (or numbers) `p_gb` and `p_bg` of one length."""

    @property
    def p_gb(self) -> Any:
        """P[bad next | good now]."""

    @property
    def p_bg(self) -> Any:
        """P[good next | bad now]."""


Channels = Sequence[TwoState] | ChannelArrays | tuple[ArrayLike, ArrayLike]


def solve(
    variant: str,
    channel: TwoState,
    *,
    window: int,
    dupacks: int = 3,
    timeout: int = 100,
    method: str = "embedded",
) -> Answer:
    """Compute the steady-state throughput of one TCP over a two-state channel with instant ACKs.

    Source: [zorzi IV].

    Parameters
    ----------
    variant : str
        "oldtahoe", "tahoe", "reno" or "newreno", the idealised variants of the paper, or "sack"
        with `method="exact"`, idealised likewise.
    channel : TwoState
        Losses of packets, one per slot.
    window : int
        Window W_max in packets, 1 to 1024 (48 for "exact").
    dupacks : int, default 3
        Number K of duplicate ACKs that trigger the fast retransmit, 1 to 10^6.
    timeout : int, default 100
        Retransmission timeout T_o in slots; a slot is the transmission of a packet. At least W_max
        (OldTahoe, Tahoe) or W_max + 1 (the others), since a shorter timer would expire while the
        window is sent; at most 10^9.
    method : str, default "embedded"
        "printed" (the paper's bounds), "tight" (better lower bounds), "embedded" (tight, with the
        exact duration of NewReno's failed recovery), or "exact" (with the receiver's memory;
        slower). Time grows as W_max^3, to some 20 s at 1024. "exact" refuses beyond 4 000 000
        states, which OldTahoe reaches near a W_max of 30.

    Returns
    -------
    Answer
        Throughput with bounds, and other means.

    Raises
    ------
    InputError
        If an argument is out of range.

    Examples
    --------
    >>> import airtcp as at
    >>> from airtcp.models import zorzi
    >>> round(zorzi.solve("reno", at.TwoState(p_gb=0.01, p_bg=0.2), window=24).throughput, 3)
    0.553
    """
    task = _checked_task(variant, method, window, dupacks, timeout)
    known = _channel(channel)
    p_gb, p_bg = np.array([known.p_gb]), np.array([known.p_bg])
    values = {name: column[0].item() for name, column in task.answers(p_gb, p_bg).items()}
    return Answer(variant=variant, method=method, **values)


def sweep(
    variants: str | Iterable[str],
    channels: Channels,
    *,
    window: int | Iterable[int],
    dupacks: int | Iterable[int] = 3,
    timeout: int | Iterable[int] = 100,
    method: str = "embedded",
    progress: bool = False,
) -> Table:
    """Compute `solve` over a full grid, vectorised over the channels.

    Rows run over variant, window, dupacks, timeout and, fastest, the channel.

    Parameters
    ----------
    variants : str or iterable of str
        Variants, as for `solve`.
    channels : sequence of TwoState, or arrays
        Channels; also an object with arrays `p_gb` and `p_bg`, or a pair of such arrays.
    window : int or iterable of int
        Windows in packets.
    dupacks : int or iterable of int, default 3
        Thresholds of duplicate ACKs.
    timeout : int or iterable of int, default 100
        Retransmission timeouts in slots.
    method : str, default "embedded"
        Method, as for `solve`.
    progress : bool, default False
        True to show a progress bar with the time left on stderr.

    Returns
    -------
    Table
        A row per case.

    Raises
    ------
    InputError
        If an argument is out of range; nothing is computed then.

    Examples
    --------
    >>> import airtcp as at
    >>> from airtcp.models import zorzi
    >>> found = zorzi.sweep(["tahoe", "reno"], [at.TwoState(p_gb=0.01, p_bg=0.2)], window=[8, 24])
    >>> len(found["throughput"])
    4
    """
    p_gb, p_bg = _channel_arrays(channels)
    tasks = [
        _checked_task(variant, method, w, k, t)
        for variant in _check_list("variants", variants)
        for w in _check_list("window", window)
        for k in _check_list("dupacks", dupacks)
        for t in _check_list("timeout", timeout)
    ]
    if not p_gb.size:
        return _empty_table(method)
    with progress_bar(progress, "solving", len(tasks) * p_gb.size) as advance:
        parts = [_grid_columns(task, p_gb, p_bg, advance) for task in tasks]
    return Table({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})


@dataclass(frozen=True)
class _SolverTask:
    """One checked choice of everything but the channel."""

    variant: str
    method: str
    window: int
    dupacks: int
    timeout: int

    @property
    def channels_at_once(self) -> int:
        if self.method == "exact":
            return 1
        return max(1, _CELLS_AT_ONCE // (3 * self.window**2))

    def answers(self, p_gb: Floats, p_bg: Floats) -> dict[str, NDArray[Any]]:
        """The columns of `Answer` for a vector of channels."""
        if self.method == "exact":
            return _exact_columns_of_channels(self, p_gb, p_bg)
        return _semi_markov(self, p_gb, p_bg)


def _semi_markov(task: _SolverTask, p_gb: Floats, p_bg: Floats) -> dict[str, NDArray[Any]]:
    never_lost = p_gb == 0.0
    gb = np.where(never_lost, 0.5, p_gb)  # a placeholder, overwritten below
    window_states = window_classes(task.window)
    # above W_max duplicates, fast retransmission is as impossible as at W_max
    loss_window = AfterLoss(gb, p_bg, window_states, min(task.dupacks, task.window), task.timeout)
    chains = VARIANTS[task.variant](loss_window, task.method)
    phase_one = first_loss(gb, p_bg, window_states)
    phase_one_slots = mean_first_loss(gb, p_bg, window_states)
    recovers = task.variant in FAST_RECOVERY
    visited = window_states.state_count if recovers else window_states.restart_count
    pessimistic = _rates(chains[0], phase_one, phase_one_slots, visited)
    one_chain = chains[0] is chains[1]
    optimistic = (
        pessimistic if one_chain else _rates(chains[1], phase_one, phase_one_slots, visited)
    )
    answer = {
        "lower": pessimistic["low"],
        "upper": optimistic["high"],
        "throughput": optimistic["high"],
        "transmissions": optimistic["transmissions"],
        "transmissions_lower": pessimistic["transmissions"],
        "transmissions_upper": optimistic["transmissions"],
        "mean_cycle_slots": optimistic["mean_cycle_slots"],
        "timeouts": optimistic["timeouts"],
        "fast_retransmits": optimistic["fast_retransmits"],
    }
    return {name: _lossless_limit(name, column, never_lost) for name, column in answer.items()}


def _rates(
    recovery: Recovery, phase_one: Floats, phase_one_slots: Floats, visited: int
) -> dict[str, Floats]:
    """Rewards per slot of the semi-Markov process [zorzi eqs. 4, 6, 8]."""
    start = phase_one[:, :visited]
    often = stationary(start @ recovery.next_state[:, :, :visited])
    at_loss = np.einsum("cx,cxy->cy", often, start)  # distribution of Y over a cycle

    def per_cycle(by_floor: Floats) -> Floats:
        mean: Floats = (at_loss * by_floor[:, recovery.window_states.floor]).sum(axis=1)
        return mean

    first = (often * phase_one_slots[:, :visited]).sum(axis=1)
    slots = first + per_cycle(recovery.slots)
    return {
        "mean_cycle_slots": slots,
        "transmissions": (first + per_cycle(recovery.transmissions)) / slots,
        "low": (first - 1.0 + per_cycle(recovery.low)) / slots,
        "high": (first - 1.0 + per_cycle(recovery.high)) / slots,
        "timeouts": per_cycle(recovery.timeouts) / slots,
        "fast_retransmits": per_cycle(recovery.fast_retransmits) / slots,
    }


def stationary(transition: Floats) -> Floats:
    """Stationary vectors of a batch of chains: pi (I - P) = 0, one equation replaced by sum = 1."""
    states = transition.shape[-1]
    balance = np.eye(states) - transition.swapaxes(1, 2)
    balance[:, -1, :] = 1.0
    unit = np.zeros((transition.shape[0], states, 1))
    unit[:, -1] = 1.0
    often: Floats = np.maximum(np.linalg.solve(balance, unit)[:, :, 0], 0.0)
    return often


def _lossless_limit(name: str, column: Floats, never_lost: NDArray[np.bool_]) -> Floats:
    """The limit p_GB = 0: every slot delivers, and no cycle ever ends."""
    limit = {"mean_cycle_slots": np.inf, "timeouts": 0.0, "fast_retransmits": 0.0}.get(name, 1.0)
    return np.where(never_lost, limit, column)


def _exact_columns_of_channels(
    task: _SolverTask, p_gb: Floats, p_bg: Floats
) -> dict[str, NDArray[Any]]:
    rows = []
    for gb, bg in zip(p_gb.tolist(), p_bg.tolist(), strict=True):
        tcp = task.window, task.dupacks, task.timeout
        rows.append(exact_columns(exact_rates(task.variant, (gb, bg), tcp)))
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def exact_answer(
    case: tuple[str, int, int, int], channel: TwoState, cancel: _native.Cancel
) -> dict[str, Any]:
    """`solve` with the method "exact", as a dictionary, until `cancel` is set.

    `case`: variant, window, dupacks, timeout. Raises `InputError`.
    """
    variant, window, dupacks, timeout = case
    task = _checked_task(variant, "exact", window, dupacks, timeout)
    known = _channel(channel)
    tcp = task.window, task.dupacks, task.timeout
    return exact_columns(exact_rates(variant, (known.p_gb, known.p_bg), tcp, cancel=cancel))


def exact_rates(
    variant: str,
    channel: tuple[float, float],
    tcp: tuple[int, int, int],
    link: tuple[int, int] = (1, 1),
    cancel: _native.Cancel | None = None,
) -> dict[str, Any]:
    """The answer of the compiled solver; see `_native.exact_rates`. Raises `InputError`."""
    try:
        return _native.exact_rates(variant, channel, tcp, link, cancel or _native.Cancel())
    except ValueError as refused:
        reason = _exact_refusal(str(refused), *channel)
        raise InputError(f'method "exact": {reason}{_methods_for_variant(variant)}') from None


def _methods_for_variant(variant: str) -> str:
    """The end of a refusal by the exact method: the methods that do answer for the variant."""
    return "" if variant in EXACT_ONLY else '; use method "embedded"'


def _exact_refusal(reason: str, p_gb: float, p_bg: float) -> str:
    """The reason why the compiled solver has no answer, in the words of its user."""
    if "did not settle" in reason:
        return f"p_gb = {p_gb}, p_bg = {p_bg} leaves no digits of the stationary distribution"
    return reason.partition(";")[0]


def exact_columns(rates_found: dict[str, Any]) -> dict[str, Any]:
    """The fields of `Answer` from the dictionary of an exact solver."""
    value, bound = rates_found["throughput"], rates_found["error_bound"]
    return {
        "lower": max(0.0, value - bound),
        "upper": min(1.0, value + bound),
        "throughput": value,
        "transmissions": rates_found["transmissions"],
        "transmissions_lower": rates_found["transmissions"],
        "transmissions_upper": rates_found["transmissions"],
        "mean_cycle_slots": rates_found["mean_cycle_slots"],
        "timeouts": rates_found["timeouts"],
        "fast_retransmits": rates_found["fast_retransmits"],
        "pruned": rates_found["pruned"],
        "error_bound": bound,
        "states": int(rates_found["states"]),
    }


def _grid_columns(
    task: _SolverTask, p_gb: Floats, p_bg: Floats, advance: Advance
) -> dict[str, NDArray[Any]]:
    pieces = []
    for begin in range(0, p_gb.size, task.channels_at_once):
        part = slice(begin, begin + task.channels_at_once)
        pieces.append(task.answers(p_gb[part], p_bg[part]))
        advance(p_gb[part].size)
    points = p_gb.size
    names = _RATE_COLUMNS + (_EXACT_COLUMNS if task.method == "exact" else ())
    return {
        "variant": np.full(points, task.variant),
        "p_gb": p_gb,
        "p_bg": p_bg,
        "loss_rate": p_gb / (p_gb + p_bg),
        "correlation": (1.0 - p_bg) - p_gb,
        "window": np.full(points, task.window),
        "dupacks": np.full(points, task.dupacks),
        "timeout": np.full(points, task.timeout),
        "method": np.full(points, task.method),
        **{name: np.concatenate([piece[name] for piece in pieces]) for name in names},
    }


def _empty_table(method: str) -> Table:
    """The table for an empty set of channels."""
    names = _KEY_COLUMNS + _RATE_COLUMNS + (_EXACT_COLUMNS if method == "exact" else ())
    kinds = {"variant": str, "method": str} | dict.fromkeys((*_INTEGER_COLUMNS, "states"), int)
    return Table({name: np.empty(0, dtype=kinds.get(name, float)) for name in names})


def check_integers(variant: str, window: int, dupacks: int, timeout: int) -> tuple[int, int, int]:
    """The three integers of a case, or `InputError` outside the domain of `solve`."""
    known_name("variant", variant, (*VARIANTS, *EXACT_ONLY))
    window = whole_number("window", window, 1, MOST_WINDOW)
    dupacks = whole_number("dupacks", dupacks, 1, MOST_DUPACKS)
    timeout = whole_number("timeout", timeout, 1, MOST_TIMEOUT)
    resend = variant in FAST_RECOVERY
    if timeout < window + resend:
        what = "the whole window and one resend" if resend else "the whole window"
        raise refusal(
            "timeout",
            timeout,
            f"at least {window + resend} slots for {variant} at window {window}"
            f" ({what} must be sent before the timer expires)",
        )
    return window, dupacks, timeout


def _checked_task(
    variant: str, method: str, window: int, dupacks: int, timeout: int
) -> _SolverTask:
    known_name("method", method, METHODS)
    case = check_integers(variant, window, dupacks, timeout)
    if method != "exact" and variant in EXACT_ONLY:
        raise refusal("method", method, f"exact for {variant}")
    if method == "exact" and case[0] > MOST_WINDOW_EXACT:
        allowed = f'at most {MOST_WINDOW_EXACT} for method "exact"{_methods_for_variant(variant)}'
        raise refusal("window", window, allowed)
    return _SolverTask(variant, method, *case)


def _check_list(field: str, values: Any) -> list[Any]:
    """The values of one argument of `sweep`; each is checked with its case."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        return [values]
    checked = np.atleast_1d(values).tolist() if isinstance(values, np.ndarray) else list(values)
    if not checked:
        raise refusal(field, values, "at least one value")
    return checked


def _channel(value: Any) -> TwoState:
    if isinstance(value, TwoState):
        return value
    if hasattr(value, "p_gb") and hasattr(value, "p_bg"):
        return TwoState(p_gb=value.p_gb, p_bg=value.p_bg)
    raise refusal("channel", value, "a TwoState")


def _channel_arrays(channels: Channels) -> tuple[Floats, Floats]:
    if isinstance(channels, Sequence) and not channels:
        raise refusal("channels", channels, "at least one channel")
    if isinstance(channels, Sequence) and all(isinstance(item, TwoState) for item in channels):
        known = [channel for channel in channels if isinstance(channel, TwoState)]
        return np.array([channel.p_gb for channel in known]), np.array(
            [channel.p_bg for channel in known]
        )
    pair: Any = channels
    if hasattr(pair, "p_gb") and hasattr(pair, "p_bg"):
        pair = (pair.p_gb, pair.p_bg)
    elif not (isinstance(pair, tuple) and len(pair) == 2):
        raise refusal("channels", channels, "TwoState objects, or p_gb and p_bg")
    p_gb, p_bg = _probabilities("p_gb", pair[0]), _probabilities("p_bg", pair[1])
    if p_gb.shape != p_bg.shape or p_gb.ndim != 1:
        raise InputError(
            f"channels = p_gb of shape {p_gb.shape}, p_bg of shape {p_bg.shape}:"
            " must be two arrays of one length"
        )
    for gb, bg in zip(p_gb.tolist(), p_bg.tolist(), strict=True):
        TwoState(p_gb=gb, p_bg=bg)  # refuses what is no channel
    return p_gb, p_bg


def _probabilities(field: str, values: Any) -> Floats:
    """Numbers as an array; refuses texts and truth values."""
    try:
        array = np.atleast_1d(np.asarray(values))
        numbers = array.astype(np.float64) + 0.0 if array.dtype.kind in "iufO" else None
    except (TypeError, ValueError, OverflowError):  # also ragged lists
        numbers = None
    if numbers is None:
        raise refusal(f"channels: {field}", values, "numbers in [0, 1]")
    return numbers
