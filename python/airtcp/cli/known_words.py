"""Words that a command line may hold, for completion: keys of scenarios and of results, and names.

They follow from schema and registries, and from the files that the line names already. A file that
cannot be read offers nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import click

from airtcp.cli.arguments import STANDARD_INPUT
from airtcp.errors import InputError

KnownWords: TypeAlias = Mapping[str, Sequence[str]]

SYSCTL_PREFIX = "net.ipv4."  # of the settings of TCP


def settable_keys(context: click.Context) -> KnownWords:
    """The keys of scenarios like FILE, and the names that stand for a value where there are some.

    Without a FILE that can be read, the keys of all profiles.
    """
    from airtcp.scenario.tables import document_schema  # noqa: PLC0415

    schema, document = document_schema(), _document(context)
    profiles = schema["properties"]["profile"]["enum"]
    chosen = [document["profile"]] if document.get("profile") in profiles else profiles
    values_of_key: dict[str, list[str]] = {}
    for profile in chosen:
        definition = schema["$defs"][f"{profile.capitalize()}Scenario"]
        for key, values in _key_paths(schema, definition, given=document):
            values_of_key[key] = [*dict.fromkeys([*values_of_key.get(key, []), *values])]
    cases = [
        case.get("name") for case in _item_schemas(document.get("case")) if isinstance(case, dict)
    ]
    values_of_key |= {
        "case": [case for case in cases if isinstance(case, str)],
        "profile": profiles,
    }
    return values_of_key | {
        "stop.precision.metric": metrics(context),
        "live.congestion": kernel_controls(context),
    }


def fitted_models(context: click.Context) -> Sequence[str]:
    """Models of losses and of rates that `airtcp fit` knows."""
    from airtcp.fitting.epochs import MODEL_NAME as EPOCHS  # noqa: PLC0415
    from airtcp.fitting.losses import MODEL_NAMES  # noqa: PLC0415
    from airtcp.fitting.rates import NAME as RATES  # noqa: PLC0415

    return (*MODEL_NAMES, RATES, EPOCHS)


def fitted_delays(context: click.Context) -> Sequence[str]:
    """Laws of delays that `airtcp fit` knows."""
    from airtcp.fitting.delays import LAW_NAMES  # noqa: PLC0415

    return LAW_NAMES


def roles_of_columns(context: click.Context) -> KnownWords:
    """Roles of columns of a measured table; heads are not offered."""
    from airtcp.measured.options import COLUMN_ROLES  # noqa: PLC0415

    return dict.fromkeys(COLUMN_ROLES, ())


def units_of_columns(context: click.Context) -> KnownWords:
    """Units that a column may have, by what it is."""
    from airtcp.measured.options import units_by_role  # noqa: PLC0415

    return {role: [*known] for role, known in units_by_role().items()}


def metrics(context: click.Context) -> Sequence[str]:
    """The metrics of all kinds."""
    from airtcp.metrics.table import ENTRIES  # noqa: PLC0415

    return [metric.name for metric in ENTRIES]


def kernel_controls(context: click.Context) -> Sequence[str]:
    """The congestion controls of the kernel of this machine."""
    from airtcp.live.controls import available_controls  # noqa: PLC0415

    try:
        return available_controls()
    except InputError:  # no Linux
        return ()


def goals(context: click.Context) -> Sequence[str]:
    """The goals of an advice."""
    from airtcp.advice.goals import GOALS  # noqa: PLC0415

    return list(GOALS)


def explained_controls(context: click.Context) -> Sequence[str]:
    """The congestion controls under which a capture can be replayed."""
    from airtcp.live.capture_files import EXPLAINED_CONTROLS  # noqa: PLC0415

    return EXPLAINED_CONTROLS


def explained_profiles(context: click.Context) -> Sequence[str]:
    """The profiles by whose rules a capture can be replayed."""
    from airtcp.live.captures import EXPLAINED_PROFILES  # noqa: PLC0415

    return EXPLAINED_PROFILES


def changes(context: click.Context) -> Sequence[str]:
    """The rules that a replay can change."""
    from airtcp.live.captures import RULE_CHANGES  # noqa: PLC0415

    return RULE_CHANGES


def sysctls(context: click.Context) -> KnownWords:
    """The settings of a host of profile linux, as the kernel calls them."""
    from airtcp.scenario.tables import document_schema  # noqa: PLC0415

    return {
        f"{SYSCTL_PREFIX}{name}": () for name in document_schema()["$defs"]["Sysctl"]["properties"]
    }


def variants(context: click.Context) -> Sequence[str]:
    """The variants and congestion controls of the profile of FILE, or of all."""
    from airtcp import _native  # noqa: PLC0415
    from airtcp.simulation.contest_cases import keys_of_variants  # noqa: PLC0415

    profile = _document(context).get("profile")
    controls = _native.congestion_controls()
    profiles = [profile] if profile in controls else controls
    return [*dict.fromkeys(name for profile in profiles for name in keys_of_variants(profile))]


def result_keys(context: click.Context) -> Sequence[str]:
    """The keys of the results in DIR."""
    return list(result_values(context))


def result_values(context: click.Context) -> KnownWords:
    """The keys of the results in DIR, with their values, of flows, links or cross-traffic."""
    from airtcp.engines.registry import engines_with_runs  # noqa: PLC0415
    from airtcp.engines.results import read_unchecked_results  # noqa: PLC0415
    from airtcp.metrics.records import RECORD_KEYS  # noqa: PLC0415
    from airtcp.reading.grouping import values_of  # noqa: PLC0415

    try:
        rows = read_unchecked_results(_first_argument(context, "folder"))
        for table in RECORD_KEYS:
            if context.params.get(table):
                rows = getattr(rows, table)
        flags = (name for name in engines_with_runs() if context.params.get(name))
        engine = context.params.get("engine") or next(flags, None)
        if engine is not None:
            rows = rows.of(engine)
        return values_of(rows._rows.runs)
    except (InputError, OSError):
        return {}


def estimates(context: click.Context) -> Sequence[str]:
    """The estimates of the middle of a distribution."""
    from airtcp.reading.summaries import ESTIMATES  # noqa: PLC0415

    return ESTIMATES


def _first_argument(context: click.Context, name: str) -> str:
    """The first argument of the line; the parser leaves it in `args` while an option lacks one."""
    return str(context.params.get(name) or next(iter(context.args), ""))


def _document(context: click.Context) -> dict[str, Any]:
    """The document in FILE; empty if that cannot be read."""
    from airtcp.scenario.document import read_document  # noqa: PLC0415

    file = _first_argument(context, "file")
    if file in ("", STANDARD_INPUT) or not Path(file).is_file():
        return {}
    try:
        return read_document(file)
    except (InputError, OSError):
        return {}


def _key_paths(
    schema: Mapping[str, Any],
    part: Mapping[str, Any],
    path: str = "",
    given: Any = None,
    above: Sequence[str] = (),
) -> Iterator[tuple[str, list[str]]]:
    """The dotted paths in a part of the schema, with the names that may stand there.

    `above`: the definitions that the part stands in. One that stands in itself, as a channel of a
    channel does, is followed as far as what is `given` goes.
    """
    name = part.get("$ref", "")
    if name and name in above and not given:
        return
    above, part = (*above, name), _resolve_reference(schema, part)
    if path and "object" not in _json_types(part):
        yield path, _allowed_names(part)
    for name, schema_part in part.get("properties", {}).items():
        if name not in ("case", "profile"):
            below = given.get(name) if isinstance(given, dict) else None
            yield from _key_paths(
                schema, schema_part, f"{path}.{name}" if path else name, below, above
            )
    if "array" in _json_types(part) and _is_table(schema, part.get("items", {})):
        for place in range(max(1, len(_item_schemas(given)))):
            below = given[place] if place < len(_item_schemas(given)) else None
            yield from _key_paths(schema, part["items"], f"{path}[{place}]", below, above)
    kind = given.get("kind") if isinstance(given, dict) else None
    for alternative in _alternatives(part):
        resolved = _resolve_reference(schema, alternative)
        if not isinstance(kind, str) or _kind(resolved) in (None, kind):
            yield from _key_paths(schema, resolved, path, given, above)
        elif _kind(resolved) is not None:
            yield f"{path}.kind", [str(_kind(resolved))]


def _is_table(schema: Mapping[str, Any], part: Mapping[str, Any]) -> bool:
    resolved = _resolve_reference(schema, part)
    return "object" in _json_types(resolved) or any(
        _is_table(schema, alternative) for alternative in _alternatives(resolved)
    )


def _alternatives(part: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Alternatives in a place, without the axes of a sweep, and without choices of keys.

    Axes are lists and ranges of the rest.
    """
    choices = [*part.get("oneOf", ()), *part.get("anyOf", ()), *filter(None, [part.get("then")])]
    for alternative in choices:
        is_axis = alternative.get("items") in choices or alternative.get("$ref") == "#/$defs/Range"
        if not is_axis and set(alternative) != {"required"}:
            yield alternative


def _resolve_reference(schema: Mapping[str, Any], part: Mapping[str, Any]) -> Mapping[str, Any]:
    """A part with what it refers to."""
    name = part.get("$ref", "").rpartition("/")[2]
    return {**part, **schema["$defs"][name]} if name else part


def _json_types(part: Mapping[str, Any]) -> Sequence[str]:
    type_names = part.get("type", ())
    return [type_names] if isinstance(type_names, str) else type_names


def _allowed_names(part: Mapping[str, Any]) -> list[str]:
    """The names that a value may be."""
    if "boolean" in _json_types(part):
        return ["true", "false"]
    constant = part.get("const")
    return [name for name in part.get("enum", [constant]) if isinstance(name, str)]


def _kind(part: Mapping[str, Any]) -> str | None:
    kind = part.get("properties", {}).get("kind", {}).get("const")
    return None if kind is None else str(kind)


def _item_schemas(given: Any) -> Sequence[Any]:
    return given if isinstance(given, list) else ()
