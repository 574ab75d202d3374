"""Formulas for the throughput of one bulk transfer, one model a file, and where each applies.

`ZOO` has them by name. A `Model` says for `Conditions` whether it answers (`answer_or_refusals`),
and answers in segments per second:

    >>> from airtcp.models.zoo import ZOO, Conditions
    >>> lossy = Conditions(rtt=0.1, loss_rate=0.001, window=200)
    >>> round(ZOO["mathis"].answer(lossy), 1)
    414.2
    >>> ZOO["rfc9438"].answer_or_refusals(lossy)
    "the model covers CUBIC's growth only"
"""

from __future__ import annotations

from airtcp.models.zoo import (
    bbr,
    cubic_chain,
    kuusela_path,
    mathis,
    outages,
    pftk,
    rfc9438,
    slot_models,
)
from airtcp.models.zoo.model import Conditions, Model, ModelAnswer

ZOO: dict[str, Model] = {
    model.name: model
    for model in (
        mathis.MODEL,
        pftk.FULL,
        pftk.APPROXIMATE,
        rfc9438.MODEL,
        cubic_chain.MODEL,
        bbr.MODEL,
        outages.MODEL,
        kuusela_path.MODEL,
        slot_models.ZORZI,
        slot_models.CHOCKALINGAM,
    )
}

__all__ = ["ZOO", "Conditions", "Model", "ModelAnswer"]
