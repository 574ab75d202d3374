"""`airtcp list`, `schema` and `cite`: what can be named, and by whom it was made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from airtcp import _native
from airtcp.cli.app import put
from airtcp.cli.arguments import scenario_in
from airtcp.cli.options import formatted
from airtcp.errors import known_name

LISTS = (
    "variants",
    "growth",
    "detection",
    "spurious",
    "channels",
    "gates",
    "laws",
    "queues",
    "models",
    "papers",
    "profiles",
    "metrics",
)


@click.command(name="list")
@click.argument("kind", required=False, metavar=f"[{'|'.join(LISTS)}]")
@formatted
def list_names(kind: str | None, form: str) -> None:
    """What can be named: in scenarios, and as an argument of reproduce. Default: everything."""
    from airtcp.cli.text import listing, listings  # noqa: PLC0415

    if kind is None:
        put(listings({one: list(_entries(one)) for one in LISTS}, form))
        return
    known_name("list", kind, LISTS)
    put(listing(_entries(kind), form))


@click.command()
def schema() -> None:
    """Print the JSON Schema of scenario files."""
    from airtcp._tables import document_schema  # noqa: PLC0415
    from airtcp.cli.text import to_json  # noqa: PLC0415

    put(to_json(document_schema()))


@click.command()
@click.argument("file")
def cite(file: str) -> None:
    """Print BibTeX entries for what the scenario in FILE uses."""
    from airtcp._references import bibtex  # noqa: PLC0415

    scenario = scenario_in(file, ())
    distinct = {_named(point.coordinates): point.json for point in scenario.points()}
    keys = [key for text in distinct.values() for key in _native.citations(text)]
    put(bibtex(keys))


def _named(coordinates: Mapping[str, Any]) -> tuple[Any, ...]:
    """The variants, channels and gates that tell a point from others."""
    names = ("variant", "kind", "growth", "detection", "spurious")
    return tuple(one for key, one in coordinates.items() if key.rpartition(".")[2] in names)


def _entries(kind: str) -> Iterator[dict[str, str]]:
    registry = _native.registry()
    if kind in registry:
        for name, summary, sources in registry[kind]:
            yield {"name": name, "summary": summary, "sources": sources}
        return
    yield from {"models": _models, "papers": _papers, "metrics": _metrics}[kind]()


def _models() -> Iterator[dict[str, str]]:
    from airtcp.models import MODELS  # noqa: PLC0415
    from airtcp.models.zoo import ZOO  # noqa: PLC0415
    from airtcp.models.zoo.model import limits  # noqa: PLC0415

    # a model bears the name of its profile; python -OO has no docstrings
    profiles = {name: summary for name, summary, _ in _native.registry()["profiles"]}
    for name in dict.fromkeys((*MODELS, *ZOO)):
        of_path = ZOO.get(name)
        said = of_path.title if of_path else ""
        if name in MODELS:
            elsewhere = profiles.get(name, "described in docs/guide/models.md")
            said = (MODELS[name].__doc__ or "").strip().partition("\n")[0] or elsewhere
        ends = of_path.range.items() if of_path else ()
        yield {
            "name": name,
            "summary": said,
            "source": of_path.source if of_path else "",
            "range": "; ".join(f"{key} {limits(*both)}" for key, both in ends),
        }


def _papers() -> Iterator[dict[str, str]]:
    from airtcp.papers import PAPERS, paper  # noqa: PLC0415

    for name in PAPERS:
        this = paper(name)
        yield {"name": name, "summary": this.summary, "parts": ", ".join(this.parts)}


def _metrics() -> Iterator[dict[str, str]]:
    from airtcp._labels import axis_label  # noqa: PLC0415
    from airtcp._metrics import LINK, METRICS  # noqa: PLC0415
    from airtcp._record_metrics import RECORDS  # noqa: PLC0415

    where = {
        "slot": "on slots",
        "path": "on a path",
        "links": "links",
        "traffic": "traffic",
    }
    every = {family: METRICS[family] | LINK[family] for family in METRICS} | RECORDS
    for name in dict.fromkeys(name for names in every.values() for name in names):
        families = [where[family] for family, names in every.items() if name in names]
        yield {"name": name, "summary": axis_label(name), "scenarios": ", ".join(families)}
