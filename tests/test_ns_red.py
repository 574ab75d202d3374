"""`ns-red` that goes by the length of packets, beside the decisions of an installed ns."""

import shutil
import subprocess

import pytest

import airtcp as at

SCRIPT = """
set ns [new Simulator]
set trace [open [lindex $argv 0] w]
$ns trace-all $trace
foreach {key value} [lindex $argv 1] { Queue/RED set $key $value }
set a [$ns node]
set b [$ns node]
$ns simplex-link $a $b 8.192Mb 1ms RED
$ns queue-limit $a $b 50
set udp [new Agent/UDP]
$udp set packetSize_ [lindex $argv 2]
$ns attach-agent $a $udp
set null [new Agent/Null]
$ns attach-agent $b $null
$ns connect $udp $null
set cbr [new Application/Traffic/CBR]
$cbr set packetSize_ [lindex $argv 2]
$cbr set interval_ [lindex $argv 3]
$cbr attach-agent $udp
$ns at 0.0003 "$cbr start"
$ns at 2.0 "exit 0"
$ns run
"""


def decisions(tmp_path, settings, size, interval):
    """When packets came to ns's queue (its trace rounds that), and which of them it dropped."""
    script, trace = tmp_path / "red.tcl", tmp_path / "red.tr"
    script.write_text(SCRIPT)
    said = " ".join(f"{key} {value}" for key, value in settings.items())
    subprocess.run(
        ["ns", str(script), str(trace), said, str(size), str(interval)],
        check=True,
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
    )
    lines = [line.split() for line in trace.read_text().splitlines()]
    number = sum(words[0] == "+" for words in lines)
    came = [round((0.0003 + place * float(interval)) * 1e9) for place in range(number)]
    return came, [int(words[11]) for words in lines if words[0] == "d"]


@pytest.mark.skipif(shutil.which("ns") is None, reason="ns-2 is not installed")
@pytest.mark.parametrize("by_size", [True, False])
@pytest.mark.parametrize("size", [400, 1024, 1500])
@pytest.mark.parametrize("wait", [True, False])
def test_a_probability_of_one_drops_whatever_the_length(tmp_path, by_size, size, wait):
    """Even 1 that comes of the spacing of drops, which ns does not scale."""
    interval = size * 8 / 8.192e6 * 0.7137913  # no packet comes as another leaves
    settings = {
        "bytes_": str(by_size).lower(),
        "queue_in_bytes_": "false",
        "thresh_": 1,
        "maxthresh_": 4,
        "linterm_": 10,
        "q_weight_": 0.5,
        "gentle_": "false",
        "wait_": str(wait).lower(),
        "mean_pktsize_": 1500,
        "adaptive_": 0,
        "setbit_": "false",
    }
    came, dropped = decisions(tmp_path, settings, size, f"{interval:.9f}")
    ours = at.play_queue(
        {
            "kind": "ns-red",
            "min": 1,
            "max": 4,
            "max_p": 0.1,
            "weight": 0.5,
            "gentle": False,
            "wait": wait,
            "mean_packet": "1500B",
            "by_size": by_size,
            "packets": 50,
            "mark_p": 0.1,  # as ns has it: the probability is then 1 above `max`, and spaced too
        },
        came,
        [size] * len(came),
        rate="8.192Mbps",
    )
    assert len(dropped) > 100
    assert [number for number, lost in enumerate(ours.dropped) if lost] == dropped
