"""Packets from numbered replies: a number without a reply is a lost packet.

Numbers may have wrapped at 16 bits, come late, come twice, and start anew where a second run was
appended to a log.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airtcp.errors import InputError
from airtcp.measured.measurement import (
    ARRIVED,
    LOST,
    NO_DELAY,
    UNKNOWN,
    Delays,
    Oddity,
    Packets,
)

MOST_PACKETS = 10_000_000  # between the first number and the last: 200 MB of columns
NS_PER_SECOND = 1_000_000_000
_NUMBERS_TO_WRAP = 1 << 16
# Numbers by which neighbours do not differ, unless something happened between them.
_FAR_NUMBERS = 1000
_RESTART_NUMBERS = 10  # numbers by which a first packet is below what came before
_CLOCK_STEP_SECONDS = 0.05  # s by which stamps fall where a clock was set: more than they are late
_GAP_SECONDS, _GAP_INTERVALS = 5.0, 10.0  # s, and intervals, that are missing between two stamps
_LEAST_PAIRS = 50  # of packets that show how a tool sends
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Replies:
    """Replies, and notices that there is none, in the order of a file.

    - `number`: number of the packet; `answered`: False for a notice;
    - `delay`: ns, NaN where none was measured;
    - `stamp`: s at which the reply came, or with `sends` the packet left; NaN if the file does not
      show it.
    """

    number: Ints
    answered: NDArray[np.bool_]
    delay: Floats
    stamp: Floats
    sends: bool = False

    def __len__(self) -> int:
        """Number of lines."""
        return len(self.number)

    def select(self, chosen: Any) -> Replies:
        """Some of these, by a slice or a mask."""
        return Replies(
            self.number[chosen],
            self.answered[chosen],
            self.delay[chosen],
            self.stamp[chosen],
            self.sends,
        )


@dataclass(frozen=True)
class ReplyRun:
    """The packets of one run, and what was odd about them."""

    packets: Packets
    began: float | None
    reordered: int
    duplicated: int
    oddities: list[Oddity]


def without_strays(replies: Replies) -> tuple[Replies, list[Oddity]]:
    """Leave out single numbers far from those before and after, which are near each other."""
    if len(replies) < 3:
        return replies, []
    step = np.abs(_number_steps(replies.number))
    across = np.abs(_around(replies.number[2:] - replies.number[:-2], replies.number))
    stray = np.zeros(len(replies), dtype=bool)
    stray[1:-1] = (step[:-1] > _FAR_NUMBERS) & (step[1:] > _FAR_NUMBERS) & (across < _FAR_NUMBERS)
    if not stray.any():
        return replies, []
    number = int(replies.number[np.argmax(stray)])
    said = f"number {number} is far from those before and after it: left out"
    return replies.select(~stray), [Oddity("stray number", said, int(stray.sum()))]


def split_runs(replies: Replies) -> Iterator[Replies]:
    """The runs in a list of replies: one starts where numbers fall, and go on from there."""
    step = _number_steps(replies.number)
    low = replies.number[1:] <= 1
    after = _around(replies.number[2:] - replies.number[:-2], replies.number)
    fall = (step < -_FAR_NUMBERS) | (low & (step <= -_RESTART_NUMBERS))
    fall &= np.append(after < 0, False)[: len(fall)]  # not of a reply that came late
    bounds = [0, *(np.flatnonzero(fall) + 1).tolist(), len(replies)]
    for start, end in pairwise(bounds):
        if end > start:
            yield replies.select(slice(start, end))


def packets_of_run(
    replies: Replies,
    delays: Delays,
    *,
    source: str,
    interval: float | None,
    first: int | None = None,
    sent: int | None = None,
    size: int = 0,
) -> ReplyRun:
    """The packets of one run.

    `interval`: s between packets, for files without stamps (None: 1 s); `first`: the number of the
    first packet (None: the least that is seen); `sent`: how many packets the tool says it sent. Of
    packets after the last reply that may still have been on their way, the fate is unknown.
    """
    number = replies.number[0] + np.concatenate([[0], np.cumsum(_number_steps(replies.number))])
    least = int(number.min()) if first is None else min(int(number.min()), first)
    last = max(int(number.max()), least + (sent or 0) - 1 if (sent or 0) <= MOST_PACKETS else 0)
    count = last - least + 1
    if count > MOST_PACKETS:
        raise InputError(
            f"{source}: numbers from {least} to {last}: a run has at most {MOST_PACKETS} packets"
        )
    place = number - least
    fate = np.full(count, LOST, dtype=np.int8)
    delay = np.full(count, NO_DELAY, dtype=np.int64)
    came = place[replies.answered]
    fate[came] = ARRIVED
    known = replies.answered & ~np.isnan(replies.delay)
    delay[place[known][::-1]] = np.rint(replies.delay[known][::-1]).astype(np.int64)
    once = np.unique(came, return_index=True)[1]
    in_order = came[np.sort(once)]
    late = int((in_order < np.maximum.accumulate(in_order)).sum()) if len(in_order) else 0
    time, began, pause, oddities = _send_times(source, replies, place, count, interval)
    measured = time is not None
    if time is None:
        time = (np.arange(count) * (interval or 1.0) * NS_PER_SECOND).astype(np.int64)
    _hide_unanswered_end(fate, delay, time, place[~replies.answered])
    packets = Packets(
        time=time,
        fate=fate,
        delay=delay,
        size=np.full(count, size, dtype=np.int32),
        cause=np.full(count, UNKNOWN, dtype=np.int8),
        delays=delays,
        is_time_measured=measured,
        waits=pause is not None,
    )
    return ReplyRun(packets, began, late, len(came) - len(once), oddities)


def _number_steps(number: Ints) -> Ints:
    """Differences of numbers that follow each other, across a wrap at 16 bits."""
    return _around(np.diff(number), number)


def _around(steps: Ints, number: Ints) -> Ints:
    if len(number) and int(number.max()) < _NUMBERS_TO_WRAP:
        half = _NUMBERS_TO_WRAP // 2
        wrapped: Ints = np.where(steps < -half, steps + _NUMBERS_TO_WRAP, steps)
        return np.where(wrapped > half, wrapped - _NUMBERS_TO_WRAP, wrapped)
    return steps


def _send_times(
    source: str, replies: Replies, place: Ints, count: int, interval: float | None
) -> tuple[Ints | None, float | None, float | None, list[Oddity]]:
    """Times of sending in ns by the stamps of replies, None where most have none; the pause.

    Times of packets without a reply lie evenly between their neighbours'. A clock that was set back
    is put right.
    """
    stamped = ~np.isnan(replies.stamp) & (replies.answered | replies.sends)
    if not 2 * stamped.sum() > replies.answered.sum() or not stamped.any():
        return None, None, None, []
    base = float(np.floor(replies.stamp[stamped][0]))
    way = np.nan_to_num(replies.delay, nan=0.0) / NS_PER_SECOND * (not replies.sends)
    sent = np.rint((replies.stamp - base - way) * 1e9) / 1e9
    pause = None if replies.sends else _pause_after_reply(sent, replies.stamp - base, stamped)
    if pause is not None:
        sent, stamped = _send_times_after_pauses(replies.stamp - base, sent, stamped, pause)
    where, index = np.unique(place[stamped], return_index=True)
    waited = ~replies.answered[stamped][index][:-1] if pause is not None else False
    sent = sent[stamped][index]
    step, apart = np.diff(sent), np.diff(where)
    usual = float(np.median(step / apart)) if len(step) else 0.0
    usual = usual if usual > 0.0 else (interval or 1.0)
    oddities = list(_clock_oddities(step, apart, usual, where, waited))
    if pause is not None:
        oddities.append(_waiting_tool_oddity(pause, step[waited]))
    back = step < -_CLOCK_STEP_SECONDS
    sent[1:] += np.cumsum(np.where(back, apart * usual - step, 0.0))
    sent = np.maximum.accumulate(sent)
    every = np.arange(count)
    time = np.interp(every, where, sent)
    time = np.where(every < where[0], sent[0] - (where[0] - every) * usual, time)
    time = np.where(every > where[-1], sent[-1] + (every - where[-1]) * usual, time)
    began = base + float(time[0])
    found = np.rint((time - time[0]) * NS_PER_SECOND)
    if not found[-1] < 9.2e18:
        raise InputError(f"{source}: more than 292 years lie between its first stamp and its last")
    whole: Ints = np.maximum.accumulate(found.astype(np.int64))
    return whole, began if began > 1e8 else None, pause, oddities


def _pause_after_reply(sent: Floats, stamp: Floats, stamped: NDArray[np.bool_]) -> float | None:
    """The pause in s of a tool that sends after each reply; None for a tool that does not wait.

    Then packets follow the reply before them more evenly than they follow each other.
    """
    both = stamped[1:] & stamped[:-1]
    if both.sum() < _LEAST_PAIRS:
        return None
    after = (sent[1:] - stamp[:-1])[both]
    apart = (sent[1:] - sent[:-1])[both]
    if np.quantile(after, 0.01) < 0.0 or _range_of_90_percent(after) > 0.5 * _range_of_90_percent(
        apart
    ):
        return None
    return float(np.median(after))


def _range_of_90_percent(values: Floats) -> float:
    low, high = np.quantile(values, [0.05, 0.95])
    return float(high - low)


def _send_times_after_pauses(
    stamp: Floats, sent: Floats, stamped: NDArray[np.bool_], pause: float
) -> tuple[Floats, NDArray[np.bool_]]:
    """Times of packets without a reply too: they left a pause after what was before them.

    Their own stamps show the end of the wait for a reply.
    """
    known = stamped.copy()
    known[1:] |= ~np.isnan(stamp[1:]) & ~np.isnan(stamp[:-1])
    filled = sent.copy()
    filled[1:] = np.where(stamped[1:], sent[1:], np.fmin(stamp[:-1] + pause, stamp[1:]))
    return filled, known


def _waiting_tool_oddity(pause: float, waits: Floats) -> Oddity:
    said = f"each packet was sent {1000 * pause:.3g} ms after the reply to the one before"
    if len(waits):
        said += (
            f", or after {float(np.median(waits)):.3g} s without one: losses are looked for less"
            " often when delays are long or packets are lost"
        )
    return Oddity("one at a time", said)


def _clock_oddities(
    step: Floats, apart: Ints, usual: float, where: Ints, waited: Any
) -> Iterator[Oddity]:
    back = np.flatnonzero(step < -_CLOCK_STEP_SECONDS)
    if len(back):
        at = back[0]
        said = (
            f"the stamps fall by {-step[at]:.3g} s after packet {where[at] + 1}: the clock was set;"
            " times go on from there at the usual interval"
        )
        yield Oddity("clock step", said, len(back))
    missing = np.where(waited, 0.0, step - apart * usual)
    far = np.flatnonzero(missing > max(_GAP_SECONDS, _GAP_INTERVALS * usual))
    if len(far):
        at = far[0]
        said = (
            f"{missing[at]:.4g} s are missing after packet {where[at] + 1}, in which no packet was"
            " numbered: the clock was set, or the tool stood still"
        )
        yield Oddity("gap", said, len(far))


def _hide_unanswered_end(
    fate: NDArray[np.int8], delay: NDArray[np.int64], time: Ints, noticed: Ints
) -> None:
    """Make fates unknown of packets at the end whose replies could have come after the file."""
    arrived = np.flatnonzero(fate == ARRIVED)
    if not len(arrived):
        return
    longest = max(0, int(delay.max()))
    late = np.flatnonzero(time > time[-1] - longest)
    late = late[late > arrived[-1]]
    fate[np.setdiff1d(late, noticed)] = UNKNOWN
