"""The page of pictures of `airtcp explore` shows each picture that is there, in every width."""

from __future__ import annotations

import re

from modules import module

pictures = module("explorer_pictures")
PAGE = pictures.ROOT / "docs" / "evidence" / "explorer.md"
AGAIN = "run `make web-pictures`"


def test_every_picture_is_shown_and_there() -> None:
    shown = re.findall(r"!\[[^]]+\]\(explorer/([\w-]+\.webp)\)", PAGE.read_text(encoding="utf-8"))
    assert sorted(shown) == sorted(picture.name for picture in pictures.OUT.iterdir()), AGAIN
    assert len(shown) == len(set(shown))


def test_every_state_is_shown_in_three_widths_light_and_dark() -> None:
    names = {picture.stem for picture in pictures.OUT.iterdir()}
    (listed,) = re.findall(r"WIDTHS = \[(.*)\]", pictures.VIEWS)
    widths = listed.split(", ")
    assert len(pictures.STATES) > 5
    assert len(widths) == 3
    for state in pictures.STATES:
        for width in widths:
            assert {f"{state}-{width}-light", f"{state}-{width}-dark"} <= names, AGAIN
    assert {"compare-print", "explore-print"} <= names, AGAIN


def test_pictures_are_small() -> None:
    assert pictures.size(list(pictures.OUT.iterdir())) < 2.5e6
