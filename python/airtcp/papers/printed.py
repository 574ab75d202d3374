"""Printed values of a paper and values of second computations, from `airtcp/data`."""

from __future__ import annotations

from importlib.resources import files

import pandas as pd


def printed_table(name: str, *, numbers: bool = False) -> pd.DataFrame:
    """The table `data/NAME.csv`, as texts so that printed digits are kept, or with `numbers`."""
    path = files("airtcp") / "data" / f"{name}.csv"
    with path.open(encoding="utf-8") as text:
        return pd.read_csv(text, comment="#", dtype=None if numbers else str)


def half_unit(values: pd.Series) -> pd.Series:
    """Half a unit of the last printed digit of each value that is rounded to it."""
    half: pd.Series = 0.5 * 10.0 ** -values.str.partition(".")[2].str.len()
    return half
