"""The executor that a user names: threads of this process, or the workers of a cluster."""

from __future__ import annotations

from airtcp.campaign.executor import Executor, ThreadExecutor
from airtcp.errors import InputError, quote_value, unknown_name


def executor_of(name: str, threads: int) -> Executor:
    """The executor that a user names: "local" (so many threads), "dask-local:N", "dask:ADDRESS".

    Raises `InputError` for another name, `ClusterError` for a cluster that does not answer.
    """
    if name == "local":
        return ThreadExecutor(threads)
    if not isinstance(name, str) or not name.startswith(("dask:", "dask-local:")):
        raise unknown_name("executor", name, ("local", "dask-local:N", "dask:ADDRESS"))
    from airtcp.cluster.log import import_quietly  # noqa: PLC0415

    try:
        import_quietly()
    except ModuleNotFoundError as error:
        if error.name not in ("dask", "distributed"):
            raise
        needs = "needs the package distributed: pip install 'airtcp[dask]'"
        raise InputError(f"executor = {quote_value(name)}: {needs}") from None
    from airtcp.cluster.executor import dask_executor  # noqa: PLC0415  (slow to import)

    return dask_executor(name)
