"""Another user of the machine, who runs the programs, and their part of root's environment."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

from airtcp.errors import InputError, nearest_name_error, refusal

KEPT_VARIABLES = ("PATH", "TERM", "LANG", "TZ")  # variables, and those that begin with LC_


def find_user(name: str | None, handed_on: Iterable[str] = ()) -> dict[str, Any] | None:
    """A user of this machine, with the environment of its programs. Raises `InputError`.

    The environment has the few variables of this process that terminals and texts need, and the
    variables `handed_on`.
    """
    if name is None:
        if variables := list(handed_on):
            raise InputError(
                f"env = {variables[0]!r}: needs user; without it programs get the whole environment"
            )
        return None
    import pwd  # noqa: PLC0415  (not on Windows)

    try:
        account = pwd.getpwnam(name)
    except (KeyError, ValueError, TypeError):
        names = [user.pw_name for user in pwd.getpwall()]
        raise nearest_name_error(
            "user", name, "the name of a user of this machine", names
        ) from None
    if os.geteuid() != 0:
        raise InputError(f"user = {name!r}: only root may run as another user")
    if account.pw_uid == 0:
        raise refusal("user", name, "a user without the rights of root")
    of_user = {"HOME": account.pw_dir, "USER": name, "LOGNAME": name}
    return {
        "name": name,
        "uid": account.pw_uid,
        "gid": account.pw_gid,
        "groups": os.getgrouplist(name, account.pw_gid),
        "environment": dict(_kept_environment()) | of_user | dict(map(_variable, handed_on)),
    }


def _kept_environment() -> Iterator[tuple[str, str]]:
    for name, value in os.environ.items():
        if (name in KEPT_VARIABLES or name.startswith("LC_")) and _is_text(value):
            yield name, value


def _variable(name: str) -> tuple[str, str]:
    """A variable of this process by its name. Raises `InputError`."""
    if name not in os.environ:
        allowed = "the name of a variable of this environment"
        raise nearest_name_error("env", name, allowed, list(os.environ))
    if not _is_text(os.environ[name]):
        raise InputError(f"env = {name!r}: its value is not UTF-8 text")
    return name, os.environ[name]


def _is_text(value: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in value)
