"""`airtcp live --user` at a terminal: its programs work there, and are kept from that of root."""

from __future__ import annotations

import fcntl
import os
import pty
import pwd
import select
import shlex
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from test_live import missing

ROOT = Path(__file__).parent.parent
NOBODY = 65534
HANDOVER = str(ROOT / "examples" / "handover.toml")
TYPIST = (ROOT / "tests" / "programs" / "typist.py").read_text()
PYTHON = "/usr/bin/python3"  # which every user may run
LIVE = [sys.executable, "-m", "airtcp", "live", HANDOVER]
PATIENCE = 100.0  # s, which nothing here takes


@pytest.fixture(autouse=True)
def _granted() -> None:
    if os.getuid() != 0:
        pytest.skip("needs root, to become another user")
    if missing():
        pytest.skip(f"not granted here: {missing()}")


@pytest.fixture
def user() -> str:
    return pwd.getpwuid(NOBODY).pw_name


class Screen:
    """A program on a terminal of its own, and somebody who sits there."""

    def __init__(self, words: list[str], environment: dict[str, str]) -> None:
        self.shown = ""
        self._process, self._terminal = pty.fork()
        if self._process == 0:
            os.execvpe(words[0], words, os.environ | {"TERM": "xterm"} | environment)

    def __enter__(self) -> Screen:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._terminal)

    def type(self, keys: str) -> None:
        text = keys.encode()
        while text:
            _, ready, _ = select.select([], [self._terminal], [], PATIENCE)
            assert ready, f"nobody reads what is typed for {PATIENCE} s"
            text = text[os.write(self._terminal, text) :]

    def until(self, text: str) -> str:
        """Wait until `text` has been shown; what came before it, and is forgotten then."""
        while text not in self.shown:
            assert self._read(), f"the program has ended; it has shown {self.shown!r}"
        before, _, self.shown = self.shown.partition(text)
        return before

    def ends(self) -> int:
        """The exit code, once the program has ended."""
        while self._read():
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self._process, 0)[1])

    def resize(self, lines: int, columns: int) -> None:
        size = struct.pack("HHHH", lines, columns, 0, 0)
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, size)

    def attributes(self) -> list:
        return termios.tcgetattr(self._terminal)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._terminal], [], [], PATIENCE)
        assert ready, f"nothing for {PATIENCE} s after {self.shown!r}"
        try:
            self.shown += os.read(self._terminal, 4096).decode(errors="replace")
        except OSError:
            return False
        return True


@contextmanager
def at_terminal(*words: str, **environment: str) -> Iterator[Screen]:
    with Screen(list(words), environment) as screen:
        yield screen


# Keys of root's shell


def typing(mark: Path) -> str:
    return shlex.join([PYTHON, "-c", TYPIST, f"touch {mark}"])


HOW = {
    "a terminal": "{live} {user} -- {typing}",
    "stdin from /dev/null": "{live} {user} -- {typing} < /dev/null",
    "only stderr is one": "{live} {user} -- {typing} < /dev/null > /dev/null",
    "no stream is one": "{live} {user} -- {typing} < /dev/null > /dev/null 2>&1",
    "the server": "{live} {user} --server {server} -- sleep 1",
}


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("barred", [True, False], ids=["another user", "root"])
def test_another_user_types_nothing_for_the_shell(
    how: str, barred: bool, user: str, tmp_path: Path
) -> None:
    """Root's own command may, which shows that the attack is one where the kernel has TIOCSTI."""
    if not barred and not has_tiocsti():
        pytest.skip("this kernel keeps TIOCSTI from everybody")
    mark = tmp_path / "typed"
    serve = f"{typing(mark)}; exec {PYTHON} -m http.server 8000"
    line = HOW[how].format(
        live=shlex.join([*LIVE, "--quiet"]),
        user=f"--user {user}" if barred else "",
        typing=typing(mark),
        server=shlex.quote(serve),
    )
    with at_terminal("sh") as screen:
        screen.type(f"{line}; echo had''ended\n")
        screen.until("hadended")
        screen.type("exit\n")
        screen.ends()
    assert mark.exists() is not barred


def has_tiocsti() -> bool:
    """Linux from 6.2 on may keep it from who has not CAP_SYS_ADMIN: dev.tty.legacy_tiocsti."""
    setting = Path("/proc/sys/dev/tty/legacy_tiocsti")
    return not setting.exists() or setting.read_text().strip() == "1"


def test_a_run_in_the_background_reads_no_keys(user: str) -> None:
    """Keys are for the shell, also if the command in the background asks for them."""
    line = shlex.join([*LIVE, "--quiet", "--user", user, "--", "sh", "-c", "echo s''et; cat"])
    with at_terminal("sh", "-m") as screen:
        screen.type(f"{line} &\n")
        screen.until("set\r\n")
        screen.type("echo for''shell\n")
        screen.until("forshell\r\n")
        screen.type("kill %1; wait; exit\n")
        screen.ends()


# It works there


def test_a_shell_of_another_user_has_jobs_and_the_size_of_the_terminal(user: str) -> None:
    with at_terminal(*LIVE, "--quiet", "--user", user, "--", "bash", "--norc", "-i") as screen:
        screen.until("$ ")
        screen.resize(33, 101)
        screen.type("id -un; stty size\n")
        assert "no job control" not in screen.until(f"{user}\r\n33 101\r\n")
        # Without programs of its own: one that is stopped as it starts holds up who starts it.
        screen.type('sh -c \'echo st""arted; read x; echo aw""ake; read x\'\n')
        screen.until("started\r\n")
        screen.type("\x1a")
        screen.until("Stopped")
        screen.until("$ ")
        screen.type("fg\n")
        screen.until("sh -c")
        screen.type("\n")
        screen.until("awake\r\n")
        screen.type("\x03")
        screen.until("$ ")
        screen.type("exit 7\n")
        assert screen.ends() == 7


def test_top_of_another_user_is_drawn_and_hears_keys(user: str) -> None:
    with at_terminal(*LIVE, "--quiet", "--user", user, "--", "top") as screen:
        before = screen.attributes()
        screen.until("load average")
        screen.until("COMMAND")
        screen.type("q")
        assert screen.ends() == 0
        assert screen.attributes() == before


def test_what_is_printed_comes_as_it_is(user: str) -> None:
    line = shlex.join([*LIVE, "--quiet", "--user", user, "--", "printf", "a\\nb\\n"])
    with at_terminal("sh", "-c", f"{line} < /dev/null") as screen:
        assert screen.ends() == 0
        assert screen.shown == "a\r\nb\r\n"


@pytest.mark.parametrize("other", [True, False], ids=["another user", "root"])
@pytest.mark.parametrize("deaf", ["", "trap '' INT TERM; "], ids=["", "ignored"])
@pytest.mark.parametrize("keyboard", ["", " < /dev/null"])
def test_ctrl_c_ends_the_run(deaf: str, keyboard: str, other: bool, user: str) -> None:
    command = f"{deaf}echo be''gun; while :; do sleep 1; done"
    given = ["--user", user] if other else []
    line = shlex.join([*LIVE, "--quiet", *given, "--", "sh", "-c", command])
    with at_terminal("sh", "-c", f"exec {line}{keyboard}") as screen:
        before = screen.attributes()
        screen.until("begun\r\n")
        screen.type("\x03")
        assert screen.ends() == 128 + signal.SIGINT
        assert screen.attributes() == before


def test_ctrl_c_ends_a_run_whose_command_has_not_begun(user: str) -> None:
    """Nobody has the command's terminal while the server is waited for."""
    server = "echo be''gun; exec sleep 1000"
    with at_terminal(*LIVE, "--quiet", "--user", user, "--server", server, "--", "cat") as screen:
        screen.until("begun\r\n")
        screen.type("\x03")
        assert screen.ends() == 128 + signal.SIGINT


@pytest.mark.parametrize("pasted", [28_000, 300_000])
def test_ctrl_c_is_heard_after_a_paste_that_nobody_reads(pasted: int, user: str) -> None:
    command = "stty -echo; echo be''gun; exec sleep 1000"
    with at_terminal(*LIVE, "--quiet", "--user", user, "--", "sh", "-c", command) as screen:
        screen.until("begun\r\n")
        screen.type(pasted // 10 * "pasted...\r")
        screen.type("\x03")
        assert screen.ends() == 128 + signal.SIGINT


@pytest.mark.parametrize("prints", [False, True], ids=["silent", "printing"])
def test_who_keeps_the_terminal_does_not_hold_up_the_end(prints: bool, user: str) -> None:
    """A process outside the run, of the same user, can have it open for longer than the run."""
    command = "stty -echo; tty; read a; printf %5000d 7; echo; echo la''st"
    with at_terminal(*LIVE, "--quiet", "--user", user, "--", "sh", "-c", command) as screen:
        before = screen.attributes()
        screen.until("/dev/pts/")
        number = screen.until("\r\n")
        keeper = os.open(f"/dev/pts/{number}", os.O_RDWR | os.O_NOCTTY)
        try:
            with printing_for_ever(keeper) if prints else nullcontext():
                screen.type("\r")
                assert screen.ends() == 0
        finally:
            os.close(keeper)
        assert prints or screen.shown.endswith(f"{7:5000d}\r\nlast\r\n")
        assert screen.attributes() == before


@contextmanager
def printing_for_ever(terminal: int) -> Iterator[None]:
    with subprocess.Popen(["yes"], stdout=terminal, stderr=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.kill()


def test_answers_of_the_terminal_are_not_for_the_shell(user: str, tmp_path: Path) -> None:
    """The terminal answers ESC [6n by typing; here nobody reads what is typed, until the shell."""
    held = tmp_path / "held"
    os.mkfifo(held)
    ask = "printf '\\033[6nask''ed'; read a"
    line = shlex.join([*LIVE, "--quiet", "--user", user, "--", "sh", "-c", ask])
    shell = f"{line} < {held}; echo rea''dy; read x; echo \"<$x>\""
    with at_terminal("sh", "-c", shell) as screen:
        with held.open("w") as file:
            screen.until("asked")
            screen.type("\033[24;80R")
            screen.until("24;80R")  # its echo: the shell's terminal has it
            file.write("\n")
        screen.until("ready\r\n")
        screen.type("typed\n")
        screen.until("typed\r\n")
        screen.until("<typed>\r\n")
        assert screen.ends() == 0


def test_a_run_goes_on_without_a_terminal_that_is_gone(user: str, tmp_path: Path) -> None:
    """Its errors are none of the run's, whose command ends as it would."""
    errors = tmp_path / "errors"
    command = "trap '' HUP; echo be''gun; sleep 2"
    line = shlex.join([*LIVE, "--quiet", "--user", user, "--", "sh", "-c", command])
    ours, theirs = os.openpty()
    with (
        errors.open("w") as file,
        subprocess.Popen(
            ["sh", "-c", f"exec {line}"],
            stdin=theirs,
            stdout=theirs,
            stderr=file,
            start_new_session=True,
        ) as process,
    ):
        os.close(theirs)
        shown = b""
        while b"begun" not in shown:
            shown += os.read(ours, 4096)
        os.close(ours)
        process.send_signal(signal.SIGWINCH)
        assert process.wait() == 0
    assert errors.read_text() == ""


def test_a_terminal_without_jobs_of_ours_serves_as_well(user: str) -> None:
    """One that is not the controlling terminal of who started the run."""
    ours, theirs = os.openpty()
    before = termios.tcgetattr(theirs)
    words = [*LIVE, "--quiet", "--user", user, "--", "sh", "-c", "tty; read a; echo $a$a; read b"]
    with subprocess.Popen(
        words, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    ) as process:
        shown = b""
        for keys, wanted in ((b"twice\r", b"/dev/pts/"), (b"\x03", b"twicetwice")):
            while wanted not in shown:
                shown += os.read(ours, 4096)
            os.write(ours, keys)
        assert process.wait() == 128 + signal.SIGINT
    assert termios.tcgetattr(theirs) == before
    os.close(ours)
    os.close(theirs)


# Things of root's


def as_root(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*LIVE, "--quiet", *words],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
    )


def test_another_user_gets_a_small_environment_and_what_is_handed_on(user: str) -> None:
    given = {"SECRET_TOKEN": "s3cret", "COLOUR": "blue", "TERM": "xterm", "LC_TIME": "C"}
    done = as_root("--user", user, "--env", "COLOUR", "--", "env", **given)
    found = dict(line.split("=", 1) for line in done.stdout.splitlines())
    own = {"HOME": pwd.getpwnam(user).pw_dir, "USER": user, "LOGNAME": user, "COLOUR": "blue"}
    own |= {"AIRTCP_PEER": "10.77.0.2", "AIRTCP_ADDRESS": "10.77.0.1"}
    own |= {"PATH": os.environ["PATH"], "TERM": "xterm", "LC_TIME": "C"}
    assert {name: found.get(name) for name in own} == own
    rest = {name for name in found.keys() - own.keys() if not name.startswith("LC_")}
    assert rest <= {"LANG", "TZ"}
    assert "s3cret" in as_root("--", "env", **given).stdout


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--user", "nobody", "--env", "NO_SUCH", "--", "true"], "error: env = 'NO_SUCH': must be"),
        (["--user", "nobody", "--env", "A=B", "--", "true"], "error: env = 'A=B': must be the"),
        (["--env", "PATH", "--", "true"], "error: env = 'PATH': needs user"),
        (["--env", "PATH"], "error: --env: needs a COMMAND"),
        (["--user", "root", "--", "true"], "error: user = 'root': must be a user without"),
    ],
)
def test_refusals_are_one_line(words: list[str], line: str) -> None:
    done = as_root(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(line)
    assert done.stderr.count("\n") == 1


def test_another_user_gains_no_privileges(user: str) -> None:
    look = "grep -E 'NoNewPrivs|Cap' /proc/self/status"
    words = [*LIVE, "--quiet", "--user", user, "--", "sh", "-c", look]
    # Securebits and sets with which a change of identity alone would leave capabilities.
    keeps = ["setpriv", "--securebits", "+no_setuid_fixup", "--inh-caps", "+chown"]
    keeps += ["--ambient-caps", "+chown", *words]
    for command in (words, keeps):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        found = dict(line.split(":\t") for line in done.stdout.splitlines())
        assert found.pop("NoNewPrivs") == "1"
        assert set(found) == {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}
        assert {int(value, 16) for value in found.values()} == {0}, done.stderr


def test_another_user_has_no_descriptor_beyond_the_streams(user: str) -> None:
    look = "ls /proc/self/fd; exec 3</etc/passwd; ls -l /proc/1/fd"
    done = as_root("--user", user, "--", "sh", "-c", look)
    # The listing has its own.
    assert done.stdout.split() == ["0", "1", "2", "3"]
    assert "denied" in done.stderr


def test_another_user_has_a_session_and_ipc_objects_of_its_own(user: str) -> None:
    look = "ps -o sid= -p $$ && readlink /proc/self/ns/ipc /proc/self/ns/uts"
    words = shlex.join([*LIVE, "--quiet", "--user", user, "--", "sh", "-c"])
    look = shlex.quote(f"(echo > /dev/tty) 2>&1; {look}")
    # At a terminal, which is of no use where no stream is one.
    with at_terminal("sh", "-c", f"({words} {look}) < /dev/null 2>&1 | cat") as screen:
        assert screen.ends() == 0
    tty, session, ipc, uts = screen.shown.splitlines()
    assert tty.endswith("/dev/tty: No such device or address")
    assert session.strip() != "0"
    assert ipc != os.readlink("/proc/self/ns/ipc")
    assert uts != os.readlink("/proc/self/ns/uts")


# Adds a key to a session keyring of its own, and becomes another program; and one that reads it.
CALLS = """
import ctypes, os, sys
ADD_KEY, KEYCTL = {"x86_64": (248, 250), "aarch64": (217, 219)}[os.uname().machine]
JOIN, READ, SESSION = 1, 11, ctypes.c_int(-3)
call = ctypes.CDLL(None).syscall
"""
KEEP = """
assert call(KEYCTL, JOIN, None) > 0
key = call(ADD_KEY, b"user", b"airtcp-test", b"secret", 6, SESSION)
os.execvp(sys.argv[1], [*sys.argv[1:], str(key)])
"""
LOOK = """
text = ctypes.create_string_buffer(6)
call(KEYCTL, READ, int(sys.argv[1]), text, 6)
print(text.value)
"""


def test_another_user_does_not_possess_the_keyring_of_the_session(user: str) -> None:
    if os.uname().machine not in ("x86_64", "aarch64") or not Path("/proc/keys").exists():
        pytest.skip("no keyrings, or under numbers unknown here")
    for given, found in (([], "b'secret'"), (["--user", user], "b''")):
        look = [*LIVE, "--quiet", *given, "--", PYTHON, "-c", CALLS + LOOK]
        words = [sys.executable, "-c", CALLS + KEEP, *look]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.stdout.strip() == found, done.stderr


@pytest.mark.parametrize("given", [[], ["--user", "nobody"]], ids=["root", "another user"])
def test_the_name_of_the_host_is_the_programs_own(given: list[str]) -> None:
    name = os.uname().nodename
    rename = "hostname airtcp-test; hostname"
    try:
        done = as_root(*given, "--", "sh", "-c", rename)
        assert done.stdout.strip() == (name if given else "airtcp-test")
        assert os.uname().nodename == name
    finally:
        if os.uname().nodename != name:
            subprocess.run(["hostname", name], check=True)
