"""The integral by a product of Gauss rules, where the modes of the fading are few and weak."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from airtcp.models.fading.integrand import Integrand
from airtcp.models.fading.modes import unit_rule

Floats = NDArray[np.float64]

_RADIAL_NODES, _INSTANTS = 64, 4  # nodes of |h(s)| and s
# Nodes of a mode, and more if it is strong beside the transition's width.
_LEAST_NODES, _NODES_PER_WIDTH = 2, 16.0
_MOST_POINTS = 150_000
_NEGLIGIBLE_WEIGHT = 1e-12  # a weight that does not count


def sums_over_grids(fine: Integrand, coarse: Integrand) -> tuple[Floats, Floats] | None:
    """The means of the integrand by the finer and by the coarser rules.

    None if the points were too many.
    """
    sizes = [_RADIAL_NODES, _INSTANTS, *_mode_nodes(fine)]
    if math.prod(sizes) > 2 * _MOST_POINTS:  # half of them are left out by symmetry
        return None
    fewer = [nodes - max(1, nodes // 4) for nodes in sizes]
    return fine.sums(*_grid(sizes)) + fine.base, coarse.sums(*_grid(fewer)) + coarse.base


def _mode_nodes(integrand: Integrand) -> list[int]:
    """Nodes of the real and of the imaginary part of each mode but the strongest one."""
    link = integrand.link
    amplitude = np.abs(integrand.shapes[1:]).max(axis=1)
    along, across = amplitude, amplitude**2 / math.sqrt(link.half_loss_power)
    widths = np.stack([along, across], axis=1).ravel() / link.transition_width
    return [_LEAST_NODES + math.ceil(_NODES_PER_WIDTH * width) for width in widths]


def _grid(sizes: list[int]) -> tuple[Floats, Floats]:
    """Points of the integrand, and their weights."""
    rules = [unit_rule(nodes) for nodes in sizes[:2]] + [_normal_rule(n) for n in sizes[2:]]
    if len(rules) > 2:
        rules[3] = _upper_half(*rules[3])
    points = np.stack(np.meshgrid(*[x for x, _ in rules], indexing="ij"), axis=-1)
    weights = np.prod(np.meshgrid(*[w for _, w in rules], indexing="ij"), axis=0)
    is_kept = weights > _NEGLIGIBLE_WEIGHT
    return points[is_kept], weights[is_kept]


def _normal_rule(nodes: int) -> tuple[Floats, Floats]:
    """Gauss-Hermite nodes and weights for a normal of variance 1/2."""
    x, w = np.polynomial.hermite.hermgauss(nodes)
    return x, w / math.sqrt(math.pi)


def _upper_half(x: Floats, w: Floats) -> tuple[Floats, Floats]:
    """Upper half of a symmetric rule, for the slope's imaginary part: its sign does not matter."""
    upper = slice(x.size // 2, None)
    twice = np.where(np.arange(x.size) > (x.size - 1) / 2.0, 2.0, 1.0)
    return x[upper], (twice * w)[upper]
