"""The kernel as referee: its TCP and the simulator's under the forced losses of referee.toml.

Compared are numbers of packets and their order; nothing here asserts a timing.
"""

import doctest
import math
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import airtcp
from airtcp.live import live
from airtcp.live.referee import (
    RefereeRuling,
    SentPackets,
    judge,
    sent_packets_of_log,
    sent_packets_of_trace,
)
from modules import module

ROOT = Path(__file__).parent.parent


referee = module("referee")
CASES = {case["name"]: case for case in referee.document()["case"]}
IDS = list(CASES)


def labelled(variant: str, label: str) -> list[str]:
    """The cases in which the kernel differs for this reason."""
    return [name for name, case in CASES.items() if label in case.get(variant, ())]


@pytest.fixture(scope="module")
def rulings() -> dict:
    """Every case, once."""
    try:
        live(referee.scenario(CASES[IDS[0]], "newreno"), ["true"])
    except airtcp.InputError as error:
        pytest.skip(f"not granted here: {error}")
    all_found = {ruling.case["name"]: ruling for ruling in referee.rulings()}
    if math.isnan(all_found[IDS[0]].rulings["sack"].kernel.timeouts):
        pytest.skip("the kernel does not count timeouts: needs Linux 6.7")
    return all_found


def story(sends: SentPackets) -> tuple[tuple[int, ...], float]:
    return sends.retransmitted_numbers, sends.timeouts


def is_same(ruling: RefereeRuling) -> bool:
    return story(ruling.ours) == story(ruling.kernel)


def forced(ruling: RefereeRuling) -> list[int]:
    """Numbers of packets lost on purpose, to the receiver and back."""
    ways = ruling.log.records["direction"][ruling.log.fates == "forced"]
    return list(np.bincount(ways, minlength=2))


@pytest.mark.parametrize("name", IDS)
def test_the_settings_are_made_and_the_losses_happen(name: str, rulings: dict) -> None:
    lost, acks = (CASES[name].get(key, []) for key in ("drop", "acks"))
    for ruling in rulings[name].rulings.values():
        assert ruling.report.report.unset == ()
        assert ruling.report.packet == 536
        assert set(ruling.kernel.numbers) == set(range(referee.PACKETS))
        assert forced(ruling)[0] == len(lost)
    assert forced(rulings[name].rulings["newreno"])[1] == len(acks)  # with SACK timers have a say


@pytest.mark.parametrize("variant", ["newreno", "sack"])
@pytest.mark.parametrize("name", IDS)
def test_the_same_packets_in_the_same_order_unless_a_reason_is_named(
    name: str, variant: str, rulings: dict
) -> None:
    ruling = rulings[name].rulings[variant]
    assert is_same(ruling) == (not CASES[name].get(variant)), ruling.first_difference
    assert ruling.same_order == (ruling.first_difference == "")


def after_the_timeout(ruling: RefereeRuling) -> tuple[int, int]:
    """Of a retransmission that was lost: what the first ACK after its timeout covers, and how many
    packets that ACK lets out."""
    records, resent = ruling.log.records, ruling.kernel.retransmitted_numbers
    twice = next(number for number, again in pairwise(resent) if number == again)
    data, acks = (records[records["direction"] == way] for way in (0, 1))
    copies = data["arrival"][data["number"] == twice]
    came = np.sort(acks[(acks["number"] >= twice) & (acks["at"] > copies[2])], order="at")
    until = came["at"][1] if len(came) > 1 else np.inf
    out = (data["arrival"] > came["at"][0]) & (data["arrival"] < until) & (data["number"] >= 0)
    return int(came["number"][0]) - twice + 1, int(np.count_nonzero(out))


@pytest.mark.parametrize("name", labelled("newreno", "growth"))
def test_growth_after_a_timeout_the_kernel_counts_what_is_acknowledged(
    name: str, rulings: dict
) -> None:
    """RFC 5681 3.1, eq. (2): by one segment per ACK at most, so from 1 to 2. The threshold ends it:
    from 2 packets it is 2, and the rest of the ACK is worth one more."""
    ruling = rulings[name].rulings["newreno"]
    acked, sent = after_the_timeout(ruling)
    assert acked > 1
    assert sent == (3 if "initial_window" in CASES[name] else 1 + acked)
    assert ruling.ours.timeouts == ruling.kernel.timeouts
    assert set(ruling.ours.retransmitted_numbers) < set(ruling.kernel.retransmitted_numbers)


@pytest.mark.parametrize("name", labelled("newreno", "restart"))
def test_restart_the_kernel_restarts_its_timer_at_every_partial_ack(
    name: str, rulings: dict
) -> None:
    """RFC 6582 3.2 step 3: at the first one. With a longer timeout that makes no difference."""
    ruling = rulings[name].rulings["newreno"]
    assert (ruling.ours.timeouts, ruling.kernel.timeouts) == (1, 0)
    scenario = referee.scenario(CASES[name], "newreno")
    scenario["tcp"]["min_rto"] = "1s"
    assert story(sent_packets_of_trace(airtcp.trace(scenario))) == story(ruling.kernel)


@pytest.mark.parametrize("name", labelled("newreno", "first"))
def test_first_the_kernel_resends_the_first_packet_fast(name: str, rulings: dict) -> None:
    """RFC 6582 3.2 steps 1 and 2: the ACK of the SYN does not cover more than `recover`."""
    ruling = rulings[name].rulings["newreno"]
    assert (ruling.ours.timeouts, ruling.kernel.timeouts) == (1, 0)
    assert set(ruling.kernel.retransmitted_numbers) == {number for number, _ in CASES[name]["drop"]}


@pytest.mark.parametrize("name", IDS)
def test_with_sack_the_set_is_the_same_but_for_a_rescue_or_a_probe_of_new_data(
    name: str, rulings: dict
) -> None:
    """RFC 8985 7.3: what a probe sends is new data if there is any."""
    ruling, labels = rulings[name].rulings["sack"], CASES[name].get("sack", ())
    if "rescue" in labels:
        assert set(ruling.ours.retransmitted_numbers) - set(
            ruling.kernel.retransmitted_numbers
        ) == {referee.PACKETS - 1}
        assert set(ruling.kernel.retransmitted_numbers) < set(ruling.ours.retransmitted_numbers)
    elif name == "all ACKs of a window lost":
        assert ruling.kernel.retransmitted_numbers == ()
    else:
        assert ruling.same_set


@pytest.mark.parametrize("name", labelled("sack", "rescue"))
def test_rescue_without_it_the_order_is_the_same(name: str, rulings: dict) -> None:
    """RFC 6675 4, NextSeg() rule 4: the highest packet that is outstanding and not reported."""
    ruling = rulings[name].rulings["sack"]
    resent = list(ruling.ours.retransmitted_numbers)
    resent.remove(referee.PACKETS - 1)
    assert tuple(resent) == ruling.kernel.retransmitted_numbers


@pytest.mark.parametrize("name", labelled("sack", "probe"))
def test_probe_without_probes_of_the_tail_nothing_differs(name: str, rulings: dict) -> None:
    """RFC 8985 7."""
    assert is_same(rulings[name].without_probes)


@pytest.mark.parametrize("name", labelled("sack", "time"))
def test_time_the_kernel_finds_by_time_what_we_find_by_timeout(name: str, rulings: dict) -> None:
    """RFC 8985 6.2: also without probes of the tail."""
    for ruling in (rulings[name].rulings["sack"], rulings[name].without_probes):
        assert ruling.kernel.timeouts == 0
        assert ruling.ours.timeouts > 0


def test_every_reason_is_tested() -> None:
    used = {label for case in CASES.values() for v in referee.VARIANTS for label in case.get(v, ())}
    assert used == {"growth", "restart", "first", "rescue", "probe", "time"}
    assert len(CASES) >= 25


def test_the_page_shows_what_was_found(rulings: dict) -> None:
    page = referee.PAGE.read_text(encoding="utf-8")
    if f"| {referee.kernel()} |" not in page:
        pytest.skip(f"the page is not of {referee.kernel()}")
    assert referee.with_table(page, referee.table(rulings.values())) == page


def test_the_lines_of_the_page_give_what_it_shows(rulings: dict) -> None:
    assert doctest.testfile(str(referee.PAGE), module_relative=False) == (0, 6)


def test_the_page_has_a_row_for_every_case() -> None:
    page = referee.PAGE.read_text(encoding="utf-8")
    assert [name for name in IDS if f"| {name} |" not in page] == []


def refused(changes: dict) -> str:
    scenario = referee.scenario(CASES[IDS[0]], "newreno") | changes
    with pytest.raises(airtcp.InputError) as error:
        judge(scenario)
    return str(error.value)


def test_what_cannot_be_compared_is_refused_in_one_line() -> None:
    hop = {"rate": "4Mbps", "delay": "25ms"}
    assert refused({"path": {"hop": [hop]}}).startswith("path.hop.drop: is empty")
    assert refused({"flow": [{}]}) == "flow.packets: is missing; give it for a single flow"
    assert refused({"tcp": {"variant": "tahoe"}}) == (
        "tcp.variant = 'tahoe': must be one of newreno, sack"
    )
    ns2 = {"profile": "ns2", "tcp": {"variant": "newreno"}}
    assert (
        refused(ns2) == "profile ns2: the kernel can be compared only with profiles rfc and linux"
    )


def test_a_kernel_that_is_not_done_is_refused(rulings: dict) -> None:
    with pytest.raises(airtcp.InputError, match=r"seconds = 0.2: the kernel needed longer"):
        judge(referee.scenario(CASES[IDS[0]], "newreno"), seconds=0.2)


def test_packets_cut_in_two_are_refused() -> None:
    fields = [("direction", int), ("id", int), ("number", int), ("bits", int)]
    rows = [(0, 1, 0, 4608), (0, 3, 1, 4000), (0, 2, 0, 4608), (1, 0, 0, 320), (0, 0, -1, 480)]
    log = SimpleNamespace(records=np.array(rows, dtype=fields))
    with pytest.raises(airtcp.InputError, match="the kernel cut packet 1"):
        sent_packets_of_log(log, 0)
    whole = SimpleNamespace(records=log.records[[0, 2, 3, 4]])
    assert sent_packets_of_log(whole, 2) == SentPackets((0, 0), 2)


def test_the_first_difference_is_located() -> None:
    sends = [
        SentPackets((0, 1, 2, 1, 2), 0),
        SentPackets((0, 1, 2, 1), 0),
        SentPackets((0, 1, 2, 2, 1), 0),
    ]
    shorter, swapped = (RefereeRuling(sends[0], kernel, None, None) for kernel in sends[1:])
    assert sends[0].is_retransmission == (False, False, False, True, True)
    assert shorter.first_difference == "retransmission 2: ours packet 2, kernel none"
    assert swapped.first_difference == "retransmission 1: ours packet 1, kernel packet 2"
    assert [shorter.same_set, swapped.same_set] == [False, True]
