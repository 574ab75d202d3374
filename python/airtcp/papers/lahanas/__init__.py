"""Reproduction of A. Lahanas and V. Tsaoussidis, "Improving TCP Performance over Networks with
Wireless Components using Probing Devices", 2002 [lahanas2002].

Tahoe and Reno, the two with probing, an adaptive protocol and one that skips probing, between two
hosts that lose the packets they send while On: Tables 1 to 4, the figures drawn from them, every
statement of the text, and a map of the best protocols. The printed numbers are means of 10 runs, so
they are judged by how means of 10 of ours scatter; protocols are compared on the same phases.
"""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from airtcp.papers.base import Paper, Reproduction
from airtcp.papers.lahanas import best
from airtcp.papers.lahanas.parts import FIGURES, TABLES
from airtcp.papers.lahanas.study import LahanasStudy


def _finish(reproduction: Reproduction) -> Reproduction:
    """All cells as one list."""
    parts = [part.tables["cells"] for part in reproduction.parts if "cells" in part.tables]
    return replace(reproduction, tables={"cells": pd.concat(parts, ignore_index=True)})


PAPER = Paper(
    title="Improving TCP Performance over Networks with Wireless Components using Probing Devices",
    summary="Tahoe and Reno with and without probing, adaptive and selective probing, in bursts.",
    references=("airtcp", "lahanas2002"),
    parts={**TABLES, **FIGURES, "best": best.PART},
    text="Simulated anew: BSD's timers of half a second, 5 MB over a link of 3.4 Mbit/s, two hosts"
    " that lose what they send with the error rate while On (1 to 4 s on average, Off 5 s). The"
    " paper prints means of 10 runs; here are many more on common random numbers, and how means of"
    " 10 of them scatter. Not judged: Figs. 1, 8 and 11, which are the state diagrams, and what is"
    " said of larger windows, for which the paper has no numbers.",
    cover="best",
    study=LahanasStudy,
    takes_runs=True,
    finish=_finish,
)
