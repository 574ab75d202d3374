"""Words for the link or source that a row belongs to: "server \N{RIGHTWARDS ARROW} home"."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas

OWNER_COLUMN = "owner"  # column: whose a row is
OWNER_FORMATS = {
    "forward": "{near} \N{RIGHTWARDS ARROW} {far}",
    "back": "{far} \N{RIGHTWARDS ARROW} {near}",
}


def with_owners(kind: str, table: pandas.DataFrame) -> pandas.DataFrame:
    """The table with the nodes between which the packets of each row go."""
    if kind != "links":
        pairs = zip(table["sender"], table["receiver"], strict=True)
        return table.assign(
            **{OWNER_COLUMN: [OWNER_FORMATS["forward"].format(near=a, far=b) for a, b in pairs]}
        )
    rows = table[["direction", "near", "far"]].to_dict("records")
    directions = [
        OWNER_FORMATS[row["direction"]].format(near=row["near"], far=row["far"]) for row in rows
    ]
    return table.assign(**{OWNER_COLUMN: directions})


def heads_of_owners(kind: str, table: pandas.DataFrame) -> dict[str, str]:
    """The columns that identify a row, with their heads; a lone hop or source has no number."""
    number, head = ("source", "between") if kind == "traffic" else ("hop", "link")
    several = table[number].nunique() > 1
    return {**({number: number} if several else {}), OWNER_COLUMN: head}
