"""Where the log of Dask goes: to `logging`, which is silent unless somebody asks for it."""

from __future__ import annotations

import logging
import sys

_LOGGERS = ("distributed", "distributed.client", "distributed.gc", "tornado", "tornado.application")


def import_quietly() -> None:
    """Import `distributed` without the handlers by which it writes to stderr.

    Where it was imported before, whoever did that has settled where its log goes.
    """
    settled = "distributed" in sys.modules
    import distributed  # noqa: F401, PLC0415

    for name in () if settled else _LOGGERS:
        logging.getLogger(name).handlers = [logging.NullHandler()]
        logging.getLogger(name).propagate = True
