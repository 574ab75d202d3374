"""The reference page of the rules of Linux's TCP: which pages there are, and what each is about.

The rules stand beside the code that follows them, in crates/linux/rules.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
RULES = "crates/linux/rules"
INTRODUCTION = f"""# Rules of Linux's TCP

<!-- Made by scripts/gen.py from {RULES}: change it there. -->

Profile `linux` follows numbered rules: what the TCP of Linux 6.18 shows in packets, with constants,
units and rounding, and the function of the kernel with which each rule agrees. They stand in the
repository beside the code that follows them, in `{RULES}`, and code, tests and scripts cite them as
`rules/recovery.md rule 7`. The file `{RULES}/README.md` says where the facts come from, and which
notation they use. How packets are compared with a kernel's: [the kernel as
referee](../evidence/referee.md).
"""


def page() -> str:
    """docs/reference/linux_rules.md."""
    files = sorted((ROOT / RULES).glob("*.md"))
    return "\n".join([INTRODUCTION, *(_entry(file) for file in files if file.stem != "README")])


def _entry(file: Path) -> str:
    """Title of a page, number of its rules and the headings of its sections."""
    text = file.read_text(encoding="utf-8")
    title = re.search(r"^# (.*)$", text, re.MULTILINE)
    assert title is not None, file
    rules = len(re.findall(r"^\d+\. ", text, re.MULTILINE))
    sections = [
        re.sub(r"^[A-Z]\. ", "", rule) for rule in re.findall(r"^## (.*)$", text, re.MULTILINE)
    ]
    about = f" Sections: {'; '.join(sections)}." if sections else ""
    return f"## {title[1]} {{ #{file.stem} }}\n\n{rules} rules in `{RULES}/{file.name}`.{about}\n"
