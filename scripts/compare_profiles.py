"""Write the tables of docs/evidence/rfc_and_ns2.md: the recorded scenarios by ns and by the RFCs.

`python scripts/compare_profiles.py` writes them; with `--check` it plays everything again and exits
1 if the page is out of date. A table stands between `<!-- NAME -->` and the next empty line.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from page_tables import markdown, with_tables

import airtcp
from airtcp.golden import SCENARIOS, path_scenario

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/evidence/rfc_and_ns2.md"
VARIANTS = ("tahoe", "reno", "newreno", "sack")
COUNTED = ("in_order", "resent", "timeouts", "fast_retransmits")
COLUMNS: dict[str, dict[str, Any]] = {  # what is given beside the scenario; nothing: `ns2`
    "`ns2`": {},
    "`rfc`, from 1 packet": {"initial_window": 1, "delayed_ack": "0s"},
    "`rfc`, from 10": {"initial_window": 10, "delayed_ack": "0s"},
    "`rfc`, from 10, delayed ACKs": {"initial_window": 10, "delayed_ack": "100ms"},
}

Json = dict[str, Any]


def main() -> int:
    """Write or check the page."""
    text = PAGE.read_text(encoding="utf-8")
    made = with_tables(PAGE, text, tables())
    check = "--check" in sys.argv[1:]
    if made != text:
        what = "out of date: run make gen" if check else "written"
        print(f"{PAGE.relative_to(ROOT)}: {what}")
    if made != text and not check:
        PAGE.write_text(made, encoding="utf-8")
    return int(check and made != text)


def tables() -> dict[str, str]:
    """The table of each scenario, by name."""
    file = ROOT / "tests" / "golden" / SCENARIOS
    document = json.loads(file.read_text(encoding="utf-8"))
    return {scenario["name"]: table(document, scenario) for scenario in document["scenarios"]}


def table(document: Json, scenario: Json) -> str:
    """One row per variant."""
    rows = list[list[str]]()
    for variant in VARIANTS:
        ns2 = path_scenario(document, scenario, variant)
        rows.append([f"`{variant}`", *(played(ns2, given) for given in COLUMNS.values())])
    return markdown(["", *COLUMNS], rows)


def played(ns2: Json, given: Json) -> str:
    """Counts of a run: of a scenario of `ns2`, or of the same path under `rfc`."""
    shared = {key: ns2["tcp"][key] for key in ("variant", "window", "packet", "ack")}
    document = ns2 | {"profile": "rfc", "tcp": shared | given} if given else ns2
    (run,) = airtcp.simulate(airtcp.Scenario.from_dict(document)).to_pandas().to_dict("records")
    return " / ".join(str(run[name]) for name in COUNTED)


if __name__ == "__main__":
    sys.exit(main())
