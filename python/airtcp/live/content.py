"""The content of a transfer: pseudo-random, so that no two places in it look alike."""

from __future__ import annotations

import hashlib
from pathlib import Path

from airtcp.support.files import name_in_write_errors

CONTENT_PERIOD = (
    1 << 22
) - 3  # bytes, a prime: what is longer repeats itself, at no place of a buffer's


def write_content(file: Path, seed: int, size: int) -> None:
    """Write `file` with content to send over and over, until `size` bytes are sent (0: no end)."""
    import numpy as np  # noqa: PLC0415

    stream = np.random.Generator(np.random.Philox(key=seed))
    with name_in_write_errors(file):
        file.write_bytes(stream.bytes(min(size or CONTENT_PERIOD, CONTENT_PERIOD)))


def expected_digest(file: Path, amount: int) -> str:
    """The SHA-256 of the first `amount` bytes, in hexadecimal digits."""
    content = file.read_bytes()
    digest = hashlib.sha256()
    for _ in range(amount // len(content)):
        digest.update(content)
    digest.update(content[: amount % len(content)])
    return digest.hexdigest()
