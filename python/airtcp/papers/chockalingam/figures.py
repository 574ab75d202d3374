"""Figs. 2 and 5 to 8: throughput over the SNR, on the fit and on the fading."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from airtcp.papers.base import Part, Reproduction, Statement
from airtcp.papers.chockalingam import claims_arq, claims_fec
from airtcp.papers.chockalingam.curves import Curve, chain_agreement, needs_over_snr, table_over_snr
from airtcp.papers.chockalingam.drawing import Panels, Words, empty_word
from airtcp.papers.chockalingam.study import (
    CODE_WORDS,
    DOPPLERS,
    HALF_RATE_CODE,
    THIRD_RATE_CODE,
    VARIANT_WORDS,
    ChockalingamStudy,
    SystemDesign,
)


@dataclass(frozen=True)
class SnrFigure:
    """One figure: its cases, the words that distinguish them, and the paper's statements."""

    number: int
    title: str
    text: str
    curves: tuple[Curve, ...]
    colour: Words
    line: Words
    statements: tuple[Statement, ...]

    @property
    def name(self) -> str:
        """The name in `reproduce("chockalingam/...")`."""
        return f"fig{self.number}"

    @property
    def part(self) -> Part:
        """The part of the paper, with the statements about it."""
        return Part(self._make, self.statements, needs_over_snr(self.curves))

    def _make(self, study: ChockalingamStudy) -> Reproduction:
        """Compute and draw."""
        table = table_over_snr(study, self.curves)
        return Reproduction(
            title=f"Fig. {self.number}: {self.title}",
            text=f"{self.text} Throughput is the share of link-layer packet times that carry"
            " packets which are delivered; parity is not charged (`net_throughput` in the table"
            " charges it).",
            table=table,
            figure=study.draw_figure(lambda: Panels(table, self.colour, self.line).figure()),
            agreement=chain_agreement(table),
        )


def _doppler(row: pd.Series) -> str:
    return f"$f_d$ = {row['doppler']:g} Hz"


def _attempts(row: pd.Series) -> str:
    return f"$n_l$ = {row['attempts']}" if row["attempts"] else "no ARQ"


def _size(row: pd.Series) -> str:
    return f"$N_T$ = {row['packet_bytes']} bytes"


def _ll_size(row: pd.Series) -> str:
    return f"$N_L$ = {row['ll_bytes']} bytes"


def _code(row: pd.Series) -> str:
    return f"{CODE_WORDS[None if row['code'] == 'none' else row['code']]}, $n_l$ = 16"


def _variant(row: pd.Series) -> str:
    return VARIANT_WORDS[row["variant"]]


FIGURES = (
    SnrFigure(
        number=2,
        title="Tahoe without link-layer FEC or ARQ",
        text="TCP packets of 1024 and 512 bytes, each a packet on the air, lost with its first bit"
        " error.",
        curves=tuple(
            Curve(SystemDesign(attempts=None, packet_bytes=size), doppler)
            for doppler in DOPPLERS
            for size in (1024, 512)
        ),
        colour=_doppler,
        line=_size,
        statements=claims_arq.FIG2,
    ),
    SnrFigure(
        number=5,
        title="Tahoe with and without ARQ, 10 Hz",
        text="TCP packets of 1024 bytes in fragments of 32, each sent n_l times at most.",
        curves=tuple(Curve(SystemDesign(attempts=n), 10.0) for n in (None, 1, 8, 16, 128)),
        colour=_attempts,
        line=empty_word,
        statements=claims_arq.FIG5,
    ),
    SnrFigure(
        number=6,
        title="Tahoe by size of link-layer packets, 10 Hz",
        text="Fragments of 32, 64 and 128 bytes, uncoded.",
        curves=tuple(
            Curve(SystemDesign(attempts=n, ll_bytes=size), 10.0)
            for size in (32, 64, 128)
            for n in (16, 128)
        ),
        colour=_ll_size,
        line=_attempts,
        statements=claims_arq.FIG6,
    ),
    SnrFigure(
        number=7,
        title="Tahoe with FEC and ARQ",
        text="Fragments of 32 bytes, uncoded or as full codewords of (255,131) and (255,87) BCH"
        " codes, which last twice or three times as long.",
        curves=tuple(
            Curve(SystemDesign(code=code), doppler)
            for code in (None, HALF_RATE_CODE, THIRD_RATE_CODE)
            for doppler in (1.0, 100.0)
        ),
        colour=_code,
        line=_doppler,
        statements=claims_fec.FIG7,
    ),
    SnrFigure(
        number=8,
        title="Tahoe and NewReno with FEC and ARQ",
        text="Fragments of 32 bytes, rate 1/2, n_l = 16.",
        curves=tuple(
            Curve(SystemDesign(code=HALF_RATE_CODE, variant=variant), doppler)
            for variant in VARIANT_WORDS
            for doppler in (1.0, 100.0)
        ),
        colour=_variant,
        line=_doppler,
        statements=claims_fec.FIG8,
    ),
)
