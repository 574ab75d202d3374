"""The integral by randomised nets of points."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtri
from scipy.stats import qmc

from airtcp.models.fading.integrand import Integrand, loss_and_recovery
from airtcp.models.fading.link import Link

Floats = NDArray[np.float64]

_REPLICAS = 8  # independent randomisations of a net
_STUDENT_FACTOR = float(
    stats.t(_REPLICAS - 1).ppf(0.99865)
)  # standard errors that are as sure as three
_FIRST_NET_SIZE = 512  # points of a net to start with
_MOST_WORK = 5e7  # points of all nets, times what each one costs
# Uncoded instants that take as long as a point, and as a coded instant.
_INSTANTS_PER_POINT, _INSTANTS_PER_CODED_INSTANT = 64, 3
_ACCURACY = 2e-4  # relative, asked of the standard error of both results


def sums_over_nets(fine: Integrand, coarse: Integrand) -> tuple[Floats, Floats]:
    """P_E and r with their errors, by nets that double until they agree.

    The error is the half-width of Student's 99.7 % interval (three standard errors of a normal law)
    plus the change under the coarser rule in time.
    """
    nets = [qmc.Sobol(fine.dimensions, seed=seed) for seed in range(_REPLICAS)]
    first = [net.random(_FIRST_NET_SIZE) for net in nets]
    sums = _sums_of_replicas(fine, first)
    others = _sums_of_replicas(coarse, first)
    change = np.abs(
        _loss_and_recovery(others / _FIRST_NET_SIZE + coarse.base)
        - _loss_and_recovery(sums / _FIRST_NET_SIZE + fine.base)
    )
    points, most = _FIRST_NET_SIZE, _MOST_WORK / (_REPLICAS * _work_per_point(fine))
    while (
        not (_relative_standard_errors(sums / points + fine.base) <= _ACCURACY).all()
        and 2 * points <= most
    ):
        sums += _sums_of_replicas(fine, [net.random(points) for net in nets])
        points *= 2
    means = sums / points + fine.base
    values = _loss_and_recovery(means)
    return values, _STUDENT_FACTOR * _relative_standard_errors(means) * values + change


def _work_per_point(integrand: Integrand) -> float:
    """A measure of the time that a point takes."""
    coded = integrand.link.packet.fatal_errors > 1
    return _INSTANTS_PER_POINT + integrand.instant_count * (
        _INSTANTS_PER_CODED_INSTANT if coded else 1.0
    )


def _sums_of_replicas(integrand: Integrand, nets: list[Floats]) -> Floats:
    """The sums over the points of each randomisation."""
    return np.array([integrand.sums(*_normals(net, integrand.link)) for net in nets])


def _normals(net: Floats, link: Link) -> tuple[Floats, Floats]:
    """Points of the integrand from points in the unit cube, and their weights.

    The slope is |h'(s)| and its angle; small ones are drawn more often where only slow fades lose
    packets.
    """
    points, weights = net.copy(), np.ones(len(net))
    points[:, 2:] = ndtri(np.clip(net[:, 2:], 2.0**-32, 1.0 - 2.0**-32)) * math.sqrt(0.5)
    if link.modes.first_packet_modes > 1:
        stretch = 1.0 + max(0.0, -math.log(_slowest_fade_slope(link)))
        power = -np.log1p(-np.minimum(net[:, 2] ** stretch, 1.0 - 2.0**-32))
        weights = stretch * net[:, 2] ** (stretch - 1.0)
        angle = 2.0 * np.pi * net[:, 3]
        points[:, 2] = np.sqrt(power) * np.cos(angle)
        points[:, 3] = np.sqrt(power) * np.sin(angle)
    return points, weights


def _slowest_fade_slope(link: Link) -> float:
    """|h'|, over its root mean square, of a fade that is just long enough to lose a part."""
    speed = math.sqrt(2.0) * math.pi * link.part_doppler
    bits = link.packet.air_bits / link.packet.parts
    return math.sqrt(link.half_loss_power) / speed * bits / (2.0 * link.packet.fatal_errors)


def _relative_standard_errors(means: Floats) -> Floats:
    """Relative standard errors of P_E and r, from the means by randomisation.

    The error of a quotient is that of lost-then-arrives less r times lost.
    """
    mean = means.mean(axis=0)
    relative = means / np.where(mean > 0.0, mean, 1.0)
    spread = np.array([relative[:, 0].std(ddof=1), (relative[:, 1] - relative[:, 0]).std(ddof=1)])
    deviation: Floats = spread / math.sqrt(len(means))
    return deviation


def _loss_and_recovery(means: Floats) -> Floats:
    return loss_and_recovery(*means.mean(axis=0))
