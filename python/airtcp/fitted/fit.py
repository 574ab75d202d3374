"""From files about a link to a scenario: `airtcp.fit`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from airtcp.errors import InputError, known_name
from airtcp.fitted.choice import choose_measurements
from airtcp.fitted.counts import fit_counts
from airtcp.fitted.light_load import read_light_load
from airtcp.fitted.opportunities import fit_opportunities
from airtcp.fitted.options import CLOCKS, DEFAULT_TCPS, Clock, FitOptions
from airtcp.fitted.packets import fit_packets
from airtcp.fitted.parts import FittedParts, hop_notes
from airtcp.fitted.result import Fit
from airtcp.fitted.rows import fit_rows
from airtcp.fitted.two_loads import fit_two_loads
from airtcp.fitting.epochs_data import rows_of_measurements
from airtcp.measured.facts import Facts, facts
from airtcp.measured.measurement import Measurement
from airtcp.measured.reading import read
from airtcp.support.progress import Report, progress_report
from airtcp.support.seeds import check_seed


def fit(
    files: str | Path | Sequence[str | Path],
    *,
    rate: str | None = None,
    queue: Any = None,
    model: str | None = None,
    delay: str | None = None,
    clock: Clock = "auto",
    replay: bool = False,
    about: str | None = None,
    tcps: Sequence[str] = DEFAULT_TCPS,
    check: bool = True,
    seed: int = 1,
    light: str | Path | None = None,
    progress: bool = False,
    on_facts: Callable[[Sequence[Facts]], object] | None = None,
    **reading: Any,
) -> Fit:
    """Turn files about a link into a scenario with that link.

    Parameters
    ----------
    files : str, Path, or a sequence of these
        Captures (pcap, pcapng), logs of ping, iperf3 or irtt, tables, CSV, traces of Mahimahi,
        folders of live runs. Several files of one form are records of one link.
    rate : str, optional
        Rate of the link with its unit; None: as the files show, or else a value that the scenario
        says is assumed.
    queue : int, str or dict, optional
        Queue of the link, as a scenario has it; None: as for `rate`.
    model : str, optional
        Name of the loss model to take; None: the model that data left out of the fit choose, if TCP
        over it does as over the record. Of a trace of opportunities, "autoregressive" takes the
        process of the rate even where a test rejects it. Of rows with losses and delays, "epochs"
        or "independent".
    delay : str, optional
        Name of the law of delays to take: "gamma", "log-normal", "autoregressive gamma" or
        "autoregressive log-normal"; None: the law that data left out of the fit choose.
    clock : {"auto", "packet", "time"}, default "auto"
        The clock on which losses go on.
    replay : bool, default False
        Take the record itself as the channel, from a random start in every run.
    about : str, optional
        Name of the measurement to fit, as the facts have it; None: that with most packets.
    tcps : sequence of str, default ("cubic", "bbr")
        Congestion controls of Linux that are run over record and model.
    check : bool, default True
        Run TCP over record and model.
    seed : int, default 1
        Seed of all random streams, 0 to 2^64 - 1.
    light : str or Path, optional
        Recording of the same link under light load, beside a trace of Mahimahi or a capture of the
        saturated link: packet trains over the idle link, as a file of trains or as any file with
        single packets and their delays. If a test finds that trains are served otherwise than
        under load, the hop begins every busy period with them. It goes with one recording of the
        saturated link, and not with ``rate``, ``model``, ``delay``, ``clock`` or ``replay``.
    progress : bool, default False
        Show a bar with the time left on stderr.
    on_facts : callable, optional
        Called with the contents of the files, before anything is modelled.
    **reading
        Options of readers, such as ``udp_sequence="rtp"`` (`airtcp.measured.reading.read`).

    Returns
    -------
    Fit
        The scenario, and how far to trust it.

    Raises
    ------
    InputError
        For an argument or a scenario that is refused; the message names field, value and domain.

    Examples
    --------
    >>> from pathlib import Path
    >>> import airtcp as at
    >>> rows = Path("ping.csv").write_text("lost\\n" + "0\\n0\\n0\\n1\\n0\\n" * 40)
    >>> at.fit("ping.csv", rate="10Mbps", check=False).scenario.to_dict()["path"]["hop"][0]["rate"]
    '10Mbps'
    """
    known_name("clock", clock, CLOCKS)
    options = FitOptions(
        rate, queue, model, delay, clock, replay, tuple(tcps), check, check_seed(seed)
    )
    names = [files] if isinstance(files, (str, Path)) else list(files)
    with progress_report(progress) as report:
        found = tuple(read(names, report=report, **reading))
        held = tuple(map(facts, found))
        chosen, left_out = choose_measurements(found, about)
        if on_facts is not None:
            on_facts(held)
        if options.delay is not None and chosen[0].packets is None:
            raise InputError(
                f"delay: {chosen[0].source} has no single packets, so there are no delays to model"
            )
        if light is None:
            parts = _fit_parts(chosen, options, report)
        else:
            loads = read_light_load(light, report=report, **reading)
            parts = fit_two_loads(
                chosen, loads, options, lambda options: _fit_parts(chosen, options, report)
            )
    parts = replace(parts, remarks=(*left_out, *hop_notes(parts.hop), *parts.remarks))
    return Fit(found, held, tuple(chosen), options, parts)


def _fit_parts(chosen: Sequence[Measurement], options: FitOptions, report: Report) -> FittedParts:
    """The link of measurements of one form, each form in its own way."""
    if chosen[0].packets is not None:
        return fit_packets(chosen, options, report)
    if chosen[0].opportunities is not None:
        return fit_opportunities(chosen[0], options, report)
    rows = rows_of_measurements(chosen)
    if rows is not None:
        return fit_rows(chosen, rows, options, report)
    return fit_counts(chosen[0], options)


def facts_of(
    files: str | Path | Sequence[str | Path], *, progress: bool = False, **reading: Any
) -> list[Facts]:
    """Collect facts about what files hold, before any model is fitted. Raises `InputError`."""
    names = [files] if isinstance(files, (str, Path)) else list(files)
    with progress_report(progress) as report:
        return [facts(measurement) for measurement in read(names, report=report, **reading)]
