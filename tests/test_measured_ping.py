"""Logs of ping of every system and wording, column by column."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from airtcp import InputError
from airtcp.measured import Measurement, Packets, facts, read
from airtcp.measured.measurement import ARRIVED, LOST, NO_DELAY, UNKNOWN

DATA = Path(__file__).parent / "measured"
A, L, U = ARRIVED, LOST, UNKNOWN
WINDOWS = ("english", "german", "french", "spanish")


def log(tmp_path: Path, text: str, name: str = "log.txt", encoding: str = "utf-8") -> Path:
    file = tmp_path / name
    file.write_bytes(text.encode(encoding))
    return file


def read_ping(file: Path, **options: float) -> tuple[Measurement, Packets]:
    (found,) = read(file, **options)
    assert found.packets is not None
    return found, found.packets


def kinds(found: Measurement) -> list[str]:
    return [odd.kind for odd in found.oddities]


def ms(packets: Packets) -> list[float | None]:
    return [None if delay == NO_DELAY else delay / 1e6 for delay in packets.delay.tolist()]


def seconds(packets: Packets) -> list[float]:
    return [round(time / 1e9, 6) for time in packets.time.tolist()]


def test_linux() -> None:
    found, packets = read_ping(DATA / "ping_linux.txt")
    # 3 was answered by another host, nothing came for 4, and 7 may have been on its way.
    assert packets.fate.tolist() == [A, A, L, L, A, A, U]
    assert ms(packets) == [97.4, 94.5, None, None, 2230.0, 1210.0, None]
    assert seconds(packets) == pytest.approx(
        [i * 1.002 for i in range(7)]
    )  # 6012 ms for six intervals
    assert not packets.is_time_measured
    assert (found.reordered, found.duplicated, found.about) == (1, 1, "to 192.0.2.1")
    assert packets.size.tolist() == [84] * 7
    assert packets.delays == "round trip"
    assert found.began is None
    assert kinds(found) == []


def test_stamps_are_of_replies() -> None:
    found, packets = read_ping(DATA / "ping_stamped.txt")
    assert packets.is_time_measured
    assert found.began == pytest.approx(1694478364.0)
    assert seconds(packets) == [0.0, 1.0, 2.0, 3.0]
    assert packets.fate.tolist() == [A, A, L, A]
    assert ms(packets) == [100.0, 95.0, None, 110.0]


def test_busybox_counts_from_0() -> None:
    found, packets = read_ping(DATA / "ping_busybox.txt")
    assert packets.fate.tolist() == [L, A, A]
    assert ms(packets) == [None, 12.345, 0.061]
    assert seconds(packets) == [0.0, 1.0, 2.0]
    assert kinds(found) == []


def test_macos() -> None:
    found, packets = read_ping(DATA / "ping_macos.txt")
    assert packets.fate.tolist() == [A, L, L, A]
    assert ms(packets) == [12.345, None, None, 14.0]
    assert found.about == "to example.net"
    assert kinds(found) == []


def test_translated_iputils() -> None:
    found, packets = read_ping(DATA / "ping_german.txt")
    assert packets.fate.tolist() == [A, L, A]
    assert ms(packets) == [97.4, None, 94.5]
    assert seconds(packets) == [0.0, 1.0015, 2.003]
    assert packets.size.tolist() == [84] * 3
    assert kinds(found) == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
@pytest.mark.parametrize("language", WINDOWS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_windows(tmp_path: Path, language: str, encoding: str, end: str) -> None:
    text = (DATA / f"windows_{language}.txt").read_text(encoding="utf-8").replace("\n", end)
    found, packets = read_ping(log(tmp_path, text, encoding=encoding))
    assert packets.fate.tolist() == [A, A, L, L, A]
    assert ms(packets) == [12.0, 0.5, None, None, 1003.0]
    assert seconds(packets) == [0.0, 1.0, 2.0, 6.0, 7.0]  # the timeout costs 4 s
    assert not packets.is_time_measured
    assert packets.size.tolist() == [60] * 5
    assert kinds(found) == ["one at a time", "resolution"]


def test_german_in_the_code_page_of_the_console(tmp_path: Path) -> None:
    text = (DATA / "windows_german.txt").read_text(encoding="utf-8")
    found, packets = read_ping(log(tmp_path, text, encoding="cp850"))
    assert packets.fate.tolist() == [A, A, L, L, A]
    assert kinds(found) == ["one at a time", "resolution"]


@pytest.mark.parametrize(
    "line",
    [
        "Richiesta scaduta.",
        "Esgotado o tempo limite do pedido.",
        "Time-out bij opdracht.",
        "Upłynął limit czasu żądania.",
        "General failure.",
        "Allgemeiner Fehler.",
        "PING: transmit failed. General failure.",
    ],
)
def test_other_wordings_of_windows(tmp_path: Path, line: str) -> None:
    reply = "Antwoord van 192.0.2.1: bytes=32 tijd=12ms TTL=57\n"
    found, packets = read_ping(log(tmp_path, f"{reply}{line}\n{reply}"))
    assert packets.fate.tolist() == [A, L, A]
    assert kinds(found) == ["one at a time"]


def test_the_timeout_of_windows_is_an_option() -> None:
    _, packets = read_ping(DATA / "windows_english.txt", timeout=2.0)
    assert seconds(packets) == [0.0, 1.0, 2.0, 4.0, 5.0]
    with pytest.raises(InputError, match=r"timeout = -1: must be a number of seconds above 0"):
        read(DATA / "windows_english.txt", timeout=-1)


def test_windows_over_ipv6(tmp_path: Path) -> None:
    text = (
        "Pinging example.net [2001:db8::1] with 32 bytes of data:\n"
        "Reply from 2001:db8::1: time=12ms\nReply from 2001:db8::1: time<1ms\nRequest timed out.\n"
    )
    _, packets = read_ping(log(tmp_path, text))
    assert packets.fate.tolist() == [A, A, L]
    assert packets.size.tolist() == [80] * 3


def test_counts_that_do_not_add_up(tmp_path: Path) -> None:
    lines = (DATA / "windows_english.txt").read_text().splitlines(keepends=True)
    found, _ = read_ping(log(tmp_path, "".join(lines[:2] + lines[4:])))
    (odd,) = (odd for odd in found.oddities if odd.kind == "counts")
    assert odd.said == (
        "the statistics say 5 sent, 4 received, 1 lost, the lines of the file 3, 1, 2"
    )
    lines = (DATA / "ping_linux.txt").read_text().splitlines(keepends=True)
    found, _ = read_ping(log(tmp_path, "".join(lines[5:])))  # without its head and first packets
    said = [odd.said for odd in found.oddities if odd.kind == "counts"]
    assert said[0] == "the statistics say 7 packets sent, the lines of the file 2"
    assert said[1] == "the statistics say 4 replies, the lines of the file 2"


def replies(numbers: list[int], start: float | None = None, rtt: float = 10.0) -> str:
    return "".join(
        ("" if start is None else f"[{start + index + rtt / 1000:.6f}] ")
        + f"64 bytes from 192.0.2.1: icmp_seq={number} ttl=57 time={rtt} ms\n"
        for index, number in enumerate(numbers)
    )


def test_cut_at_both_ends(tmp_path: Path) -> None:
    text = "ttl=57 time=9.0 ms\n" + replies([57, 58, 60]) + "64 bytes from 192.0.2.1: icmp_se"
    found, packets = read_ping(log(tmp_path, text))
    assert packets.fate.tolist() == [A, A, L, A]
    (odd,) = found.oddities
    assert odd.kind == "skipped line"
    assert odd.said.startswith("line 1 is no line of ping")


def test_numbers_wrap_at_16_bits(tmp_path: Path) -> None:
    numbers = [*range(65530, 65536), *range(6), 8]
    found, packets = read_ping(log(tmp_path, replies(numbers)))
    assert packets.fate.tolist() == [A] * 12 + [L, L, A]
    assert found.reordered == 0


def test_runs_that_were_appended(tmp_path: Path) -> None:
    head = "PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.\n"
    found = read(log(tmp_path, head + replies([1, 2, 4]) + head + replies([2, 3])))
    assert [measurement.about for measurement in found] == [
        "run 1 of 2 to 192.0.2.1",
        "run 2 of 2 to 192.0.2.1",
    ]
    assert [measurement.packets.fate.tolist() for measurement in found if measurement.packets] == [
        [A, A, L, A],
        [L, A, A],
    ]
    found = read(log(tmp_path, replies([*range(1, 30)]) + replies([1, 2])))  # without heads
    assert [len(measurement.packets.time) for measurement in found if measurement.packets] == [
        29,
        2,
    ]


def test_a_run_without_any_reply(tmp_path: Path) -> None:
    text = (
        "PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.\n\n--- 192.0.2.1 ping statistics ---\n"
        "5 packets transmitted, 0 received, 100% packet loss, time 4100ms\n"
    )
    _, packets = read_ping(log(tmp_path, text))
    assert packets.fate.tolist() == [L] * 5


def test_a_clock_that_was_set(tmp_path: Path) -> None:
    text = replies([*range(1, 31)], start=2e9) + replies([*range(31, 61)], start=1.99e9)
    found, packets = read_ping(log(tmp_path, text))
    assert seconds(packets) == [float(i) for i in range(60)]
    assert kinds(found) == ["clock step"]
    assert "after packet 30" in found.oddities[0].said
    text = replies([*range(1, 31)], start=2e9) + replies([*range(31, 61)], start=2.0001e9)
    found, packets = read_ping(log(tmp_path, text))
    assert kinds(found) == ["gap"]
    assert (np.diff(packets.time) > 0).all()


def test_a_number_that_was_damaged_is_left_out(tmp_path: Path) -> None:
    found, packets = read_ping(log(tmp_path, replies([*range(1, 10), 9010, *range(11, 20)])))
    assert packets.fate.tolist() == [A] * 9 + [L] + [A] * 9
    assert kinds(found) == ["stray number"]


def test_numbers_that_are_too_far_apart(tmp_path: Path) -> None:
    file = log(tmp_path, replies([1, 2, 99_999_999, 100_000_000]))
    with pytest.raises(InputError, match=r"log.txt: numbers from 1 to 100000000: a run has"):
        read(file)


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_compressed(tmp_path: Path, pack: object) -> None:
    content = (DATA / "ping_linux.txt").read_bytes()
    file = tmp_path / "log.any"
    file.write_bytes(pack(content))  # type: ignore[operator]
    found, packets = read_ping(file)
    assert packets.fate.tolist() == [A, A, L, L, A, A, U]
    assert kinds(found) == []


def test_a_compressed_file_that_was_cut_says_so(tmp_path: Path) -> None:
    text = replies([*range(1, 3000)], start=2e9).encode()
    file = tmp_path / "log.gz"
    file.write_bytes(gzip.compress(text)[:-2000])
    found, packets = read_ping(file)
    assert 100 < len(packets.time) < 2999
    assert "cut" in kinds(found)


@given(
    st.lists(st.booleans(), min_size=3, max_size=60),
    st.integers(0, 65535),
    st.booleans(),
    st.data(),
)
def test_any_losses_are_read_back(
    tmp_path_factory: pytest.TempPathFactory,
    arrived: list[bool],
    first: int,
    stamped: bool,
    data: st.DataObject,
) -> None:
    """Losses, wrapped numbers and replies that overtake each other by a place."""
    arrived = [True, *arrived, True]
    sent = [i for i, has_arrived in enumerate(arrived) if has_arrived]
    order = list(sent)
    for place in range(len(order) - 1):
        if order[place] < order[place + 1] and data.draw(st.integers(0, 9)) == 0:
            order[place], order[place + 1] = order[place + 1], order[place]
    late = sum(b < max(order[:i]) for i, b in enumerate(order) if i)
    text = "".join(
        (f"[{1.7e9 + i:.6f}] " if stamped else "")
        + f"64 bytes from 192.0.2.1: icmp_seq={(first + i) % 65536} ttl=57 time={i + 1} ms\n"
        for i in order
    )
    found, packets = read_ping(log(tmp_path_factory.mktemp("any"), text))
    assert packets.fate.tolist() == [A if has_arrived else L for has_arrived in arrived]
    assert [delay for delay in ms(packets) if delay is not None] == [i + 1 for i in sent]
    assert found.reordered == late
    assert (np.diff(packets.time) >= 0).all()
    if stamped:
        assert seconds(packets)[-1] == pytest.approx((len(arrived) - 1) * 0.999, abs=1e-5)


def test_starlink() -> None:
    """An excerpt of a tool that sends one packet after the other: its lost ones hold up the next.

    That it is so follows from the stamps; the file names 0.1 s and 60 min, which they are not.
    """
    found, packets = read_ping(DATA / "mmsys24" / "isl-ping-gw-lagos-230911-172603-0.1s-60min.txt")
    assert len(packets.time) == 1300
    lost = [83, 185, 256, 398, 424, 458, 501, 619, 780, 998, 1033, 1272]
    assert (np.flatnonzero(packets.fate == LOST) + 1).tolist() == lost
    assert kinds(found) == ["one at a time", "name", "name"]
    assert found.oddities[1].said.startswith("the name says 60min, the times span ")
    assert found.oddities[2].said.startswith("the name says 0.1s, the times are ")
    step = np.diff(packets.time) / 1e9
    assert step[np.array(lost) - 1] == pytest.approx(5.11, abs=0.02)  # the timeout and the pause
    found_facts = facts(found)
    assert found_facts.bursts is not None
    assert found_facts.bursts.counts == {1: 12}
    assert found_facts.silence_count == 0
