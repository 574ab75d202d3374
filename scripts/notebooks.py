"""Execute the notebooks of the docs and keep what comes out.

`python scripts/notebooks.py` writes docs/notebooks/*.ipynb with the outputs of today. Outputs are
text, HTML tables and SVG figures; execution counts, times and names of kernels are not kept.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).parent.parent
NOTEBOOKS = ROOT / "docs" / "notebooks"
METADATA = {"language_info": {"name": "python"}}
SECONDS = 120  # at most, per cell


def main() -> int:
    """Execute and write every notebook."""
    for file in sorted(NOTEBOOKS.glob("*.ipynb")):
        nbformat.write(executed(file), file)
        print(f"{file.relative_to(ROOT)}: written")
    return 0


def executed(file: Path) -> nbformat.NotebookNode:
    """A notebook with the outputs of a run in an empty folder."""
    notebook = nbformat.read(file, as_version=4)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as sockets:
        place = {"metadata": {"path": folder}}
        client = NotebookClient(notebook, timeout=SECONDS, resources=place)
        kernel = client.create_kernel_manager()
        kernel.transport, kernel.ip = "ipc", f"{sockets}/kernel"  # no port of the machine
        client.execute()
    notebook.metadata = nbformat.from_dict(METADATA)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        if cell.cell_type == "code":
            cell.metadata = nbformat.from_dict({})
            cell.execution_count = None
            cell.outputs = [_kept(output) for output in cell.outputs]
    return notebook


def _kept(output: nbformat.NotebookNode) -> nbformat.NotebookNode:
    if output.output_type == "error":
        raise RuntimeError(f"{output.ename}: {output.evalue}")
    if "execution_count" in output:
        output.execution_count = None
    if "metadata" in output:
        output.metadata = nbformat.from_dict({})
    return output


if __name__ == "__main__":
    sys.exit(main())
