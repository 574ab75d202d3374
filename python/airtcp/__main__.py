"""``python -m airtcp``: the command line, with Ctrl-C answered from the first import on."""

from __future__ import annotations

import sys

from airtcp.support import signals as _signals


def main() -> None:
    """Run the command line."""
    _signals.end_on_signals()
    try:
        from airtcp.support.import_path import leave_working_directory  # noqa: PLC0415

        leave_working_directory()
        from airtcp.cli.main import main as command_line  # noqa: PLC0415
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    command_line(prog_name="airtcp")


if __name__ == "__main__":
    main()
