"""A command of `airtcp live` that tries to answer for the emulator.

`forger.py MODE REPORT` prints the descriptors that it has, then writes to every memory file that it
or a process that it sees holds: junk, or a crafted report around what the emulator will write.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

mode, report = sys.argv[1:]
BEFORE, ROOM = b'{"x":', 5000
crafted = BEFORE + b" " * ROOM + b', "report":' + report.encode() + b"}"


def numbers() -> list[int]:
    return [int(name) for name in os.listdir("/proc/self/fd")]


def links(folder: Path) -> list[Path]:
    with suppress(OSError):
        return [path for path in folder.iterdir() if "memfd:" in os.readlink(path)]
    return []


def overwrite(file: int) -> None:
    os.lseek(file, 0, os.SEEK_SET)
    os.write(file, b"junk" * ROOM if mode == "junk" else crafted)
    os.lseek(file, len(BEFORE), os.SEEK_SET)


listing = max(numbers())
print(*(number for number in numbers() if number != listing and number > 2))
for link in links(Path("/proc/self/fd")):
    with suppress(OSError):
        overwrite(int(link.name))
for process in Path("/proc").iterdir():
    if process.name.isdigit() and int(process.name) != os.getpid():
        for link in links(process / "fd"):
            with suppress(OSError):
                overwrite(os.open(link, os.O_RDWR))
                print(link)
