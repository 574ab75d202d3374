"""The events of a run as users hold them: with methods to draw them and to write them to files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from airtcp.events.columns import EventColumn, to_frame
from airtcp.events.over_time import bin_edges_of, goodputs, jain, utilisation
from airtcp.events.queue_statistics import STATISTICS
from airtcp.events.table import EventTable
from airtcp.export import draw_runs, write

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Events(EventTable):
    """The events of one run, one row each; docs/reference/events.md says what the columns mean."""

    def plot(
        self,
        kind: str = "sequence",
        flow: int | None = None,
        *,
        start: float | None = None,
        end: float | None = None,
    ) -> Figure:
        """Draw a figure, as `airtcp trace --kind` does.

        Parameters
        ----------
        kind : str, default "sequence"
            "sequence", "paper" or "window" of one flow; "queue", "delay" or "rate" of all flows,
            for which the trace must have `links`.
        flow : int, optional
            Number of the flow, from 0. None: the first one, or all flows where the kind can show
            them.
        start, end : float, optional
            Limits of time in s.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Raises
        ------
        InputError
            For an unknown kind or flow, and for a trace without links where the kind needs them.
        """
        return draw_runs([self], kind=kind, flow=flow, start=start, end=end)

    def queue_statistics(self) -> pandas.DataFrame:
        """Summarise each flow in each queue: table "statistics" of docs/reference/events.md.

        Returns
        -------
        pandas.DataFrame
            A row per link (`hop`, `direction`, `near`, `far`) and `flow` or `source` of
            cross-traffic: `packets` and `bytes` that came out of the queue, `drops` by it, `marks`
            (ECN), and the mean, the 95 % quantile and the largest of their time in it, in s:
            `sojourn_mean`, `sojourn_p95`, `sojourn_max`.

        Raises
        ------
        InputError
            For a trace without links.

        Examples
        --------
        >>> import airtcp as at
        >>> hop = {"rate": "12Mbps", "delay": "10ms", "queue": 3}
        >>> tcp = {"variant": "sack", "packet": "1500B"}
        >>> path = {"profile": "rfc", "tcp": tcp, "path": {"hop": [hop]}}
        >>> stop = {"flow": [{"packets": 5}], "stop": {"time": "1s"}}
        >>> events = at.trace(path | stop, links=True)
        >>> events.queue_statistics().loc[0, ["packets", "drops"]].to_list()
        [3, 2]
        """
        return self.to_pandas(STATISTICS)

    def rates(self, width: float | None = None) -> pandas.DataFrame:
        """Compute the goodput of each flow over time.

        Parameters
        ----------
        width : float, optional
            Width of a bin in s; None: at most a hundred bins.

        Returns
        -------
        pandas.DataFrame
            A row per bin and flow: `time`, at which the bin begins (s), `flow`, and `goodput_bps`,
            payload handed over in order (bit/s). NaN before the flow starts and after it has ended.

        Raises
        ------
        InputError
            For a width that is no finite number above 0.

        Examples
        --------
        >>> import airtcp as at
        >>> link = {"hop": [{"rate": "12Mbps", "delay": "10ms", "queue": 30}]}
        >>> scenario = {"profile": "rfc", "tcp": {"variant": "sack"}, "path": link}
        >>> events = at.trace(scenario | {"stop": {"time": "10s"}})
        >>> events.rates(width=5.0)["goodput_bps"].gt(10e6).to_list()
        [True, True]
        """
        import pandas  # noqa: PLC0415  (slow to import)

        bins = bin_edges_of(self, width)
        rates_found = goodputs(self, bins)
        flow, time = np.indices(rates_found.shape)
        columns = {"time": bins[time], "flow": flow, "goodput_bps": rates_found}
        return pandas.DataFrame({name: values.T.ravel() for name, values in columns.items()})

    def fairness(self, width: float | None = None) -> pandas.DataFrame:
        """Compute Jain's index over time, of the flows that take part in a bin (`rates`).

        Parameters
        ----------
        width : float, optional
            Width of a bin in s; None: at most a hundred bins.

        Returns
        -------
        pandas.DataFrame
            A row per bin: `time`, at which the bin begins (s), and `fairness`; NaN where no flow
            gets anything.

        Raises
        ------
        InputError
            For a width that is no finite number above 0.
        """
        import pandas  # noqa: PLC0415  (slow to import)

        bins = bin_edges_of(self, width)
        return pandas.DataFrame({"time": bins[:-1], "fairness": jain(goodputs(self, bins))})

    def utilisation(self, width: float | None = None) -> pandas.DataFrame:
        """Compute the share of time in which each link was busy, over time.

        Parameters
        ----------
        width : float, optional
            Width of a bin in s; None: at most a hundred bins.

        Returns
        -------
        pandas.DataFrame
            A row per bin and link: `time` (s), `hop`, `direction`, `near`, `far`, `utilisation` (0
            to 1).

        Raises
        ------
        InputError
            For a trace without links, and for a width that is no finite number above 0.
        """
        links, bins = self.known_links, bin_edges_of(self, width)
        each = np.array([utilisation(links, link, bins) for link in range(links.count)])
        link, time = (index.T.ravel() for index in np.indices(each.shape))
        columns = [("time", EventColumn(bins[time])), *links.shown_places(link)]
        return to_frame([*columns, ("utilisation", EventColumn(each.T.ravel()))])

    def write(self, path: str | Path, *, table: str = "events") -> Path:
        """Write the events to a file, whose suffix gives the format.

        Parameters
        ----------
        path : str or Path
            The file. .csv and .parquet have a table; .pcapng is a capture for Wireshark; .xpl is a
            time-sequence graph for xplot; .svg, .pdf and .png have that graph as a figure.
        table : str, default "events"
            A table of docs/reference/events.md, for .csv and .parquet.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        InputError
            For another suffix or table, and for a file that cannot be written.
        """
        return write([self], path, table=table)
