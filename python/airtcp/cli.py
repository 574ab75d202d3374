"""The command line. It reads arguments, calls the library and prints; nothing is computed here.

stdout carries the result alone. Whatever is wrong with the input is one line on stderr and exit
code 2, a full disk or a lost cluster a line and 1; an interrupted run exits with 130, a terminated
one with 143.
"""

from __future__ import annotations

import copy
import os
import signal
import sys
import threading
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NoReturn

import click

from airtcp import _native
from airtcp.errors import (
    ClusterError,
    InputError,
    ScenarioError,
    brief,
    known_name,
    one_line,
    os_reason,
    shown,
)

if TYPE_CHECKING:
    from airtcp.results import Results
    from airtcp.scenario import Scenario
    from airtcp.simulation import Interrupted

LISTS = ("variants", "growth", "channels", "gates", "models", "papers", "profiles")
INTERRUPTED, TERMINATED = 130, 143  # 128 + SIGINT and SIGTERM, as shells count


class _Stop:
    """Which exit code a `KeyboardInterrupt` means."""

    code = INTERRUPTED


def _terminated(number: int, frame: object) -> NoReturn:
    _Stop.code = TERMINATED
    raise KeyboardInterrupt


@contextmanager
def _sigterm_interrupts() -> Iterator[None]:
    """Let SIGTERM end a command as Ctrl-C does, so that it tidies up and says what is kept."""
    _Stop.code = INTERRUPTED
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _terminated)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class Cli(click.Group):
    """A group whose mistakes are one line."""

    def main(  # type: ignore[override]  # click types it as overloads
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        *,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run, and turn whatever went wrong into a line and an exit code."""
        if not standalone_mode:
            return super().main(args, prog_name, standalone_mode=False, **extra)
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(errors="replace")  # a table must not fail on an old terminal
        try:
            with _sigterm_interrupts():
                code = super().main(args, prog_name, standalone_mode=False, **extra)
            if sys.stdout is not None:  # it is closed by >&-
                sys.stdout.flush()
        except (InputError, click.ClickException, ClusterError, OSError) as error:
            _fail(error)
        except (click.Abort, KeyboardInterrupt):
            click.echo("interrupted", err=True)
            sys.exit(_Stop.code)
        sys.exit(code if isinstance(code, int) else 0)


def _fail(error: Exception) -> NoReturn:
    if isinstance(error, BrokenPipeError):  # the reader has seen enough
        _discard_output()
        sys.exit(1)
    click.echo(f"error: {brief(one_line(_message(error)))}", err=True)
    if isinstance(error, OSError):
        _discard_output()
    sys.exit(1 if isinstance(error, (ClusterError, OSError)) else 2)


def _message(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{error.filename or 'standard output'}: {os_reason(error)}"
    return error.format_message() if isinstance(error, click.ClickException) else str(error)


def _discard_output() -> None:
    """Let what is still in the buffer of stdout go nowhere, or Python complains on its way out."""
    with suppress(OSError, ValueError, AttributeError):  # stdout is closed, or no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _watched() -> bool:
    """Whether a progress bar has somebody to look at it."""
    return sys.stderr is not None and sys.stderr.isatty()


Decorator = Callable[[Callable[..., None]], Callable[..., None]]


def _format() -> Decorator:
    choice = click.Choice(["table", "json", "csv"])
    return click.option("--format", "form", type=choice, default="table", help="Default: table.")


def _stopping(function: Callable[..., None]) -> Callable[..., None]:
    """The options that say how often a point is run."""
    options: list[Decorator] = [
        click.option("--replications", type=int, metavar="N", help="Runs per point."),
        click.option(
            "--precision",
            type=float,
            metavar="P",
            help="Instead: until the interval of a mean reaches no farther than this share of it.",
        ),
        click.option("--metric", metavar="M", help="The mean of what. Default: of the throughput."),
    ]
    for option in reversed(options):
        function = option(function)
    return function


def _common(function: Callable[..., None]) -> Callable[..., None]:
    """The options of everything that simulates."""
    options: list[Decorator] = [
        click.option("--seed", type=int, default=1, metavar="N", help="Default: 1."),
        click.option("--jobs", type=int, metavar="N", help="Threads. Default: one per core."),
        _format(),
        click.option("--out", metavar="DIR", help="Write everything there; a later call resumes."),
    ]
    for option in reversed(options):
        function = option(function)
    return function


@click.group(
    cls=Cli,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(_native.__version__, prog_name="airtcp", message="%(prog)s %(version)s")
@click.pass_context
def main(context: click.Context) -> None:
    """A laboratory for TCP over wireless links.

    \b
    Examples:
      airtcp run examples/pedestrian.toml
      airtcp run examples/pedestrian.toml --set tcp.window=6 --engine analysis
      airtcp run examples/pedestrian.toml --out out/pedestrian
      airtcp sweep examples/window.toml --out out/window
      airtcp reproduce zorzi/fig2 --quick
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@main.command()
@click.argument("file")
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Replace a value.")
@click.option(
    "--engine",
    metavar="[analysis|simulation|all]",
    default="all",
    help="Default: all.",
)
@_stopping
@_common
def run(
    *, file: str, sets: tuple[str, ...], engine: str, form: str, out: str | None, **options: Any
) -> None:
    """Answer the scenario in FILE by analysis and simulation.

    \b
    Examples:
      airtcp run examples/pedestrian.toml --replications 5
      airtcp run examples/pedestrian.toml --set channel.loss_rate=[0.01,0.05]
      airtcp run examples/pedestrian.toml --set tcp.variant=reno --format csv

    With --out DIR: what `airtcp sweep` writes, and table.csv, scenario.toml and report.html.
    """
    from airtcp import run as run_engines  # noqa: PLC0415
    from airtcp.run import check_engine  # noqa: PLC0415
    from airtcp.simulation import Interrupted  # noqa: PLC0415

    check_engine(engine)
    scenario = _scenario(file, sets)
    try:
        result = run_engines(scenario, engine=engine, out=out, progress=_watched(), **options)
    except Interrupted as interrupted:
        _interrupted(interrupted, form, out)
    _warn(result.problems)
    _print_run(result, form, out)


@main.command()
@click.argument("file")
@click.option("--out", required=True, metavar="DIR", help="The folder; a later call resumes.")
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Replace a value.")
@_stopping
@click.option("--seed", type=int, default=1, metavar="N", help="Default: 1.")
@click.option("--jobs", type=int, metavar="N", help="Threads. Default: one per core.")
@click.option(
    "--executor",
    default="local",
    metavar="WHO",
    help="local, dask-local:N or dask:ADDRESS. Default: local.",
)
def sweep(*, file: str, out: str, sets: tuple[str, ...], **options: Any) -> None:
    """Simulate every point of FILE into a folder, computing only what is missing there.

    \b
    Examples:
      airtcp sweep examples/window.toml --out out/window
      airtcp sweep examples/window.toml --out out/window --precision 0.01
      airtcp results out/window

    Every run is kept as it ends: after Ctrl-C or a crash the same command goes on. At the end
    DIR holds a dataset (Parquet) and manifest.json; look at it with results and plot.
    """
    from airtcp._render import sweep_text  # noqa: PLC0415
    from airtcp.simulation import Interrupted  # noqa: PLC0415
    from airtcp.sweeping import sweep as sweep_into  # noqa: PLC0415

    try:
        found = sweep_into(_scenario(file, sets), out, progress=_watched(), **options)
    except Interrupted as interrupted:
        _interrupted(interrupted, "table", out)
    _warn(found.problems)
    _print(sweep_text(found))


@main.command()
@click.argument("file")
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Replace a value.")
@_stopping
@click.option("--seed", type=int, default=1, metavar="N", help="Default: 1.")
@click.option("--jobs", type=int, metavar="N", help="Threads. Default: one per core.")
@click.option("--budget", type=float, metavar="S", help="Seconds to spend. Default: 10.")
@_format()
def plan(
    *, file: str, sets: tuple[str, ...], budget: float | None, form: str, **options: Any
) -> None:
    """Estimate how many runs and how long a sweep of FILE takes, from a few runs.

    \b
    Examples:
      airtcp plan examples/window.toml
      airtcp plan examples/window.toml --precision 0.01
    """
    from airtcp._plan_render import plan_text  # noqa: PLC0415
    from airtcp.planning import BUDGET  # noqa: PLC0415
    from airtcp.planning import plan as planned  # noqa: PLC0415

    options |= {"budget": BUDGET if budget is None else budget, "progress": _watched()}
    _print(plan_text(planned(_scenario(file, sets), **options), form))


@main.command()
@click.argument("words", nargs=-1, metavar="[PAPER[/FIGURE]]")
@click.option("--quick", is_flag=True, help="Fewer points and shorter runs.")
@click.option("--again", is_flag=True, help="Even if nothing has changed since it was computed.")
@_common
def reproduce(
    *,
    words: tuple[str, ...],
    form: str,
    out: str | None,
    **options: Any,
) -> None:
    """Regenerate a paper, or one of its figures and tables, and judge its claims.

    \b
    Examples:
      airtcp reproduce zorzi --quick --out out/papers
      airtcp reproduce zorzi/fig2 --format csv

    With --out DIR: the finished runs, figures (SVG), tables and claims (CSV), and a page over them,
    report.html (of a part PART.html); without a PAPER in a folder each, and index.html. What lies
    there is taken as it is if neither code nor options have changed.
    """
    from airtcp import papers  # noqa: PLC0415
    from airtcp._reproduction import reproduction_text  # noqa: PLC0415

    if len(words) > 1:
        meant = f"{words[0]}/{words[1]}"
        hint = meant if meant in papers.targets() else "PAPER/FIGURE"
        raise InputError(f"{' '.join(words)}: must be one target (did you mean {hint}?)")
    options |= {"out": out, "progress": _watched()}
    try:
        if words:
            found = [papers.reproduce(words[0], **options)]
        else:
            found = papers.reproduce_all(**options)
    except KeyboardInterrupt:
        kept = f"finished runs are in {out}; the same command continues"
        click.echo(f"interrupted: {kept if out else '--out DIR keeps finished runs'}", err=True)
        sys.exit(_Stop.code)
    _print(reproduction_text(found, form))


@main.command()
@click.argument("file")
@click.option("-o", "--out", required=True, metavar="X", help="The file; its suffix says what.")
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Replace a value.")
@click.option("--seed", type=int, default=1, metavar="N", help="Default: 1.")
@click.option("--replication", type=int, default=0, metavar="N", help="Default: 0, the first.")
@click.option(
    "--kind",
    type=click.Choice(["sequence", "paper", "window"]),
    help="Of a figure. Default: sequence.",
)
@click.option("--flow", type=int, default=0, metavar="N", help="Of a figure. Default: 0.")
@click.option("--from", "start", type=float, metavar="S", help="Leave out events before, seconds.")
@click.option("--to", "end", type=float, metavar="S", help="Leave out events after, seconds.")
def trace(*, file: str, sets: tuple[str, ...], out: str, **options: Any) -> None:
    """Run the scenario in FILE once and write every event of it.

    \b
    Examples:
      airtcp trace examples/fig5.toml -o events.parquet
      airtcp trace examples/fig5.toml -o fig5.svg --kind paper
      airtcp trace examples/fig5.toml -o tahoe.pcapng --set tcp.variant=tahoe

    .csv, .parquet: the table of events; .pcapng: a capture for Wireshark; .xpl: for xplot;
    .svg, .pdf, .png: a figure, one panel per point of a sweep.
    """
    from airtcp._trace_command import write_trace  # noqa: PLC0415

    _print(write_trace(_scenario(file, sets), out, progress=_watched(), **options))


@main.command()
@click.argument("folder", metavar="DIR")
@click.option("--metric", "metrics", multiple=True, metavar="M", help="Repeat for several.")
@click.option("--by", multiple=True, metavar="KEY", help="Average over all other coordinates.")
@click.option("--where", "wheres", multiple=True, metavar="KEY=VALUE", help="Only such points.")
@click.option("--estimate", metavar="[mean|median]", default="mean", help="Default: mean.")
@click.option("--confidence", type=float, metavar="P", default=0.95, help="Default: 0.95.")
@click.option("--rank", "ranked", metavar="KEY", help="Compare its values: which are best?")
@click.option("--better", metavar="[high|low]", help="For --rank. Default: by the metric.")
@click.option("--sql", metavar="QUERY", help="A query of the table runs, by DuckDB.")
@_format()
def results(*, folder: str, wheres: tuple[str, ...], form: str, **options: Any) -> None:
    """Summarise the results of a sweep in DIR: one row per point, means with intervals.

    \b
    Examples:
      airtcp results out/sweep --metric throughput --by variant
      airtcp results out/sweep --where variant=reno --where loss_rate=[0.01,0.1]
      airtcp results out/sweep --rank variant --metric goodput_bps
      airtcp results out/sweep --sql 'SELECT "tcp.variant", avg(throughput) FROM runs GROUP BY ALL'

    The last part of a key is enough: variant for tcp.variant. What is missing, damaged or foreign
    in DIR is named on stderr and not used.
    """
    from airtcp._results_command import results_text  # noqa: PLC0415

    found = _results(folder)
    _print(results_text(found, where=_conditions(wheres), form=form, **options))


@main.command()
@click.argument("folder", metavar="DIR")
@click.option("-x", "x", required=True, metavar="KEY", help="The coordinate of the abscissa.")
@click.option("-y", "y", required=True, metavar="METRIC", help="What is drawn.")
@click.option("--by", multiple=True, metavar="KEY", help="Colour; then dash; then panels.")
@click.option("--where", "wheres", multiple=True, metavar="KEY=VALUE", help="Only such points.")
@click.option("--estimate", metavar="[mean|median]", default="mean", help="Default: mean.")
@click.option("--logx", is_flag=True, help="A logarithmic abscissa.")
@click.option("--logy", is_flag=True, help="A logarithmic ordinate.")
@click.option("-o", "--out", required=True, metavar="FILE", help=".svg, .pdf or .png")
def plot(*, folder: str, wheres: tuple[str, ...], **options: Any) -> None:
    """Draw the results of a sweep in DIR: means (or medians) with 95 % intervals.

    \b
    Examples:
      airtcp plot out/sweep -x loss_rate -y throughput --by variant --logx -o throughput.svg
      airtcp plot out/sweep -x window -y goodput_bps --where variant=reno -o window.pdf
    """
    from airtcp._results_command import write_plot  # noqa: PLC0415

    _print(write_plot(_results(folder), where=_conditions(wheres), **options))


def _results(folder: str) -> Results:
    """The results in a folder, their problems on stderr."""
    from airtcp.results import results as read_results  # noqa: PLC0415

    found = read_results(folder)
    _warn(found.problems)
    return found


def _conditions(texts: Sequence[str]) -> dict[str, list[Any]]:
    """What --where asks for: any of the values that are given for a key."""
    found: dict[str, list[Any]] = {}
    for text in texts:
        key, value = _assignment(text, "--where", "tcp.variant=reno")
        found.setdefault(key, []).extend(value if isinstance(value, list) else [value])
    return found


@main.command(name="list")
@click.argument("kind", required=False, metavar=f"[{'|'.join(LISTS)}]")
@_format()
def list_names(kind: str | None, form: str) -> None:
    """What can be named: in scenarios, and as an argument of reproduce. Default: everything."""
    from airtcp._render import listing, listings  # noqa: PLC0415

    if kind is None:
        _print(listings({one: list(_entries(one)) for one in LISTS}, form))
        return
    known_name("list", kind, LISTS)
    _print(listing(_entries(kind), form))


@main.command()
def schema() -> None:
    """Print the JSON Schema of scenario files."""
    from airtcp._render import to_json  # noqa: PLC0415
    from airtcp._tables import document_schema  # noqa: PLC0415

    _print(to_json(document_schema()))


@main.command()
@click.argument("file")
def cite(file: str) -> None:
    """Print BibTeX entries for what the scenario in FILE uses."""
    from airtcp._references import bibtex  # noqa: PLC0415

    scenario = _scenario(file, ())
    distinct = {_named(point.coordinates): point.json for point in scenario.points()}
    keys = [key for text in distinct.values() for key in _native.citations(text)]
    _print(bibtex(keys))


def _named(coordinates: Mapping[str, Any]) -> tuple[Any, ...]:
    """The variants, channels and gates that tell a point from others."""
    names = ("variant", "kind", "growth")
    return tuple(one for key, one in coordinates.items() if key.rpartition(".")[2] in names)


def _scenario(file: str, sets: Sequence[str]) -> Scenario:
    """The scenario in `file` with the values of --set in it."""
    from airtcp._document import read  # noqa: PLC0415
    from airtcp.scenario import Scenario, with_values  # noqa: PLC0415

    changes = dict(map(_assignment, sets))
    document = read(file)
    try:
        changed = with_values(copy.deepcopy(document), changes)
        return Scenario.from_dict(changed, source=file, folder=os.path.dirname(file))
    except ScenarioError as error:
        guilty = next((key for key in changes if _concerns(error, key, document)), None)
        if guilty is None:
            raise
        inside = error.path if error.path.startswith(f"{guilty}.") else ""
        raise ScenarioError(f"--set {guilty}", inside, error.reason) from None


def _concerns(error: ScenarioError, key: str, document: Mapping[str, Any]) -> bool:
    """Whether the value that --set gave to `key` is what was refused."""
    from airtcp.scenario import value_at  # noqa: PLC0415

    table, _, name = key.rpartition(".")
    if error.path == key or error.path.startswith((f"{key}.", f"{key}[")):
        return True
    if error.path == table and f'key "{name}"' in error.reason:
        return True
    above = bool(error.path) and key.startswith(f"{error.path}.")
    return above and value_at(dict(document), error.path) is None  # --set made that table


def _assignment(
    text: str, option: str = "--set", example: str = "tcp.window=24"
) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    key = key.strip()
    if not equals or not all(key.split(".")):
        raise InputError(f"{option} {shown(text)}: must be KEY=VALUE such as {example}")
    return key, _toml_value(value.strip())


def _toml_value(text: str) -> Any:
    """A TOML value, or a bare text, or a list of them in brackets."""
    try:
        found = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        found = {}
    if list(found) == ["value"]:
        return found["value"]
    if text.startswith("[") and text.endswith("]"):
        return [_toml_value(item.strip()) for item in text[1:-1].split(",")]
    return text


def _print_run(result: Any, form: str, out: str | None = None) -> None:
    from airtcp._render import run_text  # noqa: PLC0415

    _print(run_text(result, form, None if out is None else os.path.join(out, "report.html")))


def _interrupted(interrupted: Interrupted, form: str, out: str | None) -> NoReturn:
    """Print what there is, and how to continue."""
    partial = interrupted.partial
    if partial is not None and partial.analysis is not None and partial.scenario.family == "slot":
        _print_run(partial, form)
    count = f"interrupted: {interrupted.done} of {interrupted.total} runs"
    if out is None:
        hint = "were finished and are lost; --out DIR keeps them, so that the command can continue"
    else:
        hint = f"are in {out}; the same command continues"
    click.echo(f"{count} {hint}", err=True)
    sys.exit(_Stop.code)


def _warn(problems: Iterable[str]) -> None:
    for problem in problems:
        click.echo(f"warning: {brief(one_line(problem))}", err=True)


def _print(text: str) -> None:
    click.echo(text, nl=not text.endswith("\n"))


def _entries(kind: str) -> Iterator[dict[str, str]]:
    registry = _native.registry()
    if kind in registry:
        for name, summary, sources in registry[kind]:
            yield {"name": name, "summary": summary, "sources": sources}
        return
    yield from _models() if kind == "models" else _papers()


def _models() -> Iterator[dict[str, str]]:
    from airtcp.models import MODELS  # noqa: PLC0415

    # a model bears the name of its profile; python -OO has no docstrings
    profiles = {name: summary for name, summary, _ in _native.registry()["profiles"]}
    for name, module in MODELS.items():
        said = (module.__doc__ or "").strip().partition("\n")[0]
        yield {"name": name, "summary": said or profiles.get(name, "")}


def _papers() -> Iterator[dict[str, str]]:
    from airtcp.papers import PAPERS, paper  # noqa: PLC0415

    for name in PAPERS:
        this = paper(name)
        yield {"name": name, "summary": this.summary, "parts": ", ".join(this.parts)}
