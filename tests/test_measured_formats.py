"""Tables, traces, results of iperf3 and irtt, and logs of live runs, column by column."""

from __future__ import annotations

import gzip
import json
import math
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from airtcp import InputError
from airtcp.live import LiveLog
from airtcp.measured import Intervals, Measurement, Packets, captures, facts, read
from airtcp.measured.formats import CAPTURE_FORMAT_NAME, FOLDER_FORMAT_NAME, FORMATS
from airtcp.measured.measurement import (
    ARRIVED,
    LINK_LOSS,
    LOST,
    NO_DELAY,
    QUEUE_LOSS,
    UNKNOWN,
)

DATA = Path(__file__).parent / "measured"
MMSYS = DATA / "mmsys24"
TRACES = Path(__file__).parent.parent.parent / "shared/traces"
A, L, U = ARRIVED, LOST, UNKNOWN


def written(tmp_path: Path, text: str, name: str = "x") -> Path:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return file


def packets_of(found: Measurement) -> Packets:
    assert found.packets is not None
    return found.packets


def intervals_of(found: Measurement) -> Intervals:
    assert found.intervals is not None
    return found.intervals


def kinds(found: Measurement) -> list[str]:
    return [odd.kind for odd in found.oddities]


# Tables


def test_table_without_a_head(tmp_path: Path) -> None:
    file = written(
        tmp_path, "1e9\n1700000000.1\t1\t100.0\n1700000001.1\t2\t90\n1700000003.1 4 100\n"
    )
    (found,) = read(file)
    packets = packets_of(found)
    assert packets.fate.tolist() == [A, A, L, A]
    assert packets.delay.tolist() == [100_000_000, 90_000_000, NO_DELAY, 100_000_000]
    assert packets.time.tolist() == pytest.approx([0, 1.01e9, 2.005e9, 3e9], abs=2)
    assert found.began == pytest.approx(1_700_000_000.0)
    assert [odd.said for odd in found.oddities] == [
        'line 1 is no line of time, number and round trip: "1e9"'
    ]


def test_csv_with_numbers_and_units(tmp_path: Path) -> None:
    text = "Time (ms),seq,rtt_us,remark\n0,7,500,\n100,8,lost,a\n200,9,,b\n300,10,700,c\n"
    packets = packets_of(read(written(tmp_path, text))[0])
    assert packets.time.tolist() == [0, 100_000_000, 200_000_000, 300_000_000]
    assert packets.fate.tolist() == [A, L, L, A]
    assert packets.delay.tolist() == [500_000, NO_DELAY, NO_DELAY, 700_000]
    assert packets.delays == "round trip"
    assert packets.is_time_measured


def test_files_of_scenarios(tmp_path: Path) -> None:
    """Formats of scenarios mean here what they mean there: seconds and Mbit/s."""
    (found,) = read(written(tmp_path, "lost\n0\n1\n0\n"))
    packets = packets_of(found)
    assert packets.fate.tolist() == [A, L, A]
    assert not packets.is_time_measured
    assert packets.time.tolist() == [0, 10**9, 2 * 10**9]
    (found,) = read(written(tmp_path, "lost\n0\n1\n0\n"), interval=0.02)
    assert packets_of(found).time.tolist() == [0, 20_000_000, 40_000_000]
    packets = packets_of(read(written(tmp_path, "time,delay\n0,0.02\n1.5,0.03\n"))[0])
    assert packets.time.tolist() == [0, 1_500_000_000]
    assert packets.delay.tolist() == [20_000_000, 30_000_000]
    assert packets.delays == "one way"
    (found,) = read(written(tmp_path, "time,rate\n0,8\n2,4\n3,0\n"))
    intervals = intervals_of(found)
    assert intervals.start.tolist() == [0, 2 * 10**9, 3 * 10**9]
    assert intervals.length.tolist() == [2 * 10**9, 10**9, 1_500_000_000]
    assert intervals.received.tolist() == [2e6, 5e5, 0.0]
    assert np.isnan(intervals.lost).all()


def test_columns_are_named_by_options(tmp_path: Path) -> None:
    file = written(tmp_path, "when;what;n\n0;1.5;1\n1;2.5;2\n")
    with pytest.raises(InputError, match="unknown format"):
        read(file)
    columns = {"time": "when", "rtt": 2}
    (found,) = read(file, columns=columns, units={"rtt": "ms"})
    assert packets_of(found).delay.tolist() == [1_500_000, 2_500_000]
    for options, said in (
        ({"columns": columns}, r"x: line 1: column 'what' has no unit: write rtt_s or give"),
        ({"columns": {"time": "wann"}}, r"x: columns.time: no column 'wann' \(there is 'when,what"),
        ({"columns": {"time": 9}}, r"x: columns.time = 9: there are 3 columns"),
        ({"columns": {"tim": 1}}, r"columns = 'tim': must be one of .* \(did you mean 'time'\?\)"),
        ({"columns": {"time": 0}}, r"columns.time = 0: must be the name of a column, or a number"),
        ({"columns": [1]}, r"columns = \[1\]: must be a table"),
        ({"columns": columns, "units": {"rtt": "m"}}, r"units.rtt = 'm': must be one of s, ms"),
    ):
        with pytest.raises(InputError, match=said):
            read(file, **options)  # type: ignore[arg-type]


def test_rows_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    text = "time,rtt_ms\n0,5\n1\n2,x\n3,7\n2.5,8\n"
    (found,) = read(written(tmp_path, text))
    assert packets_of(found).delay.tolist() == [5_000_000, 7_000_000]
    assert [(odd.kind, odd.count) for odd in found.oddities] == [
        ("skipped line", 2),
        ("clock step", 1),
    ]
    with pytest.raises(InputError, match="no row below its head that can be read"):
        read(written(tmp_path, "time,rtt_ms\n"))


def test_cells_in_quotes(tmp_path: Path) -> None:
    text = '"note","time","rtt_ms"\n"a, b","0","5"\n"c",1,"nan"\n'
    packets = packets_of(read(written(tmp_path, text))[0])
    assert packets.delay.tolist() == [5_000_000, NO_DELAY]
    assert packets.fate.tolist() == [A, L]


def test_mahimahi(tmp_path: Path) -> None:
    (found,) = read(written(tmp_path, "0\n0\n3\n1500\n4000\n"))
    assert found.opportunities is not None
    assert found.opportunities.tolist() == [0, 0, 3, 1500, 4000]
    told = facts(found)
    assert told.rate is not None
    assert told.rate.mean == pytest.approx(5 * 1504 * 8 / 4)
    assert [(silence.start, silence.length) for silence in told.silences] == [
        (0.003, 1.497),
        (1.5, 2.5),
    ]
    with pytest.raises(InputError, match="x: is not a trace: line 51 falls, from 49 to 3"):
        read(written(tmp_path, "".join(f"{i}\n" for i in range(50)) + "3\n"))


# iperf3


def test_udp_both_ways() -> None:
    up, down = read(DATA / "iperf3_udp_both.json")
    assert up.about == "UDP, client to server, 2 streams, seen by the sender"
    assert down.about == "UDP, server to client, 1 stream, seen by the receiver"
    assert up.began == down.began == 1_700_000_000
    sent, received = intervals_of(up), intervals_of(down)
    assert sent.start.tolist() == [0, 10**9, 2 * 10**9]
    assert sent.length.tolist() == [10**9] * 3
    assert sent.sent.tolist() == [15, 25, 35]
    assert np.isnan(sent.lost).all()
    assert sent.received.tolist() == [1500, 2500, 3500]
    assert received.sent.tolist() == [20] * 3
    assert received.lost.tolist() == [0, 1, 2]
    assert np.isnan(received.delay).all()
    assert kinds(up) == ["counts only", "sender"]
    assert kinds(down) == ["counts only"]
    told = facts(down, up)
    assert told.loss is not None
    assert told.loss.value == pytest.approx(3 / 60)
    assert told.asymmetry is not None
    assert told.asymmetry.rate == pytest.approx(6000 / 7500)
    assert math.isnan(told.asymmetry.loss)


def test_events_of_a_test_that_was_aborted() -> None:
    (found,) = read(DATA / "iperf3_events.json")
    intervals = intervals_of(found)
    assert intervals.start.tolist() == [0, 10**9]
    assert intervals.received.tolist() == [10_000, 20_000]
    assert intervals.lost.tolist() == [0, 2]
    assert intervals.sent.tolist() == [10, 22]
    assert intervals.delay[0] == 60e6
    assert math.isnan(intervals.delay[1])
    said = {odd.kind: odd.said for odd in found.oddities}
    assert list(said) == ["counts only", "repetitions", "sender", "omitted", "aborted"]
    assert said["repetitions"].startswith("retransmits are repetitions by TCP")
    assert said["aborted"] == "the test ended early: control socket has closed unexpectedly"


def test_several_documents_and_the_view_of_the_server(tmp_path: Path) -> None:
    text = (DATA / "iperf3_udp_both.json").read_text()
    server = json.loads(text)
    server["start"]["accepted_connection"] = server["start"].pop("connecting_to")
    for interval in server["intervals"]:
        interval["streams"] = interval["streams"][2:]
    document = json.loads(text)
    for interval in document["intervals"]:
        del interval["streams"][2]
    document["server_output_json"] = server
    found = read(written(tmp_path, text + json.dumps(document)))
    assert [measurement.about for measurement in found] == [
        "UDP, client to server, 2 streams, seen by the sender",
        "UDP, server to client, 1 stream, seen by the receiver",
        "UDP, client to server, 1 stream, seen by the receiver",
    ]
    assert intervals_of(found[2]).lost.tolist() == [0, 1, 2]


def test_an_interval_without_length_is_left_out(tmp_path: Path) -> None:
    text = (DATA / "iperf3_events.json").read_text()
    whole = '"start": 0, "end": 1, "seconds": 1, "omitted": false'
    document = text.replace(whole, '"start": 0, "end": 1e-320, "omitted": false')
    assert document != text
    (found,) = read(written(tmp_path, document))
    assert intervals_of(found).length.tolist() == [10**9]
    assert "skipped interval" in kinds(found)


def test_a_segment_size_below_a_byte_tells_no_packets(tmp_path: Path) -> None:
    text = (DATA / "iperf3_events.json").read_text()
    document = text.replace('"tcp_mss_default": 1000', '"tcp_mss_default": 1e-320')
    assert document != text
    (found,) = read(written(tmp_path, document))
    assert np.isnan(intervals_of(found).sent).all()


def test_a_result_of_nothing_but_an_error(tmp_path: Path) -> None:
    text = '{"start": {"connecting_to": {}}, "intervals": [], "end": {}, "error": "no route"}'
    with pytest.raises(InputError, match="x: no result of iperf3: iperf3 says 'no route'"):
        read(written(tmp_path, text))


@pytest.mark.parametrize(
    ("length", "about", "first"),
    [
        ("2m", "TCP, server to client, 1 stream, seen by the receiver", 13880),
        ("5m", "TCP, client to server, 1 stream, seen by the sender", 45804),
    ],
)
def test_starlink(length: str, about: str, first: int) -> None:
    """Excerpts of results of iperf3 3.9, cut within an interval."""
    (file,) = MMSYS.glob(f"*-{length}-*.json")
    (found,) = read(file)
    assert found.about == about
    intervals = intervals_of(found)
    assert len(intervals.start) > 20
    assert intervals.received[0] == first
    assert "cut" in kinds(found)


@pytest.mark.skipif(not TRACES.is_dir(), reason="needs the traces")
def test_whole_results_of_starlink() -> None:
    (down,) = read(next((TRACES / "mmsys24").glob("*-2m-*.json")))
    assert intervals_of(down).received.sum() == 626_350_860  # as its end says
    assert kinds(down) == ["counts only", "receiver"]
    (up,) = read(next((TRACES / "mmsys24").glob("*-5m-*.json")))
    assert intervals_of(up).received.sum() == 168_900_168
    assert intervals_of(up).lost.sum() == 379
    assert kinds(up) == ["counts only", "repetitions", "sender"]


# irtt


def test_irtt_tells_the_ways_apart() -> None:
    up, down = read(DATA / "irtt.json")
    assert (up.about, down.about) == ("client to server", "server to client")
    there, back = packets_of(up), packets_of(down)
    assert there.fate.tolist() == [A, L, A, U, A]
    assert there.time.tolist() == [0, 10**7, 2 * 10**7, 3 * 10**7, 4 * 10**7]
    assert there.delay.tolist() == [20_000_000, NO_DELAY, NO_DELAY, NO_DELAY, 20_500_000]
    assert there.size.tolist() == [200] * 5
    assert back.fate.tolist() == [A, L, U, A]  # the second one never came to the server
    assert back.delay.tolist() == [10_000_000, NO_DELAY, NO_DELAY, 10_500_000]
    assert there.delays == back.delays == "one way with an unknown offset"
    assert (there.is_time_measured, back.is_time_measured) == (True, False)
    assert (up.reordered, down.reordered, down.duplicated) == (0, 1, 1)
    assert up.began == 1_700_000_000
    assert kinds(up) == []


def changed(tmp_path: Path, change: Any) -> Path:
    document = json.loads((DATA / "irtt.json").read_text())
    change(document)
    return written(tmp_path, json.dumps(document))


def test_irtt_without_a_window_is_of_both_ways(tmp_path: Path) -> None:
    def plain(document: Any) -> None:
        document["config"]["params"]["received_stats"] = "count"
        for trip in document["round_trips"]:
            trip["lost"] = trip["lost"] != "false"  # as the documentation writes it

    (found,) = read(changed(tmp_path, plain))
    packets = packets_of(found)
    assert packets.fate.tolist() == [A, L, L, L, A]
    assert packets.delay[0] == 30_000_000
    assert packets.delays == "round trip"


def test_irtt_with_clocks_that_differ(tmp_path: Path) -> None:
    def shift(document: Any) -> None:
        for trip in document["round_trips"]:
            if trip["delay"]:
                trip["delay"]["send"] -= 10**9
        document["stats"]["packets_sent"] = 6

    up, _ = read(changed(tmp_path, shift))
    assert packets_of(up).delay.tolist() == [0, NO_DELAY, NO_DELAY, NO_DELAY, 500_000]
    assert kinds(up) == ["counts", "clock offset"]


def test_json_that_is_cut_gives_what_stands_before(tmp_path: Path) -> None:
    text = (DATA / "irtt.json").read_text()
    up, _ = read(written(tmp_path, text[: text.index('"seqno": 4')]))
    assert packets_of(up).fate.tolist() == [A, L, A, U]
    assert kinds(up) == ["cut", "counts", "counts"]
    assert up.oddities[0].said.startswith("line ")
    with pytest.raises(InputError, match=r"x: a result of irtt without a round trip: line \d+: "):
        read(written(tmp_path, text[:400]))


# Live runs


def test_live_runs() -> None:
    folder = Path(__file__).parent / "stored/model7/log"
    log = LiveLog(folder)
    found = read(folder)
    assert [measurement.about for measurement in found] == [
        "from the sender's side",
        "to the sender's side",
    ]
    for direction, measured in enumerate(found):
        records = log.records[(log.records["direction"] == direction) & (log.records["copy"] == 0)]
        records = records[np.argsort(records["id"])]
        names = log.fates[(log.records["direction"] == direction) & (log.records["copy"] == 0)]
        packets = packets_of(measured)
        assert len(packets.time) == len(records)
        assert (packets.fate == A).sum() == (names == "delivered").sum()
        lost = packets.fate == L
        assert (packets.cause[lost] == QUEUE_LOSS).sum() == (names == "queue").sum()
        assert np.isin(packets.cause[lost], [LINK_LOSS, QUEUE_LOSS]).all()
        assert (packets.cause[~lost] == U).all()
        assert (packets.delay[packets.fate == A] > 0).all()
        assert (packets.time == records["arrival"] - records["arrival"][0]).all()


# Captures


def test_captures_are_read_together(tmp_path: Path) -> None:
    """Compressed or not, in the place of the first of them, with their own options."""
    archive = Path(__file__).parent / "captures/forced.zip"
    with zipfile.ZipFile(archive) as opened:
        member = next(name for name in opened.namelist() if name.endswith((".pcap", ".pcapng")))
        content = opened.read(member)
    plain, packed = tmp_path / "a", tmp_path / "b.txt"
    plain.write_bytes(content)
    packed.write_bytes(gzip.compress(content))
    log = DATA / "ping_linux.txt"
    (_, *found) = read([log, plain])
    assert [measurement.form for measurement in found] == ["TCP capture"] * len(found)
    assert [measurement.about for measurement in found] == [
        measurement.about for measurement in captures.read(plain)
    ]
    assert [measurement.form for measurement in read([packed, log])][-1] == "ping"
    assert len(read(archive)) == len(captures.read(archive)) > len(found)
    with pytest.raises(InputError, match="udp_sequence"):
        read(plain, udp_sequence="x")


# Files of no format


def test_a_file_of_no_format_names_those_that_are_known(tmp_path: Path) -> None:
    file = written(tmp_path, "Dear reader,\nthis is a letter.\n")
    with pytest.raises(InputError) as refused:
        read(file)
    for file_format in FORMATS:
        assert file_format.name in str(refused.value)
    assert FOLDER_FORMAT_NAME in str(refused.value)
    assert CAPTURE_FORMAT_NAME in str(refused.value)
    with pytest.raises(InputError, match="x: is empty"):
        read(written(tmp_path, " \n"))
    with pytest.raises(
        InputError, match=r"is a folder without live.json; give a folder written by"
    ):
        read(tmp_path)
    with pytest.raises(InputError, match="missing: No such file"):
        read(tmp_path / "missing")
    with pytest.raises(InputError, match="files: no file to read"):
        read([])


def test_several_files_come_in_their_order() -> None:
    found = read([DATA / "irtt.json", DATA / "ping_linux.txt"])
    assert [measurement.form for measurement in found] == ["irtt", "irtt", "ping"]
