"""Names of engines are written out in the files of the engines alone.

Looked for are texts in code: keys, columns, paths and parts of f-strings that have such a name in
them, sentences that speak of runs, of values or of the option of one engine, and imports of its
file or of the constant that holds its name. Docstrings may say them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from airtcp.engines.choice import engine_sets
from airtcp.engines.registry import REGISTRY

PACKAGE = Path(__file__).parent.parent / "python/airtcp"
OPTION = "an option of airtcp.run"
DOCUMENT = "a table of a document"
CHOICE = "a choice of the command line"

# Where such words are names of something else, or names that users and files have.
ELSEWHERE: dict[str, dict[str, str]] = {
    "campaign/manifest.py": {
        "simulation": "manifest.json says whose runs a folder has",
        "live": "the engine that keys of older manifests are about",
        "live_runs": "a key of older manifests",
    },
    "cli/advise.py": {"live": CHOICE},
    "cli/known_words.py": {"live.congestion": DOCUMENT},
    "cli/live.py": {"live.": DOCUMENT, "live.congestion": DOCUMENT, "live.stack": DOCUMENT},
    "cli/main.py": {"Answer a scenario by analysis, simulation and live runs.": CHOICE},
    "cli/options.py": {"--live": CHOICE, "Short for --engine live.": CHOICE},
    "cli/results.py": {
        "--live": CHOICE,
        "Short for --engine simulation.": CHOICE,
        "live": CHOICE,
        "simulation": CHOICE,
    },
    "cli/run.py": {
        "--live-jobs": OPTION,
        "live_jobs": OPTION,
        "Number of concurrent live runs. Default: as many as the link rate allows.": OPTION,
    },
    "cli/run_text.py": {"intervals_containing_analysis": "a key that JSON has"},
    "engines/choice.py": {"live_jobs": OPTION},
    "engines/protocol.py": {"simulation_request": "a field whose earlier name is read"},
    "models/zorzi/points.py": {"analysis": DOCUMENT},
    "papers/zorzi/__init__.py": {"analysis-accurate": "a statement of a paper"},
    "plot/runs.py": {"live.congestion": DOCUMENT, "live.stack": DOCUMENT},
    "scenario/scenario.py": {"analysis": DOCUMENT, "live": DOCUMENT},
    "scenario/spec.py": {"analysis": DOCUMENT, "live": DOCUMENT},
    "simulation/results.py": {"live": "a property that stays for a release"},
}
OWN_WINGS = {"live": "live"}  # of an engine: real packets are also had without it
IMPORTED = {
    "advice/advise.py": "simulation decides, and real packets confirm it",
    "advice/screening.py": "models drop what is far behind",
    "cli/reproduction_text.py": "a column of papers",
    "comparison/validity.py": "a column of the maps of docs/explanation/formulas.md",
    "engines/registry.py": "the registry",
    "engines/results.py": "folders of older versions have simulated runs alone",
    "engines/run.py": "properties that stay for a release",
    "engines/sweeps.py": "a sweep simulates",
    "papers/columns.py": "a column of papers",
    "reading/finished_runs.py": "whether there are simulated runs",
    "simulation/results.py": "whether there are simulated runs",
}

FILES = sorted(PACKAGE.rglob("*.py"))
ONE = "|".join(REGISTRY)
ANY = "|".join((*REGISTRY, *engine_sets()))
_BETWEEN = r"(?<![A-Za-z0-9])(?:{})(?![A-Za-z0-9])"
IN_KEYS = re.compile(_BETWEEN.format(ONE))
IN_SENTENCES = re.compile(
    rf"--engine\s+(?:{ANY})|\bengine\s*=\s*['\"]?(?:{ANY})|['\"`](?:{ONE})['\"`]"
    rf"|\b(?:{ONE}) (?:runs?|values?|answers?|intervals?)\b"
    rf"|^\s*(?:{ANY})(?:\s*,\s*(?:{ANY}))+\s*$",
    re.IGNORECASE,
)
MODULE = re.compile(r"airtcp(?:\.\w+)+")  # where a public name is


def literals(text: str) -> Iterator[str]:
    """Texts in code, also parts of f-strings, without docstrings."""
    tree = ast.parse(text)
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


def names_in(text: str) -> set[str]:
    """Texts in code that name an engine, or something of one."""
    return {
        word
        for word in literals(text)
        if (IN_SENTENCES if re.search(r"\s", word.strip()) else IN_KEYS).search(word)
        and not MODULE.fullmatch(word)
    }


def imports_of_engines(text: str) -> set[str]:
    """Engines whose files, or names as constants, a file imports when it runs."""
    constants = {name.upper() for name in REGISTRY}
    found = set[str]()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            *_, last = str(node.module).split(".")
            names = {alias.name for alias in node.names}
            found |= names & constants
            found |= {last} & {*REGISTRY} if node.module == f"airtcp.engines.{last}" else set()
            found |= names & {*REGISTRY} if node.module == "airtcp.engines" else set()
        elif isinstance(node, ast.Import):
            found |= {
                alias.name
                for alias in node.names
                if re.fullmatch(rf"airtcp\.engines\.({ONE})", alias.name)
            }
    return found


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ('if engine == "live": pass', {"live"}),
        ('table["simulation_low"]', {"simulation_low"}),
        ('f"analysis_{metric}"', {"analysis_"}),
        ('f"{metric}_live"', {"_live"}),
        ('f"{point.hash}+live/{whose}"', {"+live/"}),
        ('{"mean_live_low": 1}', {"mean_live_low"}),
        ('path.startswith("live.")', {"live."}),
        ('open("data/live-00000.parquet")', {"data/live-00000.parquet"}),
        ('run(engine="simulation, live")', {"simulation, live"}),
        ('engine = "both,live"', {"both,live"}),
        ('say("airtcp run FILE --engine live")', {"airtcp run FILE --engine live"}),
        ("raise Refusal(\"engine = 'live': no\")", {"engine = 'live': no"}),
        ("say(\"must be 'live' here\")", {"must be 'live' here"}),
        ('say(f"{n} live runs")', {" live runs"}),
        ('say("half the simulation takes a live link"); mark("alive"); word("analyses")', set()),
        ('def f():\n    "live"\n', set()),
        ('async def f():\n    "live runs"\n', set()),
        ('_HOMES = {"plan": "airtcp.simulation.plans"}', set()),
    ],
)
def test_names_are_found(code: str, names: set[str]) -> None:
    assert names_in(code) == names


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("from airtcp.engines import analysis, live", {"analysis", "live"}),
        ("from airtcp.engines.live import ENGINE_NAME", {"live"}),
        ("def f():\n    import airtcp.engines.simulation", {"airtcp.engines.simulation"}),
        ("from airtcp.campaign.manifest import SIMULATION, MANIFEST_FILE", {"SIMULATION"}),
        ("from airtcp.engines.registry import REGISTRY", set()),
        ("from airtcp.models import analysis", set()),
    ],
)
def test_imports_of_engines_are_found(code: str, names: set[str]) -> None:
    assert imports_of_engines(code) == names


def test_no_file_but_an_engine_s_own_writes_its_name_out() -> None:
    found = {
        str(file.relative_to(PACKAGE)): names
        for file in FILES
        if (names := names_in(file.read_text(encoding="utf-8")))
    }
    own = {file: names for file, names in found.items() if _owner(file)}
    others = {file: names for file, names in found.items() if file not in own}
    new = {file: names - ELSEWHERE.get(file, {}).keys() for file, names in others.items()}
    assert {file: names for file, names in new.items() if names} == {}
    stale = {file: {*words} - others.get(file, set()) for file, words in ELSEWHERE.items()}
    assert {file: words for file, words in stale.items() if words} == {}, "exceptions without cause"
    of_another = {
        file: {name for name in names if {*re.findall(ONE, name)} - {_owner(file)}}
        for file, names in own.items()
    }
    assert {file: names for file, names in of_another.items() if names} == {}


def _owner(file: str) -> str:
    """The engine whose file this is; empty for none."""
    wing, _, rest = file.partition("/")
    if wing == "engines" and rest.removesuffix(".py") in REGISTRY:
        return rest.removesuffix(".py")
    return OWN_WINGS.get(wing, "")


def test_few_files_know_one_engine() -> None:
    """All others go through the registry."""
    knowing = {
        str(file.relative_to(PACKAGE))
        for file in FILES
        if imports_of_engines(file.read_text(encoding="utf-8"))
    }
    assert {file for file in knowing if not _owner(file)} == IMPORTED.keys()


def test_templates_know_no_engine() -> None:
    templates = [*PACKAGE.rglob("*.j2")]
    assert templates
    for file in templates:
        code = " ".join(re.findall(r"{[{%].*?[%}]}", file.read_text(encoding="utf-8"), re.DOTALL))
        assert not set(re.findall(r"\w+", code)) & set(REGISTRY), file
