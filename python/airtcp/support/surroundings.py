"""The environment of this process: versions of airtcp, of Python, of its libraries, and the system.

It contains no name of a host, a user or a folder, and no value of a variable: users can publish it.
"""

from __future__ import annotations

import os
import platform
import re
import struct
import sys
from importlib import metadata

from airtcp import _native
from airtcp.support.files import sha256_of_file
from airtcp.support.installation import COMPILED


def describe_environment() -> dict[str, str]:
    """The first part of a report about a mistake, by name.

    - `airtcp`: version, version of the model, the digest of the compiled part, and how it was
      compiled;
    - `python`, `system`: without additions by a distribution or an administrator;
    - `libraries`: versions of required libraries; `extras`: versions of optional ones, "none" if
      absent.
    """
    required, extras = _libraries()
    version = f"{_native.__version__}, model {_native.MODEL_VERSION}"
    return {
        "airtcp": f"{version}, compiled part {sha256_of_file(COMPILED)[:16]} ({_native.BUILD})",
        "python": f"{platform.python_implementation()}"
        f" {_leading_numbers(platform.python_version())}"
        f", {8 * struct.calcsize('P')} bits",
        "system": f"{_system_words()}, {platform.machine()}, {os.cpu_count()} cores",
        "encoding": sys.stdout.encoding if sys.stdout else "no standard output",
        "libraries": ", ".join(map(_installed_version, required)),
        "extras": ", ".join(map(_installed_version, extras)),
    }


def _system_words() -> str:
    library = " ".join(platform.libc_ver()).strip()
    return f"{platform.system()} {_leading_numbers(platform.release())}" + (
        f", {library}" if library else ""
    )


def _leading_numbers(version: str) -> str:
    """The leading numbers of a version: the text after them may reveal whose machine it is."""
    found = re.match(r"\d+(\.\d+)*", version)
    return found[0] if found else ""


def _libraries() -> tuple[list[str], list[str]]:
    """Names of the required libraries, and of those that extras need in addition."""
    required, extras = list[str](), list[str]()
    for text in metadata.requires("airtcp") or []:
        name, _, marker = text.partition(";")
        found = re.match(r"[\w.-]+", name)
        if found:
            (extras if "extra" in marker else required).append(found[0])
    return required, sorted(set(extras) - set(required))


def _installed_version(library: str) -> str:
    try:
        return f"{library} {metadata.version(library)}"
    except metadata.PackageNotFoundError:
        return f"{library} none"
