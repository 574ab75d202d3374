"""The exact solution in plain Python: readable, slow, the reference for the compiled solver.

Same protocol as [zorzi IV], but the receiver's memory belongs to the state: `mask` holds the
packets that arrived beyond the next expected one (bit 0 is the packet right after it). A packet
that is sent again although it is held brings no delivery; lost again, it is no hole for the
recovery. So the process (channel, window, mask) is Markov where the paper's (channel, window) is
only nearly so.

Method: regeneration at the starts of phase two with an empty mask, one state per class of the
window Y = (floor(Y), ceil(Y/2)). From each of them all probability is followed, cycle by cycle,
until it comes back to such a start; the mean rewards on the way give a small semi-Markov chain.
Probability below `prune` is not followed: it continues with an empty mask, and its sum is reported.

Left out: speed. `airtcp.models.zorzi.solve(..., method="exact")` is the fast one.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from airtcp.errors import refusal
from airtcp.models.zorzi.answer import Answer
from airtcp.models.zorzi.solver import check_integers, exact_columns, solve
from airtcp.scenario.two_state import TwoState, n_step

Floats = NDArray[np.float64]
LossClass = tuple[int, int]  # (floor(Y), ceil(Y/2)) of the window Y at the first loss
State = tuple[LossClass, int]  # of phase two at its start: class and mask

_GENERATIONS = 300  # cycles to follow before the circulating states join the regeneration states
_REWARD_NAMES = ("slots", "transmissions", "deliveries", "timeouts", "fast_retransmits", "cycles")


class CycleStart(NamedTuple):
    """Start of a cycle: channel in the slot before, slow-start threshold, window."""

    good: bool
    threshold: int
    window: int


class LossPattern(NamedTuple):
    """Fates of the slots 1, 2, ... of phase two, up to the K-th success or the window's end."""

    probability: float
    slots: int
    arrived: int  # bit s - 1: slot s succeeded
    good: bool  # channel in the last slot
    triggered: bool  # K successes: fast retransmission


class PhaseOutcome(NamedTuple):
    """One way phase two can end."""

    probability: float
    start: CycleStart
    mask: int
    slots: int
    transmissions: int
    deliveries: int
    timed_out: bool
    triggered: bool


class CycleMeans(NamedTuple):
    """Mean rewards of a cycle, and the distribution of (class, mask) at the next loss.

    `drop_mask` is the probability that the distribution leaves out.
    """

    rewards: Floats
    distribution: dict[State, float]
    cut_probability: float


def solve_exact(
    variant: str,
    channel: TwoState,
    *,
    window: int,
    dupacks: int = 3,
    timeout: int = 100,
    prune: float = 1e-15,
) -> Answer:
    """Exact throughput (see `airtcp.models.zorzi.solve` for the arguments).

    `prune` is the probability, per regeneration, below which a path is cut. Seconds at W_max 6,
    tens of seconds at W_max 24 with a coarser `prune`. Raises `InputError`.
    """
    window, dupacks, timeout = check_integers(variant, window, dupacks, timeout)
    if not 0.0 <= prune < 1.0:
        raise refusal("prune", prune, "a probability in [0, 1)")
    if channel.p_gb == 0.0:  # no cycle ever ends
        limit = solve(variant, channel, window=window, dupacks=dupacks, timeout=timeout)
        rates_found = {name: getattr(limit, name) for name in ("throughput", "transmissions")}
        rest = dict.fromkeys(("timeouts", "fast_retransmits", "pruned", "error_bound"), 0.0)
        columns = exact_columns({**rates_found, **rest, "mean_cycle_slots": math.inf, "states": 0})
    else:
        protocol = _Protocol(
            variant, channel, window=window, dupacks=dupacks, timeout=timeout, prune=prune
        )
        columns = exact_columns(_regenerate(protocol, prune))
    return Answer(variant=variant, method="exact", **columns)


def _regenerate(protocol: _Protocol, prune: float) -> dict[str, float]:
    """Follow the probability from each regeneration state back to one; solve that chain.

    On extreme channels (strict alternation, endless bursts) some mask comes back and back before it
    is ever empty. Probability that still circulates after many cycles joins the regeneration
    states.
    """
    states: list[State] = [(cls, 0) for cls in protocol.classes]
    while True:
        walk = _CycleWalk(protocol, states, prune)
        stuck = walk.run()
        if not stuck:
            return _steady_state(walk, protocol.window)
        states += stuck


class _CycleWalk:
    """All probability that leaves the regeneration states, cycle by cycle, until it is back."""

    def __init__(self, protocol: _Protocol, states: list[State], prune: float) -> None:
        self.protocol = protocol
        self.prune = prune
        self.index = {state: number for number, state in enumerate(states)}
        self.back = np.zeros((len(states), len(states)))
        self.rewards = np.zeros((len(states), len(_REWARD_NAMES)))
        self.pruned = np.zeros(len(states))
        self.seen: set[State] = set()

    def run(self) -> list[State]:
        """Walk to the end; or, after too many cycles, the heaviest states that still circulate."""
        # probability of each state in this generation, from every regeneration state at once
        frontier = dict(zip(self.index, np.eye(len(self.index)), strict=True))
        for _ in range(_GENERATIONS):
            frontier = self.step(frontier)
            if not frontier:
                return []
        heaviest = max(weight.max() for weight in frontier.values())
        return [state for state, weight in frontier.items() if weight.max() > 0.1 * heaviest]

    def step(self, frontier: dict[State, Floats]) -> dict[State, Floats]:
        """One cycle of every state; returns the states to follow."""
        following: dict[State, Floats] = defaultdict(lambda: np.zeros(len(self.index)))
        for state, weight in frontier.items():
            self.seen.add(state)
            cycle = self.protocol.cycle(*state, self.prune / weight.max())
            self.rewards += np.outer(weight, cycle.rewards)
            self.drop_mask(state, weight * cycle.cut_probability)
            for next_state, probability in cycle.distribution.items():
                if next_state in self.index:
                    self.back[:, self.index[next_state]] += weight * probability
                else:
                    following[next_state] += weight * probability
        for state in [
            state_after for state_after, weight in following.items() if weight.max() <= self.prune
        ]:
            self.drop_mask(state, following.pop(state))
        return following

    def drop_mask(self, state: State, weight: Floats) -> None:
        """Go on as if the mask were empty, and take note of it."""
        self.back[:, self.index[state[0], 0]] += weight
        self.pruned += weight


def _steady_state(walk: _CycleWalk, window: int) -> dict[str, float]:
    """Renewal-reward rates, and the effect of the probability that was cut.

    A cut replaces one continuation by another: the count of deliveries can change by the span of
    the relative values of the states, plus at most W_max held packets that would count twice.
    """
    share = _stationary(walk.back)
    mean = dict(zip(_REWARD_NAMES, share @ walk.rewards, strict=True))
    throughput = mean["deliveries"] / mean["slots"]
    gain = walk.rewards[:, 2] - throughput * walk.rewards[:, 0]
    values = np.linalg.lstsq(np.eye(share.size) - walk.back, gain, rcond=None)[0]
    span = float(values.max() - values.min())
    pruned = float(share @ walk.pruned)
    return {
        "throughput": throughput,
        "transmissions": mean["transmissions"] / mean["slots"],
        "mean_cycle_slots": mean["slots"] / mean["cycles"],
        "timeouts": mean["timeouts"] / mean["slots"],
        "fast_retransmits": mean["fast_retransmits"] / mean["slots"],
        "pruned": pruned / mean["cycles"],
        "error_bound": pruned * (span + window) / mean["slots"],
        "states": len(walk.seen),
    }


def _stationary(transition: Floats) -> Floats:
    states = len(transition)
    system = np.vstack([np.eye(states) - transition.T, np.ones(states)])
    unit = np.zeros(states + 1)
    unit[-1] = 1.0
    stationary: Floats = np.maximum(np.linalg.lstsq(system, unit, rcond=None)[0], 0.0)
    return stationary


class _Protocol:
    """The rules of one variant over one channel: the possible courses of a cycle."""

    def __init__(
        self,
        variant: str,
        channel: TwoState,
        *,
        window: int,
        dupacks: int,
        timeout: int,
        prune: float,
    ) -> None:
        self.variant = variant
        self.channel = channel
        self.window = window
        self.dupacks = math.inf if variant == "oldtahoe" else dupacks
        self.timeout = timeout
        self.prune = prune
        halves = [
            {(whole, half) for half in ((whole + 1) // 2, whole // 2 + 1)}
            for whole in range(1, window)
        ]
        self.classes: list[LossClass] = sorted(set().union(*halves))
        self.classes.append((window, (window + 1) // 2))
        # n-step probabilities of ending good; a timer can run out for T_o + W_max slots
        _, self._bad_to_good, _, self._good_to_good = n_step(
            channel.p_gb, channel.p_bg, np.arange(timeout + window + 1)
        )
        # caches of this protocol; of `cycle`, with the `least` they were computed for
        self._cycles: dict[State, tuple[float, CycleMeans]] = {}
        self.patterns = lru_cache(None)(self._patterns)
        self.first_loss = lru_cache(None)(self._first_loss)
        self.phase_one = lru_cache(None)(self._phase_one)

    def cycle(self, loss_class: LossClass, mask: int, least: float) -> CycleMeans:
        """Phase two from a loss, then phase one of the next cycle up to its loss.

        Patterns less likely than `least` are left out. A state comes back with less weight each
        time (so with a larger `least`), which makes its first result good enough for all of them.
        """
        known = self._cycles.get((loss_class, mask))
        if known is None or least < known[0]:
            known = least, self._cycle(loss_class, mask, least)
            self._cycles[loss_class, mask] = known
        return known[1]

    def _cycle(self, loss_class: LossClass, mask: int, least: float) -> CycleMeans:
        rewards = np.zeros(len(_REWARD_NAMES))
        distribution: dict[State, float] = defaultdict(float)
        followed = 0.0
        for pattern in self.patterns(loss_class[0]):
            if pattern.probability < least:
                break  # sorted: all the others are rarer still
            followed += pattern.probability
            for end in self.outcomes_of_pattern(pattern, loss_class, mask):
                good_slots = self.mean_good_slots(end.start)  # of phase one, each a delivery
                rewards += end.probability * np.array(
                    [
                        end.slots + good_slots + 1,
                        end.transmissions + good_slots + 1,
                        end.deliveries + good_slots,
                        end.timed_out,
                        end.triggered,
                        1,
                    ]
                )
                for following, probability in self.phase_one(end.start, end.mask):
                    distribution[following] += end.probability * probability
        return CycleMeans(rewards, distribution, max(0.0, 1.0 - followed))

    # Phase one

    def mean_good_slots(self, start: CycleStart) -> float:
        """Mean number of good slots before the first loss: p_CG / p_GB."""
        p_good = self.channel.p_gg if start.good else self.channel.p_bg
        return p_good / self.channel.p_gb

    def _phase_one(self, start: CycleStart, mask: int) -> list[tuple[State, float]]:
        """Law of (class, mask) at the first loss: each success before it shifts the mask."""
        distribution = []
        slot = 1
        window = float(start.window)
        while mask:
            distribution.append(
                ((self.loss_class(window), mask), self.probability_of_first_loss(start, slot))
            )
            mask = _deliver(mask)[0]
            window = self.window_after_ack(window, start.threshold)
            slot += 1
        distribution.extend(
            ((loss, 0), mass) for loss, mass in self.first_loss(start, slot).items()
        )
        return distribution

    def _first_loss(self, start: CycleStart, slot: int) -> dict[LossClass, float]:
        """P[first loss in slot n >= slot, in a class]; at W_max the whole tail at once."""
        distribution: dict[LossClass, float] = defaultdict(float)
        window = float(start.window)
        for _ in range(slot - 1):
            window = self.window_after_ack(window, start.threshold)
        while window < self.window:
            distribution[self.loss_class(window)] += self.probability_of_first_loss(start, slot)
            window = self.window_after_ack(window, start.threshold)
            slot += 1
        distribution[self.loss_class(window)] += self.probability_without_loss(start, slot)
        return distribution

    def probability_without_loss(self, start: CycleStart, slot: int) -> float:
        """P[no loss before `slot`]."""
        if slot == 1:
            return 1.0
        p_good = self.channel.p_gg if start.good else self.channel.p_bg
        return p_good * self.channel.p_gg ** (slot - 2)

    def probability_of_first_loss(self, start: CycleStart, slot: int) -> float:
        """alpha_C(n) [zorzi eq. 3]."""
        if slot == 1:
            return self.channel.p_gb if start.good else self.channel.p_bb
        return self.probability_without_loss(start, slot) * self.channel.p_gb

    def window_after_ack(self, window: float, threshold: int) -> float:
        """The window after one ACK: slow start below the threshold, then congestion avoidance."""
        step = 1.0 if window < threshold else 1.0 / window
        return min(window + step, float(self.window))

    def loss_class(self, window: float) -> LossClass:
        """(floor(Y), ceil(Y/2))."""
        return math.floor(window), math.ceil(window / 2.0)

    # Phase two

    def _patterns(self, size: int) -> list[LossPattern]:
        """Possible fates of up to size - 1 packets after the loss; the likeliest pattern first."""
        patterns = []
        unfinished = [LossPattern(1.0, 0, 0, False, False)]
        while unfinished:
            pattern = unfinished.pop()
            triggered = pattern.arrived.bit_count() >= self.dupacks
            if triggered or pattern.slots == size - 1:
                patterns.append(pattern._replace(triggered=triggered))
                continue
            p_good = self.channel.p_gg if pattern.good else self.channel.p_bg
            bit = 1 << pattern.slots
            for good, probability in ((True, p_good), (False, 1.0 - p_good)):
                mass = pattern.probability * probability
                if mass > self.prune:
                    arrived = pattern.arrived | bit if good else pattern.arrived
                    unfinished.append(LossPattern(mass, pattern.slots + 1, arrived, good, False))
        return sorted(patterns, reverse=True)

    def outcomes_of_pattern(
        self, pattern: LossPattern, loss_class: LossClass, mask: int
    ) -> Iterator[PhaseOutcome]:
        """The outcomes that follow once the slots of `pattern` are over."""
        fresh = (pattern.arrived & ~mask).bit_count()  # a packet held already is no delivery
        after = PhaseOutcome(
            probability=pattern.probability,
            start=CycleStart(True, loss_class[1], 1),
            mask=mask | pattern.arrived,
            slots=pattern.slots,
            transmissions=pattern.slots,
            deliveries=fresh,
            timed_out=False,
            triggered=pattern.triggered,
        )
        if not pattern.triggered:
            yield from self.timeout_outcomes(after, pattern.good, self.timeout - 1, loss_class[1])
        elif self.variant == "tahoe":
            yield after
        else:
            yield from self.resend_outcomes(after, loss_class[1])

    def timeout_outcomes(
        self, after: PhaseOutcome, good: bool, last_slot: int, threshold: int
    ) -> Iterator[PhaseOutcome]:
        """Silence up to the timer's last slot, while the channel moves on."""
        silent = last_slot - after.slots
        ends_good = float((self._good_to_good if good else self._bad_to_good)[silent])
        for channel_good, probability in ((True, ends_good), (False, 1.0 - ends_good)):
            yield after._replace(
                probability=after.probability * probability,
                start=CycleStart(channel_good, threshold, 1),
                slots=last_slot,
                timed_out=True,
            )

    def resend_outcomes(self, after: PhaseOutcome, half: int) -> Iterator[PhaseOutcome]:
        """Reno and NewReno: resend the first hole; NewReno goes on with the next one."""
        sent = after.slots  # packets 1 .. sent were sent once in this phase two
        hole, resent = 0, 0  # the hole to resend, as the slot of its first transmission
        p_good = self.channel.p_gg  # each resend follows a success
        while True:
            failed = after._replace(
                probability=after.probability * (1.0 - p_good),
                slots=after.slots + 1,
                transmissions=after.transmissions + 1,
            )
            timer = self.timeout + hole - 1
            yield from self.timeout_outcomes(
                failed, False, timer, self.inflated_threshold(half, resent)
            )

            mask, moved = _deliver(after.mask)
            hole, resent = hole + moved, resent + 1
            after = after._replace(
                probability=after.probability * p_good,
                mask=mask,
                slots=after.slots + 1,
                transmissions=after.transmissions + 1,
                deliveries=after.deliveries + 1,
            )
            if hole > sent:
                yield after._replace(start=CycleStart(True, half, half))
                return
            if self.variant == "reno":
                timer = self.timeout + hole - 1
                yield from self.timeout_outcomes(
                    after, True, timer, self.inflated_threshold(half, resent)
                )
                return

    def inflated_threshold(self, half: int, resent: int) -> int:
        """ceil(W'/2) with W' = min(ceil(Y/2) + K + good resends, W_max) [zorzi IV-E, IV-G]."""
        return (min(half + int(self.dupacks) + resent, self.window) + 1) // 2


def _deliver(mask: int) -> tuple[int, int]:
    """The expected packet arrives: the mask seen from the next one, and how far that moved."""
    moved = (~mask & (mask + 1)).bit_length()  # one, plus the held packets right behind it
    return mask >> moved, moved
