"""The recipe of conda and the Dockerfile say what pyproject.toml and the list of wheels say."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from modules import module

ROOT = Path(__file__).parent.parent
dockerfile, wheel = module("dockerfile"), module("wheel")
RECIPE = ROOT / "packaging/conda/meta.yaml"


def recipe() -> dict[str, Any]:
    """The recipe, with the first line, which sets the version, in place of its template."""
    text = RECIPE.read_text("utf-8")
    first, _, rest = text.partition("\n")
    version = re.fullmatch(r'\{% set version = "([^"]+)" %\}', first)
    assert version
    rest = rest.replace("{{ version }}", version[1])
    plain = re.sub(r"\{\{ (?:compiler\('(\w+)'\)|(\w+)) \}\}", r"\1\2", rest)
    found: dict[str, Any] = yaml.safe_load(plain)
    return found


def test_the_recipe_of_conda_asks_for_what_pyproject_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]
    found = recipe()
    asked = {text.replace(" ", "") for text in found["requirements"]["run"]}
    # matplotlib in conda brings a window system; its base is what a wheel has
    given = {text.replace("matplotlib", "matplotlib-base") for text in project["dependencies"]}
    assert asked == given | {f"python{project['requires-python']}"}
    assert found["package"]["version"] == manifest["version"]
    assert found["about"]["license"] == project["license"]
    assert set(found["about"]["license_file"]) == set(project["license-files"])


def test_the_dockerfile_takes_a_wheel_of_a_release() -> None:
    (copied,) = [
        words.split()[0]
        for instruction, words in dockerfile.steps(dockerfile.FILE.read_text("utf-8"))
        if instruction == "COPY" and words.startswith("dist/")
    ]
    names = [wheel.file_name(row["platform"]) for row in wheel.listed()]
    assert [name for name in names if Path("dist", name).match(copied)] == [
        wheel.file_name("manylinux_2_28_x86_64")
    ]


def test_steps_are_read_over_several_lines_and_without_comments(tmp_path: Path) -> None:
    text = '# A comment\nFROM base\nRUN a \\\n    && b\n\nCMD ["run", "x"]\n'
    found = list(dockerfile.steps(text))
    assert found == [("FROM", "base"), ("RUN", "a && b"), ("CMD", '["run", "x"]')]
    container = dockerfile.Container(tmp_path)
    container.play(*found[2])
    assert container.command == ["run", "x"]
    with pytest.raises(KeyError):
        container.play("ADD", "x /y")


def test_a_copy_of_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no-such-\*\.whl"):
        dockerfile.Container(tmp_path).copy("no-such-*.whl", "/tmp/")


def test_a_live_run_has_the_rights_that_the_head_of_the_file_names() -> None:
    text = dockerfile.FILE.read_text("utf-8")
    named = {word.lower() for word in re.findall(r"--cap-add (\w+)", text)}
    assert named == set(dockerfile.GIVEN)
