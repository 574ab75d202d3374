"""Where nothing is delivered, somebody says why: a refusal, or a line below the table."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import airtcp as at
from airtcp.cli.main import main
from airtcp.errors import ScenarioError

HOP = {"rate": "10Mbps", "delay": "10ms", "queue": 50}
BUCKET = {"kind": "token-bucket", "rate": "5Mbps", "burst": "1000B"}


def path(hop: dict[str, Any], profile: str = "rfc", **rest: Any) -> dict[str, Any]:
    tcp = {"congestion": "cubic"} if profile == "linux" else {"variant": "sack"}
    return {
        "profile": profile,
        "tcp": tcp | rest.pop("tcp", {}),
        "path": {"hop": [HOP | hop]},
        "stop": {"time": "10s"},
        **rest,
    }


REFUSED = {
    "bucket": (
        path({"queue": BUCKET}),
        "path.hop[0].queue.burst: 1000B is less than a packet of flow[0], 1500B, which"
        " could never pass; give at least 1500B",
    ),
    "bucket, traffic": (
        path(
            {"queue": BUCKET | {"burst": "2000B"}}, traffic=[{"rate": "1Mbps", "packet": "3000B"}]
        ),
        "path.hop[0].queue.burst: 2000B is less than a packet of traffic[0], 3000B",
    ),
    "ns-red": (
        path({"queue": {"kind": "ns-red", "min": 15, "max": 5}}),
        "path.hop[0].queue.max: 5 is below min = 15",
    ),
    "priority": (
        path({"queue": {"kind": "priority", "bands": [[0], [7]]}}),
        "path.hop[0].queue.bands[1][0]: there is no flow 7: flows and then cross-traffic are"
        " numbered from 0 to 0",
    ),
    "smallest segment": (
        path({}, "linux", tcp={"sysctl": {"tcp_min_snd_mss": 3000}}),
        "tcp.sysctl.tcp_min_snd_mss: 3000 is more than a packet of 1500B can carry; at most 1460",
    ),
}


@pytest.mark.parametrize(("document", "line"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_deliver_anything_is_refused(document: dict[str, Any], line: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        at.Scenario.from_dict(document).points()
    assert line in str(refused.value)


def test_what_can_is_taken() -> None:
    """ACKs are short, and flows that do not cross a bucket do not matter."""
    back = {"back": {"queue": BUCKET}}
    assert at.simulate(path(back), replications=1).summary()["goodput_bps"].iloc[0] > 1e6
    several = path({"queue": {"kind": "priority", "bands": [[1], [2]]}}, flow=[{"count": 2}])
    at.Scenario.from_dict(several | {"traffic": [{"rate": "1Mbps", "packet": "500B"}]}).points()


@pytest.mark.parametrize(
    ("profile", "says"),
    [("linux", "the handshake (SYN, SYN-ACK, ACK) never completed"), ("rfc", "no packet reached")],
)
def test_a_line_says_that_nothing_was_delivered(profile: str, says: str, tmp_path: Path) -> None:
    dead = path({"channel": {"kind": "iid", "loss_rate": 1.0}}, profile)
    file = tmp_path / "dead.toml"
    file.write_text(at.Scenario.from_dict(dead).to_toml(), encoding="utf-8")
    done = CliRunner().invoke(main, ["run", str(file), "--engine", "simulation"])
    assert done.exit_code == 0, done.output
    text = " ".join(done.stdout.split())
    assert "othing was delivered: " in text
    assert says in text


def test_a_quantile_is_not_below_the_least() -> None:
    """A path on which nobody waits: the median was the lower edge of its bucket."""
    for delay in ("10ms", "13ms", "17ms", "23ms", "31ms"):
        alone = path({"delay": delay}, tcp={"window": 1, "delayed_ack": "0s"})
        found = at.simulate(alone, replications=1).to_pandas()
        for name in ("queueing_median", "queueing_p95"):
            assert (found[name] >= 0.0).all(), delay
        assert not np.isnan(found["queueing_median"]).any()
