"""What `airtcp explain` prints."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from airtcp.errors import count
from airtcp.live.captures import Explained
from airtcp.terminal import Printable, lines, quoted

SHOWN = 10  # differences of a capture


def as_json(found: Sequence[Explained]) -> Printable:
    """All that was found, a list with an entry per capture."""
    told = [{"capture": one.capture} | dict(one.facts) for one in found]
    return quoted(json.dumps(told, indent=1))


def as_text(found: Sequence[Explained]) -> Printable:
    """A line per capture, what differs below it, and the sum of several."""
    told = [line for one in found for line in _lines(one)]
    if len(found) > 1:
        whole = sum(one.agrees for one in found)
        segments = sum(one.segments for one in found)
        kinds = Counter(each["kind"] for one in found for each in one.facts["differences"])
        said = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common())
        told.append(
            f"{whole} of {count(len(found), 'capture')} explained to the last of"
            f" {count(segments, 'segment')}{f'; differences: {said}' if said else ''}"
        )
    return lines(told)


def _lines(one: Explained) -> list[str]:
    facts = one.facts
    tried = ", ticks by trial" if facts["phase_inferred"] else ""
    aligned = f", {count(facts['aligned'], 'alignment')}" if facts["aligned"] else ""
    ends = f"{facts['sender']} to {facts['receiver']}"
    head = f"{one.capture}: {facts['control']}, {ends}{tried}{aligned}: "
    if one.agrees:
        earliest, latest = (f"{1e3 * facts[name]:.3f} ms" for name in ("earliest", "latest"))
        times = f"{earliest} earlier to {latest} later than ours"
        return [
            f"{head}all of {count(one.segments, 'segment')} explained ({times})",
            *_assumed(one),
        ]
    differing = count(len(facts["differences"]), "difference")
    lines = [f"{head}{one.explained} of {count(one.segments, 'segment')} explained, {differing}"]
    lines += [f"  {text}" for text in facts["text"][:SHOWN]]
    if len(facts["text"]) > SHOWN:
        lines.append(f"  and {len(facts['text']) - SHOWN} more (--format json)")
    return lines + _assumed(one)


def _assumed(one: Explained) -> list[str]:
    return [f"  assumed: {what}" for what in one.facts["assumed"]]
