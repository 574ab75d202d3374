"""The results of a campaign, from its folder (`airtcp.engines.results`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from airtcp.campaign.dataset import RUNS_TABLE, files_of_table
from airtcp.campaign.kept_runs import RunStorage
from airtcp.campaign.manifest import SIMULATION
from airtcp.errors import InputError, count, known_name, one_line, refusal
from airtcp.metrics.labels import better_direction as usual
from airtcp.metrics.question import usual_metrics
from airtcp.metrics.records import RECORD_NODES
from airtcp.metrics.table import DEFAULT_METRICS
from airtcp.plot.marks import FORMULA_PREFIX, OPEN_MARKS, MarkStyle
from airtcp.reading.cubes import data_cube
from airtcp.reading.grouping import (
    mask_of_selected,
    repeats_other_keys,
    resolve_key,
    resolve_keys,
    varying_keys,
)
from airtcp.reading.rankings import ranking
from airtcp.reading.records import measured_coordinates, record_coordinates
from airtcp.reading.rows import ResultRows
from airtcp.reading.sources import ParquetFiles
from airtcp.reading.summaries import summary
from airtcp.scenario.axes import KIND, TableAxes
from airtcp.scenario.chance import exact_points_line
from airtcp.scenario.order import any_has_ties
from airtcp.scenario.renamed import present_sql
from airtcp.scenario.scenario import Scenario
from airtcp.simulation.reverse_order import SAME_START_NOTE
from airtcp.stats import CONFIDENCE
from airtcp.stats.batches import neighbour_test, neighbour_text
from airtcp.support.at_once import finished_futures
from airtcp.support.html import text_above_table
from airtcp.support.optional import import_optional

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    import pyarrow.dataset
    import xarray
    from matplotlib.figure import Figure

    from airtcp.campaign.manifest import Manifest
    from airtcp.reading.rows import ResultRows
    from airtcp.reading.sources import MemoryTable, ParquetFiles
    from airtcp.scenario.axes import TableAxis
    from airtcp.scenario.scenario import Scenario


class EngineRuns(NamedTuple):
    """The runs of an engine beside the simulation, as results read and show them.

    - `storage`: how they are kept; `own_path_prefix`, `marks`: as in the engine's `EngineTraits`.
    """

    storage: RunStorage
    own_path_prefix: str
    marks: MarkStyle


@dataclass(frozen=True, eq=False, repr=False)
class Results:
    """The runs of a sweep in a folder. Rows are read when they are asked for.

    Attributes
    ----------
    folder : Path
        The folder.
    manifest
        Content of its manifest.json, by attributes.
    problems : tuple of str
        A line for each file that is missing, damaged or foreign. Such a file is not used.
    points_done : int
        Number of the points that have all their runs.
    simulated : int
        Number of runs that the sweep which returned this has made; 0 where it only read.
    """

    folder: Path
    manifest: Manifest
    problems: tuple[str, ...]
    points_done: int
    _sources: Mapping[str, ParquetFiles | MemoryTable]
    _table: str = RUNS_TABLE
    simulated: int = 0
    _engines: Mapping[str, EngineRuns] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """True if the sweep has ended and all of its runs are there, its files whole."""
        return self.manifest.complete and not self._lacks_data

    @property
    def family(self) -> str:
        """ "slot" or "path", as `Scenario.family`."""
        return self.manifest.family

    @property
    def kind(self) -> str:
        """Kind of the rows: runs on a "slot" or a "path", "links", "traffic", or an engine's."""
        return self.family if self._table == RUNS_TABLE else self._table

    @property
    def links(self) -> Results:
        """The results for the counts of links: a row per run, part, `hop` and `direction`.

        They have all methods of `Results`: `hop` (from 0), `direction` ("forward", "back"), and the
        names `near` and `far` of the nodes are coordinates. Raises `InputError` if the sweep was
        not asked for links.
        """
        return self._results_of_table("links")

    @property
    def traffic(self) -> Results:
        """The results for cross-traffic: a row per run, part and `source`, numbered from 0.

        `sender` and `receiver` are the nodes between which it goes. Raises `InputError` if the
        sweep was not asked for links, or has no cross-traffic.
        """
        return self._results_of_table("traffic")

    @property
    def live(self) -> Results:
        """The results for live runs, of real packets: a row per run, with its metrics.

        `stack` ("kernel", "airtcp": whose TCP) and `congestion` (its congestion control) are
        coordinates, or `live.stack` and `live.congestion` where these are axes of the scenario,
        which simulated runs do not have; `valid` is a metric: 1 where the machine kept up, else 0.
        Raises `InputError` as `of` does.
        """
        return self.of("live")

    def of(self, engine: str) -> Results:
        """Select the runs of an engine.

        Metrics of other engines than the simulation are as these measured them, a row per run, and
        what they note of a run is among the coordinates.

        Parameters
        ----------
        engine : str
            "simulation", "live" or one that you added.

        Returns
        -------
        Results
            The runs of this engine.

        Raises
        ------
        InputError
            If the folder was not asked for them.
        """
        known_name("engine", engine, (SIMULATION, *self._engines))
        asked = self.manifest.engines
        if engine not in asked:
            more = ",".join((*asked, engine))
            raise InputError(
                f"{self.folder}: {engine} runs were not made; airtcp run FILE --engine {more}"
                f" --out {self.folder} makes them"
            )
        return replace(self, _table=RUNS_TABLE if engine == SIMULATION else engine)

    @property
    def measuring(self) -> tuple[str, ...]:
        """The engines beside the simulation whose runs the folder has."""
        return tuple(engine for engine in self.manifest.engines if engine in self._engines)

    @property
    def is_measured(self) -> bool:
        """True if the rows are runs of another engine than the simulation."""
        return self._engine_of_rows is not None

    @property
    def remarks(self) -> list[str]:
        """Lines by an engine that a reader of its runs needs; empty for the simulation."""
        own = self._engine_of_rows
        return [] if own is None else own.storage.remarks(self.to_pandas())

    @property
    def usual_metrics(self) -> tuple[str, ...]:
        """The metrics that are shown where nobody chooses; those in question come first."""
        own = self._engine_of_rows
        if own is None:
            return usual_metrics(self.kind, (point.data for point in self.scenario.points()))
        return own.storage.default_metrics or own.storage.metrics

    @property
    def main_metric(self) -> str:
        """The metric that rankings are by where nobody chooses."""
        return (
            DEFAULT_METRICS[self.kind][0] if self._engine_of_rows is None else self.usual_metrics[0]
        )

    @property
    def marks(self) -> MarkStyle:
        """Marks of these runs in figures."""
        own = self._engine_of_rows
        return OPEN_MARKS if own is None else own.marks

    @property
    def noted(self) -> Mapping[str, str]:
        """The coordinates that an engine notes of its runs, and what they are called at an axis."""
        own = self._engine_of_rows
        return {} if own is None else own.storage.key_columns

    @property
    def _source(self) -> ParquetFiles | MemoryTable:
        """The rows of the table."""
        return self._sources[self._table]

    @property
    def _engine_of_rows(self) -> EngineRuns | None:
        """The engine whose runs these are; None: simulated ones."""
        return self._engines.get(self._table)

    def _results_of_table(self, table: str) -> Results:
        document = self.manifest.scenario
        if table == "traffic" and not any(
            "traffic" in part for part in _scenario_and_cases(document)
        ):
            raise InputError(f"{self.folder}: the scenario has no cross-traffic")
        if not self.manifest.links:
            what = "links were" if table == "links" else "cross-traffic was"
            raise InputError(f"{self.folder}: {what} not counted; sweep again with --links")
        return replace(self, _table=table)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The dotted paths of the coordinates that vary, as the columns of `runs` are called."""

        named, own = tuple(self.manifest.coordinates), self._engine_of_rows
        if own is None:
            return record_coordinates(self._table, named)
        return measured_coordinates(own.storage, own.own_path_prefix, named)

    def key(self, name: str) -> str:
        """Complete the name of a coordinate.

        Parameters
        ----------
        name : str
            A coordinate, or "flow" or "flow_tcp"; the end of a path is enough. Of an axis of
            tables, such as queue, it means the first of its coordinates.

        Returns
        -------
        str
            The whole name.

        Raises
        ------
        InputError
            For a name that is unknown or means several coordinates.
        """
        axis = self.axes.axis_named(name)
        return (
            resolve_key("key", name, self._rows.runs)
            if axis is None
            else self._keys_of_axis(axis)[0]
        )

    def has_key(self, name: str) -> bool:
        """Test if a name means a coordinate (or "flow", "flow_tcp") of these rows.

        Parameters
        ----------
        name : str
            The name, or the end of a path.

        Returns
        -------
        bool
            True if it does.
        """
        try:
            self.key(name)
        except InputError:
            return False
        return True

    def keys(self, names: str | Iterable[str]) -> list[str]:
        """Complete the names of coordinates, each once.

        A list of tables, such as queue, has several; its kind stands for all that follow from it.

        Parameters
        ----------
        names : str or iterable of str
            The names.

        Returns
        -------
        list of str
            The coordinates.

        Raises
        ------
        InputError
            For a name that is unknown or means several coordinates.
        """
        given = [names] if isinstance(names, str) or not isinstance(names, Iterable) else names
        return list(dict.fromkeys(key for name in given for key in self._keys_of(name)))

    def _keys_of(self, name: object) -> Sequence[str]:
        axis = self.axes.axis_named(name)
        if axis is not None:
            return self._keys_of_axis(axis)
        key = resolve_keys("by", name, self._rows.runs)[0]
        axis, points = self.axes.axis_of_key(key), self._rows.runs.points
        if axis is None or not key.endswith(f".{KIND}"):
            return [key]
        own = self._keys_of_axis(axis)
        follow = points.groupby(key, dropna=False)[own].nunique(dropna=False) <= 1
        return own if follow.to_numpy().all() else [key]

    def _keys_of_axis(self, axis: TableAxis) -> list[str]:
        points = self._rows.runs.points
        return [key for key in axis.keys if key in points]

    @cached_property
    def axes(self) -> TableAxes:
        """The axes of tables, such as a list of queues, and their labels."""
        return TableAxes.from_scenario(self.scenario)

    def varying(
        self, where: Mapping[str, Any] | None = None, beside: Sequence[str] = ()
    ) -> list[str]:
        """List the coordinates with more than one value, and "flow" where there are several flows.

        The names of nodes are left out, since they follow from the rest.

        Parameters
        ----------
        where : dict, optional
            Values of coordinates: a value or a list of values for each. "300ms" is also "0.3s". The
            key of a list of tables, such as queue, takes the labels of tables ("fq-codel").
        beside : sequence of str, optional
            Notes of an engine on its runs that follow from these keys are left out.

        Returns
        -------
        list of str
            The coordinates.

        Raises
        ------
        InputError
            For an unknown coordinate or value.
        """

        names = RECORD_NODES.get(self.kind, ())
        runs = self._rows.runs
        kept_keys = [key for key in varying_keys(runs, where) if key not in names]
        return [key for key in kept_keys if not repeats_other_keys(runs, key, beside)]

    @cached_property
    def scenario(self) -> Scenario:
        """The scenario of the sweep."""

        return Scenario.from_dict(
            self.manifest.scenario, source=f"{self.folder}/manifest.json: scenario"
        )

    @cached_property
    def runs(self) -> pyarrow.Table:
        """All rows as an Arrow table: one per run (and batch, and flow), with its metrics.

        The columns are as in `SimulationResult.runs`. Raises `InputError` where pyarrow is not
        installed.
        """
        return self._source.table()

    @property
    def dataset(self) -> pyarrow.dataset.Dataset:
        """The rows as a dataset of pyarrow, which reads only the data that a query needs.

        Raises `InputError` where pyarrow is not installed.
        """
        return self._source.dataset()

    def to_pandas(self) -> pandas.DataFrame:
        """The runs as a pandas DataFrame."""
        return self._source.to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """The runs as a polars DataFrame. Raises `InputError` where polars is not installed."""
        frame: polars.DataFrame = import_optional("polars", "to_polars").from_arrow(self.runs)
        return frame

    def ends_of_hops(self) -> dict[int, tuple[str, str]]:
        """The names of the near and the far node of each hop, for `links`.

        Hops that lie between other nodes at other points are left out.
        """
        points = self._rows.runs.points
        ends = zip(points["hop"], points["near"], points["far"], strict=True)
        names_by_hop: dict[int, set[tuple[str, str]]] = {}
        for hop, near, far in ends:
            names_by_hop.setdefault(int(hop), set()).add((str(near), str(far)))
        return {hop: pairs.pop() for hop, pairs in names_by_hop.items() if len(pairs) == 1}

    def to_xarray(self, metric: str) -> xarray.DataArray:
        """Arrange the values of a metric with a dimension for each coordinate that varies.

        Parameters
        ----------
        metric : str
            The metric.

        Returns
        -------
        xarray.DataArray
            The last dimensions are `replication` and, where there are several, `batch` and `flow`.
            NaN where there is no run; the one run of a point in which nothing is random stands for
            all.

        Raises
        ------
        InputError
            For an unknown metric, where the coordinates form no grid, and where xarray is not
            installed.
        """

        metric, module = self._rows.check_metric(metric), import_optional("xarray", "to_xarray")
        named = {"model": self.manifest.model, "seed": self.manifest.seed}
        return data_cube(self._rows, metric, module).assign_attrs(named)

    @property
    def chance(self) -> str:
        """A line about the points in which nothing is random; empty where there are none."""

        manifest = self.manifest
        if self._engine_of_rows is not None:  # what was simulated does not show it
            return ""
        parts = manifest.scenario.get("stop", {}).get("batches", 1)
        ordered = manifest.exact > 0 and bool(self.order)
        return exact_points_line(
            manifest.exact, manifest.points, manifest.replications, parts, ordered
        )

    @property
    def order(self) -> str:
        """A sentence about flows that start at the same instant; empty where none do."""
        tables = [part.get("flow", ()) for part in _scenario_and_cases(self.manifest.scenario)]
        several = any(len(flows) > 1 or any("count" in flow for flow in flows) for flows in tables)
        if (
            self._engine_of_rows is not None
            or not several
            or not any_has_ties(self.scenario.points())
        ):
            return ""
        return SAME_START_NOTE

    def query(self, sql: str) -> pandas.DataFrame:
        """Query the table `runs` with DuckDB.

        Parameters
        ----------
        sql : str
            The query; names with dots are quoted: ``SELECT avg(throughput) FROM runs WHERE
            "tcp.window" > 6``. It reads and writes no files.

        Returns
        -------
        pandas.DataFrame
            The answer.

        Raises
        ------
        InputError
            For a query that fails, and where DuckDB is not installed.
        """
        duckdb = import_optional("duckdb", "query", extra="sql")
        if not isinstance(sql, str):
            raise refusal("sql", sql, "a text")
        with duckdb.connect(config={"enable_external_access": False}) as connection:
            connection.register("runs", self.dataset)
            query = present_sql(sql)
            try:
                answer = _interruptible(connection, lambda: _answer_query(connection, query))
            except duckdb.Error as error:
                raise InputError(f"sql: {one_line(str(error))}") from None
        if answer is None:
            raise InputError("sql: the query returns no table; write SELECT ... FROM runs")
        return answer

    def summary(
        self,
        metrics: str | Iterable[str] | None = None,
        *,
        by: str | Iterable[str] | None = None,
        where: Mapping[str, Any] | None = None,
        confidence: float = CONFIDENCE,
        estimate: str = "mean",
        along: str | None = None,
    ) -> pandas.DataFrame:
        """Summarise metrics: a row per point (and flow).

        Parameters
        ----------
        metrics : str or iterable of str, optional
            Metrics of docs/reference/metrics.md, or counts; None: every metric.
        by : str or iterable of str, optional
            Coordinates, or "flow", or "flow_tcp", the differences in the TCP of flows. There is a
            row per combination of their values. The other coordinates are averaged within each
            replication, whose points share their random numbers; replications that some of the
            points lack are left out. The last part of a path is enough ("variant") where it is
            unambiguous.
        where : dict, optional
            Values of coordinates: a value or a list of values for each. "300ms" is also "0.3s". The
            key of a list of tables, such as queue, takes the labels of tables ("fq-codel").
        confidence : float, default 0.95
            Level of the intervals.
        estimate : {"mean", "median"}, default "mean"
            The mean with Student's t, or the median between order statistics.
        along : str, optional
            The key of `by` along which rows form series, such as that of an x axis. A number of a
            flow is refused if it means different flows at different points.

        Returns
        -------
        pandas.DataFrame
            Coordinates, the number `n` of values, and for metric M the columns M, `M_sd`, `M_low`
            and `M_high`. With batches each run is one value; if there is a single run, each of its
            parts is. A mean is NaN if one of its values is; an interval is NaN where there are too
            few values. If nothing is random at some point, there is a column `exact`: true in rows
            that average only such points, whose intervals have width 0.

        Raises
        ------
        InputError
            For an unknown metric, coordinate or value.
        """

        rows, names = self._rows, self._metrics(metrics)
        keys = None if by is None else self.keys(by)
        return summary(
            rows,
            names,
            by=keys,
            where=where,
            confidence=confidence,
            estimate=estimate,
            along=None if along is None else self.key(along),
        )

    def neighbours(self, metric: str) -> str:
        """Judge if the parts of single runs (`stop.batches`) are independent in time.

        Parameters
        ----------
        metric : str
            The metric.

        Returns
        -------
        str
            A sentence, by the von Neumann ratio of neighbouring parts; empty where points have
            several runs.
        """
        runs = self._rows.runs
        if not runs.batch.any():
            return ""
        groups = runs.point * (runs.flow.max() + 1) + runs.flow
        metric_values = self._rows.values([self._rows.check_metric(metric)])
        return neighbour_text(neighbour_test(metric_values[metric], groups))

    def rank(
        self,
        metric: str | None = None,
        by: str | Iterable[str] | None = None,
        better: str | None = None,
        *,
        where: Mapping[str, Any] | None = None,
        confidence: float = CONFIDENCE,
        families: str = "point",
    ) -> pandas.DataFrame:
        """Rank the values of a coordinate at each combination of the others.

        They are compared pair by pair on the replications that all have, which share their random
        numbers, and p values are corrected after Holm (`airtcp.stats.rank_points`).

        Parameters
        ----------
        metric : str, optional
            The metric; None: the first of the family.
        by : str or iterable of str, optional
            One coordinate; None: the case where there are cases, else "tcp.variant".
        better : {"high", "low"}, optional
            The good end; None: as the metric is usually meant, low for delays, repetitions and
            losses.
        where : dict, optional
            Values of coordinates: a value or a list of values for each. "300ms" is also "0.3s". The
            key of a list of tables, such as queue, takes the labels of tables ("fq-codel").
        confidence : float, default 0.95
            Level of the intervals and of the choice.
        families : {"point", "all"}, default "point"
            Correct for statements about single combinations, or for one about all of them.

        Returns
        -------
        pandas.DataFrame
            A row per combination and alternative, best first: `rank`, the alternative, `n`, `mean`,
            its interval `low` to `high`, its distance `behind` the first, the corrected `p` of that
            difference, and `best`, true if it is not significantly worse than the first; and if
            some mean hangs on few runs `mean_carriers`, their number.

        Raises
        ------
        InputError
            For an unknown metric, coordinate or value, and where a value is NaN.
        """

        usual_key = "case" if "case" in self.coordinates else "tcp.variant"
        name = self._rows.check_metric(next(iter(self._rows.metrics)) if metric is None else metric)
        return ranking(
            self._rows,
            name,
            by=self._alternatives(usual_key if by is None else by),
            better=usual(name) if better is None else better,
            where=where,
            confidence=confidence,
            families=families,
        )

    def plot(
        self,
        metric: str | None = None,
        x: str | None = None,
        *,
        by: str | Iterable[str] = (),
        where: Mapping[str, Any] | None = None,
        logx: bool = False,
        logy: bool = False,
        estimate: str = "mean",
        title: str = "",
        xlabel: str = "",
        ylabel: str = "",
        size: Sequence[float] | None = None,
    ) -> Figure:
        """Draw a metric over a coordinate, as `airtcp plot` does.

        Intervals are 95 % intervals. Coordinates that are neither `x` nor in `by` are averaged.

        Parameters
        ----------
        metric : str, optional
            The metric; None: the first of the family.
        x : str, optional
            The abscissa; None: the coordinate with most values among those that are numbers.
        by : str or iterable of str, optional
            Coordinates: the first gives colours, the second dashes, further ones a panel each.
        where : dict, optional
            Values of coordinates: a value or a list of values for each. "300ms" is also "0.3s". The
            key of a list of tables, such as queue, takes the labels of tables ("fq-codel").
        logx, logy : bool, default False
            Logarithmic axes.
        estimate : {"mean", "median"}, default "mean"
            As in `summary`.
        title, xlabel, ylabel : str, optional
            Other words than the usual ones.
        size : sequence of float, optional
            Width and height in inches.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Raises
        ------
        InputError
            For an unknown metric, coordinate or value.
        """
        from airtcp.plot.results import results_figure, usual_abscissa  # noqa: PLC0415

        name = self._rows.check_metric(self.metrics[0] if metric is None else metric)
        over = usual_abscissa(self, where) if x is None else x
        return results_figure(
            self,
            over,
            name,
            by=by,
            where=where,
            logx=logx,
            logy=logy,
            estimate=estimate,
            title=title,
            xlabel=xlabel,
            ylabel=ylabel,
            size=size,
        )

    def formulas(self, metric: str, where: Mapping[str, Any] | None = None) -> pandas.DataFrame:
        """Put the answers of formulas beside the simulated points, where they are in range.

        Parameters
        ----------
        metric : str
            The metric.
        where : dict, optional
            Values of coordinates: a value or a list of values for each. "300ms" is also "0.3s". The
            key of a list of tables, such as queue, takes the labels of tables ("fq-codel").

        Returns
        -------
        pandas.DataFrame
            A row per point: its coordinates, and a column "formula NAME" for each formula that is
            in its range at some of them. There are no such columns where none has the metric, or on
            slots.

        Raises
        ------
        InputError
            For an unknown metric, coordinate or value.
        """
        from airtcp.models.path_analysis import ANSWER_COLUMNS, analyse_path  # noqa: PLC0415

        runs = self._rows.runs
        if self.kind != "path" or metric not in ANSWER_COLUMNS:
            return runs.points.iloc[:0]
        is_selected = mask_of_selected(runs, where)
        places = np.unique(runs.point if is_selected is None else runs.point[is_selected])
        known = {point.hash: point for point in self.scenario.points()}
        asked = [known[runs.hashes[place]] for place in places.tolist()]
        model_answers = analyse_path(asked)
        values = model_answers[metric].where(model_answers["within_range"])
        names = model_answers["model"].unique()
        table = runs.points.iloc[places].reset_index(drop=True)
        values_by_model = dict(zip(names, values.to_numpy().reshape(len(asked), -1).T, strict=True))
        in_range = {
            f"{FORMULA_PREFIX}{name}": of
            for name, of in values_by_model.items()
            if np.isfinite(of).any()
        }
        return table.assign(**in_range)

    def __repr__(self) -> str:
        """Numbers of points, runs and rows."""
        manifest = self.manifest
        facts = [
            count(manifest.points, "point"),
            count(manifest.runs, "run"),
            count(manifest.rows, "row"),
        ]
        facts += [
            count(runs, f"{engine} run") for engine, runs in manifest.measured.items() if runs
        ]
        if not manifest.complete:
            facts = [f"unfinished: {self.points_done} of {count(manifest.points, 'point')}"]
        if self.problems:
            facts.append(count(len(self.problems), "problem"))
        return f"Results({self.folder}: {', '.join(facts)}, seed {manifest.seed})"

    def _repr_html_(self) -> str:
        first = next(iter(self._rows.metrics))
        html: str = self.summary(first)._repr_html_()
        return text_above_table(repr(self), html)

    @property
    def metrics(self) -> list[str]:
        """The metrics that follow from the counts."""
        return list(self._rows.metrics)

    @cached_property
    def _rows(self) -> ResultRows:

        own = self._engine_of_rows
        return ResultRows(
            self._source,
            self.kind,
            self.coordinates,
            lambda: self.scenario,
            self.manifest.exact > 0 and own is None,
            None if own is None else own.storage,
            self._keys_of_other_engines,
        )

    @property
    def _keys_of_other_engines(self) -> dict[str, str]:
        """The keys that other engines note of their runs, by all names, and which engine does."""
        others = (engine for engine in self._engines.values() if engine is not self._engine_of_rows)
        return {
            name: engine_results.storage.engine
            for engine_results in others
            for key in engine_results.storage.key_columns
            for name in (key, engine_results.own_path_prefix + key)
        }

    @property
    def _lacks_data(self) -> bool:

        source = self._source
        if isinstance(source, ParquetFiles):
            return len(source.paths) < len(files_of_table(self._table, self.manifest.files))
        return self.points_done < self.manifest.points

    def _alternatives(self, by: str | Iterable[str]) -> list[str]:
        """The keys of a ranking: one, by its name or in a sequence, or the keys of one axis."""
        keys = self.keys(by)
        if len(self.axes.fold_keys(keys)) != 1:
            raise refusal("by", by, "one coordinate whose values are ranked")
        return keys

    def _metrics(self, given: str | Iterable[str] | None) -> list[str]:
        if given is None:
            return self.metrics
        names: Sequence[Any] = [given] if isinstance(given, str) else list(given)
        return [self._rows.check_metric(name) for name in names]


def _scenario_and_cases(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """A scenario and its cases."""
    return [document, *document.get("case", ())]


def _answer_query(connection: Any, sql: str) -> pandas.DataFrame | None:
    answer = connection.sql(sql)
    return None if answer is None else answer.df()


def _interruptible(connection: Any, query: Callable[[], Any]) -> Any:
    """The result of a query; Ctrl-C ends it, which DuckDB alone would ignore."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415
    from time import sleep  # noqa: PLC0415

    task = None
    with ThreadPoolExecutor(1) as pool:
        try:
            task = pool.submit(query)
            next(finished_futures([task]))
        except KeyboardInterrupt:
            while task is not None and not task.done():  # it may not have begun
                connection.interrupt()
                sleep(0.05)
            raise
        return task.result()
