"""The generator of ns-2: MRG32k3a [L'Ecuyer, Operations Research 47(1), 1999], from six ones."""

from __future__ import annotations

M1, M2 = 4294967087, 4294944443


class Draws:
    """Numbers from 0 to 1, in the order in which ns draws them."""

    def __init__(self) -> None:
        self._one, self._two = [1, 1, 1], [1, 1, 1]

    def __call__(self) -> float:
        a, b = self._one, self._two
        p = (1403580 * a[1] - 810728 * a[0]) % M1
        q = (527612 * b[2] - 1370589 * b[0]) % M2
        self._one, self._two = [a[1], a[2], p], [b[1], b[2], q]
        return ((p - q) % M1 or M1) / (M1 + 1.0)
