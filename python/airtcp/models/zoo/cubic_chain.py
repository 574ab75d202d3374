"""CUBIC where every packet is lost independently: a Markov chain on the windows at losses.

Between losses the window is a known function of time [RFC 9438, figures 1, 2 and 4]: from beta W it
follows the cubic whose plateau is at W, or at W (1 + beta) / 2 after a loss below the last plateau
(fast convergence, 4.7), or Reno's window where that is larger. With a window w(t) in use, packets
leave at w / RTT, and the number until the next loss is geometric, here exponential of mean 1/p. The
sender learns of the loss a round trip later, with another window of packets sent, whose losses are
part of the same; then it repairs for a round trip at beta W, and the next stage begins. The windows
at which losses are found, with the plateaus that they leave, thus form a chain. The throughput is
the mean number of packets of a cycle over its mean time.

As p falls, Reno's window matters less and less. Windows then scale as w = C^(1/4) (RTT / p)^(3/4)
and times as the cube root of w / C, and beta is the only parameter left in the chain
(`scaled_constant`). Poojary and Sharma (An asymptotic approximation of TCP CUBIC, arXiv 1510.08496)
take this limit. Of their text the abstract alone was at hand: the equations here are derived from
the RFC, and compared with a Monte Carlo of the same process in place of their numbers
(tests/test_zoo_cubic_chain.py).

Left out: timeouts, whole packets, queueing. It gave 0.98 to 1.01 of the simulator's throughput up
to 0.001, 1.03 at 0.003, 1.07 at 0.01, 1.18 at 0.03.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from airtcp.models.zoo.chains import Floats, stationary
from airtcp.models.zoo.model import LOSSY_REFUSALS, Conditions, Model
from airtcp.models.zoo.rfc9438 import cubic_window, friendly_alpha

_GRID_WINDOWS = 200  # windows of the grid, in equal ratios
_LOWEST_WINDOW, _HIGHEST_WINDOW = 1 / 40, 15  # of the grid, in typical windows
_TIME_STEPS = 1500  # of time
_LONGEST_STAGE = 30.0  # of a stage, in times between losses at a typical window


@dataclass(frozen=True, kw_only=True)
class CubicTransfer:
    """A transfer.

    `largest_window`: its largest window; `reno`: true if it has a Reno-friendly region; `feedback`:
    round trips until a loss is found, and again until it is repaired.
    """

    p: float
    rtt: float
    c: float = 0.4
    beta: float = 0.7
    fast_convergence: bool = True
    reno: bool = True
    largest_window: float = math.inf
    feedback: float = 1.0

    @property
    def typical_window(self) -> float:
        """A window of the right size."""
        reno = 1.3 / math.sqrt(self.p) if self.reno else 0.0
        return min(
            max(cubic_window(self.p, self.rtt, self.c, self.beta), reno), self.largest_window
        )


def average_window(cubic: CubicTransfer) -> float:
    """Segments delivered per round trip, in the mean over time."""
    grid = _window_grid(cubic)
    plateaus = [1.0, (1.0 + cubic.beta) / 2.0] if cubic.fast_convergence else [1.0]
    rows, seconds, late = zip(*(_next_loss(cubic, grid, part) for part in plateaus), strict=True)
    often = stationary(np.vstack(rows))
    packets = 1.0 / cubic.p + often @ np.concatenate(late)
    time = often @ np.concatenate(seconds) + 2.0 * cubic.feedback * cubic.rtt
    return float((1.0 - cubic.p) * packets / time * cubic.rtt)


def scaled_constant(beta: float = 0.7, c: float = 0.4, *, fast_convergence: bool = False) -> float:
    """Mean window over (RTT / p)^(3/4) of the cubic function alone, as p tends to 0."""
    tiny, scale = 1e-12, 1e-9  # of the loss rate, and its power 3/4
    limit = CubicTransfer(
        p=tiny, rtt=1.0, c=c, beta=beta, fast_convergence=fast_convergence, reno=False, feedback=0.0
    )
    return average_window(limit) * scale


def _window_grid(cubic: CubicTransfer) -> Floats:
    highest = min(_HIGHEST_WINDOW * cubic.typical_window, cubic.largest_window)
    return np.geomspace(_LOWEST_WINDOW * cubic.typical_window, highest, _GRID_WINDOWS)


def _next_loss(cubic: CubicTransfer, grid: Floats, part: float) -> tuple[Floats, Floats, Floats]:
    """From a loss found at every window of the grid to the next loss.

    Returns the distribution of the state at that loss, the mean seconds of congestion avoidance
    until it happens, and the mean packets from then until it is found. `part` is the plateau as a
    multiple of the window at the loss. With fast convergence, states are windows at losses at or
    above the plateau, then those at losses below it.
    """
    plateau = np.maximum(part, cubic.beta) * grid
    delay = cubic.feedback * cubic.rtt
    time = _stage_end(cubic, grid, plateau)[:, None] * np.linspace(0.0, 1.0, _TIME_STEPS + 1) ** 2
    window, window_found = (_cubic_window(cubic, grid, plateau, t) for t in (time, time + delay))
    survival, seconds = _survival(cubic, grid, time, window)
    lost = -np.diff(survival, axis=1, prepend=1.0)  # the first: in the round trip of the repair
    window, window_found = _midpoints(window), _midpoints(window_found)
    late = (lost * (window + window_found)).sum(axis=1) / 2.0 * cubic.feedback
    if not cubic.fast_convergence:
        return _spread_on_grid(grid, window_found, lost), seconds, late
    below = window_found < plateau[:, None]
    rows = [
        _spread_on_grid(grid, window_found, np.where(side, lost, 0.0)) for side in (~below, below)
    ]
    return np.hstack(rows), seconds, late


def _midpoints(values: Floats) -> Floats:
    """The first value, then the means of neighbours: values in the mean at the time of a loss."""
    return np.hstack([values[:, :1], (values[:, 1:] + values[:, :-1]) / 2.0])


def _stage_end(cubic: CubicTransfer, grid: Floats, plateau: Floats) -> Floats:
    """The time after which a stage goes on with negligible probability."""
    rise = np.cbrt((plateau - cubic.beta * grid) / cubic.c)
    between_losses = cubic.rtt / (cubic.p * cubic.typical_window)
    end: Floats = rise + _LONGEST_STAGE * between_losses
    return end


def _cubic_window(cubic: CubicTransfer, grid: Floats, plateau: Floats, time: Floats) -> Floats:
    """The window at times of a stage [RFC 9438, figure 1; the Reno-friendly region, 4.3]."""
    rise = np.cbrt((plateau - cubic.beta * grid) / cubic.c)  # figure 2
    window = cubic.c * (time - rise[:, None]) ** 3 + plateau[:, None]
    if cubic.reno:
        window = np.maximum(window, _reno_window(cubic, grid, time))
    least: Floats = np.minimum(window, cubic.largest_window)
    return least


def _survival(
    cubic: CubicTransfer, grid: Floats, time: Floats, window: Floats
) -> tuple[Floats, Floats]:
    """Probability of no loss until the times, 0 at the last, and its integral over time."""
    step = np.diff(time, axis=1)
    repair = cubic.feedback * cubic.beta * grid
    sent = np.cumsum((window[:, 1:] + window[:, :-1]) / 2.0 * step, axis=1) / cubic.rtt
    sent = np.hstack([np.zeros((grid.size, 1)), sent]) + repair[:, None]
    survival = np.exp(-cubic.p * sent)
    seconds = ((survival[:, 1:] + survival[:, :-1]) / 2.0 * step).sum(axis=1)
    survival[:, -1] = 0.0
    return survival, seconds


def _reno_window(cubic: CubicTransfer, grid: Floats, time: Floats) -> Floats:
    """`W_est`: by alpha a round trip up to the window at the loss, then by 1 [RFC 9438, 4.3]."""
    alpha, rounds = friendly_alpha(cubic.beta), time / cubic.rtt
    begin = cubic.beta * grid[:, None]
    until = (grid[:, None] - begin) / alpha
    return begin + alpha * np.minimum(rounds, until) + np.maximum(rounds - until, 0.0)


def _spread_on_grid(grid: Floats, window: Floats, probability: Floats) -> Floats:
    """The distribution on the grid: two neighbours share a window, whose mean is kept."""
    place = np.clip(np.searchsorted(grid, window) - 1, 0, grid.size - 2)
    share = np.clip((window - grid[place]) / (grid[place + 1] - grid[place]), 0.0, 1.0)
    rows = np.arange(grid.size)[:, None] * grid.size
    size = grid.size**2
    low = np.bincount((rows + place).ravel(), (probability * (1.0 - share)).ravel(), size)
    high = np.bincount((rows + place + 1).ravel(), (probability * share).ravel(), size)
    return np.asarray(low + high, dtype=np.float64).reshape(grid.size, grid.size)


@lru_cache(maxsize=256)  # whether it answers is asked first, and needs the answer
def answer(conditions: Conditions) -> float:
    """Segments per second."""
    at = conditions
    cubic = CubicTransfer(
        p=at.loss_rate,
        rtt=at.rtt,
        c=at.c,
        beta=at.beta,
        fast_convergence=at.fast_convergence,
        largest_window=at.window,
    )
    return average_window(cubic) / at.rtt


MODEL = Model(
    name="cubic-chain",
    title="CUBIC on independent losses: a Markov chain on the windows at losses, derived from the"
    " RFC (as in Poojary and Sharma, arXiv 1510.08496, whose numbers were not at hand)",
    source="rfc9438",
    refuses={
        **LOSSY_REFUSALS,
        "the model covers independent losses only": lambda at: at.losses != "independent",
        "the model covers CUBIC's growth only": lambda at: at.growth != "cubic",
    },
    answer=answer,
    variants=("sack",),
)
