"""A link from single packets: outages, losses and delays, and TCP over them beside the record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from airtcp.errors import count, known_name
from airtcp.fitted.hop import MOST_ENTRIES, Hop, recorded_losses
from airtcp.fitted.parts import Parts, base_hop, document
from airtcp.fitted.tcp_beside import RECORD, Beside, TcpBeside
from airtcp.fitted.wanted import Wanted
from airtcp.fitting.delays import DelayFit, fit_delays
from airtcp.fitting.losses import LossFit, LossModel, fit_losses
from airtcp.fitting.outages import OutageFit, fit_outages
from airtcp.measured.measurement import LOST, NO_DELAY, QUEUE, UNKNOWN, Measurement, Packets
from airtcp.support.progress import Report


def of_packets(chosen: Sequence[Measurement], wanted: Wanted, report: Report) -> Parts:
    """Fit every part of the link, and choose the loss model over which TCP does as it did."""
    pieces = [one.packets for one in chosen if one.packets is not None]
    hop = base_hop(chosen[0], wanted)
    outages = fit_outages(pieces)
    losses = _losses([_outside(one, outages) for one in pieces], wanted, report)
    delays = fit_delays(pieces) if any((one.delay != NO_DELAY).any() for one in pieces) else None
    if delays is not None:
        for key, value, said in delays.keys():
            hop = hop.with_key(key, value, said)
    for gate, said in outages.gates():
        hop = hop.with_key("gate", gate, said)
    trials = _Trials(hop, pieces, wanted, report)
    model, beside = trials.chosen(losses)
    return _put_together(hop, pieces, losses, outages, delays, model, beside, wanted)
