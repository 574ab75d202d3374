"""The rule in time: the instants of a packet at which the fading is evaluated.

Near the minimum of a fade |h|^2 rises as (v t)^2, v being about f_d. So the fades that lose packets
last sqrt(p) / f_d, p the power at which they do, and p falls as 1 / SNR.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from airtcp.models.fading.link import Link
from airtcp.models.fading.modes import unit_rule

Floats = NDArray[np.float64]

_NODES, _NODES_PER_FADE = 6, 32.0  # in a part of a packet, and more in each time sqrt(p) / f_d
_NODES_PER_LOSS = 6.0  # enough of them in as many bits as must err to lose a part
_MOST_NODES = 32  # most nodes of a Gauss rule


def time_rule(link: Link, coarser: int) -> tuple[Floats, Floats]:
    """Times and weights on (0, 1) for means over the bits of a part of a packet.

    They are dense enough for the fades that lose a part: these are as long as this SNR lets them,
    and long enough for the errors that must occur. If the packet has fewer bits than that, each bit
    is an instant.
    """
    packet = link.packet
    bits = packet.air_bits // packet.parts
    narrow = link.part_doppler / math.sqrt(min(1.0, link.half_loss_power))
    most = _NODES_PER_LOSS * bits / packet.fatal_errors
    nodes = math.ceil((_NODES + min(_NODES_PER_FADE * narrow, most)) / coarser)
    if nodes >= bits:
        return (np.arange(bits) + 0.5) / bits, np.full(bits, 1.0 / bits)
    panels = -(-nodes // _MOST_NODES)
    x, w = unit_rule(-(-nodes // panels))
    return ((np.arange(panels)[:, None] + x) / panels).ravel(), np.tile(w / panels, panels)
