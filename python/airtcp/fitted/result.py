"""The answer of `airtcp.fit`: what files hold, models of the link, and a scenario with it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp import _native
from airtcp.errors import count
from airtcp.fitted.options import FitOptions
from airtcp.fitted.parts import FittedParts, scenario_document
from airtcp.fitted.scenario_text import scenario_text
from airtcp.measured.measurement import Measurement
from airtcp.scenario.scenario import Scenario
from airtcp.support.files import file_name, name_in_write_errors

if TYPE_CHECKING:
    from airtcp.measured.facts import Facts


@dataclass(frozen=True, eq=False, repr=False)
class Fit:
    """A link as files show it.

    Attributes
    ----------
    measurements : tuple
        All that the files hold.
    facts : tuple
        Facts about each measurement, before any model.
    chosen : tuple
        The measurements that were fitted.
    options : FitOptions
        The options of the fit.
    parts : Parts
        The models, TCP over them, remarks, and the hop.
    """

    measurements: tuple[Measurement, ...]
    facts: tuple[Facts, ...]
    chosen: tuple[Measurement, ...]
    options: FitOptions
    parts: FittedParts

    @cached_property
    def toml(self) -> str:
        """The scenario as a file: every number with its source and interval."""
        hop = self.parts.hop
        comments = {f"path.hop.{key}": said for key, said in hop.comments.items()}
        comments["stop"] = "how long to run, and how often"
        comments["tcp"] = "congestion controls of Linux to compare"
        title = f"A link fitted to {Path(self.chosen[0].source).name}"
        return scenario_text(
            self._header_comment(), scenario_document(hop, title, self.options.tcps), comments
        )

    @property
    def scenario(self) -> Scenario:
        """The scenario, ready for `airtcp.run`."""
        import tomllib  # noqa: PLC0415

        return Scenario.from_dict(tomllib.loads(self.toml))

    def _header_comment(self) -> list[str]:
        lines = [f"Made by airtcp fit (airtcp {_native.__version__}) from:"]
        for measurement, held in zip(self.measurements, self.facts, strict=True):
            if any(measurement is chosen for chosen in self.chosen):
                lines.append(
                    f"- {measurement.source}: {measurement.form}{_date_words(measurement)},"
                    f" {_measurement_words(held)}"
                )
        lines += [f"Note: {remark}." for remark in self.parts.remarks]
        return lines

    def write(self, path: str | Path) -> Path:
        """Write the scenario to a file.

        Parameters
        ----------
        path : str or Path
            The file, in TOML.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        InputError
            For a file that cannot be written.
        """
        target = file_name("out", path)
        with name_in_write_errors(target):
            target.write_text(self.toml, encoding="utf-8")
        return target

    def report(self, path: str | Path) -> Path:
        """Write a page with figures: the record over time and beside the model, and TCP.

        Parameters
        ----------
        path : str or Path
            The file, in HTML.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        InputError
            For a file that cannot be written.
        """
        from airtcp.fitted.report import write_fit  # noqa: PLC0415  (loads Matplotlib)

        return write_fit(self, file_name("report", path))

    def json(self) -> dict[str, Any]:
        """The fit as JSON has it."""
        parts = self.parts
        return {
            "facts": [fact.json() for fact in self.facts],
            "fitted": [measurement.source for measurement in self.chosen],
            "outages": parts.outages and parts.outages.json(),
            "losses": parts.losses and parts.losses.json(),
            "delays": parts.delays and parts.delays.json(),
            "rates": parts.rates and parts.rates.json(),
            "epochs": parts.epochs and parts.epochs.json(),
            "trains": parts.trains and parts.trains.json(),
            "channel": parts.channel,
            "tcp": [comparison.json() for comparison in parts.goodput_comparisons],
            "remarks": list(parts.remarks),
            "scenario": self.toml,
        }

    def __repr__(self) -> str:
        """Sources, the loss model and the number of packets."""
        sources = ", ".join(measurement.source for measurement in self.chosen)
        packets = sum(
            len(measurement.packets.fate)
            for measurement in self.chosen
            if measurement.packets is not None
        )
        return f"<Fit of {sources}: {count(packets, 'packet')}, losses by {self.parts.channel}>"


def _date_words(measurement: Measurement) -> str:
    if measurement.began is None:
        return ", undated"
    return f" of {datetime.fromtimestamp(measurement.began, UTC):%Y-%m-%d %H:%M} UTC"


def _measurement_words(held: Facts) -> str:
    """Duration, packets and losses of a measurement in a few words."""
    span = f"{held.duration / 60.0:.3g} min" if held.duration > 600.0 else f"{held.duration:.3g} s"
    if not held.packets:
        return span
    lost = "" if held.lost is None else f", {held.lost:.0f} of them lost"
    return f"{span}, {held.packets:.0f} packets{lost}"
