"""Generated files are what scripts/gen.py writes today, and they cover what can be named."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from dataclasses import MISSING, fields
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner

from airtcp import Scenario, _native, spec
from airtcp.cli.main import main
from airtcp.metrics.table import ENTRIES, KIND_WORDS
from airtcp.scenario.tables import document_schema

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "scripts" / "gen.py"


@pytest.fixture
def gen() -> ModuleType:
    location = importlib.util.spec_from_file_location("gen", SCRIPT)
    assert location is not None
    assert location.loader is not None
    module = importlib.util.module_from_spec(location)
    location.loader.exec_module(module)
    return module


def test_everything_is_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, SCRIPT, "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_check_finds_what_is_out_of_date_and_leaves_it(
    gen: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(gen, "FILES", {"a/b.txt": lambda: "new\n", "c.txt": lambda: "same\n"})
    monkeypatch.setattr(gen, "ROOT", tmp_path)
    (tmp_path / "c.txt").write_text("same\n")
    monkeypatch.setattr(sys, "argv", ["gen.py", "--check"])
    assert gen.main() == 1
    assert capsys.readouterr().out == f"{Path('a/b.txt')}: out of date: run make gen\n"
    assert not (tmp_path / "a").exists()
    monkeypatch.setattr(sys, "argv", ["gen.py"])
    assert gen.main() == 0
    assert (tmp_path / "a" / "b.txt").read_text() == "new\n"
    assert gen.main() == 0


def profiles() -> dict[str, dict[str, Any]]:
    """The schema of a document, by profile."""
    schema = document_schema()
    documents = [
        schema["$defs"][reference["$ref"].rpartition("/")[2]] for reference in schema["oneOf"]
    ]
    return {document["properties"]["profile"]["const"]: document for document in documents}


def classes() -> list[type[Any]]:
    """Every dataclass of a section, a table within one, a channel, a gate."""
    found: list[type[Any]] = []
    for table in spec.TABLES.values():
        found += [table] if isinstance(table, type) else table.values()
    return list(dict.fromkeys([*found, *spec.TRANSPORTS.values()]))


def test_the_dataclasses_cover_the_schema() -> None:
    documents = profiles()
    assert set(spec.Profile.__args__) == set(documents)
    keys = {key for document in documents.values() for key in document["properties"]}
    assert {field.name for field in fields(spec.Scenario)} == keys
    definitions = document_schema()["$defs"]
    for profile, document in documents.items():
        for section, value in document["properties"].items():
            table = definitions.get(value.get("$ref", "").rpartition("/")[2], {})
            if section == "tcp":
                given = table["properties"].items()
                present = {key for key, schema in given if not schema.get("deprecated")}
                assert present == names_of(spec.TRANSPORTS[profile])
                continue
            named = names_of(spec.TABLES[section]) if table else set()
            assert set(table.get("properties", ())) <= named, (profile, section)
    for kind, known in (("channels", spec.CHANNELS), ("gates", spec.GATES)):
        names = {name for name, _, _ in _native.registry()[kind]}
        assert set(known) == names
        assert all(known[name].kind == name for name in names)
    assert set(spec.Variant.__args__) == {n for n, _, _ in _native.registry()["variants"]}


def names_of(known: Any) -> set[str]:
    return {field.name for field in fields(known)}


def test_a_transport_has_the_keys_of_its_profile_and_no_others() -> None:
    owners = {"timeout": ["zorzi"], "tick": ["ns2", "bsd"], "sysctl": ["linux"]}
    for key, profiles in owners.items():
        having = [name for name, transport in spec.TRANSPORTS.items() if key in names_of(transport)]
        assert having == profiles
    assert all("only in" not in str(transport.__doc__) for transport in spec.TRANSPORTS.values())
    assert "(None: 100)" in " ".join(str(spec.ZorziTcp.__doc__).split())
    assert "(None: 500ms)" in " ".join(str(spec.BsdTcp.__doc__).split())


def test_other_classes_have_the_keys_of_every_profile_and_say_whose_they_are() -> None:
    assert {"slots", "time"} <= names_of(spec.Stop)
    text = " ".join(str(spec.Stop.__doc__).split())
    assert "(only in zorzi; None: 1000000)" in text
    assert "None: 100s in ns2, 100s in rfc, 3600s in bsd, 100s in linux)" in text
    required = {field.name for field in fields(spec.Scenario) if field.default is MISSING}
    assert required == {"profile"}  # in linux nothing of tcp must be given
    assert spec.PacketsOrSize == int | str


def test_the_tables_name_everything() -> None:
    keys = (ROOT / "docs/reference/scenario.md").read_text(encoding="utf-8")
    names = (ROOT / "docs/reference/registry.md").read_text(encoding="utf-8")
    for entries in _native.registry().values():
        for name, summary, _ in entries:
            assert f"| `{name}` | {summary.replace('|', chr(92) + '|')} |" in names
    assert len(classes()) > 20
    for section in classes():
        for key in (field.name for field in fields(section)):
            assert f"| `{key}` |" in keys


def test_the_stubs_name_what_is_there() -> None:
    stub = (ROOT / "python/airtcp/_native.pyi").read_text(encoding="utf-8")
    declared = set(re.findall(r"^(?:def |class )?(\w+)[:(]", stub, flags=re.MULTILINE))
    there = {name for name in dir(_native) if not name.startswith("__")} | {"__version__"}
    assert declared == there


def test_every_count_has_a_definition() -> None:
    """Metrics have theirs in tables that are made; counts in those that are written."""
    page = (ROOT / "docs/reference/metrics.md").read_text(encoding="utf-8")
    written = re.sub(r"<!-- metrics: .*?<!-- end -->", "", page, flags=re.DOTALL)
    example = (ROOT / "examples/cross_traffic.toml").read_text(encoding="utf-8")
    (path, *_) = Scenario.from_dict(tomllib.loads(example)).points()
    links, traffic = _native.link_names()
    counts = {
        "On a path": _native.count_names(path.compiled),
        "Links": links,
        "Cross-traffic": traffic,
    }
    for head, names in counts.items():
        section = written.split(f"\n## {head}\n")[1].split("\n## ")[0]
        first = " ".join(re.findall(r"^\|([^|]*)\|", section, re.M))
        assert set(re.findall(r"`(\w+)`", first)) == set(names), head


def test_every_metric_stands_in_one_table_and_can_be_listed() -> None:
    page = (ROOT / "docs/reference/metrics.md").read_text(encoding="utf-8")
    listed = CliRunner().invoke(main, ["list", "metrics", "--format", "json"])
    assert [row["name"] for row in json.loads(listed.stdout)] == [entry.name for entry in ENTRIES]
    assert len({entry.name for entry in ENTRIES}) == len(ENTRIES)
    for metric in ENTRIES:
        assert metric.better in ("high", "low")
        assert metric.of.keys() <= KIND_WORDS.keys()
        assert f"| `{metric.name}` | {metric.definition} |" in page


def test_the_guides_have_a_section_for_every_name() -> None:
    from airtcp.models import MODELS

    pages = {
        "channels": "channels",
        "modulations": "channels",
        "gates": "gates",
        "laws": "gates",
        "rates": "rates",
        "sizes": "sizes",
        "queues": "queues",
        "video": "video",
        "variants": "variants",
        "congestion": "variants",
        "detection": "variants",
        "reduction": "variants",
        "slow_start": "variants",
        "spurious": "variants",
        "profiles": "profiles",
    }
    for kind, entries in _native.registry().items():
        text = (ROOT / f"docs/reference/{pages[kind]}.md").read_text(encoding="utf-8")
        for name, _, _ in entries:
            kinds = "Loss detection: |Spurious timeouts: |Congestion control "
            kinds += "|Reduction of the window: |Slow start: "
            heading = rf"^###? (?:{kinds})?`{re.escape(name)}`(?: of Linux)?$"
            assert re.search(heading, text, re.M), (kind, name)
    models = (ROOT / "docs/reference/models.md").read_text(encoding="utf-8")
    assert all(f"## `{name}`" in models for name in MODELS)
