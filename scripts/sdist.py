"""Make the source distribution, into dist/, resolve what it needs and build a wheel from it.

`python scripts/sdist.py [--try PYTHON]...`. That wheel is not released, it is what a user gets for
whose system there is none: each PYTHON tries it as scripts/wheel.py does.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import toolbox
import wheel
import wheel_audit
from environment import ROOT, end_with


def main() -> int:
    """Make, resolve, build, try; the name of the file on stdout."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    wheel.add_pythons(parser)
    given = parser.parse_args()
    toolbox.install(toolbox.RELEASE)
    source = built_source()
    wheel_audit.source(source)
    toolbox.run(
        "python", "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", source
    )
    with tempfile.TemporaryDirectory() as folder:
        built = from_source(source, Path(folder))
        if given.pythons:
            wheel.in_empty_environments(built, given.pythons)
    print(source.relative_to(ROOT))
    return 0


def built_source() -> Path:
    """The source distribution."""
    source = wheel.DIST / f"airtcp-{wheel.version()}.tar.gz"
    source.unlink(missing_ok=True)
    toolbox.run("maturin", "sdist", "--out", wheel.DIST)
    if not source.exists():
        sys.exit(f"error: {source.name} was to come out")
    return source


def from_source(source: Path, folder: Path) -> Path:
    """The wheel that pip builds from it, with the build system that pyproject.toml names."""
    words = ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, source]
    toolbox.run("python", *words)
    (found,) = folder.glob("*.whl")
    return found


if __name__ == "__main__":
    end_with(main)
