"""`airtcp.fit`: from a file to a scenario that runs, and the same from the command line."""

import html
import json
import re
import tomllib

import numpy as np
import pytest
from click.testing import CliRunner

import airtcp
from airtcp.campaign.journal import open_journal_in_memory
from airtcp.cli.main import main
from airtcp.fitted.goodput_comparison import GoodputComparer
from airtcp.fitted.hop import recorded_losses
from airtcp.fitted.options import FitOptions
from airtcp.fitted.report import _delay_curves
from airtcp.fitted.scenario_text import scenario_text
from airtcp.measured.measurement import LINK_LOSS, QUEUE_LOSS, UNKNOWN, Packets

SECOND = 1_000_000_000


def ping_log(folder, loss_rate, packets=4000, burst=1.0, name="ping.txt"):
    """A log of Linux's ping with -D, five a second, with losses of a known chain."""
    lost = airtcp.fates(
        {"kind": "burst", "loss_rate": loss_rate, "mean_burst": burst, "clock": "packet"},
        packets,
        seed=3,
    )
    rng = np.random.default_rng(5)
    rtt = 40.0 + rng.gamma(2.0, 2.0, packets)
    lines = ["PING 10.0.0.1 (10.0.0.1) 56(84) bytes of data."]
    lines += [
        f"[{1700000000 + 0.2 * k:.6f}] 64 bytes from 10.0.0.1: icmp_seq={k + 1} ttl=64"
        f" time={rtt[k]:.1f} ms"
        for k in range(packets)
        if not lost[k]
    ]
    path = folder / name
    path.write_text("\n".join(lines) + "\n")
    return path, lost


def packets_of(fates, apart=SECOND, cause=None):
    n = len(fates)
    return Packets(
        time=np.arange(n, dtype=np.int64) * apart,
        fate=np.array(fates, dtype=np.int8),
        delay=np.full(n, -1, dtype=np.int64),
        size=np.zeros(n, dtype=np.int32),
        cause=np.full(n, UNKNOWN, dtype=np.int8) if cause is None else np.array(cause, np.int8),
        delays="round trip",
    )


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    path, lost = ping_log(tmp_path_factory.mktemp("fit"), 0.02)
    return airtcp.fit(path, tcps=("cubic",)), lost


def test_a_log_of_ping_becomes_a_scenario_that_runs(fitted):
    found, lost = fitted
    model = found.parts.losses.chosen
    assert model.name == "independent"
    (rate,) = model.parameters
    assert rate.low <= lost.mean() <= rate.high
    hop = found.scenario.points()[0].data["path"]["hop"][0]
    assert hop["channel"] == {"kind": "iid", "loss_rate": pytest.approx(rate.value)}
    result = airtcp.simulate(found.scenario, replications=1)
    assert (result.to_pandas()["goodput_bps"] > 0.0).all()


def test_the_delay_is_half_of_the_least_round_trip(fitted):
    found, _ = fitted
    hop = tomllib.loads(found.toml)["path"]["hop"][0]
    assert 0.0195 <= float(hop["delay"].removesuffix("ms")) / 1e3 <= 0.0206


def test_tcp_over_the_model_does_as_over_the_record(fitted):
    found, _ = fitted
    (comparison,) = found.parts.goodput_comparisons
    assert comparison.verdict == "alike"
    assert comparison.low <= comparison.ratio <= comparison.high


def test_every_number_of_the_scenario_says_where_it_is_from(fitted):
    found, _ = fitted
    for said in ("95 % intervals", "half", "not in the files", "ping.txt"):
        assert said in found.toml


def test_another_loss_rate_in_the_model_is_found_by_tcp():
    rng = np.random.default_rng(1)
    fates = rng.random(20_000) < 0.02
    hop = {"rate": "20Mbps", "delay": "20ms", "queue": 100}
    link = {
        "profile": "linux",
        "tcp": {"congestion": "cubic"},
        "path": {"hop": [hop]},
        "stop": {"time": "20s"},
    }
    record = recorded_losses(packets_of(fates), None)
    with open_journal_in_memory() as journal:
        beside = GoodputComparer(
            link, record, FitOptions(tcps=("cubic",)), journal, lambda *said: None
        )
        (same,) = beside.compare("as it was", {"channel": {"kind": "iid", "loss_rate": 0.02}})
        (other,) = beside.compare("a quarter", {"channel": {"kind": "iid", "loss_rate": 0.005}})
    assert same.verdict != "different"
    assert other.verdict == "different"
    assert other.ratio > 1.5


def test_a_recorded_channel_leaves_out_what_a_queue_dropped():
    packets = packets_of([0, 1, 1, 0], cause=[UNKNOWN, QUEUE_LOSS, LINK_LOSS, UNKNOWN])
    assert recorded_losses(packets, None)["lost"] == [0, 1, 0]


def test_a_loss_lasts_until_the_next_packet_but_not_longer_than_packets_are_apart():
    packets = packets_of([0, 0, 1, 0, 0])
    time = packets.time.copy()
    time[3:] += 10 * SECOND  # nobody asked for a while after the loss
    packets = Packets(
        time, *(getattr(packets, name) for name in ("fate", "delay", "size", "cause", "delays"))
    )
    assert recorded_losses(packets, SECOND // 2)["lost"][:10] == [0, 0, 0, 0, 1, 1, 0, 0, 0, 0]


def test_replay_makes_the_record_the_channel(tmp_path):
    path, lost = ping_log(tmp_path, 0.05, packets=500)
    found = airtcp.fit(path, replay=True, check=False)
    channel = tomllib.loads(found.toml)["path"]["hop"][0]["channel"]
    assert channel["kind"] == "trace"
    assert channel["start"] == "random"
    assert sum(channel["lost"]) >= lost.sum() - 1  # a loss at the very end has no line after it


def test_two_commands_from_a_file_to_an_answer(tmp_path):
    path, _ = ping_log(tmp_path, 0.02, packets=1500)
    link, page = tmp_path / "link.toml", tmp_path / "fit.html"
    arguments = ["fit", str(path), "-o", str(link), "--report", str(page), "--no-tcp"]
    first = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert first.exit_code == 0, first.output
    assert "independent" in first.output
    assert max(map(len, first.output.splitlines())) <= 80 or str(tmp_path) in first.output
    second = CliRunner().invoke(
        main, ["run", str(link), "--replications", "2"], catch_exceptions=False
    )
    assert second.exit_code == 0, second.output
    assert "<svg" in page.read_text()


def words_of(page):
    """The text of a page, without tags, and with single spaces."""
    text = re.sub(r"<svg.*?</svg>|<[^>]*>", " ", page, flags=re.DOTALL)
    return " ".join(html.unescape(text).split())


def in_terminal_and_page(path, *options):
    """Parts of what the terminal says, and the text of the page."""
    page = path.with_suffix(".html")
    arguments = ["fit", str(path), "--report", str(page), *options]
    said = CliRunner().invoke(main, arguments, catch_exceptions=False).output
    parts = [part for line in said.splitlines() for part in re.split(r"\s{2,}", line)]
    return [part.strip(" ─") for part in parts], words_of(page.read_text())


def test_the_page_says_all_that_the_terminal_says(tmp_path):
    path, _ = ping_log(tmp_path, 0.04, packets=1500, burst=4.0)
    said, page = in_terminal_and_page(path, "--tcp", "cubic")
    told = [part for part in said if part and not part.startswith("-o LINK")]
    missing = [part for part in told if part.removeprefix("Note: ").lower() not in page.lower()]
    # "Outages:" and "Delays:" are words in bold on the page.
    assert [part for part in missing if not part.startswith(("Outages: ", "Delays: "))] == []
    assert len(told) > 60


def test_the_page_of_counts_has_their_facts_and_a_figure(tmp_path):
    path = tmp_path / "counts.csv"
    rows = "\n".join(f"{k},{5 + k % 3}" for k in range(20))
    path.write_text(f"time,rate\n{rows}\n")
    said, page = in_terminal_and_page(path)
    missing = [part for part in said if part.removeprefix("Note: ").lower() not in page.lower()]
    assert [part for part in missing if part and not part.startswith("-o LINK")] == []
    assert "<svg" in path.with_suffix(".html").read_text()


def test_facts_alone(tmp_path):
    path, _ = ping_log(tmp_path, 0.02, packets=300)
    found = CliRunner().invoke(main, ["fit", str(path), "--facts"], catch_exceptions=False)
    assert found.exit_code == 0
    assert "round trip" in found.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no-such-file"], "no-such-file"),
        (["ping.txt", "--model", "gilbert"], "Gilbert"),
        (["ping.txt", "--about", "nobody"], "about"),
        (["ping.txt", "-o", "link.png"], ".toml"),
        (["other.txt"], "known"),
        (["ping.txt", "--rate", "abc"], "rate"),
        (["ping.txt", "--queue", "many"], "queue"),
        (["ping.txt", "--model", "5 states"], "5 states: needs"),
        (["ping.txt", "--delay", "lognormal"], "did you mean 'log-normal'"),
        (["rates.csv", "--delay", "gamma"], "delay: rates.csv has no single packets"),
        (["lost.csv", "--delay", "gamma"], "delay: lost.csv has no delays"),
    ],
)
def test_refusals_are_one_line(tmp_path, monkeypatch, arguments, said):
    ping_log(tmp_path, 0.02, packets=100)
    (tmp_path / "other.txt").write_text("Dear reader,\nthis is a letter.\n")
    (tmp_path / "rates.csv").write_text("time,rate\n0,5\n1,6\n2,7\n")
    (tmp_path / "lost.csv").write_text("lost\n" + "0\n0\n1\n" * 40)
    monkeypatch.chdir(tmp_path)
    found = CliRunner().invoke(main, ["fit", *arguments, "--no-tcp"])
    assert found.exit_code == 2
    assert said in found.stderr
    assert len(found.stderr.strip().splitlines()) <= 4  # click wraps its own


def test_the_law_of_delays_is_that_asked_for(tmp_path):
    path, _ = ping_log(tmp_path, 0.02, packets=600)
    link = tmp_path / "link.toml"
    arguments = ["fit", str(path), "--no-tcp", "--delay", "log-normal", "-o", str(link)]
    found = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert found.exit_code == 0
    assert "Delays: log-normal, as asked for" in found.output
    assert tomllib.loads(link.read_text())["path"]["hop"][0]["jitter"]["kind"] == "log-normal"
    fitted = airtcp.fit(path, check=False, delay="autoregressive gamma")
    assert fitted.scenario.to_dict()["path"]["hop"][0]["jitter"]["kind"] == "autoregressive"


def test_comments_cannot_leave_their_line():
    document = {"path": {"hop": [{"rate": "1Mbps"}]}}
    text = scenario_text(["a\nrate = 'x'\x1b[31m"], document, {"path.hop.rate": "b\n[stop]"})
    assert tomllib.loads(text) == document


def test_a_queue_of_packets_is_a_number_and_one_of_bytes_a_text(tmp_path):
    path, _ = ping_log(tmp_path, 0.02, packets=100)
    link = tmp_path / "link.toml"
    for given, wanted in (("40", 40), ("100kB", "100kB")):
        arguments = ["fit", str(path), "--no-tcp", "--queue", given, "-o", str(link)]
        assert CliRunner().invoke(main, arguments, catch_exceptions=False).exit_code == 0
        assert tomllib.loads(link.read_text())["path"]["hop"][0]["queue"] == wanted


def test_the_band_of_delays_is_about_the_recorded_ones(fitted):
    found, _ = fitted
    (packets,) = (measurement.packets for measurement in found.chosen)
    known = packets.delay[packets.delay >= 0] / 1e6
    delays, _ = _delay_curves(known, found.parts.delays.chosen, 1)
    middle = np.nanmedian(delays.model, axis=0)
    assert np.abs(middle - delays.record)[delays.record > 0.05].max() < 0.05


PROBES = "n,sent,back\n" + "".join(f"{k},{0.1 * k:.1f},{40000 + 7 * (k % 9)}\n" for k in range(300))
NAMED = ("--column", "time=sent", "--column", "rtt=3", "--column", "seq=n", "--unit", "rtt=us")


def test_columns_and_units_are_named_on_the_command_line(tmp_path):
    (tmp_path / "probes.csv").write_text(PROBES)
    given = ["fit", str(tmp_path / "probes.csv"), "--facts", "--format", "json", *NAMED]
    result = CliRunner().invoke(main, given)
    assert result.exit_code == 0, result.stderr
    (found,) = json.loads(result.stdout)
    assert found["delays"]["least"] == pytest.approx(0.04)


def test_an_interval_gives_times_on_the_command_line(tmp_path):
    lines = [f"64 bytes from 10.0.0.1: icmp_seq={k} ttl=64 time=5.0 ms" for k in range(1, 101)]
    (tmp_path / "ping.txt").write_text(
        "\n".join(["PING 10.0.0.1 (10.0.0.1) 56(84) bytes of data.", *lines])
    )
    given = ["fit", str(tmp_path / "ping.txt"), "--facts", "--format", "json", "--interval", "0.2"]
    result = CliRunner().invoke(main, given)
    assert result.exit_code == 0, result.stderr
    (found,) = json.loads(result.stdout)
    assert found["duration"] == pytest.approx(19.8)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--column", "rtt"), "--column 'rtt': must be KEY=VALUE such as rtt=3"),
        (("--column", "rt=3"), "columns = 'rt': must be one of"),
        (("--column", "rtt=1", "--column", "rtt=2"), "rtt is given twice"),
        (("--unit", "rtt=min"), "units.rtt = 'min': must be one of s, ms, us, ns"),
        (("--unit", "seq=s"), "units = 'seq': must be one of time, rtt, delay, rate"),
        (("--interval", "-1"), "interval = -1.0: must be a number of seconds above 0"),
        (("--timeout", "0"), "timeout = 0.0: must be a number of seconds above 0"),
    ],
)
def test_options_of_readers_are_refused_in_a_line(given, said, tmp_path):
    (tmp_path / "probes.csv").write_text(PROBES)
    result = CliRunner().invoke(main, ["fit", str(tmp_path / "probes.csv"), *given])
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
