"""The fading at given times as few independent Gaussian modes, a short span of them first.

Karhunen-Loeve modes of the autocorrelation J0(2 pi f_d tau) within the span, then those of what
they leave open elsewhere. A mode with less power than `negligible` is left out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import j0

Floats = NDArray[np.float64]


def modes(
    times: Floats, weights: Floats, *, doppler: float, span: slice, negligible: float
) -> Floats:
    """The shapes of the modes (times, modes): h = shapes @ a, a independent normals of power 1.

    `weights` belong to a rule of integration over the `times`, with sum 1 over the `span`;
    `doppler` is f_d in the unit of the times. The modes within the span come first, the strongest
    first, then those which it does not depend on.
    """
    law = j0(2.0 * np.pi * doppler * (times[:, None] - times[None, :]))
    inner = _strongest(law[span, span], weights[span], negligible)
    # a_k = <shape_k, h> / power_k: the regression of all times on it
    powers = weights[span] @ inner**2
    shapes = law[:, span] @ (weights[span, None] * inner / powers)
    outer = _strongest(law - shapes @ shapes.T, weights, negligible)
    return np.hstack([shapes, outer])


def _strongest(law: Floats, weights: Floats, negligible: float) -> Floats:
    """Eigenfunctions times the roots of their eigenvalues, with a sign that rules agree on."""
    root = np.sqrt(weights)
    powers, vectors = np.linalg.eigh(root[:, None] * law * root)
    kept = powers > negligible
    functions: Floats = (vectors[:, kept] * np.sqrt(powers[kept]) / root[:, None])[:, ::-1]
    return functions * np.where(functions[-1] < 0.0, -1.0, 1.0)
