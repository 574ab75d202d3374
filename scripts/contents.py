"""Write what the compiled part contains of others: licences and a software bill of materials.

`python scripts/contents.py` writes LICENSES-THIRD-PARTY.txt and crates/py/airtcp.cyclonedx.json;
with `--check` it only says which is out of date, and exits with 1 then. Both name the crates that
are linked on a system for which there is a wheel (.github/wheels.json). What merely builds it
(macros, build scripts) is not in the wheel. The bill that maturin would write has them too, and the
folders of whoever built the wheel.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
WHEELS = ROOT / ".github" / "wheels.json"
LINKS = ROOT / "crates" / "scenario" / "links"
LINKED = "airtcp-py"
NAMES = ("LICENSE*", "LICENCE*", "COPYING*", "NOTICE*", "COPYRIGHT*", "license*")
HEAD = """\
The compiled part of airtcp contains these libraries, which others have written, and the standard
library of Rust (MIT OR Apache-2.0, The Rust Project Developers). Each stands here with the licence
that it states and the texts that come with it; a text that several have stands once. At the end
stand measured links, which others have published.

Generated from Cargo.lock and crates/scenario/links by scripts/contents.py.
"""
# Attribution by section 3(a) of CC BY 4.0.
FJORDLINK = """\
crates/scenario/links/starlink-2025.toml, from FjordLink
crates/scenario/links/starlink-fjord.toml, from FjordLink

Source: ds-kiel/FjordLink (https://github.com/ds-kiel/FjordLink), measurements of a Starlink
terminal on a ship in the Kiel fjord. Licence: Creative Commons Attribution 4.0 International,
CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/). It comes without warranty.
Changed: starlink-2025 has the parameters of a model fitted to delays and drop rates of 51 hours.
For starlink-fjord one hour of 2024-12-12 was selected. Its round trips of each second were
aggregated into a delay for every 15 s and a distribution of jitter; its drop rates became
parameters of a Markov chain.
"""
Crate = dict[str, Any]  # as `cargo metadata` describes it


def main() -> int:
    """Write or check the files."""
    check = "--check" in sys.argv[1:]
    found = stale()
    for path, text in found.items():
        if not check:
            path.write_text(text, encoding="utf-8", newline="\n")
        print(
            f"{path.name}: {'out of date: run python scripts/contents.py' if check else 'written'}"
        )
    return int(check and bool(found))


def stale() -> dict[Path, str]:
    """The files that are out of date, with what they should say."""
    crates = linked()
    texts = {path: text(crates) for path, text in FILES.items()}
    there = {path: path.read_text("utf-8") for path in texts if path.exists()}
    return {path: text for path, text in texts.items() if there.get(path) != text}


def licences(crates: list[Crate]) -> str:
    """LICENSES-THIRD-PARTY.txt."""
    holders: dict[str, list[str]] = {}
    for crate in crates:
        for text in texts(Path(crate["manifest_path"]).parent):
            holders.setdefault(text, []).append(title(crate))
    stated = [f"{title(crate)}: {crate['license']}" for crate in crates]
    bodies = [f"{'=' * 80}\n{', '.join(those)}\n\n{text}" for text, those in holders.items()]
    return "\n".join([HEAD, *stated, "", *bodies, *measured()])


def measured() -> Iterator[str]:
    """Notices on measured links of others, which are compiled in."""
    yield f"{'=' * 80}\n{FJORDLINK}"
    for file in sorted(LINKS.glob("*.LICENSE")):
        profile = tomllib.loads(file.with_suffix(".toml").read_text("utf-8"))
        source = profile["about"]["rate"]["source"].partition(":")[0]
        head = f"{file.with_suffix('.csv').relative_to(ROOT).as_posix()}, from {source}"
        yield f"{'=' * 80}\n{head}\n\n{plain(file.read_text('utf-8'))}"


def title(crate: Crate) -> str:
    """Name and version."""
    return f"{crate['name']} {crate['version']}"


def texts(folder: Path) -> list[str]:
    """The texts of licences in the folder of a crate; those that several crates have are equal."""
    files = sorted({file for name in NAMES for file in folder.glob(name) if file.is_file()})
    return [plain(file.read_text("utf-8")) for file in files]


def plain(text: str) -> str:
    """A text without blanks at the ends of its lines."""
    return "\n".join(line.rstrip() for line in text.strip("\r\n").splitlines()) + "\n"


def bill(crates: list[Crate]) -> str:
    """The bill of materials, in the form of CycloneDX 1.5."""
    version = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]
    itself = {"type": "library", "name": "airtcp", "version": version["version"]}
    digests = locked()
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": itself},
        "components": [component(crate, digests) for crate in crates],
    }
    return json.dumps(document, indent=2) + "\n"


def component(crate: Crate, digests: dict[tuple[str, str], str]) -> dict[str, Any]:
    """A crate in a bill of materials."""
    name, version = crate["name"], crate["version"]
    return {
        "type": "library",
        "bom-ref": f"{name}@{version}",
        "name": name,
        "version": version,
        "hashes": [{"alg": "SHA-256", "content": digests[name, version]}],
        "licenses": [{"expression": crate["license"].replace("/", " OR ")}],
        "purl": f"pkg:cargo/{name}@{version.replace('+', '%2B')}",
    }


def locked() -> dict[tuple[str, str], str]:
    """The digests in Cargo.lock, by name and version."""
    packages = tomllib.loads((ROOT / "Cargo.lock").read_text("utf-8"))["package"]
    return {
        (package["name"], package["version"]): package.get("checksum", "") for package in packages
    }


def released() -> list[str]:
    """The targets for which there is a wheel."""
    return [wheel["target"] for wheel in json.loads(WHEELS.read_text("utf-8"))]


def linked(name: str = LINKED, targets: Iterable[str] = ()) -> list[Crate]:
    """The crates of others that a crate links, on these targets or those of wheels, by name."""
    found: dict[str, Crate] = {}
    for target in targets or released():
        found |= {crate["id"]: crate for crate in linked_on(name, target)}
    return sorted(found.values(), key=lambda crate: (crate["name"], crate["version"]))


def linked_on(name: str, target: str) -> Iterator[Crate]:
    """The crates of others that a crate links on a target."""
    words = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
    asked = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if asked.returncode:
        sys.exit(asked.stderr.strip().splitlines()[0])
    graph = json.loads(asked.stdout)
    packages = {package["id"]: package for package in graph["packages"]}
    nodes = {node["id"]: node for node in graph["resolve"]["nodes"]}
    todo = [key for key, package in packages.items() if package["name"] == name]
    reached: set[str] = set()
    while todo:
        key = todo.pop()
        if key not in reached and not is_macro(packages[key]):
            reached.add(key)
            todo += needed(nodes[key])
    yield from (packages[key] for key in reached if packages[key]["source"])


def needed(node: dict[str, Any]) -> Iterator[str]:
    """The crates that a crate needs when it runs."""
    for dependency in node["deps"]:
        if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
            yield dependency["pkg"]


def is_macro(crate: Crate) -> bool:
    """True if only the compiler runs it."""
    return any("proc-macro" in target["kind"] for target in crate["targets"])


FILES: dict[Path, Callable[[list[Crate]], str]] = {
    ROOT / "LICENSES-THIRD-PARTY.txt": licences,
    ROOT / "crates" / "py" / "airtcp.cyclonedx.json": bill,
}

if __name__ == "__main__":
    sys.exit(main())
