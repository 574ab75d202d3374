"""Binary BCH codes as data: (n, k) and the t errors that a bounded-distance decoder corrects.

The narrow-sense primitive codes with designed distance 2t + 1: k is n less the size of the union
of the cyclotomic cosets of 1 .. 2t [lin2004, tables 6.1 and appendix C].
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from airtcp import _native
from airtcp.errors import InputError, refusal, unknown_name, whole_number

BCH: dict[int, tuple[tuple[int, int], ...]] = {  # n: (k, t), ...; one table with the simulator
    n: tuple((k, t) for _, k, t in codes)
    for n, codes in groupby(_native.bch_codes(), key=itemgetter(0))
}
_MOST_BITS = 65_535
_CODE_NAME = re.compile(r"bch\(\s*(\d+)\s*,\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)", re.IGNORECASE)


@dataclass(frozen=True)
class Code:
    """A block code: n bits on the air carry k bits of data, up to t bit errors are corrected."""

    n: int
    k: int
    t: int

    @property
    def rate(self) -> float:
        """k / n."""
        return self.k / self.n

    def words(self, bits: int) -> int:
        """Codewords that carry `bits` bits of data; the last one is filled up with zeros."""
        return -(-bits // self.k)

    def __str__(self) -> str:
        """The name: ``bch(255,87)``, or ``bch(n,k,t)`` for a code outside the table."""
        known = (self.k, self.t) in BCH.get(self.n, ())
        return f"bch({self.n},{self.k})" if known else f"bch({self.n},{self.k},{self.t})"


def code_of(name: str | Code | None) -> Code | None:
    """Look up a code by its name.

    Parameters
    ----------
    name : str, Code or None
        ``bch(255,87)`` from the table, or any ``bch(n,k,t)``; None for no code.

    Returns
    -------
    Code or None
        The code.

    Raises
    ------
    InputError
        For another name, and where t is above (n - k)/2.

    Examples
    --------
    >>> from airtcp.models import fading
    >>> fading.code_of("bch(255,87)").t
    26
    """
    if name is None or isinstance(name, Code):
        return name
    found = _CODE_NAME.fullmatch(name.strip()) if isinstance(name, str) else None
    if found is None:
        raise unknown_name("code", name, names())
    n, k = (whole_number("code", int(number), 1, _MOST_BITS) for number in found.group(1, 2))
    if found[3] is None:
        return _tabulated_code(name, n, k)
    return _custom_code(name, n, k, int(found[3]))


def names() -> list[str]:
    """The names of all codes in the table."""
    return [f"bch({n},{k})" for n, codes in BCH.items() for k, _ in codes]


def _tabulated_code(name: str, n: int, k: int) -> Code:
    if n not in BCH:
        raise refusal("code", name, f"of length n = {', '.join(map(str, BCH))}, or bch(n,k,t)")
    correctable = dict(BCH[n])
    if k not in correctable:
        near = min(correctable, key=lambda known: abs(known - k))
        allowed = f"a code of the table (did you mean 'bch({n},{near})'?), or bch(n,k,t)"
        raise refusal("code", name, allowed)
    return Code(n, k, correctable[k])


def _custom_code(name: str, n: int, k: int, t: int) -> Code:
    if k >= n:
        raise refusal("code", name, "of k < n: fewer bits of data than on the air")
    if 2 * t > n - k:
        most = (n - k) // 2
        raise InputError(f"code = {name!r}: t = {t} must be at most (n - k)/2 = {most}")
    return Code(n, k, t)
