"""Write docs/gallery: every reproduced figure, with the verdicts on the claims of its paper.

`python scripts/gallery.py DIR` takes what `airtcp reproduce --out DIR` has computed in full, and
computes what is not there. The gallery is kept in the repository, since a full reproduction takes
minutes; `make gallery` writes it anew.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from airtcp.papers import reproduce_all
from airtcp.papers.base import Claim, Reproduction

OUT = Path(__file__).parent.parent / "docs/gallery"
SIGNS = {"holds": "holds", "partly": "**partly**", "fails": "**fails**", "undecided": "*undecided*"}


def main() -> int:
    """Write the pages and copy the figures."""
    source = Path(sys.argv[1])
    found = reproduce_all(out=source, again=False, progress=sys.stderr.isatty())
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    for reproduction in found:
        (OUT / f"{reproduction.name}.md").write_text(
            page(reproduction, source / reproduction.name), encoding="utf-8"
        )
    (OUT / "index.md").write_text(index(found), encoding="utf-8")
    print(f"{OUT}: {len(list(OUT.glob('*.svg')))} figures of {len(found)} papers")
    return 0


def index(found: Iterable[Reproduction]) -> str:
    """All papers, with how their claims were judged, and small pictures."""
    lines = [
        "# Gallery",
        "",
        "Every figure and table of the papers, recomputed in full with seed 1 (`make gallery`). A"
        " verdict follows from the numbers of that run by the rule stated beside it in the report."
        " Where formulas hold is on [their own page](../explanation/formulas.md), with a map of"
        " each.",
        "",
        "| paper | claims that hold | partly | fail | undecided |",
        "|---|---|---|---|---|",
    ]
    for reproduction in found:
        counts = " | ".join(str(number) for number in reproduction.verdicts.values())
        lines.append(f"| [{reproduction.title}]({reproduction.name}.md) | {counts} |")
    for reproduction in found:
        lines += ["", f"## {reproduction.title}", "", '<div class="gallery" markdown>', ""]
        lines += [
            f"[![{part.title}]({file}){{ width=260 }}]({reproduction.name}.md#{part.slug})"
            for part, file in pictures(reproduction)
        ]
        lines += ["", "</div>"]
    return "\n".join(lines) + "\n"


def pictures(reproduction: Reproduction) -> Iterator[tuple[Reproduction, str]]:
    """The parts that have a figure, each figure once."""
    seen = set()
    for part in reproduction.parts:
        file = f"{reproduction.name}-{part.slug}.svg"
        if (OUT / file).exists() and file not in seen:
            seen.add(file)
            yield part, file


def page(reproduction: Reproduction, source: Path) -> str:
    """A paper: its parts with figures and claims."""
    left_out = ("seconds", "quick")
    facts = ", ".join(
        f"{name} {value}" for name, value in reproduction.facts.items() if name not in left_out
    )
    lines = [
        f"# {reproduction.title}",
        "",
        reproduction.text,
        "",
        f"`airtcp reproduce {reproduction.name}`: {facts}.",
        "",
    ]
    shown: dict[str, str] = {}
    for part in reproduction.parts:
        lines += [
            f"## {part.title} {{ #{part.slug} }}",
            "",
            *figure(reproduction, part, source, shown),
        ]
        lines += [part.text, "", f"`airtcp reproduce {part.name}`", "", *verdicts(part.claims)]
    own = [
        claim
        for claim in reproduction.claims
        if all(claim not in part.claims for part in reproduction.parts)
    ]
    if own:
        lines += ["## The paper as a whole { #whole }", "", *verdicts(own)]
    return "\n".join(lines).rstrip() + "\n"


def figure(
    reproduction: Reproduction, part: Reproduction, source: Path, shown: dict[str, str]
) -> list[str]:
    """The figure of a part, or where it was shown already."""
    file = source / f"{part.slug}.svg"
    if not file.exists():
        return []
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    if digest in shown:
        return [f"The same run as [above](#{shown[digest]}).", ""]
    shown[digest] = part.slug
    name = f"{reproduction.name}-{part.slug}.svg"
    shutil.copyfile(file, OUT / name)
    return [f"![{part.title}]({name}){{ width=640 }}", ""]


def verdicts(claims: Iterable[Claim]) -> list[str]:
    """The claims of a part as a table."""
    rows = [
        f"| {SIGNS[claim.verdict]} | {cell(claim.where)} | {cell(claim.text)} |"
        f" {cell(claim.finding)} |"
        for claim in claims
    ]
    head = ["| verdict | where | claim | finding |", "|---|---|---|---|"]
    return [*head, *rows, ""] if rows else []


def cell(text: str) -> str:
    """A text in a table of Markdown."""
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;").replace("\n", " ")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} DIR")
    sys.exit(main())
