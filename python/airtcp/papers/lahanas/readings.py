"""Points that the paper leaves open, read one way or another [lahanas reading, sections 1 to 3].

Every reading takes 12.8 s without errors and has an overhead of 1.41 %, as all tables print: where
a window no longer fills the link, the link is faster.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One reading; the reproduction uses the defaults.

    - `name`: its differences, in few words;
    - `window`: that the receiver advertises; `rate`, `delay`: of the link, one way;
    - `tick`: of the slow clock; `backoff`: whether the probe timer doubles;
    - `rewind`: whether a sender that a timeout had stopped sends everything again after a cycle.
    """

    name: str
    window: str = "10240B"
    rate: str = "3416kbps"
    delay: str = "8ms"
    tick: str = "500ms"
    rewind: bool = True
    backoff: bool = False

    @property
    def tcp(self) -> dict[str, Any]:
        """Keys of `tcp` in which the reading differs from the profile."""
        probing = {key: getattr(self, key) for key in self._changed_keys("rewind", "backoff")}
        plain = {key: getattr(self, key) for key in self._changed_keys("window", "tick")}
        return plain | ({"probing": probing} if probing else {})

    def _changed_keys(self, *names: str) -> list[str]:
        defaults = {field.name: field.default for field in fields(self)}
        return [name for name in names if getattr(self, name) != defaults[name]]


DEFAULT_READING = Reading(name="as decided")
# 10 Mbit/s times 8 ms are the 10 KB of the paper as well; five segments per round trip take 12.8 s.
ETHERNET_READING = Reading(
    name="10 Mbit/s, window 8 KB", window="8192B", rate="10Mbps", delay="8ms"
)
_WIDE_WINDOW = Reading(name="window 64 KB", window="65535B")
_NO_REWIND = Reading(name="no rewind", rewind=False)
_FINE_TICKS = Reading(name="ticks of 200 ms", tick="200ms")

READINGS = (
    DEFAULT_READING,
    ETHERNET_READING,
    Reading(name="window 16 KB", window="16384B"),
    Reading(name="window 32 KB", window="32768B"),
    _WIDE_WINDOW,
    Reading(name="delay 1 ms", delay="1ms"),
    Reading(name="delay 4 ms", delay="4ms"),
    Reading(name="delay 11 ms", delay="11ms", rate="5600kbps"),
    _NO_REWIND,
    _FINE_TICKS,
    Reading(name="ticks of 1 s", tick="1s"),
    Reading(name="probe timer doubles", backoff=True),
    replace(_WIDE_WINDOW, name="window 64 KB, no rewind", rewind=False),
    replace(_WIDE_WINDOW, name="window 64 KB, ticks of 200 ms", tick="200ms"),
    replace(_NO_REWIND, name="no rewind, ticks of 200 ms", tick="200ms"),
    replace(ETHERNET_READING, name="10 Mbit/s, window 8 KB, no rewind", rewind=False),
)
