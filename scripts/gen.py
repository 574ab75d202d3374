"""Write what follows from the scenario's schema and the registries: dataclasses, schema, tables.

`python scripts/gen.py` writes the files; with `--check` it only says which are out of date, and
exits 1 if any is.
"""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from airtcp import _native

ROOT = Path(__file__).parent.parent
WIDTH = 100
Json = dict[str, Any]

PYTHON_TYPES = {"integer": "int", "number": "float", "boolean": "bool", "string": "str"}
WORDS = {"integer": "whole number", "number": "number", "boolean": "true or false"}


def main() -> int:
    """Write or check every generated file."""
    texts = {ROOT / name: make() for name, make in FILES.items()}
    stale = [path for path, text in texts.items() if _read(path) != text]
    check = "--check" in sys.argv[1:]
    for path in stale:
        print(f"{path.relative_to(ROOT)}: {'out of date: run make gen' if check else 'written'}")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(texts[path], encoding="utf-8")
    return int(check and bool(stale))


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


# The schema, read.


class Leaf:
    """One value: its description, the schema of a single value, and how it may be swept."""

    def __init__(self, key: str, schema: Json, required: bool) -> None:
        """Split off the axes."""
        single = schema["anyOf"][0] if "anyOf" in schema else schema
        self.key, self.required, self.single = key, required, single
        self.text: str = schema.get("description") or single.get("description", "")
        self.default = schema.get("default")
        self.axes = schema.get("anyOf", [])[1:]
        self.names = [one["const"] for one in single.get("oneOf", [])]
        kinds = single.get("type", "string")
        self.kind = kinds if isinstance(kinds, str) else kinds[0]

    @property
    def alias(self) -> str:
        """The name of an enumeration."""
        return self.key.title()

    def python(self, profile: object) -> str:
        """The field as Python source."""
        base = self.alias if self.names else PYTHON_TYPES[self.kind]
        swept = f" | Sequence[{base}]" if self.axes else ""
        swept += " | Range" if len(self.axes) > 1 else ""
        if self.required:
            return f"{self.key}: {base}{swept}"
        if self.default is not None:
            return f"{self.key}: {base}{swept} = {self.default!r}"
        return f"{self.key}: {base}{swept} | None = None"

    def allowed(self) -> str:
        """Which values there are, in words."""
        if self.names:
            return ", ".join(self.names)
        if self.kind == "string":
            examples = self.single.get("examples")
            return f'text such as "{examples[0]}"' if examples else "text"
        return WORDS[self.kind] + self._bounds()

    def _bounds(self) -> str:
        least, most = (self.single.get(bound) for bound in ("minimum", "maximum"))
        if least is None and most is None:
            return ""
        if most is None:
            return f" >= {_number(least)}"
        return f" {_number(least)} to {_number(most)}"

    def absent(self, profile: object) -> str:
        """What holds where the key is left out."""
        if self.required:
            return "required"
        if self.default is not None:
            return f"`{_plain(self.default)}`"
        return "" if profile is None else f"`{_plain(profile)}`"


class Table:
    """A table of keys: a section, or one kind of channel."""

    def __init__(self, name: str, schema: Json, defaults: Json) -> None:
        """Read its keys."""
        self.name = name
        self.kind: str | None = schema["properties"].get("kind", {}).get("const")
        self.text: str = schema["description"]
        self.defaults = defaults
        required = schema.get("required", [])
        self.leaves = [
            Leaf(key, value, key in required)
            for key, value in schema["properties"].items()
            if key != "kind"
        ]


class Document:
    """The whole schema."""

    def __init__(self) -> None:
        """Read it from the compiled module."""
        self.schema: Json = json.loads(_native.schema())
        definitions = self.schema["$defs"]
        self.sections: dict[str, Table] = {}
        self.leaves: list[Leaf] = []
        self.channels: list[Table] = []
        defaults = _profile_defaults()
        for key, value in self.schema["properties"].items():
            reference = _reference(value)
            if reference is None:
                self.leaves.append(Leaf(key, value, key in self.schema["required"]))
            elif key == "channel":
                kinds = definitions[reference]["oneOf"]
                self.channels = [Table(kind["title"], kind, {}) for kind in kinds]
            else:
                name = reference.removesuffix("Spec")
                self.sections[key] = Table(name, definitions[reference], defaults[key])

    def tables(self) -> Iterator[Table]:
        """Sections, then channels."""
        yield from self.sections.values()
        yield from self.channels


def _reference(value: Json) -> str | None:
    """The definition that a property refers to."""
    target = value.get("$ref") or value.get("anyOf", [{}])[0].get("$ref")
    return None if target is None else str(target).rsplit("/", 1)[1]


def _profile_defaults() -> Json:
    """What profile zorzi provides: a point without anything that must be given."""
    document = {
        "profile": "zorzi",
        "tcp": {"variant": "newreno"},
        "channel": {"kind": "iid", "loss_rate": 0},
    }
    point: Json = json.loads(_native.expand(json.dumps(document))[0])
    return point


def _number(value: float) -> str:
    if value == int(value):
        return f"{int(value):_}"
    return f"{value:g}"


def _plain(value: object) -> str:
    return json.dumps(value) if not isinstance(value, str) else value


# spec.py


HEAD = '''"""Everything that a scenario can hold, as typed data.

Generated from the schema by scripts/gen.py; do not edit. A field that is None takes the profile's
value (docs/reference/scenario.md lists them). A field that accepts a sequence or a `Range` is an
axis of a sweep where it holds one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias
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


def spec_module() -> str:
    """The source of python/airtcp/spec.py."""
    document = Document()
    parts = [HEAD, _aliases(document), RANGE]
    parts += [_dataclass(table) for table in document.tables()]
    channels = " | ".join(table.name for table in document.channels)
    parts += [f"Channel: TypeAlias = {channels}\n", _scenario(document), _lookup(document)]
    return _formatted("\n".join(parts))


def _aliases(document: Document) -> str:
    leaves = [*document.leaves, *(leaf for table in document.tables() for leaf in table.leaves)]
    named = {leaf.alias: leaf.names for leaf in leaves if leaf.names}
    lines = [f"{alias}: TypeAlias = Literal[{_quoted(names)}]" for alias, names in named.items()]
    return "\n".join(lines) + "\n"


def _quoted(names: list[str]) -> str:
    return ", ".join(json.dumps(name) for name in names)


def _dataclass(table: Table) -> str:
    lines = ["", "@dataclass(frozen=True, kw_only=True)", f"class {table.name}:"]
    lines += [_docstring(table), ""]
    if table.kind is not None:
        lines += [f"    kind: ClassVar[str] = {json.dumps(table.kind)}", ""]
    lines += [f"    {leaf.python(table.defaults.get(leaf.key))}" for leaf in table.leaves]
    return "\n".join(lines) + "\n"


def _docstring(table: Table) -> str:
    items = [_item(leaf, table) for leaf in table.leaves]
    return "\n".join([f'    """{table.text}', "", *items, '    """'])


def _item(leaf: Leaf, table: Table) -> str:
    text = f"- `{leaf.key}`: {leaf.text.rstrip('.')}; {leaf.allowed()}"
    absent = leaf.absent(table.defaults.get(leaf.key))
    if leaf.default is None and not leaf.required and absent:
        text += f" (None: the profile's, {absent.strip('`')} in zorzi)"
    return textwrap.fill(
        f"{text}.", WIDTH, initial_indent="    ", subsequent_indent="      ", break_on_hyphens=False
    )


def _scenario(document: Document) -> str:
    properties = document.schema["properties"]
    fields, items = [], []
    for key, value in properties.items():
        leaf = next((leaf for leaf in document.leaves if leaf.key == key), None)
        if leaf is not None:
            fields.append(leaf.python(None))
        elif key == "channel":
            fields.append("channel: Channel | Sequence[Channel]")
        else:
            fields.append(_section_field(key, document.sections[key]))
        items.append(f"    - `{key}`: {value['description']}")
    text = document.schema["description"]
    body = "\n".join(f"    {field}" for field in fields)
    listing = "\n".join(items)
    return (
        "\n@dataclass(frozen=True, kw_only=True)\nclass Scenario:\n"
        f'    """{text}\n\n{listing}\n    """\n\n{body}\n'
    )


def _section_field(key: str, table: Table) -> str:
    if any(leaf.required for leaf in table.leaves):
        return f"{key}: {table.name}"
    return f"{key}: {table.name} | None = None"


def _lookup(document: Document) -> str:
    sections = ", ".join(f'"{key}": {table.name}' for key, table in document.sections.items())
    channels = ", ".join(f'"{table.kind}": {table.name}' for table in document.channels)
    return (
        f"SECTIONS: dict[str, type[Any]] = {{{sections},}}\n"
        f"CHANNELS: dict[str, type[Channel]] = {{{channels},}}\n"
    )


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
    return json.dumps(json.loads(_native.schema()), indent=2, ensure_ascii=False) + "\n"


def scenario_page() -> str:
    """docs/reference/scenario.md: every key of a scenario file."""
    document = Document()
    parts = [
        "# Keys of a scenario file",
        "Generated by `make gen`. A key that the profile provides may be left out. A value in"
        " `tcp`, `link`, `channel` or `ack` may be a list, or for numbers a range"
        ' `{from = 0.001, to = 0.1, points = 9, scale = "log"}` (or `"linear"`): each is an axis of'
        " a sweep, the first of the file varies slowest. `channel` may be a list of tables.",
        "## Top level",
        _markdown(["key", "values", "default", "meaning"], _leaf_rows(document.leaves, {})),
    ]
    for key, table in document.sections.items():
        parts += [f"## `[{key}]`", table.text, _keys(table, "in profile zorzi")]
    for table in document.channels:
        parts += [f'## `[channel]` with `kind = "{table.kind}"`', table.text]
        parts.append(_keys(table, "default"))
    return "\n\n".join(parts) + "\n"


def _keys(table: Table, default: str) -> str:
    rows = _leaf_rows(table.leaves, table.defaults)
    return _markdown(["key", "values", default, "meaning"], rows)


def _leaf_rows(leaves: list[Leaf], defaults: Json) -> list[list[str]]:
    return [
        [f"`{leaf.key}`", leaf.allowed(), leaf.absent(defaults.get(leaf.key)), leaf.text]
        for leaf in leaves
    ]


def registry_page() -> str:
    """docs/reference/registry.md: everything that can be named."""
    titles = {
        "variants": "TCP variants (`tcp.variant`)",
        "channels": "Channels (`channel.kind`)",
        "profiles": "Profiles (`profile`)",
    }
    parts = ["# Names", "Generated by `make gen`; sources are keys of `refs.bib`."]
    for kind, entries in _native.registry().items():
        rows = [[f"`{name}`", summary, sources] for name, summary, sources in entries]
        parts += [f"## {titles[kind]}", _markdown(["name", "summary", "sources"], rows)]
    return "\n\n".join(parts) + "\n"


def _markdown(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    escaped = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)


FILES: dict[str, Callable[[], str]] = {
    "python/airtcp/spec.py": spec_module,
    "schema/scenario.schema.json": schema_text,
    "docs/reference/scenario.md": scenario_page,
    "docs/reference/registry.md": registry_page,
}

if __name__ == "__main__":
    sys.exit(main())
