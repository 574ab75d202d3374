"""The files of this installation of airtcp."""

from pathlib import Path

from airtcp import _native

PACKAGE = Path(__file__).parent.parent
COMPILED = Path(_native.__file__)  # the Rust part
