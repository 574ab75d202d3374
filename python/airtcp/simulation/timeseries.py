"""Time series of flows and links: means of replications in bins of time, with their intervals.

A run is counted in parts (`stop.batches`), and a part is a bin, so that no events are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas
from numpy.typing import NDArray

from airtcp.errors import InputError, refusal
from airtcp.events.over_time import check_width, jain, usual_width
from airtcp.export import write_figure
from airtcp.metrics.bottleneck import bottleneck, links_that_hold
from airtcp.metrics.layout import KEYS_OF_ONE_TRANSFER, flow_tcps, flows_that_end
from airtcp.reading.summaries import clip_to_range
from airtcp.scenario.scenario import Given, Scenario, scenario_of
from airtcp.simulation.replications import SimulationResult, simulate
from airtcp.simulation.traces import several_points
from airtcp.stats import grouped_means
from airtcp.stats.bounded import bounded_means
from airtcp.support.units import nanoseconds

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHARE_METRICS = ("fairness", "utilisation")  # between 0 and 1
LINK_METRICS = ("utilisation", "mean_queue", "mean_sojourn")
_LINK_COLUMNS = ["hop", "direction", "near", "far"]
_NS = 1_000_000_000
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class TimeSeries:
    """Means over bins of time.

    Every value is a mean over replications, with the ends of its 95 % interval (`goodput_bps_low`,
    `goodput_bps_high`, ...), which hold bin by bin and are NaN for one value. They follow from
    Student's t, for fairness and utilisation from `airtcp.stats.bounded`. If some hangs on few
    runs, `goodput_bps_carriers` and the like give their number (`airtcp.stats.rare`). `n` is the
    number of runs that have a value.

    Attributes
    ----------
    rates : pandas.DataFrame
        A row per bin and flow: `time`, at which the bin begins (s), `flow`, `goodput_bps` (bit/s).
        NaN before the flow starts and after it has ended; such a flow has no part in the index.
    fairness : pandas.DataFrame
        A row per bin: `time`, `fairness`, Jain's index of these goodputs.
    links : pandas.DataFrame
        A row per bin and link: `time`, `hop`, `direction`, `near`, `far`, `utilisation` (the share
        of time in which it is busy), `mean_queue` (packets that wait, mean over time) and
        `mean_sojourn` (s in the queue, of packets whose transmission starts). `n` is that of
        `mean_sojourn`, which a bin without packets has not.
    width : float
        Width of a bin, in s.
    end : float
        End of the run, in s.
    replications : int
        Number of the runs.
    flows : tuple of str
        The name of each flow for readers.
    chance : str
        A line that says why there is one run, where nothing is random.
    holds : frozenset
        The links where a token bucket or a gate makes packets wait.
    """

    rates: pandas.DataFrame
    fairness: pandas.DataFrame
    links: pandas.DataFrame
    width: float
    end: float
    replications: int
    flows: tuple[str, ...]
    chance: str = ""
    holds: frozenset[tuple[int, str]] = frozenset()

    @property
    def busiest(self) -> tuple[int, str]:
        """The bottleneck (`hop`, `direction`): the link that is busy for most of the time.

        Where a token bucket or a gate with a longer queue holds packets back, it is that link.
        """
        means = self.links.groupby(_LINK_COLUMNS[:2], observed=True)[list(LINK_METRICS[:2])].mean()
        return bottleneck(means["utilisation"], means["mean_queue"], self.holds)

    def of_link(self, hop: int, direction: str) -> pandas.DataFrame:
        """Select the rows of one link.

        Parameters
        ----------
        hop : int
            Number of the hop, from 0.
        direction : {"forward", "back"}
            The direction.

        Returns
        -------
        pandas.DataFrame
            Rows of `links`.
        """
        mine = (self.links["hop"] == hop) & (self.links["direction"] == direction)
        return self.links[mine].reset_index(drop=True)

    def link_name(self, hop: int, direction: str) -> str:
        """Name a link for readers by its ends.

        Parameters
        ----------
        hop : int
            Number of the hop, from 0.
        direction : {"forward", "back"}
            The direction.

        Returns
        -------
        str
            The name.
        """
        row = self.of_link(hop, direction).iloc[0]
        near, far = row["near"], row["far"]
        return f"{near} → {far}" if direction == "forward" else f"{far} → {near}"

    def __repr__(self) -> str:
        """Numbers of flows, bins and replications."""
        bins = len(self.fairness)
        return f"TimeSeries({len(self.flows)} flows, {bins} bins, {self.replications} replications)"

    def figure(self) -> Figure:
        """Figure of goodputs, Jain's index, utilisation, queue and waits over time."""
        from airtcp.plot.timeseries import timeseries_figure  # noqa: PLC0415  (slow to import)

        return timeseries_figure(self)

    def plot(self, path: str | Path) -> Path:
        """Draw the figure into a file.

        Parameters
        ----------
        path : str or Path
            The file; its suffix is .svg, .pdf or .png.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        InputError
            For another suffix, and for a file that cannot be written.
        """
        return write_figure(self.figure, path)


def timeseries(
    scenario: Given,
    *,
    width: float | None = None,
    replications: int | None = None,
    seed: int = 1,
    jobs: int | None = None,
    progress: bool = False,
    journal: str | Path | None = None,
) -> TimeSeries:
    """Follow the shares of flows over time, in the mean over replications.

    Parameters
    ----------
    scenario : Scenario, dict, str or Path
        A path of packets, without axes or cases. It begins at 0: its warm-up is shown too.
    width : float, optional
        Width of a bin in s, which goes into `stop.time` a whole number of times; None: at most a
        hundred bins.
    replications : int, optional
        Runs per point; None: as the scenario says. Replication r is the same run whatever their
        number. A point in which nothing is random is run once.
    seed : int, default 1
        Seed of all random streams, 0 to 2^64 - 1.
    jobs : int, optional
        Threads; None: one per usable core. The results do not depend on it.
    progress : bool, default False
        Show a bar with the time left on stderr.
    journal : str or Path, optional
        An SQLite file in which runs are kept as they end. Runs that it has are not repeated, so
        that an interrupted simulation resumes.

    Returns
    -------
    TimeSeries
        Goodputs, Jain's index and links, bin by bin.

    Raises
    ------
    InputError
        For an argument or a scenario that is refused; the message names field, value and domain.
    Interrupted
        On Ctrl-C, a `KeyboardInterrupt`.

    Examples
    --------
    >>> import airtcp as at
    >>> link = {"hop": [{"rate": "10Mbps", "delay": "10ms", "queue": 40}]}
    >>> late = {"flow": [{}, {"start": "10s"}], "stop": {"time": "40s"}}
    >>> scenario = {"profile": "rfc", "tcp": {"variant": "sack"}, "path": link} | late
    >>> at.timeseries(scenario, width=20.0).fairness["fairness"].round(1).to_list()
    [0.8, 1.0]
    """
    base = scenario_of(scenario)
    end, parts = _end_and_bins(base, width)
    if replications is None:
        replications = base.replications
    simulated = simulate(
        _scenario_in_parts(base, parts),
        replications=replications,
        seed=seed,
        jobs=jobs,
        links=True,
        progress=progress,
        journal=journal,
    )
    return _series(simulated, end, parts)


def _end_and_bins(base: Scenario, width: float | None) -> tuple[float, int]:
    """The length of the run (s), and the number of bins."""
    if base.family != "path":
        raise InputError("profile: a time series needs a path; profiles on slots have none")
    if len(base.points()) != 1:
        raise several_points(base, "scenario.replace")
    length_text = base.points()[0].data["stop"]["time"]
    end = nanoseconds(length_text) / _NS
    if width is None:
        return end, int(np.ceil(end / usual_width(end) * (1 - 1e-9)))
    parts = round(end / check_width(width, end))
    if parts < 1 or abs(parts * width - end) > 1e-9 * end:
        near = end / max(parts, 1)
        raise refusal("width", width, f"a part of stop.time, {length_text}, such as {near:.6g}")
    return end, parts


def _scenario_in_parts(base: Scenario, parts: int) -> Scenario:
    """The scenario, counted in `parts` parts from the start on; flows end with their data."""
    changes: dict[str, Any] = {"stop.warmup": None, "stop.precision": None, "stop.batches": parts}
    tables = base.to_dict().get("flow", [])
    for place, table in enumerate(tables):
        if "milestone" in table and set(KEYS_OF_ONE_TRANSFER) & set(table):
            changes[f"flow[{place}].milestone"] = None
    return base.replace(changes)


def _series(simulated: SimulationResult, end: float, parts: int) -> TimeSeries:
    point, shape = simulated.scenario.points()[0], (simulated.replications, parts, -1)
    links = {
        name: simulated.links[name].to_numpy(float).reshape(shape)
        for name in ("time_ns", *LINK_METRICS)
    }
    begin, time = end * np.arange(parts) / parts, links.pop("time_ns")[..., :1] / _NS
    rates = _rates(simulated, np.where(time > 0.0, time, np.nan), shape)
    flow = pandas.DataFrame({"flow": range(rates.shape[-1])})
    place = simulated.links[_LINK_COLUMNS].iloc[: 2 * len(point.data["path"]["hop"])]
    return TimeSeries(
        rates=_bin_table(begin, flow, {"goodput_bps": rates}),
        fairness=_bin_table(begin, pandas.DataFrame(index=[0]), {"fairness": _jain_index(rates)}),
        links=_bin_table(begin, place, links),
        width=end / parts,
        end=end,
        replications=simulated.replications,
        flows=tuple(_flow_names(flow_tcps(point))),
        chance=simulated.chance if all(simulated.exact) else "",
        holds=links_that_hold(point.data),
    )


def _rates(simulated: SimulationResult, time: Floats, shape: tuple[int, ...]) -> Floats:
    """Goodput by run, bin of `time` (NaN: after the end of the run), and flow."""
    runs = simulated.to_pandas()
    started, bits, milestone = (
        runs[name].to_numpy(float).reshape(shape)
        for name in ("time_ns", "in_order_bits", "milestone_ns")
    )
    done = (milestone >= 0) & np.array(flows_that_end(simulated.scenario.points()[0].data))
    was_done = np.cumsum(done, axis=1) > done
    rates: Floats = np.where((started > 0) & ~was_done, bits / time, np.nan)
    return rates


def _jain_index(rates: Floats) -> Floats:
    return np.array([jain(run.T) for run in rates])[..., None]


def _bin_table(
    begin: Floats, keys: pandas.DataFrame, metrics: Mapping[str, Floats]
) -> pandas.DataFrame:
    """A row per bin and row of `keys`: the keys, and the mean of each metric (by run, bin, key)."""
    rows = keys.iloc[np.tile(np.arange(len(keys)), len(begin))].reset_index(drop=True)
    rows.insert(0, "time", np.repeat(begin, len(keys)))
    for metric, values in metrics.items():
        rows = rows.assign(**_means(metric, values))
    return rows.assign(n=rows.pop("n"))


def _flow_names(transports: list[str]) -> list[str]:
    return [f"flow {n}, {tcp}" if tcp else f"flow {n}" for n, tcp in enumerate(transports)]


def _means(metric: str, values: Floats) -> Mapping[str, Any]:
    """Mean and interval over the runs (first axis) that have a value, and the number of these."""
    cells = values.reshape(len(values), -1).T
    known = ~np.isnan(cells)
    describe = bounded_means if metric in SHARE_METRICS else grouped_means
    estimates_found = clip_to_range(metric, describe(cells[known], np.nonzero(known)[0]))
    columns = {name: np.full(len(cells), np.nan) for name in ("mean", "low", "high", "carriers")}
    for name, column in columns.items():
        column[estimates_found["group"]] = estimates_found[name]
    few = columns.pop("carriers")
    return {
        metric: columns["mean"],
        f"{metric}_low": columns["low"],
        f"{metric}_high": columns["high"],
        **({f"{metric}_carriers": few} if np.isfinite(few).any() else {}),
        "n": known.sum(axis=1),
    }
