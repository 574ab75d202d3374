"""The memory that this process may take."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_DEFAULT_BYTES = 8 * 2**30  # where there is nobody to ask
_CGROUP_MEMBERSHIP = Path("/proc/self/cgroup")
_CGROUP_FOLDER = Path("/sys/fs/cgroup")


def available_memory() -> int:
    """Bytes available: of the machine, or the least limit of this process's control groups."""
    try:
        most = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        most = _DEFAULT_BYTES
    return min([most, *_cgroup_limits()])


def _cgroup_limits() -> Iterator[int]:
    """The limits of the control groups and of the groups that contain them; "max" means none."""
    with suppress(OSError):
        for line in _CGROUP_MEMBERSHIP.read_text(encoding="utf-8").splitlines():
            _, controllers, group = line.split(":", 2)
            if not controllers:  # version 2
                yield from _group_and_ancestors(_CGROUP_FOLDER, group, "memory.max")
            elif "memory" in controllers.split(","):
                yield from _group_and_ancestors(
                    _CGROUP_FOLDER / "memory", group, "memory.limit_in_bytes"
                )


def _group_and_ancestors(root: Path, group: str, name: str) -> Iterator[int]:
    folder = root / group.lstrip("/")
    for level in (folder, *folder.parents):
        with suppress(OSError, ValueError):
            yield int((level / name).read_text(encoding="ascii"))
        if level == root:
            return
