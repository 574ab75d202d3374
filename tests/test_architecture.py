"""The arrows between the crates, from `cargo metadata`; and what the project must not contain."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from modules import module as script

ROOT = Path(__file__).parent.parent

ARROWS = script("arrows")


def metadata() -> list[dict]:
    command = ["cargo", "metadata", "--no-deps", "--format-version", "1", "--locked"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["packages"]


def tracked() -> list[Path]:
    command = ["git", "ls-files"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return []
    return [ROOT / line for line in done.stdout.splitlines()]


def test_crates_depend_along_the_arrows_and_every_arrow_is_used() -> None:
    packages = metadata()
    assert {short(p["name"]) for p in packages} == set(ARROWS.CRATES)
    for package in packages:
        name = short(package["name"])
        uses: dict[str, set[str]] = {"normal": set(), "tests": set()}
        for entry in package["dependencies"]:
            if entry["name"].startswith("airtcp-"):
                uses["tests" if entry["kind"] == "dev" else "normal"].add(short(entry["name"]))
        assert uses["normal"] == ARROWS.CRATES[name], name
        further = uses["tests"] - ARROWS.CRATES[name]
        assert further == ARROWS.CRATES_IN_TESTS.get(name, set()), name


def short(name: str) -> str:
    """The name of a crate without that of the project."""
    return name.removeprefix("airtcp-")


def places() -> list[str]:
    """Names in the tree of ARCHITECTURE.md, in its order."""
    tree = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").split("\n## ")[1]
    cells = re.findall(r"^\| (`.*?) \|", tree, re.MULTILINE)
    return [re.sub(r"\.py$", "", name) for cell in cells for name in re.findall(r"`(.*?)`", cell)]


def test_the_tree_names_every_crate_and_every_wing_in_its_order() -> None:
    crates = {name.removeprefix("crates/") for name in places() if name.startswith("crates/")}
    assert crates == set(ARROWS.CRATES)
    wings = [name.removeprefix("python/airtcp/") for name in places() if "crates/" not in name]
    assert wings == [name for name in ARROWS.WINGS if not name.startswith("_")]


def test_the_page_is_short_and_has_its_figure() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert len(page.split()) <= 1800
    assert f"({ARROWS.FILE})" in page
    assert len(re.findall(r"^### \d\. ", page, re.MULTILINE)) == 7


def test_the_figure_shows_all_arrows_but_those_that_follow_from_others() -> None:
    arrows = {"a": {"b", "c"}, "b": {"c"}, "c": set()}
    assert ARROWS.shortest(arrows) == {"a": {"b"}, "b": {"c"}, "c": set()}
    assert ARROWS.depths(arrows) == {"a": 0, "b": 1, "c": 2}
    drawn = ARROWS.svg()
    lines = sum(len(to) for to in ARROWS.shortest(ARROWS.CRATES).values())
    assert drawn.count("<line ") == lines + 1  # and one from the wings to the binding
    for name in (*ARROWS.CRATES, *ARROWS.WINGS):
        assert (f">{name}</text>" in drawn) == (name not in ("bench", "__main__")), name


def declares(file: Path) -> bool:
    """True if the module above a file declares it by `mod`."""
    folder, name = (
        (file.parent.parent, file.parent.name) if file.stem == "mod" else (file.parent, file.stem)
    )
    above = [folder / "lib.rs", folder / "main.rs", folder / "mod.rs", folder.with_suffix(".rs")]
    return any(is_declared(name, path.read_text()) for path in above if path.is_file())


def is_declared(name: str, source: str) -> bool:
    """True if a source declares a module by a line that is no comment."""
    line = re.compile(rf"^\s*(pub(\([^)]*\))? )?mod {name};", re.MULTILINE)
    return line.search(source) is not None


def test_a_module_in_a_comment_is_not_declared() -> None:
    for line in ("mod it;", "pub mod it;", "    pub(crate) mod it;", "use a::b;\nmod it;\n"):
        assert is_declared("it", line), line
    for line in ("// mod it;", "/// As mod it;", "mod item;", "mod it {"):
        assert not is_declared("it", line), line


def test_every_rust_file_is_compiled() -> None:
    """A file of tests that nobody declares would never fail."""
    files = [file for part in ("src", "tests") for file in ROOT.glob(f"crates/*/{part}/**/*.rs")]
    assert len(files) > 400
    orphans = [file for file in files if file.stem not in ("lib", "main") and not declares(file)]
    assert not orphans


# Files of a crate that need each other.

TESTS = re.compile(r"#\[cfg\(test\)\]\nmod \w+ \{")
NAMES = r"(\w+|\*|\{(?:[^{}]|\{[^{}]*\})*\})"
USE = re.compile(r"\b(crate|self|super)((?:::super)*)::((?:\w+::)*)" + NAMES)
CHILD = re.compile(r"(?<![:\w])(\w+)::((?:\w+::)*)" + NAMES)
AGAIN = re.compile(r"\bpub use ((?:\w+::)+)" + NAMES + ";")

Module = tuple[str, ...]


def modules(source: Path) -> dict[Module, str]:
    """The text of each module, without comments, tests and reach of what is public."""
    found = {}
    for file in source.rglob("*.rs"):
        parts = file.relative_to(source).with_suffix("").parts
        text = re.sub(r"//.*", "", TESTS.split(file.read_text())[0])
        name = parts[:-1] if parts[-1] in ("lib", "mod") else parts
        found[name] = re.sub(r"pub\(.*?\)", "pub", text)
    return found


def below(module: Module, root: str, more: str = "") -> Module:
    """The module that a path begins at."""
    up = 1 + more.count("super")
    starts = {"crate": (), "self": module, "super": module[: len(module) - up]}
    return starts.get(root, (*module, root))


def passed_on(texts: dict[Module, str]) -> dict[Module, Module]:
    """Where names come from that a module has from another one, by `pub use`."""
    found = {}
    for module, text in texts.items():
        for middle, end in AGAIN.findall(text):
            root, *rest = middle.removesuffix("::").split("::")
            base = (*below(module, root), *rest)
            for name, other in re.findall(r"(\w+)(?:\s+as\s+(\w+))?", end):
                found[(*module, other or name)] = (*base, name)
    return found


def needs(source: Path) -> dict[Module, set[Module]]:
    """The modules that each module needs, by paths; a name passed on is where it is defined.

    Neither `mod` lines nor names that a module only passes on count, nor tests.
    """
    texts = modules(source)
    again, found = passed_on(texts), {}
    for module, text in texts.items():
        body = AGAIN.sub("", text)
        paths = [name for name in again if name[:-1] == module and uses(body, name[-1])]
        for root, more, middle, end in USE.findall(body):
            base = (*below(module, root, more), *filter(None, middle.split("::")))
            paths += [(*base, *path.split("::")) for path in re.findall(r"[\w:]+", end)]
        for child, middle, end in CHILD.findall(body):
            if (*module, child) in texts:
                base = (*module, child, *filter(None, middle.split("::")))
                paths += [(*base, *path.split("::")) for path in re.findall(r"[\w:]+", end)]
        defined = [origin(path, again, texts) for path in paths]
        nearest = {next(p[:n] for n in range(len(p), -1, -1) if p[:n] in texts) for p in defined}
        found[module] = nearest - {module}
    return found


def uses(body: str, name: str) -> bool:
    """True if a module that passes a name on uses it itself."""
    return re.search(rf"(?<!::)\b{name}\b", body) is not None


def origin(path: Module, again: dict[Module, Module], texts: dict[Module, str]) -> Module:
    """A path without the modules that only pass its name on."""
    parts = (path[:n] for n in range(1, len(path) + 1))
    first = next((part for part in parts if part in again and part not in texts), None)
    return path if first is None else origin((*again[first], *path[len(first) :]), again, texts)


def circles(graph: dict[Module, set[Module]]) -> list[set[Module]]:
    """Sets of modules each of which needs all the others, directly or not."""
    reached = {}
    for start in graph:
        reached[start], waiting = set(), [start]
        while waiting:
            new = graph[waiting.pop()] - reached[start]
            reached[start] |= new
            waiting += new
    every = {frozenset(b for b in reached[a] if a in reached[b]) for a in graph}
    return [set(circle) for circle in every if circle]


def test_the_circles_are_found(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "lib.rs").write_text("mod a;\nmod b;\nmod d;\npub use b::C;\n")
    (tmp_path / "a.rs").write_text("use crate::b::c::C;\n")
    (tmp_path / "b/mod.rs").write_text(
        "mod c;\npub use c::C;\n// use crate::d;\n#[cfg(test)]\nmod t {use super::d;}"
    )
    (tmp_path / "b/c.rs").write_text("use crate::{d::D, a::A};\n")
    (tmp_path / "d.rs").write_text("fn f() -> super::C {}\n")
    assert circles(needs(tmp_path)) == [{("a",), ("b", "c"), ("d",)}]
    (tmp_path / "b/mod.rs").write_text("mod c;\nfn g() -> c::C {}\n")
    (tmp_path / "a.rs").write_text("use crate::b::g;\n")
    (tmp_path / "d.rs").write_text("")
    assert circles(needs(tmp_path)) == [{("a",), ("b",), ("b", "c")}]


def test_a_module_needs_what_it_passes_on_and_uses(tmp_path: Path) -> None:
    (tmp_path / "lib.rs").write_text("mod a;\npub use a::B;\n")
    (tmp_path / "a.rs").write_text("impl crate::C {}\n")
    assert needs(tmp_path)[()] == set()
    (tmp_path / "lib.rs").write_text("mod a;\npub use a::B;\npub struct C(B);\n")
    assert circles(needs(tmp_path)) == [{(), ("a",)}]


def is_registry(circle, graph) -> bool:
    """True if a circle is a registry and members that hold other members, as mixtures of laws do.

    Each of these needs the registry alone.
    """
    return any(
        all(set(graph[member]) & set(circle) <= {hub, member} for member in circle if member != hub)
        for hub in circle
    )


@pytest.mark.parametrize("crate", sorted(path.name for path in (ROOT / "crates").iterdir()))
def test_no_more_than_two_files_need_each_other(crate: str) -> None:
    graph = needs(ROOT / "crates" / crate / "src")
    assert [
        circle for circle in circles(graph) if len(circle) > 2 and not is_registry(circle, graph)
    ] == []


def test_needs_are_seen_in_the_crates() -> None:
    assert ("view",) in needs(ROOT / "crates/tcp/src")[("sender",)]
    assert ("link", "hop") in needs(ROOT / "crates/radio/src")[("link", "line")]
    assert ("network", "links") in needs(ROOT / "crates/sim/src")[("network",)]


def test_nobody_asks_a_variant_for_its_name() -> None:
    asks = re.compile(r"[!=]= Variant::\w|\bVariant::[A-Z]\w+\b[^;]*=>|matches!\([^)]*Variant::")
    for crate in ("tcp", "sim", "live", "scenario"):
        for file in (ROOT / "crates" / crate / "src").rglob("*.rs"):
            text = TESTS.split(file.read_text())[0]
            assert not asks.search(text), f"{file}: ask for its capabilities"


def test_papers_use_the_public_python_api_only() -> None:
    for file in (ROOT / "python/airtcp/papers").rglob("*.py"):
        assert "_native" not in file.read_text(), f"{file} reaches below the public API"


def test_every_citation_is_in_the_bibliography() -> None:
    from airtcp import _native

    known = set(re.findall(r"@\w+\{([^,]+),", _native.references()))
    for entries in _native.registry().values():
        for name, _summary, sources in entries:
            assert set(sources.split(", ")) <= known, name


def test_nothing_names_a_path_of_one_machine() -> None:
    if not tracked():
        pytest.skip("not a git checkout: nothing says which files belong to the project")
    pattern = re.compile(r"/(work|root|home|tmp/spec)/|\.\./shared")
    texts = {".py", ".rs", ".md", ".toml", ".yml", ".txt", ".csv", ".j2", ".bib", ".html"}
    for file in tracked():
        if file.suffix in texts and file.exists() and file != Path(__file__):
            found = pattern.search(file.read_text(encoding="utf-8"))
            assert not found, f"{file}: {found.group(0)}"
