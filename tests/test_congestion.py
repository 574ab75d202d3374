"""Congestion controls with parameters, from documents and dataclasses."""

import pytest

import airtcp as at
from airtcp import spec
from airtcp.models.path_analysis import analyse_path, reasons_without_answer

PATH = {"hop": [{"rate": "2Mbps", "delay": "50ms", "channel": {"kind": "iid", "loss_rate": 0.02}}]}


def scenario(control: object) -> at.Scenario:
    tcp = {"variant": "sack", "window": 64, "congestion": control}
    return at.Scenario.from_dict({"profile": "rfc", "tcp": tcp, "path": PATH})


def goodput(control: object) -> float:
    run = at.simulate(scenario(control).replace("stop.time", "60s"), replications=1)
    table = run.summary()
    return float(table["goodput_bps"].iloc[0])


def test_a_dataclass_a_table_and_a_name_say_the_same() -> None:
    by_class = at.Scenario(
        profile="rfc",
        tcp=spec.RfcTcp(variant="sack", window=64, congestion=spec.Cubic(beta=0.5)),
        path=PATH,
    )
    table = scenario({"kind": "cubic", "beta": 0.5})
    assert table.tcp.congestion == spec.Cubic(beta=0.5)
    assert by_class.points()[0].data == table.points()[0].data
    plain = scenario("cubic").points()[0].data
    assert scenario({"kind": "cubic"}).points()[0].data == plain
    assert plain["tcp"]["congestion"] == "cubic"


def test_a_parameter_changes_what_is_simulated() -> None:
    assert goodput("cubic") == goodput({"kind": "cubic", "beta": 0.7})
    assert goodput({"kind": "cubic", "beta": 0.9}) > goodput("cubic")


def test_a_parameter_is_an_axis_and_is_refused_by_its_path() -> None:
    axis = scenario({"kind": "cubic", "beta": [0.5, 0.8]})
    found = [point.coordinates["tcp.congestion.beta"] for point in axis.points()]
    assert found == [0.5, 0.8]
    with pytest.raises(at.InputError, match=r"tcp\.congestion\.beta: 2 is not a number from 0\.01"):
        scenario({"kind": "cubic", "beta": 2})


@pytest.mark.parametrize(
    ("control", "path", "values"),
    [
        ({"kind": "cubic", "beta": [0.5, 0.7]}, "tcp.congestion.beta", [0.5, 0.7]),
        (["cubic", {"kind": "cubic", "beta": 0.5}], "tcp.congestion.beta", [0.7, 0.5]),
        (["reno", "cubic"], "tcp.congestion", ["reno", "cubic"]),
        (["reno", {"kind": "cubic", "beta": 0.5}], "tcp.congestion.kind", ["reno", "cubic"]),
    ],
)
def test_a_default_on_an_axis_is_a_value_like_the_others(
    control: object, path: str, values: list[object]
) -> None:
    points = scenario(control).points()
    assert [point.coordinates[path] for point in points] == values


@pytest.mark.parametrize(
    "control",
    [
        {"kind": "westwood", "alpha": 0.8},
        {"kind": "veno", "beta": 4.0},
        {"kind": "vegas", "gamma": 2.0},
        {"kind": "hybla", "rtt0": "50ms"},
        {"kind": "illinois", "theta": 3},
        {"kind": "ledbat++", "target": "30ms"},
    ],
    ids=lambda control: str(control["kind"]),
)
def test_the_controls_of_papers_are_simulated_and_have_no_formula(
    control: dict[str, object],
) -> None:
    for said in (control["kind"], control):
        point = scenario(said).points()[0]
        assert reasons_without_answer(analyse_path([point]), 1)[0], "no formula knows it"
        assert goodput(said) > 0.0


def test_of_random_losses_the_controls_of_wireless_links_make_more() -> None:
    reno, veno, westwood = (goodput(name) for name in ("reno", "veno", "westwood"))
    assert reno < veno < westwood
