"""Write what follows from the scenario's schema and the registries: dataclasses, schema, tables.

`python scripts/gen.py` writes the files; with `--check` it only says which are out of date, and
exits 1 if any is.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from airtcp import _native
from airtcp.scenario.tables import document_schema

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "scripts"))  # also where this file is loaded as a module
import api  # noqa: E402
import arrows  # noqa: E402
import claims  # noqa: E402
import cli_pages  # noqa: E402
import decisions  # noqa: E402
import description  # noqa: E402
import guide  # noqa: E402
import linux_rules  # noqa: E402
import metric_tables  # noqa: E402
import page_metrics  # noqa: E402
import speeds  # noqa: E402

SPEC = "python/airtcp/scenario/spec.py"  # the first of FILES
WIDTH = 100
Json = dict[str, Any]

PYTHON_TYPES = {"integer": "int", "number": "float", "boolean": "bool", "string": "str"}
WORDS = {"integer": "whole number", "number": "number", "boolean": "true or false"}
QUANTITIES = {  # texts by their format: in words
    "size": "size",
    "duration": "time",
    "rate": "rate",
    "rate-or-zero": "rate",
    "frequency": "frequency",
    "decibels": "ratio in dB",
    "extent": "time, or number of packets or bits",
    "trace-clock": "packet, slot, or time",
}
ABSENT = re.compile(r"\s*Absent: (.*?)\.(?=\s|$)")
UNIONS = {("integer", "string"): "PacketsOrSize"}  # aliases of several types
ANY_TCP = "AnyTcp"  # the transports of all profiles
KINDS = {  # tables with a `kind`
    "ChannelSpec": "Channel",
    "GateSpec": "Gate",
    "DistributionSpec": "Law",
    "RatesSpec": "Rates",
    "SizeSpec": "SizeLaw",
    "QueueSpec": "Queue",
    "CongestionSpec": "Congestion",
    "Detection": "Detection",
    "Reduction": "Reduction",
    "SlowStart": "SlowStart",
    "VideoChoice": "VideoChoice",
}


def main() -> int:
    """Write or check every generated file."""
    check = "--check" in sys.argv[1:]
    stale = []
    for name, make in FILES.items():
        if _is_stale(ROOT / name, make(), check):
            stale.append(name)
        if stale == [SPEC] and not check:
            # The guide reads scenarios with the dataclasses just written: a process that has them.
            return subprocess.run([sys.executable, __file__], check=False).returncode
    return int(check and bool(stale))


def _is_stale(path: Path, text: str, check: bool) -> bool:
    """True if the file was out of date; it is written anew unless this is a check."""
    stale = _read(path) != text
    if stale:
        print(f"{path.relative_to(ROOT)}: {'out of date: run make gen' if check else 'written'}")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return stale


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


# The schema, read.


class Key:
    """One key of a table: what it may hold, and what the profiles say of it."""

    def __init__(self, name: str, schema: Json) -> None:
        """Split off the axes."""
        single = schema["anyOf"][0] if "anyOf" in schema else schema
        self.name, self.single = name, single
        self.text = _one_line(schema.get("description") or single.get("description", ""))
        if "const" in single:  # of one profile; what it says is about that
            self.text = (
                "Set of rules and defaults of the scenario; it decides which other keys there are."
            )
        said = ABSENT.search(self.text)  # how the key's absence is taken, where it has no default
        self.text, absent = ABSENT.sub("", self.text), said.group(1) if said else ""
        self.own_example = next(iter(schema.get("examples", [])), None)
        self.examples: Json = {}  # by profile
        self.axes = schema.get("anyOf", [])[1:]
        default = schema.get("default")
        self.default = None if isinstance(default, list) else default
        self.names = _names(single)
        self.names += [single["const"]] if "const" in single else []
        kinds = single.get("type", "object")
        self.types = (
            [kinds] if isinstance(kinds, str) else [kind for kind in kinds if kind != "null"]
        )
        self.alias = name.title()  # of its names
        self.table = ""  # the class of the tables that it holds
        self.items = ""  # the class of the tables in its list, where that may stand for one
        self.required: dict[str, bool] = {}  # by profile
        self.provided: Json = {}  # by profile
        self.others: list[Key] = []  # of profiles in which it is of another type
        self.texts: dict[str, list[str]] = {}  # by what is said: the profiles that say it
        self.said_absent = absent
        self.said_of_absence: dict[str, str] = {}  # by profile

    @property
    def target(self) -> str:
        """The definition that it refers to, itself or each item of its list; "" for none."""
        inner = self.single.get("then", self.single.get("items", {}))
        return str(self.single.get("$ref") or inner.get("$ref", "")).rpartition("/")[2]

    @property
    def listed(self) -> str:
        """The definition that the items of its list refer to, where a table may take its place."""
        items = self.single.get("items", {}) if "then" in self.single else {}
        return str(items.get("$ref", "")).rpartition("/")[2]

    def merge(self, other: Key) -> None:
        """Add what another profile says of the same key."""
        self.names += [name for name in other.names if name not in self.names]
        self.required |= other.required
        self.provided |= other.provided
        for profile in other.required:
            self.examples[profile] = other.own_example
            self.texts.setdefault(other.text, []).append(profile)
            self.said_of_absence[profile] = other.said_absent
        if other.types not in [self.types, *(alternative.types for alternative in self.others)]:
            self.others.append(other)

    @property
    def meaning(self) -> str:
        """The purpose of the key; profile by profile where that differs."""
        if len(self.texts) < 2:
            return self.text
        said = (f"In {', '.join(kinds)}: {text.rstrip('.')}." for text, kinds in self.texts.items())
        return " ".join(said)

    def python(self, profiles: int) -> str:
        """The field as Python source, in a table of so many profiles."""
        base = self._base()
        swept = f" | Sequence[{base}]" if self.axes else ""
        swept += " | Range" if len(self.axes) > 1 else ""
        if len(self.required) == profiles and all(self.required.values()):
            return f"{self.name}: {base}{swept}"
        if self.default is not None:
            return f"{self.name}: {base}{swept} = {self.default!r}"
        return f"{self.name}: {base}{swept} | None = None"

    def _base(self) -> str:
        if self.names:
            return self.table or self.alias
        plain = tuple(kind for kind in self.types if kind != "object")
        types = [UNIONS[plain]] if plain in UNIONS else [self._type(kind) for kind in plain]
        own = " | ".join([*types, *([self.table] if "object" in self.types else [])])
        return " | ".join([own, *(other._base() for other in self.others)])

    def _type(self, kind: str) -> str:
        if kind == "object":
            return self.table
        if kind != "array":
            return PYTHON_TYPES[kind]
        items = self.single["items"]
        if items.get("type") == "object":
            return "Sequence[Mapping[str, Any]]"
        if items.get("type") == "array" and "minItems" not in items:
            kinds = items["items"]["type"]
            words = [
                PYTHON_TYPES[json_kind]
                for json_kind in ([kinds] if isinstance(kinds, str) else kinds)
            ]
            return f"Sequence[Sequence[{' | '.join(words)}]]"
        if items.get("type") == "array":
            return f"Sequence[tuple[{', '.join(['int'] * items['minItems'])}]]"
        return f"Sequence[{self.items or self.table or PYTHON_TYPES[items['type']]}]"

    def allowed(self) -> str:
        """The allowed values, in words."""
        if self.names:
            return ", ".join(self.names) + (", or table" if self.table else "")
        own = [self._words(kind) for kind in self.types]
        said = [*own, *(other.allowed() for other in self.others)]
        return ", or ".join(
            dict.fromkeys(word for sentence in said for word in sentence.split(", or "))
        )

    def _words(self, kind: str) -> str:
        if kind == "object":
            return "table"
        if kind == "array":
            items = self.single["items"]
            rows = "pair" if "minItems" in items else "list"
            inner = (
                "table"
                if self.table or self.items or items.get("type") == "object"
                else rows
                if "items" in items
                else "value"
            )
            return f"list of {inner}s"
        if kind == "string":
            return QUANTITIES.get(self.single.get("format", ""), "text")
        return WORDS[kind] + self._bounds()

    def _bounds(self) -> str:
        least, most = (self.single.get(bound) for bound in ("minimum", "maximum"))
        if least is None and most is None:
            return ""
        if most is None:
            return f" >= {_number(least)}"
        if least == most:
            return f" {_number(least)}"
        return f" {_number(least)} to {_number(most)}"

    def absent(self, profile: str) -> str:
        """The value that holds if a profile leaves the key out; a dash where it has no such key."""
        if profile not in self.required:
            return "-"
        if self.required[profile]:
            return "required"
        provided = self.provided[profile] if self.default is None else self.default
        if provided is None or isinstance(provided, dict):
            return self.said_of_absence[profile]
        return f"`{_plain(provided)}`"

    @property
    def example(self) -> str:
        """A value as in a scenario file; several where the profiles differ in type."""
        given = (example for example in self.examples.values() if example is not None)
        return ", ".join(dict.fromkeys(f"`{_toml(example)}`" for example in given))


class Table:
    """A table of keys, merged over the profiles: a section, one within it, or a kind of channel."""

    def __init__(self, name: str, place: str, text: str) -> None:
        """Nothing is known of its keys yet."""
        self.name, self.place, self.text = name, place, _one_line(text)
        self.kind = ""
        self.keys: dict[str, Key] = {}
        self.profiles: list[str] = []

    def add(self, profile: str, schema: Json, provided: Json, required: Iterable[str] = ()) -> None:
        """Add the keys that it has in a profile, some of them `required` besides."""
        self.profiles.append(profile)
        for name, value in schema["properties"].items():
            if value.get("deprecated"):
                continue
            if "const" in value and name == "kind":
                self.kind = value["const"]
                continue
            key = Key(name, value)
            forward, _, back = key.said_absent.partition("; under `back`, ")
            key.said_absent = back if back and self.name == "Back" else forward
            key.required[profile] = name in (*schema.get("required", []), *required)
            key.provided[profile] = provided.get(name)
            self.keys.setdefault(name, key).merge(key)


class Document:
    """The whole schema: the tables by the name of their class."""

    def __init__(self) -> None:
        """Read it from the compiled module."""
        schema = document_schema()
        self.definitions: Json = schema["$defs"]
        self.text: str = schema["description"]
        self.tables: dict[str, Table] = {}
        self.kinds: dict[str, dict[str, Table]] = {name: {} for name in KINDS.values()}
        self.transports: dict[str, Table] = {}  # by profile
        for choice in schema["oneOf"]:
            scenario = self.definitions[choice["$ref"].rpartition("/")[2]]
            profile = scenario["properties"]["profile"]["const"]
            self._add(profile, "Scenario", "", scenario, _provided(profile))
        self.tables["Scenario"].text = self.text

    def _add(self, profile: str, name: str, place: str, schema: Json, provided: Json) -> None:
        table = self.tables.setdefault(name, Table(name, place, schema["description"]))
        if profile in table.profiles:
            return
        demanded = schema.get("then", {})  # where there are no cases
        table.add(profile, schema, provided, demanded.get("required", []))
        for key, value in schema["properties"].items():
            if key not in table.keys:  # one by its earlier name
                continue
            target, listed = Key(key, value).target, Key(key, value).listed
            if listed:
                table.keys[key].items = listed
                self._add(profile, listed, f"{place}.{key}", self.definitions[listed], {})
            if target in KINDS:
                table.keys[key].table = KINDS[target]
                table.keys[key].names = _names(self.definitions[target])
                self._add_kinds(profile, target)
            elif target:
                # A section has its key's name, whatever it is called in each profile.
                # So has one within it that both families have.
                within = target.removesuffix("Spec").removeprefix("Slot")
                within = within.removeprefix(profile.capitalize())
                inner = within if place else key.title()
                table.keys[key].table = inner
                inside = f"{place}.{key}" if place else key
                values = provided.get(key) or {}
                more = demanded.get("properties", {}).get(key, {})
                self._add(profile, inner, inside, {**self.definitions[target], **more}, values)
                if key == "tcp":
                    table.keys[key].table = ANY_TCP
                if inside == "tcp":
                    self._add_transport(profile, self.definitions[target], values)

    def _add_transport(self, profile: str, schema: Json, provided: Json) -> None:
        """The keys of `tcp` in a profile alone, of which none must be given: cases may do so."""
        table = Table(_class_of(profile), "tcp", f"The transport in profile `{profile}`.")
        free = {key: value for key, value in schema.items() if key != "required"}
        table.add(profile, free, provided)
        merged = self.tables["Tcp"].keys
        for name, key in table.keys.items():
            if key.target in KINDS:
                key.table, key.names = KINDS[key.target], _names(self.definitions[key.target])
            elif key.target:
                key.table = merged[name].table
            elif key.alias in self.kinds:
                key.alias = f"{profile.capitalize()}{key.alias}"
        self.transports[profile] = table

    def _add_kinds(self, profile: str, target: str) -> None:
        tables = self.kinds[KINDS[target]]
        for schema in self.definitions[target]["oneOf"]:
            if "const" in schema:
                continue
            kind = schema["properties"]["kind"]["const"]
            text = schema["description"]
            table = tables.setdefault(kind, Table(schema["title"], KINDS[target].lower(), text))
            if profile not in table.profiles:
                table.add(profile, schema, {})
                for key in table.keys.values():
                    key.table = KINDS.get(key.target, "")
                    if key.target in KINDS:
                        self._add_kinds(profile, key.target)
                    elif key.target:
                        key.table = key.target
                        place = f"{table.place}.{key.name}"
                        self._add(profile, key.target, place, self.definitions[key.target], {})

    def sections(self) -> list[Table]:
        """Every table but the whole and those with a `kind`."""
        return [table for table in self.tables.values() if table.name != "Scenario"]

    def classes(self) -> list[Table]:
        """The tables that become classes: transports by profile, other sections, channels and
        gates.
        """
        merged = [table for table in self.sections() if table.name not in ("Tcp", "FlowTcp")]
        kinds = [kind for kinds in self.kinds.values() for kind in kinds.values()]
        return [*self.transports.values(), *merged, *kinds]


def _class_of(profile: str) -> str:
    return f"{profile.capitalize()}Tcp"


MINIMAL: Json = {
    "zorzi": {"channel": {"kind": "iid", "loss_rate": 0}},
    "ns2": {"path": {"hop": [{"rate": "1Mbps", "delay": "1ms"}]}},
    "rfc": {"path": {"hop": [{"rate": "1Mbps", "delay": "1ms"}]}},
    "bsd": {"path": {"hop": [{"rate": "1Mbps", "delay": "1ms"}]}},
    "linux": {"path": {"hop": [{"rate": "1Mbps", "delay": "1ms"}]}},
}


def _names(schema: Json) -> list[str]:
    """The names that a value may be, also where each stands for a table."""
    return [choice["const"] for choice in schema.get("oneOf", []) if "const" in choice]


def _provided(profile: str) -> Json:
    """The values that a profile provides: a point without anything that must be given."""
    given = {
        "profile": profile,
        "tcp": {} if profile == "linux" else {"variant": "tahoe"},
        **MINIMAL[profile],
    }
    point: Json = json.loads(_native.Points(json.dumps(given))[0].json)
    point["tcp"].pop("variant", None)  # which no profile provides
    kept = ("tcp", "link", "ack", "stop", "analysis")
    return {key: point[key] for key in kept if key in point}


def _number(value: float) -> str:
    if value == int(value):
        return f"{int(value):_}"
    return f"{value:g}"


def _plain(value: object) -> str:
    return json.dumps(value) if not isinstance(value, str) else value


def _toml(value: Any) -> str:
    """A value as a scenario file has it, in one line."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key not in ("kind", "name"))
        return f"{{{', '.join(f'{key} = {_toml(value[key])}' for key in keys)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value)


def _one_line(text: str) -> str:
    return " ".join(text.split())


# spec.py


HEAD = '''"""Everything that a scenario can hold, as typed data.

Generated from the schema by scripts/gen.py; do not edit. What a profile has in `tcp` is a class of
its own, which is also what a flow has for itself; every other class has the keys of all profiles,
and one that a scenario's profile has not is refused when the scenario is made. A field that is None
takes the profile's value (docs/reference/scenario.md lists them). A field that accepts a sequence
or a `Range` where it holds one value is an axis of a sweep.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from airtcp.errors import RenamedKey, refuses_unknown, warn_renamed
'''

RANGE = '''
@dataclass(frozen=True)
class Range:
    """Evenly spaced values of an axis, both ends included: ``Range(0.001, 0.1, 9, "log")``.

    - `from_` (`from` in files), `to`: the ends; with "log" both positive;
    - `points`: how many values, at least 2;
    - `scale`: "linear" or "log", what the spacing is even on.
    """

    from_: float
    to: float
    points: int
    scale: Literal["linear", "log"]
'''


TCP = f'''
{ANY_TCP}: TypeAlias = {{union}} | Mapping[str, Any]
TRANSPORTS: dict[str, type[Any]] = {{{{{{entries}}}}}}


def Tcp(**keys: Any) -> dict[str, Any]:  # noqa: N802  (it was a class)
    """Keys of `tcp`, whichever the profile has: classes such as `RfcTcp` say which these are."""
    return keys


FlowTcp = Tcp
'''

EARLIER_KEY = '''
    @property
    def {old}(self) -> Any:
        """Earlier name of `{new}`."""
        warn_renamed("tcp.{old} is now called tcp.{new}; use tcp.{new}", RenamedKey)
        return self.{new}
'''

EARLIER_NAME = '''
if not TYPE_CHECKING:  # or every name would be one of this module

    def __getattr__(name: str) -> Any:
        """Look up what an earlier version called otherwise."""
        if name == "Growth":
            warn_renamed("spec.Growth is now called spec.Congestion; use that", RenamedKey)
            return Congestion
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
'''


def spec_module() -> str:
    """The source of python/airtcp/scenario/spec.py."""
    document = Document()
    parts = [HEAD, _aliases(document), RANGE]
    parts += [_dataclass(table) for table in document.classes()]
    by_profile = {profile: table.name for profile, table in document.transports.items()}
    entries = ", ".join(f'"{profile}": {name}' for profile, name in by_profile.items())
    parts.append(TCP.format(union=" | ".join(by_profile.values()), entries=entries))
    keys = [key for table in document.classes() for key in table.keys.values()]
    named = {key.table: key.names for key in keys if key.names and key.table}
    for name, kinds in document.kinds.items():
        union = " | ".join(table.name for table in kinds.values())
        if name in named:
            union = f"Literal[{_quoted(named[name])}] | {union}"
        parts.append(f"{name}: TypeAlias = {union}")
    parts += [_dataclass(document.tables["Scenario"]), _lookup(document), EARLIER_NAME]
    return _formatted("\n".join(parts))


def _aliases(document: Document) -> str:
    named: dict[str, list[str]] = {}
    for table in [document.tables["Scenario"], *document.classes()]:
        for key in table.keys.values():
            if key.names and not key.table:
                known = named.setdefault(key.alias, [])
                known += [name for name in key.names if name not in known]
    lines = [f"{alias}: TypeAlias = Literal[{_quoted(names)}]" for alias, names in named.items()]
    for types, alias in UNIONS.items():
        lines.append(f"{alias}: TypeAlias = {' | '.join(PYTHON_TYPES[kind] for kind in types)}")
    return "\n".join(lines) + "\n"


def _quoted(names: list[str]) -> str:
    return ", ".join(json.dumps(name) for name in names)


def _dataclass(table: Table) -> str:
    decorators = ["@refuses_unknown", "@dataclass(frozen=True, kw_only=True)"]
    lines = ["", *decorators, f"class {table.name}:"]
    lines += [_docstring(table), ""]
    if table.kind:
        lines += [f"    kind: ClassVar[str] = {json.dumps(table.kind)}", ""]
    lines += [f"    {key.python(len(table.profiles))}" for key in table.keys.values()]
    if table.place == "tcp" and len(table.profiles) == 1:
        renamed = _native.renamed_keys().get(table.profiles[0], {})
        lines += [EARLIER_KEY.format(old=old, new=new) for old, new in renamed.items()]
    return "\n".join(lines) + "\n"


def _docstring(table: Table) -> str:
    items = [_item(key, table) for key in table.keys.values()]
    return "\n".join([_wrapped(f'"""{table.text}', "    "), "", *items, '    """'])


def _item(key: Key, table: Table) -> str:
    only = [profile for profile in table.profiles if profile in key.required]
    said = f"only in {', '.join(only)}" if only != table.profiles else ""
    provided = [
        (value, profile)
        for profile, value in key.provided.items()
        if not (value is None or isinstance(value, dict) or key.required[profile])
    ]
    if provided:
        several = len(only) > 1 or not (said or table.place == "tcp")
        values = [_plain(v) + (f" in {profile}" if several else "") for v, profile in provided]
    else:
        values = _absences({profile: key.said_of_absence[profile] for profile in only})
    if values:
        said += f"{'; ' if said else ''}None: {', '.join(values)}"
    text = f"- `{key.name}`: {key.meaning.rstrip('.')}; {key.allowed()}"
    return _wrapped(f"{text} ({said})." if said else f"{text}.", "      ")


def _absences(said: dict[str, str]) -> list[str]:
    """The words for a key that is left out, by profile where those differ."""
    words = [(text, profile) for profile, text in said.items() if text]
    if len({text for text, _ in words}) == 1:
        return [words[0][0]]
    return [f"{text} in {profile}" for text, profile in words]


def _wrapped(text: str, indent: str) -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent="    ", subsequent_indent=indent, break_on_hyphens=False
    )


def _lookup(document: Document) -> str:
    """The class of tables under a key, under "flow.tcp" where that is another one."""
    lines = []
    for name, kinds in document.kinds.items():
        entries = ", ".join(f'"{kind}": {table.name}' for kind, table in kinds.items())
        lines.append(f"{name.upper()}S: dict[str, type[Any]] = {{{entries},}}")
    under: dict[str, str] = {}
    for table in [document.tables["Scenario"], *document.classes()]:
        for key in (key for key in table.keys.values() if key.table not in ("", ANY_TCP)):
            found = f"{key.table.upper()}S" if key.table in document.kinds else key.table
            if under.setdefault(key.name, found) != found:
                under[f"{table.name.lower()}.{key.name}"] = found
            if key.items:
                under[f"{key.name}[]"] = key.items
    entries = ", ".join(f'"{key}": {found}' for key, found in under.items())
    lines.append(f"TABLES: dict[str, type[Any] | Mapping[str, type[Any]]] = {{{entries},}}")
    return "\n".join(lines) + "\n"


def _formatted(source: str) -> str:
    """`source` as ruff leaves it."""
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", "spec.py", "-"]
    done = subprocess.run(
        command, input=source, capture_output=True, text=True, check=True, cwd=ROOT
    )
    return done.stdout


# The other files


def schema_text() -> str:
    """The JSON Schema, for editors."""
    return json.dumps(document_schema(), indent=2, ensure_ascii=False) + "\n"


CASES = """Values that change together and override the rest of the scenario: see
[cases](../explanation/scenarios.md#cases).

| key | values | default | meaning |
| --- | --- | --- | --- |
| `name` | text | from the values | Name of the case in tables and figures. |
| `tcp`, `link`, `channel`, `ack`, `path`, `flow` | as in the scenario | | Values of this case; no \
axes. |
| a quoted path, such as `"path.hop[0].queue"` | as in the scenario | | Value of this case at a \
place within a list. |

Tables and figures show the names of cases and of nodes unchanged. A name is one line of visible
text. It must not begin with `=`, `+` or `@`, nor with a minus sign unless a quantity follows, so
that no spreadsheet takes it for a formula (`"-20 dB"` is a name, `"-A1"` is refused). Two cases
with the same values are refused. In SQL the column name must be quoted:
`SELECT "case", ...`."""


def scenario_page() -> str:
    """docs/reference/scenario.md: every key of a scenario file."""
    document = Document()
    parts = [
        "# Keys of a scenario file",
        "Generated by `make gen`. A profile's column shows the default of a key, in words where it"
        " is not a single value, and a dash where the profile has no such key. Quantities are text,"
        ' a number and its unit: times in ns, us, ms, s, min or h (`"20ms"`), sizes in B, kB, MB,'
        ' KiB or MiB (`"1500B"`), rates in bps, kbps, Mbps or Gbps (`"2Mbps"`), frequencies in Hz,'
        ' kHz or MHz (`"10Hz"`). A value in `tcp`, `link`,'
        " `channel`, `ack`, `path` or `flow` may be a list, or for numbers a range"
        ' `{from = 0.001, to = 0.1, points = 9, scale = "log"}` (or `"linear"`). Each list or range'
        " is an axis of a sweep; the first one in the file varies slowest. `channel`, `gate`,"
        " `interval`, `duration` and `back` may be lists of tables. A document has at most"
        " 1 000 000 points and 2 000 000 values; a point takes 9 bytes of memory, a number in a"
        " list about 100 more.",
        "## Top level",
        _keys(document.tables["Scenario"]),
    ]
    for table in document.sections():
        keys = "All keys of `[tcp]`." if table.name == "FlowTcp" else _keys(table)
        parts += [f"## {_heading(document, table)}", table.text, keys]
    parts += ["## `[[case]]`", CASES]
    for kinds in document.kinds.values():
        for table in (table for table in kinds.values() if table.keys):
            place = TABLES.get(table.place, f"`{table.place}`")
            parts += [f'## {place} with `kind = "{table.kind}"`', table.text, _keys(table)]
    return "\n\n".join(parts) + "\n"


TABLES = {  # whose class is not called as the key is
    "law": "A distribution of times",
    "rates": "`rates` of a hop",
    "queue": "`queue` of a hop",
    "sizelaw": "`sizes` of a flow",
    "congestion": "`congestion` of `tcp`",
    "reduction": "`reduction` of `tcp`",
    "videochoice": "`choice` of a video",
}


def _heading(document: Document, table: Table) -> str:
    """The heading of a table as in a file."""
    *above, name = table.place.split(".")
    kinds = [table for tables in document.kinds.values() for table in tables.values()]
    holders = [table for table in (*document.tables.values(), *kinds) if name in table.keys]
    listed = "array" in holders[0].keys[name].types
    if above[:1] in [[kind.place] for kind in kinds]:
        return f"`{name}` of `{'.'.join(above)}`" + (", each entry" if listed else "")
    if len(above) > 1:
        return f"`{name}` of a hop" + (", each entry" if listed else "")
    return f"`[[{table.place}]]`" if listed else f"`[{table.place}]`"


def _keys(table: Table) -> str:
    """The keys of a table, with a column per profile where those differ."""
    columns = {
        profile: [key.absent(profile) for key in table.keys.values()] for profile in table.profiles
    }
    alike = len({tuple(column) for column in columns.values()}) == 1
    if alike:
        own = len(columns) == 1 and any(key.provided for key in table.keys.values())
        head = f"in profile {table.profiles[0]}" if own else "default"
        columns = {head: columns[table.profiles[0]]}
    rows = zip(table.keys.values(), zip(*columns.values(), strict=True), strict=True)
    return _markdown(
        ["key", "values", *columns, "example", "meaning"],
        [[f"`{key.name}`", key.allowed(), *cells, key.example, key.meaning] for key, cells in rows],
    )


GUIDES = {
    "variants": "variants.md",
    "channels": "channels.md",
    "modulations": "channels.md#modulations",
    "congestion": "variants.md",
    "detection": "variants.md",
    "reduction": "variants.md",
    "slow_start": "variants.md",
    "spurious": "variants.md",
    "gates": "gates.md",
    "laws": "gates.md#laws",
    "rates": "rates.md",
    "sizes": "sizes.md",
    "queues": "queues.md",
    "video": "video.md",
    "profiles": "profiles.md",
}


def registry_page() -> str:
    """docs/reference/registry.md: everything that can be named."""
    titles = {
        "variants": "TCP variants (`tcp.variant`)",
        "channels": "Channels (`channel.kind`)",
        "modulations": "Modulations (`channel.modulation`)",
        "congestion": "Congestion controls of profiles `rfc` and `linux` (`tcp.congestion`)",
        "detection": "Loss detection (`tcp.detection`)",
        "reduction": "Reduction of the window in a recovery (`tcp.reduction`)",
        "slow_start": "Slow start (`tcp.slow_start`)",
        "spurious": "Detection of spurious timeouts (`tcp.spurious`)",
        "gates": "Gates (`gate.kind`)",
        "laws": "Laws of intervals, durations and jitter (`gate.interval.kind`)",
        "rates": "Rates that change with time (`path.hop.rates.kind`)",
        "sizes": "Laws of sizes (`flow.sizes.kind`)",
        "queues": "Queues (`queue.kind`)",
        "video": "Choices of a video's bitrate (`flow.video.choice`)",
        "profiles": "Profiles (`profile`)",
    }
    parts = ["# Names", "Generated by `make gen`. The sources are keys of `refs.bib`."]
    for kind, entries in _native.registry().items():
        page = GUIDES[kind]
        parts += [
            f"## {titles[kind]}",
            f"Rules, keys and an example of each: [guide]({page}).",
        ]
        parts += [_controls() if kind == "congestion" else _names_table(entries)]
    return "\n\n".join(parts) + "\n"


def _names_table(entries: Iterable[tuple[str, str, str]]) -> str:
    rows = [[f"`{name}`", summary, sources] for name, summary, sources in entries]
    return _markdown(["name", "summary", "sources"], rows)


def _controls() -> str:
    """Congestion controls, and which profile has each."""
    rows = [
        [f"`{name}`", summary, f"`{profile}`", sources]
        for profile, entries in _native.congestion_controls().items()
        for name, summary, sources in entries
    ]
    return _markdown(["name", "summary", "profile", "sources"], rows)


def _markdown(head: list[str], rows: Iterable[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    escaped = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)


def _kinds(*names: str) -> list[dict[str, Table]]:
    document = Document()
    return [document.kinds[name] for name in names]


FILES: dict[str, Callable[[], str]] = {
    "python/airtcp/scenario/spec.py": spec_module,
    "schema/scenario.schema.json": schema_text,
    "docs/reference/scenario.md": scenario_page,
    "docs/reference/registry.md": registry_page,
    "docs/reference/api.md": api.page,
    "docs/reference/cli.md": cli_pages.page,
    **cli_pages.man_pages(),
    "docs/reference/channels.md": lambda: guide.channels_page(*_kinds("Channel"), _keys),
    "docs/reference/gates.md": lambda: guide.gates_page(*_kinds("Gate", "Law"), _keys),
    "docs/reference/queues.md": lambda: guide.queues_page(*_kinds("Queue"), _keys),
    "docs/reference/rates.md": lambda: guide.rates_page(*_kinds("Rates"), _keys),
    "docs/reference/sizes.md": lambda: guide.sizes_page(*_kinds("SizeLaw"), _keys),
    "docs/reference/video.md": lambda: guide.video_page(*_kinds("VideoChoice"), _keys),
    "docs/reference/variants.md": lambda: guide.variants_page(*_kinds("Congestion"), _keys),
    "docs/reference/profiles.md": lambda: guide.profiles_page(_provided),
    "docs/reference/linux_rules.md": linux_rules.page,
    "docs/reference/models.md": guide.models_page,
    "docs/reference/metrics.md": metric_tables.page,
    **{name: partial(speeds.page, name) for name in speeds.PAGES},
    description.FILE: description.text,
    arrows.FILE: arrows.svg,
    claims.FILE: claims.page,
    decisions.FILE: decisions.page,
    page_metrics.FILE: page_metrics.text,
}

if __name__ == "__main__":
    sys.exit(main())
