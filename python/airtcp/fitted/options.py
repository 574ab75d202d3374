"""Options of a fit, beside the files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Clock: TypeAlias = Literal["auto", "packet", "time"]
CLOCKS: tuple[Clock, ...] = ("auto", "packet", "time")
DEFAULT_TCPS = ("cubic", "bbr")


@dataclass(frozen=True)
class FitOptions:
    """Options of `airtcp.fit`, under their names there.

    `link_delay` is no option but what a second recording shows, if anything: the delay of the link,
    and where it is from.
    """

    rate: str | None = None
    queue: Any = None
    model: str | None = None
    delay: str | None = None
    clock: Clock = "auto"
    replay: bool = False
    tcps: tuple[str, ...] = DEFAULT_TCPS
    check: bool = True
    seed: int = 1
    link_delay: tuple[str, str] | None = None
