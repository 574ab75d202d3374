"""`airtcp list`, `schema` and `cite`: names of all kinds, and references for them."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import fill

import click

from airtcp import _native
from airtcp.cli.app import print_result
from airtcp.cli.arguments import STANDARD_INPUT, load_scenario
from airtcp.cli.completion import FILE, NameParam
from airtcp.cli.options import format_option, set_option
from airtcp.errors import InputError, known_name
from airtcp.terminal import printable_lines

KINDS_OF_NAMES = (
    "variants",
    "congestion",
    "detection",
    "reduction",
    "slow_start",
    "spurious",
    "channels",
    "gates",
    "laws",
    "rates",
    "sizes",
    "queues",
    "links",
    "video",
    "models",
    "papers",
    "profiles",
    "metrics",
)


_KINDS_TEXT = fill(", ".join(KINDS_OF_NAMES), 70, initial_indent="  ", subsequent_indent="  ")
_HELP = f"""List the names that scenarios and commands know. Default: all kinds.

With NAME the command prints one entry. Of a link profile it prints every number, its source, the
command that gives it, and what the profile does not model.

\b
KIND is one of
{_KINDS_TEXT}
"""


def _names_of_kind(context: click.Context) -> list[str]:
    """The names of the kind that the line has named."""
    kind = context.params.get("kind")
    if kind == "links":
        return [name for name, _ in _native.link_profiles()]
    return [entry["name"] for entry in _entries(kind)] if kind in KINDS_OF_NAMES else []


@click.command(name="list", help=_HELP)
@click.argument("kind", required=False, metavar="[KIND]", type=NameParam(lambda _: KINDS_OF_NAMES))
@click.argument("name", required=False, metavar="[NAME]", type=NameParam(_names_of_kind))
@format_option
def list_names(kind: str | None, name: str | None, form: str) -> None:
    """Print the names of a kind, or everything that can be named."""
    from airtcp.cli.text import listing, listings  # noqa: PLC0415
    from airtcp.scenario.renamed import present_key  # noqa: PLC0415

    if kind is None:
        print_result(listings({kind: list(_entries(kind)) for kind in KINDS_OF_NAMES}, form))
        return
    kind = present_key(kind)
    known_name("list", kind, KINDS_OF_NAMES)
    if kind == "links":
        from airtcp.cli.links_text import link_listing  # noqa: PLC0415

        print_result(link_listing(name, form))
        return
    entries = list(_entries(kind))
    if name is not None:
        known_name(f"list {kind}", name, [entry["name"] for entry in entries])
        entries = [entry for entry in entries if entry["name"] == name]
    print_result(listing(entries, form))


@click.command()
def schema() -> None:
    """Print the JSON Schema of scenario files."""
    from airtcp.cli.text import to_json  # noqa: PLC0415
    from airtcp.scenario.tables import document_schema  # noqa: PLC0415

    print_result(to_json(document_schema()))


@click.command()
@click.argument("file", metavar="FILE|DIR", type=FILE)
@set_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["bibtex", "plain"]),
    default="bibtex",
    help="Output format. Default: bibtex.",
)
def cite(file: str, sets: tuple[str, ...], form: str) -> None:
    """Print references for what a scenario uses: variants, channels, queues, models.

    \b
    Examples:
      airtcp cite examples/handover.toml
      airtcp cite examples/growth.toml --set tcp.congestion=cubic --format plain
      airtcp cite out/growth

    Give a scenario file, a folder of results, or a file in such a folder.
    """
    from airtcp.report.citing import cite as cited  # noqa: PLC0415

    if sets and _is_results_path(file):
        raise InputError(
            f"--set: {file} holds results, whose scenario cannot change; give a scenario file"
        )
    given = file if not sets and _is_results_path(file) else load_scenario(file, sets)
    print_result(printable_lines(cited(given, form).splitlines()))


def _is_results_path(file: str) -> bool:
    from airtcp.report.citing import is_results_name  # noqa: PLC0415

    return file != STANDARD_INPUT and is_results_name(file)


def _entries(kind: str) -> Iterator[dict[str, str]]:
    registry = _native.registry()
    if kind == "congestion":
        for profile, controls in _native.congestion_controls().items():
            for name, summary, sources in controls:
                yield {"name": name, "summary": summary, "profile": profile, "sources": sources}
        return
    if kind == "links":
        from airtcp.cli.links_text import link_rows  # noqa: PLC0415

        yield from link_rows()
        return
    if kind in registry:
        for name, summary, sources in registry[kind]:
            yield {"name": name, "summary": summary, "sources": sources}
        return
    yield from {"models": _model_entries, "papers": _paper_entries, "metrics": _metric_entries}[
        kind
    ]()


def _model_entries() -> Iterator[dict[str, str]]:
    from airtcp.models import MODELS  # noqa: PLC0415
    from airtcp.models.zoo import ZOO  # noqa: PLC0415
    from airtcp.models.zoo.model import range_words  # noqa: PLC0415

    # a model bears the name of its profile; python -OO has no docstrings
    profiles = {name: summary for name, summary, _ in _native.registry()["profiles"]}
    for name in dict.fromkeys((*MODELS, *ZOO)):
        of_path = ZOO.get(name)
        summary = of_path.title if of_path else ""
        if name in MODELS:
            elsewhere = profiles.get(name, "described in docs/reference/models.md")
            summary = (MODELS[name].__doc__ or "").strip().partition("\n")[0] or elsewhere
        ranges = of_path.ranges if of_path else {}
        yield {
            "name": name,
            "summary": summary,
            "source": of_path.source if of_path else "",
            "range": ". ".join(
                f"profile {profile}: "
                + "; ".join(f"{key} {range_words(*both)}" for key, both in box.items())
                for profile, box in ranges.items()
            ),
        }


def _paper_entries() -> Iterator[dict[str, str]]:
    from airtcp.papers import PAPERS, paper  # noqa: PLC0415

    for name in PAPERS:
        this = paper(name)
        yield {"name": name, "summary": this.summary, "parts": ", ".join(this.parts)}


def _metric_entries() -> Iterator[dict[str, str]]:
    from airtcp.engines.registry import run_storages  # noqa: PLC0415
    from airtcp.metrics.labels import axis_label  # noqa: PLC0415
    from airtcp.metrics.table import ENTRIES, KIND_WORDS  # noqa: PLC0415

    for metric in ENTRIES:
        measuring = (name for name, runs in run_storages().items() if metric.name in runs.metrics)
        where = ", ".join((*(KIND_WORDS[kind] for kind in metric.of), *measuring))
        summary = f"{axis_label(metric.name)}, {metric.better}er is better"
        yield {"name": metric.name, "summary": summary, "scenarios": where}
