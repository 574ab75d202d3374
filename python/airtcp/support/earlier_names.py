"""Earlier names of public functions, classes and attributes, which work with a hint."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from airtcp.errors import RenamedName, warn_renamed

T = TypeVar("T")


def earlier_module_names(module: str, present: Mapping[str, str]) -> Callable[[str], Any]:
    """A `__getattr__` for `module` that knows earlier names: earlier -> present."""

    def find(name: str) -> Any:
        if name not in present:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        _warn(f"{module}.{name}", present[name])
        return getattr(sys.modules[module], present[name])

    return find


def earlier_attributes(**present: str) -> Callable[[type[T]], type[T]]:
    """Decorate a class to read attributes and methods by earlier names: earlier=present."""

    def add_properties(owner: type[T]) -> type[T]:
        for earlier, name in present.items():
            setattr(owner, earlier, _earlier_property(owner.__name__, earlier, name))
        return owner

    return add_properties


def _earlier_property(owner: str, earlier: str, present: str) -> property:
    def read(instance: object) -> Any:
        _warn(f"{owner}.{earlier}", present)
        return getattr(instance, present)

    return property(read, doc=f"Earlier name of `{present}`.")


def _warn(earlier: str, present: str) -> None:
    warn_renamed(f"{earlier} is now called {present}; use {present}", RenamedName)
