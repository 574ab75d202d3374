"""Modules of the repository that no package holds, such as those of `scripts`, for their tests."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parent.parent


def module(name: str, folder: str = "scripts") -> ModuleType:
    """The module `name` of a folder of the repository; it finds its neighbours while it loads."""
    path = str(ROOT / folder)
    sys.path.insert(0, path)
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(path)
