"""Analytic models, one paper per module. `MODELS` maps the name of a model to its module."""

from __future__ import annotations

from types import ModuleType

from airtcp.models import zorzi

MODELS: dict[str, ModuleType] = {
    "zorzi": zorzi,
}

__all__ = ["MODELS", "zorzi"]
