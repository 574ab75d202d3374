"""Figures of a run: what is drawn is what happened."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from airtcp import Events, InputError, Scenario, trace
from airtcp.cli.trace_command import write_trace
from airtcp.events.records import SENDER_KINDS
from airtcp.plot.sequence import (
    MOST_PANELS,
    SEQUENCE_FIGURES,
    compare,
    packet_number,
    time_sequence,
    window_steps,
)
from airtcp.plot.sequence_marks import (
    MOST_MARKED_EVENTS,
    _counted_words,
    fast_retransmits,
    write_notes,
)
from traces import MSS, blocks, played, written

FIG5 = Scenario.load(Path(__file__).parents[1] / "examples/fig5.toml").replace(
    "tcp.variant", ["reno", "sack"]
)
VARIANTS = ("tahoe", "reno", "newreno", "sack")


def line(axes: Axes, label: str) -> tuple[np.ndarray, np.ndarray]:
    """(x, y) of what bears a label."""
    (found,) = (artist for artist in axes.lines if artist.get_label() == label)
    return np.asarray(found.get_xdata()), np.asarray(found.get_ydata())


def bars(axes: Axes, label: str) -> np.ndarray:
    (found,) = (collection for collection in axes.collections if collection.get_label() == label)
    assert isinstance(found, LineCollection)
    return np.array(found.get_segments())


def legend(figure: object) -> set[str]:
    return {text.get_text() for text in figure.legends[0].get_texts()}  # type: ignore[attr-defined]


def test_time_sequence_shows_every_packet_ack_and_loss() -> None:
    events = played("drop4", "sack")
    (axes,) = time_sequence(events).axes
    sent = events.rows("send")
    drawn = bars(axes, "sent")
    assert np.allclose(drawn[:, 0, 0], events.time[sent])
    assert np.allclose(drawn[:, 0, 1], events.columns["packet"][sent])
    assert np.allclose(drawn[:, 1, 1] - drawn[:, 0, 1], 1.0)
    acks = events.rows("ack")
    assert np.allclose(line(axes, "acknowledged")[1], events.columns["seq"][acks])
    assert np.allclose(line(axes, "advertised window")[1], events.columns["seq"][acks] + 28)
    assert np.allclose(line(axes, "sent again")[1], [14.5, 24.5, 26.5, 28.5])
    assert sorted(line(axes, "packet lost")[1]) == [14.5, 24.5, 26.5, 28.5]
    assert len(line(axes, "duplicate ACK")[0]) == int(
        (np.diff(events.columns["seq"][acks]) == 0).sum()
    )
    used = (events.columns["sack"][acks][:, :, 1] > 0).sum()
    assert len(bars(axes, "SACK")) == used
    assert axes.get_xlabel() == "Time (s)"
    assert axes.get_ylabel() == "Sequence number (packets)"


def test_bytes_are_drawn_as_packets() -> None:
    (axes,) = time_sequence(blocks(written(), written(1, base=1000 * MSS)), flow=1).axes
    assert np.allclose(bars(axes, "sent")[:, 0, 1], [1000 + i for i in range(7)])
    assert np.allclose(line(axes, "timeout"), ([1.1], [1001]))
    assert np.allclose(line(axes, "ACK lost"), ([0.07], [1001]))


def test_a_window_far_above_the_data_is_left_out() -> None:
    """It would leave the data no height."""
    (axes,) = time_sequence(blocks(written())).axes
    assert "advertised window" not in {artist.get_label() for artist in axes.lines}
    assert axes.get_ylim()[1] < 10


def notes(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def test_losses_timeouts_and_third_duplicates_have_words() -> None:
    (axes,) = time_sequence(played("drop4", "sack")).axes
    assert notes(axes)[0] == "3rd duplicate"
    said = [note.removesuffix("lost").strip() or "1" for note in notes(axes) if "lost" in note]
    assert sum(map(int, said)) == len(played("drop4", "sack").rows("drop"))
    (axes,) = window_steps(played("drop4", "tahoe")).axes
    assert "3rd duplicate" in notes(axes)
    (axes,) = time_sequence(played("cut", "reno")).axes
    assert "timeout" in notes(axes)


def test_many_marks_have_no_words() -> None:
    events = Scenario.from_dict(
        {
            "profile": "rfc",
            "tcp": {"variant": "sack"},
            "path": {
                "hop": [
                    {
                        "rate": "2Mbps",
                        "delay": "20ms",
                        "channel": {"kind": "iid", "loss_rate": 0.05},
                    }
                ]
            },
            "stop": {"time": "60s"},
        }
    )
    (axes,) = time_sequence(trace(events)).axes
    assert "packet lost" in {artist.get_label() for artist in axes.lines}
    assert not any("lost" in note for note in notes(axes))


@pytest.mark.parametrize(("advertised", "drawn"), [(None, False), (True, True), (False, False)])
def test_the_advertised_window_is_drawn_where_it_leaves_the_data_their_height(
    advertised: bool | None, drawn: bool
) -> None:
    events = played("drop4", "sack")
    columns = {name: np.array(column) for name, column in events.columns.items()}
    columns["window"] += 30 * MSS
    far = Events(columns, events.facts)
    (axes,) = time_sequence(far, advertised=advertised).axes
    assert ("advertised window" in {child.get_label() for child in axes.get_children()}) is drawn
    top = float(axes.get_ylim()[1])
    highest = events.columns["packet"][events.rows("send")].max()
    assert top > 1.4 * highest if drawn else top < 1.4 * highest
    (axes,) = time_sequence(events, advertised=False).axes
    assert "advertised window" not in {child.get_label() for child in axes.get_children()}
    with pytest.raises(
        InputError, match=r"^advertised: applies only to kind sequence, not to window"
    ):
        compare([events], "window", advertised=True)


def test_packet_numbers_are_modulo_100() -> None:
    events = played("cut", "newreno")
    (axes,) = packet_number(events).axes
    for kinds, label in (
        (("send", "resend"), "packet enqueued at the sender"),
        (("arrive",), "packet at node 1"),
        (("ack",), "ACK received"),
        (("drop",), "packet lost"),
        (("ack-drop",), "ACK lost"),
    ):
        rows = events.rows(*kinds)
        time, number = line(axes, label)
        assert np.allclose(time, events.time[rows])
        assert number.tolist() == (events.columns["packet"][rows] % 100).tolist()
    (axes,) = packet_number(events, modulo=60).axes
    assert axes.get_ylabel() == "Packet number mod 60"
    assert line(axes, "ACK received")[1].max() == 59


def test_only_arrivals_at_node_1_are_shown() -> None:
    (axes,) = packet_number(blocks(written())).axes
    assert len(line(axes, "packet at node 1")[0]) == 7  # of 5, one again, and one more


def test_window_steps() -> None:
    events = played("cut", "reno")
    (axes,) = window_steps(events).axes
    rows = events.rows("timeout")
    assert np.allclose(line(axes, "timeout"), (events.time[rows], [1.0, 1.0]))
    time, level = line(axes, "cwnd")
    assert level[time == events.time[rows[0]]].tolist()[0] == 1.0
    assert np.nanmax(line(axes, "ssthresh")[1]) == 40.0
    assert line(axes, "not acknowledged")[1].max() == 40


def test_no_threshold_is_drawn_where_there_is_none() -> None:
    (axes,) = window_steps(blocks(written())).axes
    level = line(axes, "ssthresh")[1]
    assert np.isnan(level[0])
    assert level[-1] == 3.0


@pytest.mark.parametrize(
    ("name", "variant", "times"),
    [
        ("drop4", "tahoe", 1),
        ("drop4", "newreno", 1),
        ("drop4", "sack", 1),
        ("overflow", "tahoe", 2),
        ("overflow", "newreno", 2),
        ("overflow", "sack", 2),
        ("cut", "reno", 0),
    ],
)
def test_fast_retransmissions(name: str, variant: str, times: int) -> None:
    """One per loss of the window's packets: partial ACKs and timeouts are none."""
    assert len(fast_retransmits(played(name, variant))) == times


def test_fast_retransmissions_of_a_run_in_bytes() -> None:
    events = blocks(written())
    assert events.time[fast_retransmits(events)].tolist() == [0.1]


@pytest.mark.parametrize("kind", SEQUENCE_FIGURES)
def test_variants_stand_side_by_side_on_common_axes(kind: str) -> None:
    figure = compare([played("overflow", name) for name in VARIANTS], kind)
    assert [axes.get_title(loc="left") for axes in figure.axes] == list(VARIANTS)
    assert len({axes.get_xlim() for axes in figure.axes}) == 1
    assert len({axes.get_ylim() for axes in figure.axes}) == 1
    assert [bool(axes.get_xlabel()) for axes in figure.axes] == [False, False, True, True]
    assert [bool(axes.get_ylabel()) for axes in figure.axes] == [True, False, True, False]
    shown = {
        artist.get_label() for axes in figure.axes for artist in (*axes.lines, *axes.collections)
    }
    assert legend(figure) == {label for label in shown if not str(label).startswith("_")} - {""}


def test_panels_are_named_by_what_differs() -> None:
    events = played("drop4", "sack")
    runs = [
        Events(events.columns, {**events.facts, "coordinates": {"tcp.window": window, "x": 1}})
        for window in (6, 24, 50)
    ]
    figure = compare(runs)
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "window 6",
        "window 24",
        "window 50",
    ]


def test_a_panel_is_named_by_the_variant_of_its_flow() -> None:
    events = blocks(written(0), written(1), variants=["reno", "sack"])
    for flow, variant in enumerate(("reno", "sack")):
        (axes,) = time_sequence(events, flow).axes
        assert axes.get_title(loc="left") == variant


def test_limits_of_time() -> None:
    events = played("drop4", "sack")
    (axes,) = time_sequence(events, start=0.5, end=1.5).axes
    assert 0.4 < axes.get_xlim()[0] < axes.get_xlim()[1] < 1.6
    with pytest.raises(
        InputError, match=r"start = 50, end = 60: flow 0 has no events in this time"
    ):
        time_sequence(events, start=50.0, end=60.0)
    with pytest.raises(InputError, match="after the start"):
        window_steps(events, start=2.0, end=1.0)


def held(events: Events, kinds: tuple[str, ...], column: str, time: float) -> float:
    """The value that the last event of these kinds up to `time` has set."""
    rows = events.rows(*kinds)
    return float(events.columns[column][rows[events.time[rows] <= time][-1]])


@pytest.mark.parametrize(("start", "end"), [(1.07, 2.6), (2.05, 2.9)])
def test_lines_of_a_part_run_from_one_edge_to_the_other(start: float, end: float) -> None:
    """They enter with the state before the cut, and the last state goes on to the end."""
    events = played("cut", "reno")
    acks = ("ack", "probe-ack")
    (sequence,) = time_sequence(events, start=start, end=end).axes
    (window,) = window_steps(events, start=start, end=end).axes
    lines = [
        (sequence, "acknowledged", lambda at: held(events, acks, "seq", at)),
        (sequence, "advertised window", lambda at: held(events, acks, "seq", at) + 40),
        *[
            (window, label, lambda at, name=name: held(events, SENDER_KINDS, name, at))
            for label, name in (
                ("cwnd", "cwnd"),
                ("ssthresh", "ssthresh"),
                ("not acknowledged", "inflight"),
            )
        ],
    ]
    for axes, label, level in lines:
        assert axes.get_xlim() == (start, end)
        time, drawn = line(axes, label)
        assert (time[0], time[-1]) == (start, end), label
        assert (drawn[0], drawn[-1]) == (level(start), level(end)), label


def test_a_part_of_what_happens_shows_the_same_marks() -> None:
    """Duplicates and fast retransmissions are such by what was before them."""
    events = played("drop4", "sack")
    whole = line(time_sequence(events).axes[0], "duplicate ACK")[0]
    (axes,) = time_sequence(events, start=float(whole[0])).axes
    assert line(axes, "duplicate ACK")[0].tolist() == whole.tolist()
    (at,) = line(window_steps(events).axes[0], "fast retransmission")[0]
    (axes,) = window_steps(events, start=float(at)).axes
    assert line(axes, "fast retransmission")[0].tolist() == [at]


def test_a_line_ends_with_the_run_and_begins_with_it() -> None:
    events = played("cut", "reno")
    first, last = float(events.time[0]), events.duration
    (axes,) = window_steps(events, start=first - 1.0, end=last + 50.0).axes
    time, _ = line(axes, "cwnd")
    assert first <= time[0]
    assert time[-1] <= last
    assert axes.get_xlim()[1] < last + 1.0


def test_a_window_that_rises_far_above_the_data_leaves_the_panel() -> None:
    events = played("drop4", "sack")
    columns = {name: np.array(column) for name, column in events.columns.items()}
    acks = events.rows("ack")
    columns["window"][acks[len(acks) // 2 :]] *= 50
    (axes,) = time_sequence(Events(columns, events.facts)).axes
    time, level = line(axes, "advertised window")
    assert time.tolist() == events.time[acks].tolist()
    assert np.isfinite(level).all()
    assert level.max() > 4 * axes.get_ylim()[1]


@pytest.mark.parametrize("kind", ["sequence", "window"])
def test_the_command_draws_the_same_part(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = []
    monkeypatch.setattr("airtcp.plot.sequence.save", lambda figure, *_: drawn.append(figure))
    write_trace(FIG5, tmp_path / "x.svg", kind=kind, start=3.35, end=4.9)
    for axes in drawn[0].axes:
        assert axes.get_xlim() == (3.35, 4.9)
        for label in ("cwnd", "ssthresh") if kind == "window" else ("acknowledged",):
            time, _ = line(axes, label)
            assert (time[0], time[-1]) == (3.35, 4.9)


def test_mistakes_are_one_line() -> None:
    events = played("drop4", "sack")
    with pytest.raises(InputError, match="flow = 1: must be a whole number from 0 to 0"):
        time_sequence(events, flow=1)
    with pytest.raises(
        InputError, match=r"kind = 'windows': must be one of .*did you mean 'window'"
    ):
        compare([events], "windows")
    with pytest.raises(InputError, match="modulo = 0"):
        packet_number(events, modulo=0)
    for number in (0, MOST_PANELS + 1):
        with pytest.raises(InputError, match=f"{number} runs"):
            compare([events] * number)


def test_the_same_events_give_the_same_file(tmp_path: Path) -> None:
    events = played("drop4", "sack")
    for suffix in ("svg", "pdf", "png"):
        first, second = (events.write(tmp_path / f"{i}.{suffix}").read_bytes() for i in range(2))
        assert first == second


def test_text_in_svg_is_text(tmp_path: Path) -> None:
    drawn = played("drop4", "sack").write(tmp_path / "x.svg").read_text(encoding="utf-8")
    assert re.search(r"<text[^>]*>Time \(s\)</text>", drawn)
    assert "<image" not in drawn


def test_a_long_run_stays_a_small_file(tmp_path: Path) -> None:
    """Many marks become pixels."""
    events = played("overflow", "sack")
    copies = 2 * MOST_MARKED_EVENTS // len(events.rows("send")) + 1
    span = int(events.columns["time_ns"][-1]) + 1
    columns = {name: np.concatenate([column] * copies) for name, column in events.columns.items()}
    columns["time_ns"] = columns["time_ns"] + np.repeat(np.arange(copies) * span, len(events))
    path = Events(columns, events.facts).write(tmp_path / "x.svg")
    assert "<image" in path.read_text(encoding="utf-8")
    assert path.stat().st_size < 2_000_000


def test_common_axes_hold_the_highest_of_all_panels() -> None:
    runs = [played("overflow", name) for name in VARIANTS]
    for kind in ("sequence", "window"):
        figure = compare(runs, kind)
        top = figure.axes[0].get_ylim()[1]
        drawn = [np.nanmax(curve.get_ydata()) for axes in figure.axes for curve in axes.lines]  # type: ignore[arg-type]
        assert max(drawn) <= top


def test_words_of_events_do_not_cover_each_other() -> None:
    axes = Figure(figsize=(3.0, 2.0)).subplots()
    axes.set(xlim=(0.0, 10.0), ylim=(0.0, 100.0))
    view = SimpleNamespace(events=SimpleNamespace(time=np.array([0.0, 10.0])))
    near, far = np.array([1.0, 1.5, 8.0]), np.array([1.0, 2.0, 90.0])
    write_notes(axes, view, near, far, "lost")
    assert notes(axes) == ["lost", "lost"]
    assert _counted_words("3rd duplicate", 4) == "3rd duplicate \N{MULTIPLICATION SIGN} 4"
    assert (_counted_words("timeout", 2), _counted_words("lost", 12)) == ("2 timeouts", "12 lost")
