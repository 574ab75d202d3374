"""Play ns-2's validation suite, list what counts of it, and write the table of
docs/evidence/ns2_suite.md.

    python scripts/ns2_suite.py --list    # tests/ns2_suite/references.toml: what counts
    python scripts/ns2_suite.py           # docs/evidence/ns2_suite.md: what is equal of that
    python scripts/ns2_suite.py --show    # the tables printed, nothing written

The suite is that of Debian's package ns2-examples; AIRTCP_NS2_SUITE names another folder with its
scripts and references. A table stands between `<!-- NAME -->` and the next empty line.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from page_tables import with_tables  # noqa: E402

from ns2_suite import suite  # noqa: E402  (tests are no package)
from ns2_suite.suite import Verdict  # noqa: E402

PAGE = ROOT / "docs/evidence/ns2_suite.md"
#: Subjects of the families of ns-2's suite.
ABOUT = {
    "tcpVariants": "Tahoe, Reno, NewReno, SACK",
    "newreno": "NewReno's options",
    "sack": "SACK, limited transmit",
    "LimTransmit": "limited transmit",
    "rfc2581": "SSTHRESH, restart after idle times",
    "red": "RED",
    "ecn": "ECN over RED and marked packets",
}


def main() -> int:
    """List, write or show."""
    if "--list" in sys.argv[1:]:
        suite.REFERENCES.write_text(
            listed({family: suite.counted(family) for family in suite.FAMILIES}), encoding="utf-8"
        )
        return 0
    verdicts = {family: suite.play_family(family) for family in suite.FAMILIES}
    made = {"families": families(verdicts), "left out": left_out(verdicts)}
    made["differences"] = differences(verdicts)
    if "--show" in sys.argv[1:]:
        print("\n\n".join(made.values()))
    else:
        PAGE.write_text(with_tables(PAGE, PAGE.read_text(encoding="utf-8"), made), encoding="utf-8")
    return 0


def listed(reasons: dict[str, dict[str, str | None]]) -> str:
    """The list of references: of each family what counts, and why the rest does not."""
    lines = ["# Which references of ns-2's validation suite count, said before they are played."]
    for family, tests in reasons.items():
        counts = [test for test, why in tests.items() if why is None]
        lines += ["", f"[{family}]", "counts = ["]
        lines += [f'    "{test}",' for test in counts] + ["]", "", f"[{family}.left_out]"]
        lines += [f'{test} = "{why}"' for test, why in tests.items() if why]
    return "\n".join(lines) + "\n"


def families(verdicts: dict[str, list[Verdict]]) -> str:
    """A row for each family."""
    rows = ["| family | about | references | count | equal |", "|---|---|---|---|---|"]
    for family, found in verdicts.items():
        counts, equal = sum(v.counts for v in found), sum(v.equal for v in found)
        share = f"{equal} ({equal / counts:.0%})"
        rows.append(f"| {family} | {ABOUT[family]} | {len(found)} | {counts} | {share} |")
    every = [verdict for found in verdicts.values() for verdict in found]
    counts, equal = sum(v.counts for v in every), sum(v.equal for v in every)
    rows.append(f"| together | | {len(every)} | {counts} | {equal} ({equal / counts:.0%}) |")
    return "\n".join(rows)


def left_out(verdicts: dict[str, list[Verdict]]) -> str:
    """A table of references that do not count, by family and reason."""
    rows = ["| family | references | why they do not count |", "|---|---|---|"]
    for family, found in verdicts.items():
        for why, number in Counter(v.reason for v in found if v.reason).most_common():
            rows.append(f"| {family} | {number} | {why} |")
    return "\n".join(rows)


def differences(verdicts: dict[str, list[Verdict]]) -> str:
    """A table of the first difference in each reference that is not equal."""
    rows = ["| family | reference | first difference: airtcp, then ns |", "|---|---|---|"]
    for found in verdicts.values():
        rows += [f"| {v.family} | {v.test} | {v.difference} |" for v in found if v.difference]
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
