"""The gate on instructions per packet, `bench/instructions/count.py`, with planted counts."""

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "bench" / "instructions"
sys.path.insert(0, str(FOLDER))

import count  # noqa: E402
from scenarios import SCENARIOS  # noqa: E402

TOOLS = {"rustc": "1.95.0", "glibc": "glibc 2.36", "valgrind": "3.19.0"}
NOW = count.Cost(
    1000.0, 0.5, {"go_until in sim/src/network/mod.rs": 700.0, "memcpy in libc": 300.0}, {}
)


def limits(instructions: float = 1000.0, misses: float = 0.5, **functions: float) -> dict:
    named = {"go_until in sim/src/network/mod.rs": 700.0, "memcpy in libc": 300.0} | functions
    record = {"instructions": instructions, "misses": misses, "beside": {}, "functions": named}
    return {"tools": TOOLS, "raised": [], "scenarios": {"lossy": record}}


@pytest.fixture(autouse=True)
def _planted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(count, "tools", lambda: TOOLS)
    monkeypatch.setattr(count, "built", lambda checkout: checkout)
    monkeypatch.setattr(count, "counted", lambda program, names: dict.fromkeys(names, NOW))


def test_what_costs_as_much_as_it_may_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert count.check(["lossy"], limits())
    assert count.check(["lossy"], limits(instructions=992.0)), "within one per cent"
    assert "grown" not in capsys.readouterr().out


def test_two_per_cent_more_fail_and_the_function_that_grew_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    less = limits(instructions=980.0, **{"memcpy in libc": 280.0})
    assert not count.check(["lossy"], less)
    said = capsys.readouterr().out
    assert "grown: 1000.0 instructions a packet, 980.0 allowed" in said
    assert "+20.0 (now 300.0) memcpy in libc" in said
    assert "go_until" not in said, "it has not grown"


def test_rates_cost_at_most_so_much_beside_a_rate(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for more, fine in ((10.0, True), (10.1, False)):
        dear = dataclasses.replace(NOW, instructions=NOW.instructions + more)
        costs = {"rate": NOW, "rates": dear}
        monkeypatch.setattr(count, "counted", lambda program, names, costs=costs: costs)
        records = {name: cost.record() for name, cost in costs.items()}
        assert count.check(list(costs), limits() | {"scenarios": records}) == fine
        assert f"rates cost {more} instructions a packet beside rate" in capsys.readouterr().out


def test_a_limit_below_its_functions_still_names_where_a_packet_spends_most(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert not count.check(["lossy"], limits(instructions=980.0))
    assert "go_until in sim/src/network/mod.rs" in capsys.readouterr().out


def test_instruction_misses_are_held_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    more = dataclasses.replace(NOW, misses=15.0)
    monkeypatch.setattr(count, "counted", lambda program, names: dict.fromkeys(names, more))
    assert not count.check(["lossy"], limits(misses=1.4))
    assert "15.00 instruction misses a packet, 1.4 allowed" in capsys.readouterr().out
    assert count.check(["lossy"], limits(misses=13.0)), "the linker may move code"


def test_under_other_tools_the_commit_that_set_the_limits_is_what_counts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    less = limits(instructions=500.0)
    monkeypatch.setattr(count, "tools", lambda: TOOLS | {"rustc": "1.99.0"})
    beside = []

    def base(names: list[str], costs: dict) -> bool:
        beside.append(names)
        return count.compare(costs, dict.fromkeys(names, NOW))

    monkeypatch.setattr(count, "compare_with_base", base)
    assert count.check(["lossy"], less), "the limits are of other tools"
    said = capsys.readouterr().out
    assert "rustc 1.99.0 (1.95.0)" in said
    assert "+100.00 %" in said
    assert beside == [["lossy"]]


def test_a_scenario_without_a_limit_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert not count.check(["clean"], limits())
    assert "no limit yet" in capsys.readouterr().out


def test_limits_are_lowered_freely_and_raised_with_a_reason() -> None:
    lowered = count.updated(limits(instructions=1200.0), {"lossy": NOW}, None)
    assert lowered["scenarios"]["lossy"]["instructions"] == 1000.0
    assert lowered["raised"] == []
    with pytest.raises(count.FailedError, match="lossy would be raised"):
        count.updated(limits(instructions=900.0), {"lossy": NOW}, None)
    raised = count.updated(limits(instructions=900.0), {"lossy": NOW}, "marks on every link")
    (reason,) = raised["raised"]
    assert reason.endswith(
        "lossy: 900.0 to 1000.0 instructions, 0.5 to 0.50 misses: marks on every link"
    )


def test_functions_are_named_alike_in_every_checkout() -> None:
    written = (
        "/a/checkout/crates/sim/src/network/mod.rs:<airtcp_sim::network::Network<O,T,E,L> as"
        " core::ops::Fn<(X,)>>::go_until::h0123456789abcdef [/a/checkout/target/packets]"
    )
    assert count.function_name(written) == "go_until in sim/src/network/mod.rs"
    inlined = "core/src/option.rs:airtcp_sim::network::Network<O,T,E,L>::go_until [/x/packets]"
    assert count.function_name(inlined) == "sim::network::Network::go_until in the library"
    assert count.function_name("???:memcpy [/lib/libc.so.6]") == "memcpy in ???"


def test_a_table_of_callgrind_annotate_is_read() -> None:
    table = """
Events shown:    Ir I1mr
--------------------------------------------------------------------------------
Ir                  I1mr
--------------------------------------------------------------------------------
10,000 (100.0%)     7 (100.0%)  PROGRAM TOTALS

9,000 (90.00%)      7 (100.0%)  /x/crates/sim/src/run.rs:airtcp_sim::run::run [/x/packets]
1,000 (10.00%)      .           ./string/memcpy.S:memcpy [/lib/libc.so.6]
"""
    total, misses, functions = count.annotated(table)
    assert (total, misses) == (10_000, 7)
    assert functions == {
        "sim::run::run in sim/src/run.rs": 9000,
        "memcpy in ./string/memcpy.S": 1000,
    }


def test_without_valgrind_it_says_so_and_nothing_fails() -> None:
    command = [sys.executable, str(FOLDER / "count.py")]
    done = subprocess.run(command, env={"PATH": ""}, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "valgrind is missing" in done.stdout


def test_every_scenario_has_a_limit_and_the_file_names_its_tools() -> None:
    kept = json.loads((FOLDER / "limits.json").read_text("utf-8"))
    assert set(kept["scenarios"]) == set(SCENARIOS)
    assert set(kept["tools"]) == set(TOOLS)
    assert kept["caches"] == count.CACHES
