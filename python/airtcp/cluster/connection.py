"""The Dask clusters that runs can go to: processes of this machine, or a cluster that is there."""

from __future__ import annotations

import logging
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import process

from distributed import Client, LocalCluster

from airtcp.errors import ClusterError, InputError, refusal

MOST_WORKERS = 1024
ANSWER_SECONDS = 10.0  # s for a scheduler to answer, and to come back
_ADDRESS = re.compile(r"(tcp|tls)://(\[[^\]]+\]|[^\[\]:/]+):[0-9]{1,5}")


def local_cluster(name: str, workers: str) -> tuple[Client, LocalCluster]:
    """A cluster of `workers` processes on this machine, which die with this one."""
    if not (workers.isascii() and workers.isdigit() and 1 <= int(workers) <= MOST_WORKERS):
        raise refusal("executor", name, f"dask-local:N, N a whole number from 1 to {MOST_WORKERS}")
    if getattr(process.current_process(), "_inheriting", False):
        raise InputError(
            f"executor = {name!r}: its workers import this script; call it under"
            ' if __name__ == "__main__":'
        )
    with _ignore_interrupts():
        cluster = _start_cluster(name, int(workers))
    try:
        return Client(cluster, timeout=ANSWER_SECONDS, set_as_default=False), cluster
    except BaseException:
        cluster.close()
        raise


def _start_cluster(name: str, workers: int) -> LocalCluster:
    try:
        return LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address="127.0.0.1:0",
            memory_limit=None,
            silence_logs=logging.CRITICAL,
        )
    except (RuntimeError, OSError) as error:
        raise ClusterError(f"{name}: its workers cannot start ({_error_line(error)})") from None


def remote_cluster(name: str, address: str) -> Client:
    """A client of a scheduler that is running. Raises `ClusterError` if none answers."""
    if not _ADDRESS.fullmatch(address):
        raise refusal("executor", name, "dask:ADDRESS, such as dask:tcp://localhost:8786")
    try:
        return Client(address, timeout=ANSWER_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(f"{name}: no scheduler answers ({_error_line(error)})") from None


@contextmanager
def _ignore_interrupts() -> Iterator[None]:
    """Start threads and processes that ignore Ctrl-C: only this thread receives it.

    Processes that they start later, as a worker in the place of a dead one, ignore it as well.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    from multiprocessing import resource_tracker  # noqa: PLC0415

    resource_tracker.ensure_running()  # it would let the thread that starts it hear again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _error_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).partition("\n")[0]
