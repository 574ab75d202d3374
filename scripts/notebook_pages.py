"""Write a page beside each notebook in docs/notebooks, with its stored outputs, for the site.

Nothing is executed here; tests/test_notebooks.py does that, and compares. The pages are made before
each build of the site and are not kept in the repository.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).parent.parent / "docs/notebooks"


def main() -> None:
    """Write the pages and their figures."""
    for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
        pictures: list[str] = []
        document = json.loads(notebook.read_text(encoding="utf-8"))
        text = page(document, notebook.stem, pictures)
        (NOTEBOOKS / f"{notebook.stem}.md").write_text(text, encoding="utf-8")
        for number, picture in enumerate(pictures):
            name = picture_name(notebook.stem, number)
            (NOTEBOOKS / name).write_text(picture, encoding="utf-8")


def page(document: dict[str, Any], stem: str, pictures: list[str]) -> str:
    """A notebook as Markdown; its figures are added to `pictures`."""
    parts = []
    for cell in document["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
        elif cell["cell_type"] == "code":
            parts.append(f"```python\n{source}\n```")
            parts += [output_text(output, stem, pictures) for output in cell["outputs"]]
    parts.append(f"[This page as a notebook]({stem}.ipynb)")
    return "\n\n".join(parts) + "\n"


def output_text(output: dict[str, Any], stem: str, pictures: list[str]) -> str:
    """An output of a cell, as Markdown."""
    if output["output_type"] == "stream":
        return f"```text\n{''.join(output['text']).rstrip()}\n```"
    data = {kind: "".join(text) for kind, text in output["data"].items()}
    if "image/svg+xml" in data:
        pictures.append(data["image/svg+xml"])
        return f"![figure {len(pictures)}]({picture_name(stem, len(pictures) - 1)})"
    if "text/html" in data:
        return re.sub(
            r'<style.*?</style>|<table[^>]*class="dataframe"',
            _plain,
            data["text/html"],
            flags=re.DOTALL,
        )
    return f"```text\n{data['text/plain']}\n```"


def picture_name(stem: str, number: int) -> str:
    """The file of a figure, beside the page."""
    return f"{stem}-{number}.svg"


def _plain(found: re.Match[str]) -> str:
    """Tables look as those of the other pages do."""
    return "<table" if found[0].startswith("<table") else ""


if __name__ == "__main__":
    main()
