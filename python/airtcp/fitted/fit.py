"""From files about a link to a scenario: `airtcp.fit`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from airtcp.errors import known_name
from airtcp.fitted.choice import chosen_of
from airtcp.fitted.of_counts import of_counts
from airtcp.fitted.of_packets import of_packets
from airtcp.fitted.parts import notes
from airtcp.fitted.result import Fit
from airtcp.fitted.wanted import CLOCKS, TCPS, Clock, Wanted
from airtcp.measured.facts import Facts, facts
from airtcp.measured.reading import read
from airtcp.support.progress import progress_report
from airtcp.support.seeds import seed_in


def fit(
    files: str | Path | Sequence[str | Path],
    *,
    rate: str | None = None,
    queue: Any = None,
    model: str | None = None,
    clock: Clock = "auto",
    replay: bool = False,
    about: str | None = None,
    tcps: Sequence[str] = TCPS,
    check: bool = True,
    seed: int = 1,
    progress: bool = False,
    on_facts: Callable[[Sequence[Facts]], object] | None = None,
    **reading: Any,
) -> Fit:
    """Turn files about a link into a scenario with that link, and say how far to trust it.

    - `files`: captures (pcap, pcapng), logs of ping, iperf3 or irtt, tables, CSV, traces of
      Mahimahi, folders of live runs. Several files of one form are records of one link;
    - `rate`, `queue`: of the link, as a scenario has them; None: as the files show, or, where they
      do not, a value that the scenario says is assumed;
    - `model`: the loss model to take, by its name; None: the one that data left out choose, if TCP
      over it does as over the record;
    - `clock`: "packet", "time" or "auto", on which losses go on;
    - `replay`: the record itself is the channel, from a random start in every run;
    - `about`: the measurement to fit, by its name in the facts; None: the one with most packets;
    - `tcps`: congestion controls of Linux that are run over record and model; `check`: False
      leaves that out;
    - `on_facts`: called with what the files hold, before anything is modelled;
    - `reading`: options of readers, such as ``udp_sequence="rtp"`` (see
      `airtcp.measured.reading.read`).

    Raises `InputError`.
    """
    known_name("clock", clock, CLOCKS)
    wanted = Wanted(rate, queue, model, clock, replay, tuple(tcps), check, seed_in(seed))
    names = [files] if isinstance(files, (str, Path)) else list(files)
    with progress_report(progress) as report:
        found = tuple(read(names, report=report, **reading))
        held = tuple(map(facts, found))
        chosen, left_out = chosen_of(found, about)
        if on_facts is not None:
            on_facts(held)
        if chosen[0].packets is not None:
            parts = of_packets(chosen, wanted, report)
        else:
            parts = of_counts(chosen[0], wanted)
    parts = replace(parts, remarks=(*left_out, *notes(parts.hop), *parts.remarks))
    return Fit(found, held, tuple(chosen), wanted, parts)


def facts_of(
    files: str | Path | Sequence[str | Path], *, progress: bool = False, **reading: Any
) -> list[Facts]:
    """Tell the contents of files, before anything is modelled. Raises `InputError`."""
    names = [files] if isinstance(files, (str, Path)) else list(files)
    with progress_report(progress) as report:
        return [facts(one) for one in read(names, report=report, **reading)]
