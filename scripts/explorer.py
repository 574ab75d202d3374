"""Build the page that `airtcp explore` shows: `python scripts/explorer.py`; minutes.

It goes into python/airtcp/explorer. The core is compiled to WebAssembly, the page by Node from
web/, whose packages are locked in web/package-lock.json. A line says what the machine lacks; with
`--lacking` nothing is built, and the line, empty if all is there, counts the browser of tests too.
With `--site FOLDER` the page is also copied there. A machine that cannot build it leaves FOLDER as
it is, and the line is no error; a page that was built before is removed, since nothing tells that
it is of this source.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import contents
from environment import ROOT, end_with

WEB = ROOT / "web"
PAGE_FOLDER = ROOT / "python" / "airtcp" / "explorer"
BUILT = WEB / "node_modules" / ".page"  # outDir in web/vite.config.ts
OLD = WEB / "node_modules" / ".page-before"
TARGET = "wasm32-unknown-unknown"
DEBIAN = "rustc-web, cargo-web, rust-web-src and lld"
CARGO = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
FOLDERS = {CARGO / "registry" / "src": "crates", ROOT: "airtcp"}
NOTICES = "LICENSES-THIRD-PARTY.txt"
NODE = (20, 19)


def main() -> int:
    """Say what lacks, or build the page and copy it."""
    match sys.argv[1:]:
        case ["--lacking"]:
            chromium = "" if shutil.which("chromium") else "no chromium: install Debian's chromium"
            print(lacking() or chromium)
        case ["--site", folder]:
            if build_if_possible(folder):
                shutil.copytree(PAGE_FOLDER, folder, dirs_exist_ok=True)
        case _:
            if said := lacking():
                sys.exit(f"error: {said}")
            build()
    return 0


def build_if_possible(place: str) -> bool:
    """Build the page, or say why `place` is without it."""
    if said := lacking():
        shutil.rmtree(PAGE_FOLDER, ignore_errors=True)
        print(f"{place} is without the page of airtcp explore: {said}", file=sys.stderr)
        return False
    build()
    return True


def build() -> None:
    """Compile the core, build the page, collect the licences."""
    core = compiled()
    installed()
    node("npm", "run", "--silent", "build")
    shutil.copyfile(core, BUILT / "airtcp.wasm")
    (BUILT / NOTICES).write_text(notices(), encoding="utf-8", newline="\n")
    swap()
    size = sum(path.stat().st_size for path in PAGE_FOLDER.iterdir())
    print(f"{PAGE_FOLDER.relative_to(ROOT)}: {size / 1e6:.1f} MB")


def swap() -> None:
    """Put the new page in the place of an old one, which may be in use until then."""
    shutil.rmtree(OLD, ignore_errors=True)
    if PAGE_FOLDER.exists():
        PAGE_FOLDER.rename(OLD)
    BUILT.rename(PAGE_FOLDER)
    shutil.rmtree(OLD, ignore_errors=True)


def lacking() -> str:
    """Name the thing to install first; empty if all is there."""
    libraries = output_of("rustc", "--print", "target-libdir", "--target", TARGET)
    if libraries is None:
        return f"no rustc: install Rust (rustup.rs), or Debian's {DEBIAN}"
    if not Path(libraries).is_dir() and (source() is None or linker() is None):
        return (
            f"Rust cannot compile to {TARGET}: rustup target add {TARGET}, or where there is no"
            f" rustup install Debian's {DEBIAN}"
        )
    version = output_of("node", "--version")
    if version is None or output_of("npm", "--version") is None:
        return f"no node or no npm: install Node {NODE[0]}.{NODE[1]} or later with npm"
    numbers = tuple(map(int, re.findall(r"\d+", version)[:2]))
    return "" if numbers >= NODE else f"Node {version} is too old: {NODE[0]}.{NODE[1]} or later"


def output_of(*command: str) -> str | None:
    """Output of a program; None if it is not there or fails."""
    try:
        done = subprocess.run(command_of(*command), capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def command_of(program: str, *rest: str) -> list[str]:
    """A command with the path of its program: on Windows npm is a script, found by no other way."""
    return [shutil.which(program) or program, *rest]


def source() -> Path | None:
    """The source of Rust's library, from which it can be compiled for another target."""
    rust = Path(output_of("rustc", "--print", "sysroot") or "") / "lib" / "rustlib" / "src" / "rust"
    return rust if (rust / "library" / "std").is_dir() else None


def linker() -> str | None:
    """The linker of the target: Rust's, or that of Debian's lld where Rust has none of its own."""
    rust = Path(output_of("rustc", "--print", "sysroot") or "") / "lib" / "rustlib"
    own = next(rust.glob("*/bin/rust-lld"), None) or shutil.which("rust-lld")
    return str(own) if own else shutil.which("wasm-ld")


def compiled() -> Path:
    """The core as WebAssembly."""
    command = ["cargo", "build", "--locked", "--quiet", "--package", "airtcp-web", "--lib"]
    command += ["--profile", "web", "--target", TARGET]
    # A panic names the file in which it is, which is on the machine of whoever builds.
    folders = FOLDERS | ({there: "rust"} if (there := source()) else {})
    renamed = [f"--remap-path-prefix={folder}={name}" for folder, name in folders.items()]
    variables = {"CARGO_ENCODED_RUSTFLAGS": "\x1f".join(renamed)}
    libraries = output_of("rustc", "--print", "target-libdir", "--target", TARGET)
    if not Path(libraries or "").is_dir():
        command.append("-Zbuild-std=std,panic_abort")
        variables["RUSTC_BOOTSTRAP"] = "1"
        if there := linker():
            variables[f"CARGO_TARGET_{TARGET.upper().replace('-', '_')}_LINKER"] = there
    subprocess.run(command, cwd=ROOT, env=os.environ | variables, check=True)
    built = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return built / TARGET / "web" / "airtcp_web.wasm"


def installed() -> None:
    """Install the locked packages, unless they are there."""
    lock, there = WEB / "package-lock.json", WEB / "node_modules" / ".package-lock.json"
    if not there.exists() or there.stat().st_mtime < lock.stat().st_mtime:
        node("npm", "ci", "--silent", "--ignore-scripts")


def node(*command: str) -> None:
    """Run a program of Node in web/."""
    subprocess.run(command_of(*command), cwd=WEB, check=True)


def notices() -> str:
    """The licences of what the page contains: packages of Node, crates and measured links."""
    heads, bodies = [], []
    for folder in packages():
        about = json.loads((folder / "package.json").read_text("utf-8"))
        title = f"{about['name']} {about['version']}"
        heads.append(f"{title}: {about['license']}")
        bodies += [f"{'=' * 80}\n{title}\n\n{text}" for text in contents.texts(folder)]
    head = "The page of airtcp contains these packages, which others have written.\n"
    crates = contents.licences(contents.linked("airtcp-web", [TARGET]))
    return "\n".join([head, *heads, "", *bodies, "=" * 80, crates])


def packages() -> Iterator[Path]:
    """The folders of packages that are not of development alone."""
    lock = json.loads((WEB / "package-lock.json").read_text("utf-8"))
    for name, package in lock["packages"].items():
        if name and not package.get("dev") and not package.get("devOptional"):
            yield WEB / name


if __name__ == "__main__":
    end_with(main)
