"""Keys of `tcp` by the names that they had in an earlier version.

They are read as their present names wherever somebody says them, with a `RenamedKey` warning; what
an earlier version wrote (manifests, logs, Parquet files) is read without one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from airtcp import _native
from airtcp.errors import InputError, RenamedKey, warn_renamed

Document: TypeAlias = dict[str, Any]

RENAMED_KEYS: dict[str, dict[str, str]] = _native.renamed_keys()  # profile -> old name -> new name
_PRESENT_NAMES = {old: new for names in RENAMED_KEYS.values() for old, new in names.items()}
_OLD_NAMES = "|".join(map(re.escape, _PRESENT_NAMES))
_PATH_PATTERN = re.compile(rf"((?:.*\.)?tcp\.)({_OLD_NAMES})(?![A-Za-z0-9_])")
_QUOTED_PATTERN = re.compile(rf'"((?:[^"]*\.)?tcp\.)({_OLD_NAMES})(?![A-Za-z0-9_])([^"]*)"')


def present_path(path: str, profile: object = None, *, tell: bool = True) -> str:
    """A dotted path of a key with its present name, in scenarios of `profile` or, without one, in
    those of the profile that had it.
    """
    match = _PATH_PATTERN.match(path)
    if match is None or (
        profile is not None and match[2] not in RENAMED_KEYS.get(str(profile), {})
    ):
        return path
    now = f"{match[1]}{_PRESENT_NAMES[match[2]]}{path[match.end() :]}"
    if tell:
        _warn_of_name(path, now)
    return now


def present_changes(changes: Mapping[Any, Any], profile: object) -> dict[Any, Any]:
    """Changes of a document by dotted paths. Raises `InputError` where two say the same key."""
    changed: dict[Any, Any] = {}
    for key, value in changes.items():
        now = present_path(key, profile) if isinstance(key, str) else key
        if now in changed:
            raise InputError(f"{now} is given twice, once under its earlier name; remove one")
        changed[now] = value
    return changed


def present_key(name: str) -> str:
    """The present name of the last part of a path alone; warns where the name is an earlier one."""
    now = _PRESENT_NAMES.get(name)
    if now is None:
        return present_path(name)
    _warn_of_name(name, now)
    return now


def present_sql(query: str) -> str:
    """The query of results with the present names of columns in place of earlier ones."""

    def now(match: re.Match[str]) -> str:
        present_name = f"{match[1]}{_PRESENT_NAMES[match[2]]}{match[3]}"
        _warn_of_name(f"{match[1]}{match[2]}{match[3]}", present_name)
        return f'"{present_name}"'

    return _QUOTED_PATTERN.sub(now, query)


def present_document(document: Any, *, tell: bool = True) -> Any:
    """A document with the present names of its keys; anything else stays, to be refused later."""
    if not isinstance(document, dict):
        return document
    profile = str(document.get("profile"))
    if profile not in RENAMED_KEYS:
        return document
    return {key: _present_value(key, value, profile, key, tell) for key, value in document.items()}


def _present_value(key: str, value: Any, profile: str, path: str, tell: bool) -> Any:
    """The value under a key of the document, of a case, or of a flow, with present names."""
    if isinstance(value, list):
        return [
            _present_value(key, item, profile, f"{path}[{i}]", tell) for i, item in enumerate(value)
        ]
    if not isinstance(value, dict):
        return value
    if key == "tcp":
        names = RENAMED_KEYS[profile]
        return _rename_keys(value, lambda name: names.get(name, name), path, tell)
    if key == "case":
        value = _rename_keys(
            value, lambda name: present_path(name, profile, tell=False), path, tell
        )
    if key in ("case", "flow"):
        return {k: _present_value(k, v, profile, f"{path}.{k}", tell) for k, v in value.items()}
    return value


def _rename_keys(table: Document, now_of: Callable[[str], str], path: str, tell: bool) -> Document:
    """A table with present names; a key that it says by both stays, to be refused."""
    renamed: Document = {}
    for key, value in table.items():
        now = now_of(key)
        if now != key and now not in table:
            if tell:
                _warn_of_name(f"{path}.{key}", f"{path}.{now}")
            renamed[now] = value
        else:
            renamed[key] = value
    return renamed


def earlier_document(data: Document) -> Document:
    """A point as the version that first wrote its hash had it: hashes are of that."""
    names = RENAMED_KEYS.get(str(data.get("profile")), {})
    if not names:
        return data
    before = {now: old for old, now in names.items()}

    def back(table: Document) -> Document:
        return {before.get(key, key): value for key, value in table.items()}

    flows = [
        flow | {"tcp": back(flow["tcp"])} if "tcp" in flow else flow
        for flow in data.get("flow", [])
    ]
    return data | {"tcp": back(data["tcp"])} | ({"flow": flows} if "flow" in data else {})


def _warn_of_name(old: str, now: str) -> None:
    warn_renamed(f"{old} is now called {now}; use {now}", RenamedKey)
