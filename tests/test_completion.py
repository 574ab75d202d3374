"""Shells complete commands, options, names and files."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import airtcp
from airtcp.cli.completion import SHELLS
from airtcp.cli.main import main

PROGRAMS = Path(sys.executable).parent


def script(shell: str) -> str:
    result = CliRunner().invoke(main, ["completion", shell])
    assert result.exit_code == 0, result.stderr
    return result.stdout


def completed(line: str) -> list[str]:
    """Completions for bash of the last word of a line: kind and word."""
    words = line.split(" ")
    given = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    result = CliRunner().invoke(
        main, [], prog_name="airtcp", env=given | {"_AIRTCP_COMPLETE": "bash_complete"}
    )
    return result.stdout.splitlines()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("airtcp rep", ["plain,reproduce", "plain,report-bug"]),
        ("airtcp run --eng", ["plain,--engine"]),
        ("airtcp run --engine a", ["plain,analysis", "plain,all"]),
        ("airtcp run x.toml --format j", ["plain,json"]),
        ("airtcp run x.toml --metric goodput_b", ["plain,goodput_bps"]),
        ("airtcp run exam", ["file,exam"]),
        ("airtcp run x.toml --out o", ["dir,o"]),
        ("airtcp sweep x.toml --out o", ["dir,o"]),
        ("airtcp trace x.toml -o o", ["file,o"]),
        ("airtcp fit x.csv --column rt", ["plain,rtt="]),
        ("airtcp fit x.csv --unit rate=G", ["plain,rate=Gbps", "plain,rate=GB/s"]),
        ("airtcp packetdrill a", ["file,a"]),
        ("airtcp explain a.pcap b", ["file,b"]),
        ("airtcp results o", ["dir,o"]),
        ("airtcp list var", ["plain,variants"]),
        ("airtcp reproduce zorzi/t", ["plain,zorzi/table1"]),
        ("airtcp completion z", ["plain,zsh"]),
    ],
)
def test_a_word_is_completed(line: str, expected: list[str]) -> None:
    assert completed(line) == expected


ROOT = Path(__file__).parent.parent
HANDOVER, LINUX = (f"{ROOT}/examples/{name}.toml" for name in ("handover", "linux"))


def answers(line: str) -> list[str]:
    """Completions of the last word for fish, which leaves words whole."""
    words = line.split(" ")
    given = {"COMP_WORDS": " ".join(words[:-1]), "COMP_CWORD": words[-1]}
    result = CliRunner().invoke(
        main, [], prog_name="airtcp", env=given | {"_AIRTCP_COMPLETE": "fish_complete"}
    )
    assert result.exit_code == 0, result.output
    return [part.partition(",")[2].split("\t")[0] for part in result.stdout.split()]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f"airtcp run {HANDOVER} --set tcp.win", ["tcp.window="]),
        (f"airtcp run {HANDOVER} --set pat", ["path."]),
        (f"airtcp run {HANDOVER} --set path.", ["path.hop=", "path.hop[0].", "path.hop[1]."]),
        (f"airtcp run {HANDOVER} --set tcp.variant=sa", ["tcp.variant=sack"]),
        (f"airtcp run {HANDOVER} --set tcp.variant=[reno,sa", ["tcp.variant=[reno,sack"]),
        (f"airtcp run {HANDOVER} --set path.hop[1].channel.g", ["path.hop[1].channel.good="]),
        (
            f"airtcp run {HANDOVER} --set path.hop[1].channel.kind=ja",
            ["path.hop[1].channel.kind=jakes"],
        ),
        (
            f"airtcp sweep {LINUX} --set tcp.congestion=",
            [f"tcp.congestion={variant}" for variant in ("reno", "cubic", "bbr", "bbr3")],
        ),
        ("airtcp run none.toml --set tcp.variant=oldt", ["tcp.variant=oldtahoe"]),
        (
            f"airtcp plan {HANDOVER} --set stop.precision.metric=goodput",
            ["stop.precision.metric=goodput_bps"],
        ),
        (f"airtcp contest {LINUX} --variants cubic,b", ["cubic,bbr", "cubic,bbr3"]),
        ("airtcp contest --variants cubic,ven", ["cubic,veno"]),
        (f"airtcp advise {HANDOVER} --over tcp.variant=reno,sa", ["tcp.variant=reno,sack"]),
        (
            f"airtcp advise {HANDOVER} --over tcp.variant=reno,tcp.dup",
            ["tcp.variant=reno,tcp.dupacks="],
        ),
        (f"airtcp advise {HANDOVER} --goal del", ["delay"]),
        ("airtcp explain a.pcap --control c", ["cubic"]),
        ("airtcp explain a.pcap --change no-p", ["no-prr"]),
        ("airtcp explain a.pcap --sysctl net.ipv4.tcp_reor", ["net.ipv4.tcp_reordering="]),
        ("airtcp run x.toml --engine analysis,li", ["analysis,live"]),
        (f"airtcp live {LINUX} --stack cu", ["cubic"]),
        ("airtcp results none --by ", []),
        ("airtcp plot none -x va", []),
    ],
)
def test_keys_and_values_are_completed_from_schema_and_registry(
    line: str, expected: list[str]
) -> None:
    assert answers(line) == expected


def test_a_file_that_is_no_scenario_hinders_no_completion(tmp_path: Path) -> None:
    for name, text in (
        ("a.toml", "profile = 3"),
        ("b.toml", "x ="),
        ("c.json", "[1]"),
        ("d.toml", "[path]\nhop = 5\n[[case]]\nname = 3\n"),
    ):
        (tmp_path / name).write_text(text)
        assert answers(f"airtcp run {tmp_path / name} --set tcp.variant=sa") == ["tcp.variant=sack"]
        assert answers(f"airtcp run {tmp_path / name} --set case=") == []


def test_keys_of_results_are_completed_from_the_folder(tmp_path: Path) -> None:
    document = {
        "profile": "rfc",
        "tcp": {"variant": ["reno", "sack"]},
        "path": {"hop": [{"rate": "1Mbps", "delay": "10ms", "queue": [5, 20]}]},
        "stop": {"time": "1s", "replications": 1},
    }
    folder = tmp_path / "out"
    airtcp.sweep(document, folder, links=True)
    assert answers(f"airtcp results {folder} --by tcp.v") == ["tcp.variant"]
    assert answers(f"airtcp results {folder} --where tcp.variant=") == [
        "tcp.variant=reno",
        "tcp.variant=sack",
    ]
    assert answers(f"airtcp results {folder} --where path.hop[0].queue=[5,2") == [
        "path.hop[0].queue=[5,20"
    ]
    assert answers(f"airtcp results {folder} --links --where dir") == ["direction="]
    assert answers(f"airtcp plot {folder} -x path") == ["path.hop[0].queue"]
    assert answers(f"airtcp results {folder} --rank tcp") == ["tcp.variant"]


def test_completion_reads_keys_and_hashes_no_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = {
        "profile": "zorzi",
        "tcp": {"variant": ["tahoe", "reno"], "window": 6},
        "channel": {"kind": "iid", "loss_rate": 0.1},
        "stop": {"slots": 100, "replications": 2},
    }
    airtcp.sweep(document, tmp_path)
    monkeypatch.setattr("airtcp.reading.files.sha256_of_file", lambda _: pytest.fail("hashes"))
    assert answers(f"airtcp results {tmp_path} --by tcp.v") == ["tcp.variant"]
    (part,) = (tmp_path / "data").iterdir()
    part.write_bytes(b"PAR1 damaged PAR1")
    assert answers(f"airtcp results {tmp_path} --by tcp.v") == []
    part.unlink()
    assert answers(f"airtcp results {tmp_path} --by tcp.v") == []


def test_keys_end_where_a_table_stands_in_itself() -> None:
    found = answers("airtcp run --set path.hop[0].back.channel.fading")
    assert found == ["path.hop[0].back.channel.fading_margin_db="]
    assert answers("airtcp run --set path.hop[0].channel.of[0].of") == []


FREE = {  # texts that nobody can finish for the user
    *("--sql", "--for", "--server", "--user", "--env", "--size", "--title", "--xlabel", "--ylabel"),
    *("--about", "--rate", "--queue", "--udp-sequence"),
}


def test_every_text_that_is_no_free_one_is_completed() -> None:
    plain = {
        option
        for command in main.commands.values()
        for param in command.params
        if type(param.type).__name__ == "StringParamType"
        for option in param.opts
    }
    assert plain == FREE


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--set", "tcp.vari"], ["tcp.variant="]),
        (["--set", "tcp.variant", "=", "sa"], ["sack"]),
        (
            ["--set", "tcp.variant", "="],
            [
                "tahoe",
                "reno",
                "newreno",
                "sack",
                "tahoe-probing",
                "reno-probing",
                "adaptive-probing",
                "skip-probing",
            ],
        ),
        (["--set", "=", "tcp.variant", "=", "sa"], ["sack"]),
        (["--set", "tcp.variant=sa"], ["tcp.variant=sack"]),  # "=" is not in COMP_WORDBREAKS
        (["--engine", "=", "ana"], ["analysis"]),
    ],
)
def test_bash_splits_at_equals_signs(words: list[str], expected: list[str]) -> None:
    found = completed(" ".join(["airtcp", "run", HANDOVER, *words]))
    assert found == [f"plain,{word}" for word in expected]


def test_every_word_that_names_a_file_is_completed_as_one() -> None:
    kinds = ("FILE", "DIR", "CAPTURE", "SCRIPT")
    for name, command in main.commands.items():
        for param in command.params:
            called = str(param.metavar or param.name).upper()
            if called.startswith(kinds):
                assert type(param.type).__name__ == "PathParam", f"{name} {param.name}"


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_is_printed(shell: str) -> None:
    assert f"_AIRTCP_COMPLETE={shell}_complete" in script(shell)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("airtcp repo", "report-bug"),
        ("airtcp run none --set stop.precision.l", "-o nospace stop.precision.least="),
        ("airtcp run none --set stop.prec", "-o nospace stop.precision."),
        ("airtcp run none --set live.stack = air", "airtcp"),
    ],
)
def test_bash_completes_with_its_script(tmp_path: Path, words: str, expected: str) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    played = f"{script('bash')}\nCOMP_WORDS=({words}); COMP_CWORD={words.count(' ')}\n"
    played += 'compopt() { said+="$1 $2 "; }\n_airtcp_completion airtcp\n'
    played += 'echo "$said${COMPREPLY[@]}"\n'
    path = os.pathsep.join([str(PROGRAMS), os.environ["PATH"]])
    done = subprocess.run(
        [bash, "-c", played],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env=os.environ | {"PATH": path},
    )
    assert done.stdout == f"{expected}\n"


def test_another_shell_is_refused_in_a_line() -> None:
    result = CliRunner().invoke(main, ["completion", "tcsh"])
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert "'tcsh' is not one of 'bash', 'zsh', 'fish'" in line
