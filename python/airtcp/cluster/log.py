"""The log of Dask: it goes to `logging`, which is silent unless somebody asks for it."""

from __future__ import annotations

import logging
import sys

_LOGGERS = ("distributed", "distributed.client", "distributed.gc", "tornado", "tornado.application")


def import_quietly() -> None:
    """Import `distributed` without the handlers by which it writes to stderr.

    If it was imported before, that importer has decided where its log goes.
    """
    settled = "distributed" in sys.modules
    import distributed  # noqa: F401, PLC0415

    for name in () if settled else _LOGGERS:
        logging.getLogger(name).handlers = [logging.NullHandler()]
        logging.getLogger(name).propagate = True
