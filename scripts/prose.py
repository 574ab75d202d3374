"""Check the prose of comments, docstrings and pages: `python scripts/prose.py`; two seconds.

Three rules, each against one way in which texts become hard to read:

- opening: a comment or docstring starts with a verb or a noun of the field, not with "What",
  "Whether", "Whose", "Which", "How", "That of", "Those of" or "The same";
- length: from one full stop, colon or semicolon to the next there are at most `MOST_WORDS` words;
- term: a word of the field is spelled in one way, `TERMS`.

Each finding is a line with file, line and rule, the last line counts what was read, and the exit
code is 1 if there are findings. Code, tables, headings and quoted outputs are left out.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = ("crates", "python", "scripts", "bench", "examples", "tests")
PAGES = "docs"
MOST_WORDS = 45
OPENING = re.compile(r"(What|Whether|Whose|Which|How(?!-)|(?:That|Those) of|The same)\b")
# A spelling and its variants, which are refused.
TERMS = {
    "cwnd": r"C[Ww]nd|CWND",
    "ssthresh": r"S[Ss]thresh|SSTHRESH|ss_thresh",
    "goodput": r"[Gg]ood[ -]put",
    "throughput": r"[Tt]hrough[ -]put|thruput",
    "Gilbert-Elliott": r"Gilbert[ –/]Elliot+|Gilbert-Elliot(?!t)|Elliott?-Gilbert",
    "round trip": r"[Rr]oundtrips?",
    "round-trip time": r"[Rr]ound trip times?",
    "NewReno": r"New[ -]?reno|New-Reno",
    "CoDel": r"Codel|Co-[Dd]el",
    "SACK": r"Sack",
    "D-SACK": r"DSACK",
    "timeout": r"[Tt]ime-outs?",
    "acknowledgement": r"acknowledgments?",  # with a capital in titles of RFCs
    "backoff": r"[Bb]ack-offs?",
    "retransmission": r"[Rr]e-transmi\w*",
    "bandwidth": r"[Bb]and[ -]width",
    "payload": r"[Pp]ay[ -]loads?",
    "handshake": r"[Hh]and[ -]shakes?",
    "bottleneck": r"[Bb]ottle[ -]necks?",
    "datagram": r"[Dd]ata-?[ -]grams?",
    "bufferbloat": r"[Bb]uffer[ -]bloat",
    "drop-tail": r"[Dd]rop[ ]?tail|[Tt]ail[ -]drop queue",
    "slow start": r"[Ss]lowstart",
    "Wi-Fi": r"(?<!-)WiFi|Wifi|wifi",
    "Mbit/s": r"(?<=\d )[mM]bps|[mM]bit/sec",
    "kbit/s": r"(?<=\d )[kK]bps|[kK]bit/sec|Kbit/s",
    "per cent": r"per-?cent",
}
_VARIANTS = re.compile("|".join(rf"\b({wrong})\b" for wrong in TERMS.values()))
_BREAK = re.compile(r"[.!?][\"')\]*]*\s+(?=[\"'(\[*`]*[A-Z])|[;:]\s+")
_CODE = re.compile(r"(`+).+?\1")
_LINK = re.compile(r"!?\[([^\]\[]*)\]\([^)\s]*\)(\{[^}]*\})?")
_ITEM = re.compile(r"\s*(?:[-*+] |\d+\. |\S+ {2,}(?=\S))")
_APART = re.compile(r"\s*(?:[|<>!]|#|-{3,}|={3,}|:::|\[\^?\w+\]:|noqa|type: |(?:>>>|\.\.\.) )")
# The strings of Python and its comments, so that neither is taken for the other.
_PYTHON = re.compile(
    r"""[rbfu]{0,2}(?P<text>"{3}(?:\\.|.)*?"{3}|'{3}(?:\\.|.)*?'{3})"""
    r"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\#(?P<comment>[^\n]*)""",
    re.DOTALL | re.IGNORECASE,
)
_HEAD = re.compile(r"\A\Z|(?:^\s*|:\s*)#[^\n]*\Z|:\Z", re.MULTILINE)
_RUST = re.compile(r"\s*(?P<mark>//[/!]?) ?(?P<text>.*)")
Lines = list[tuple[int, str]]


@dataclass(frozen=True)
class Finding:
    """A break of a rule, at a line of a file."""

    path: Path
    line: int
    rule: str
    text: str

    def __str__(self) -> str:
        """One line, as compilers print theirs."""
        return f"{self.path}:{self.line}: {self.rule}: {self.text}"


@dataclass
class Counts:
    """Texts that were read, and sentences in them."""

    comments: int = 0
    sentences: int = 0


def rust(source: str) -> Iterator[Lines]:
    """Comments of Rust, each with all its lines."""
    block: Lines = []
    mark = None
    for number, line in enumerate(source.splitlines(), 1):
        found = _RUST.match(line)
        if block and (not found or found["mark"] != mark):
            yield block
            block = []
        if found:
            mark = found["mark"]
            block.append((number, found["text"]))
    if block:
        yield block


def python(source: str) -> Iterator[Lines]:
    """Docstrings and comments of Python; lines of comments in a row are one."""
    block: Lines = []
    for found in _PYTHON.finditer(source):
        start = source.rfind("\n", 0, found.start()) + 1
        before = source[start : found.start()]
        number = source.count("\n", 0, found.start()) + 1
        comment = found["comment"]
        if block and (comment is None or before.strip() or block[-1][0] != number - 1):
            yield block
            block = []
        if comment is not None and before.strip():
            yield [(number, comment.strip())]
        elif comment is not None:
            block.append((number, comment.removeprefix(" ")))
        elif found["text"] and _begins_body(source[:start], before):
            lines = (before + found["text"][3:-3]).splitlines()
            yield list(enumerate(lines, number))
    if block:
        yield block


def _begins_body(above: str, before: str) -> bool:
    """Tell a docstring from another string: nothing but a head stands before it."""
    return not before.strip() and bool(_HEAD.search(above.rstrip()))


def markdown(source: str) -> Iterator[Lines]:
    """The page as one text."""
    yield list(enumerate(source.splitlines(), 1))


READERS: dict[str, Callable[[str], Iterator[Lines]]] = {
    ".rs": rust,
    ".py": python,
    ".md": markdown,
}


def paragraphs(lines: Lines) -> Iterator[Lines]:
    """Paragraphs and items of lists, without code and what else is no prose."""
    paragraph: Lines = []
    column, fence, skipped = 0, False, False
    for number, line in lines:
        text = line.strip()
        fenced = text.startswith(("```", "~~~"))
        fence ^= fenced
        item = _ITEM.match(line)
        indent = item.end() if item else len(line) - len(line.lstrip())
        if paragraph and (not text or item or fenced or indent != column):
            yield paragraph
            paragraph = []
        # Click and Markdown keep the lines of such a paragraph as they are.
        skipped = bool(text) and (skipped or text == "\\b" or text.startswith((">>>", "<!--")))
        if text and not (fence or fenced or skipped or _APART.match(line)):
            paragraph.append((number, line[item.end() :] if item else text))
        elif paragraph:
            yield paragraph
            paragraph = []
        column = indent
    if paragraph:
        yield paragraph


def checked(path: Path, source: str, counts: Counts) -> Iterator[Finding]:
    """The findings in a file; `counts` grow by what it has."""
    page = path.suffix == ".md"
    for lines in READERS[path.suffix](source):
        counts.comments += not page
        for index, paragraph in enumerate(paragraphs(lines)):
            first, text = paragraph[0]
            if not page and index == 0 and (opening := OPENING.match(text)):
                yield Finding(path, first, "opening", f'a comment starts with "{opening[0]}"')
            yield from _sentences(path, paragraph, counts)


def _sentences(path: Path, paragraph: Lines, counts: Counts) -> Iterator[Finding]:
    starts, text = [], ""
    for _, line in paragraph:
        starts.append(len(text))
        text += line + " "
    # Of the same length, so that places stay; a name in code counts as a word.
    text = _CODE.sub(lambda code: "X" + "x" * (len(code[0]) - 1), text)
    text = _LINK.sub(lambda link: link[1].ljust(len(link[0])), text)

    def line_at(place: int) -> int:
        return paragraph[bisect_right(starts, place) - 1][0]

    begin = 0
    for end in (*(found.end() for found in _BREAK.finditer(text)), len(text)):
        words = sum(any(map(str.isalnum, word)) for word in text[begin:end].split())
        counts.sentences += 1
        if words > MOST_WORDS:
            told = f"{words} words without a full stop, the most is {MOST_WORDS}"
            yield Finding(path, line_at(begin), "length", told)
        begin = end
    for found in _VARIANTS.finditer(text):
        right = list(TERMS)[(found.lastindex or 1) - 1]
        yield Finding(path, line_at(found.start()), "term", f'"{found[0]}" is spelled "{right}"')


def files(root: Path) -> Iterator[Path]:
    """The files whose prose is checked."""
    for place in SOURCES:
        yield from (path for path in (root / place).rglob("*") if path.suffix in (".py", ".rs"))
    yield from (root / PAGES).rglob("*.md")


def report(paths: Iterable[Path], root: Path = ROOT) -> list[str]:
    """Lines to print: findings in the order of files, and the counts."""
    counts, found = Counts(), []
    for path in sorted(paths):
        source = path.read_text(encoding="utf-8")
        found += checked(path.relative_to(root), source, counts)
    openings = sum(finding.rule == "opening" for finding in found)
    share = openings / max(counts.comments, 1)
    summary = (
        f"{counts.comments} comments, of which {openings} ({share:.1%}) have an opening that says "
        f"nothing, and {counts.sentences} sentences: {len(found)} findings"
    )
    return [*map(str, found), summary]


def main() -> int:
    """Print the findings in the repository."""
    *found, summary = report(files(ROOT))
    print(*found, summary, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
