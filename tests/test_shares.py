"""Who gets what: results of others on flows that compete, and on controls for wireless links.

Every statement has a control that does not have the property. Intervals are of 95 %, by Student's t
over runs with random losses; where nothing is random, over queues of different lengths.
"""

import numpy as np
import pytest
from scipy import stats

import airtcp as at

LOSSY = {
    "rate": "20Mbps",
    "delay": "50ms",
    "queue": 200,
    "channel": {"kind": "iid", "loss_rate": 0.005},
}


def goodputs(profile, hop, flows, time="60s", replications=6, **tcp):
    """Bit/s, a row per replication and a column per flow."""
    document = {
        "profile": profile,
        "tcp": tcp,
        "path": {"hop": [hop]},
        "flow": flows,
        "stop": {"time": time, "warmup": "10s", "replications": replications},
    }
    runs = at.simulate(document).runs.to_pandas()
    table = runs.pivot_table(index="replication", columns="flow", values="goodput_bps")
    return table.to_numpy()


def by_growth(hop, *growths, **options):
    """Goodputs of flows of profile rfc with these growths; the second starts a little later."""
    flows = [
        {"tcp": {"congestion": growth}, "start": f"{130 * i}ms"} for i, growth in enumerate(growths)
    ]
    return goodputs("rfc", hop, flows, variant="sack", **options)


def interval(values):
    half = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
    return values.mean() - half, values.mean() + half


@pytest.mark.parametrize(("growth", "least"), [("westwood", 2.5), ("veno", 1.4)])
def test_losses_by_the_channel_cost_westwood_and_veno_less(growth, least):
    """Grieco and Mascolo 2004, Fu and Liew 2003."""
    gain = by_growth(LOSSY, growth)[:, 0] / by_growth(LOSSY, "reno")[:, 0]
    assert interval(gain)[0] > least
    # Vegas answers every loss as Reno does.
    control = by_growth(LOSSY, "vegas")[:, 0] / by_growth(LOSSY, "reno")[:, 0]
    assert interval(control)[1] < 1.4


def shares_beside_reno(growth):
    """The share of one flow beside one of Reno's on a link without errors, by queue."""
    found = []
    for queue in (40, 60, 80, 100, 120, 140):
        hop = {"rate": "20Mbps", "delay": "25ms", "queue": queue}
        (both,) = by_growth(hop, growth, "reno", time="200s", replications=1)
        found.append(both[0] / both.sum())
    return np.array(found)


@pytest.mark.parametrize("growth", ["westwood", "veno"])
def test_westwood_and_veno_take_no_more_than_their_share_beside_reno(growth):
    assert interval(shares_beside_reno(growth))[0] < 0.5
    assert shares_beside_reno(growth).mean() < 0.6


def test_hybla_takes_more_than_its_share_beside_reno():
    """The control of the test above."""
    assert interval(shares_beside_reno("hybla"))[0] > 0.6


def slope(growth):
    """Of the logarithm of goodput against that of the round trip, under random losses."""
    delays = [12.5, 25, 50, 100, 200]
    rates = []
    for delay in delays:
        channel = {"kind": "iid", "loss_rate": 0.005}
        hop = {"rate": "100Mbps", "delay": f"{delay}ms", "channel": channel}
        rates.append(by_growth(hop, growth, time="120s", replications=4).mean())
    return stats.linregress(np.log(delays), np.log(rates)).slope


def test_reno_goes_as_the_inverse_of_the_round_trip_and_hybla_does_not():
    """Reno: Mathis et al. 1997; Hybla: Caini and Firrincieli 2004."""
    assert slope("reno") == pytest.approx(-1, abs=0.05)
    assert slope("hybla") == pytest.approx(0, abs=0.15)


def share_among_cubic(others, control):
    """The share of one flow among `others` of CUBIC, in a buffer of 4 bandwidth-delay products."""
    hop = {"rate": "50Mbps", "delay": "20ms", "queue": "1MB"}
    flows = [{"tcp": {"congestion": control}, "start": "1s"}, {"count": others}]
    rates = goodputs("linux", hop, flows, "120s", 3, congestion="cubic")
    return (rates[:, 0] / rates.sum(axis=1)).mean()


def test_one_bbr_keeps_its_share_however_many_cubics_there_are():
    """Ware et al., IMC 2019: BBR v1 is bound by its window of 2 BDP, not by its rivals' number.

    Their conditions: bulk flows of one round trip (40 ms), drop-tail, a buffer of several BDP, BBR
    after the others. 1, 4 and 16 rivals; an equal share would be 1/2, 1/5 and 1/17.
    """
    bbr = [share_among_cubic(n, "bbr") for n in (1, 4, 16)]
    assert min(bbr) > 0.33
    assert max(bbr) - min(bbr) < 0.12
    cubic = [share_among_cubic(n, "cubic") for n in (1, 4, 16)]
    assert max(cubic) - min(cubic) > 0.3
