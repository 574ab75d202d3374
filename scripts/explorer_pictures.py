"""Take the pictures of docs/evidence/explorer.md: `make web-pictures`; minutes.

Debian's chromium shows each state of the page (web/test/views.mjs) in three widths, in light and
dark and as it is printed. A picture has 48 colours, of the whole range that it shows.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from environment import ROOT, end_with

from explorer_page import address_of_page, node

OUT = ROOT / "docs" / "evidence" / "explorer"
VIEWS = (ROOT / "web" / "test" / "views.mjs").read_text(encoding="utf-8")
STATES = tuple(re.findall(r"^  (\w+): async \(page, address", VIEWS, re.MULTILINE))
COLOURS = 48


def main() -> int:
    """Write all pictures anew."""
    with tempfile.TemporaryDirectory() as folder, address_of_page() as address:
        for state in STATES:
            node("pictures.mjs", {"address": address, "state": state, "folder": folder})
        shutil.rmtree(OUT, ignore_errors=True)
        OUT.mkdir()
        for picture in sorted(Path(folder).glob("*.png")):
            write(picture, OUT / f"{picture.stem}.webp")
    files = list(OUT.iterdir())
    print(f"{OUT.relative_to(ROOT)}: {len(files)} pictures, {size(files) / 1e6:.1f} MB")
    return 0


def write(picture: Path, file: Path) -> None:
    """Compress a picture without loss, but for its colours."""
    with Image.open(picture) as taken:
        # A median cut would give up the colour of a thin curve for one more grey.
        few = taken.convert("RGB").quantize(
            COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE
        )
        few.convert("RGB").save(file, lossless=True, quality=50, method=3)


def size(files: list[Path]) -> int:
    """Bytes of files."""
    return sum(file.stat().st_size for file in files)


if __name__ == "__main__":
    end_with(main)
