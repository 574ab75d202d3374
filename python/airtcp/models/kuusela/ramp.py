"""The rate after a delay spike: silence, a doubling per round trip, then the link's rate."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airtcp.errors import real_number, refusal

Floats = NDArray[np.float64]
LN2 = math.log(2.0)


@dataclass(frozen=True, kw_only=True)
class Ramp:
    """The rate X of [kuusela eq. 2], in packets/s, `u` seconds after the end of a spike.

    - `rtt`: R, in which the rate doubles, s;
    - `capacity`: C_max, where it stays;
    - `initial_rate`: X(SD), where it starts.
    """

    rtt: float
    capacity: float
    initial_rate: float

    @classmethod
    def from_arguments(cls, rtt: object, capacity: object, initial_rate: object) -> Ramp:
        """Parse the three; `InputError` names the one that is refused."""
        start = check_positive("initial_rate", initial_rate, "packets/s")
        limit = check_positive("capacity", capacity, "packets/s")
        if start > limit:
            raise refusal("initial_rate", initial_rate, f"at most the capacity, {limit:g}")
        return cls(rtt=check_positive("rtt", rtt, "s"), capacity=limit, initial_rate=start)

    @property
    def log_growth(self) -> float:
        """ln(C_max / X(SD)), by which the logarithm of the rate grows in all."""
        return math.log(self.capacity) - math.log(self.initial_rate)

    @property
    def climb_time(self) -> float:
        """L, the time that the rate takes to reach the capacity, s."""
        return self.rtt * self.log_growth / LN2

    @property
    def equivalent_delay(self) -> float:
        """L - P / C_max: the delay after which the same packets would start at full rate, s.

        P = (C_max - X(SD)) R / ln 2 are the packets of the climb.
        """
        return self.climb_time + self.rtt / LN2 * math.expm1(-self.log_growth)

    def rate(self, u: Floats) -> Floats:
        """X at `u` >= 0 after the spike."""
        return np.minimum(
            self.initial_rate * np.exp2(np.minimum(u, self.climb_time) / self.rtt), self.capacity
        )

    def packets_sent(self, u: Floats) -> Floats:
        """The packets sent up to `u` after the spike: A of [kuusela eq. 3]; none for `u` <= 0."""
        climbed = np.clip(u, 0.0, self.climb_time)
        doubled = self.initial_rate * self.rtt / LN2 * np.expm1(climbed * (LN2 / self.rtt))
        return doubled + self.capacity * np.maximum(u - self.climb_time, 0.0)


def check_positive(field: str, value: object, unit: str) -> float:
    """A finite number above 0, or `InputError`."""
    allowed = f"a finite number > 0, in {unit}"
    number = real_number(field, value, allowed)
    if number <= 0.0:
        raise refusal(field, value, allowed)
    return number
