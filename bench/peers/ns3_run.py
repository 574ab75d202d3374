"""One scenario of this directory in ns-3, untraced: ns3_run.py lossy|clean SECONDS [PACKETS].

SECONDS of simulated time of a bulk flow; with PACKETS a flow of that many packets, which ends the
run when the last one is acknowledged. Prints one line of JSON. `sent` is what the queue of the
sender's device has counted anyway, less the two packets of the handshake; `cpu` is the CPU time of
Simulator::Run alone, since loading the bindings takes ten seconds.

`ns3_run.py about` prints the version and the definitions that the wheel was compiled with.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

IP_AND_TCP, PPP, HANDSHAKE = 40, 2, 2

WATCH = """
namespace airtcp_peer {
uint32_t target = 0;
double finished = 0;
void Acked(ns3::SequenceNumber32, ns3::SequenceNumber32 now) {
    if (finished == 0 && now.GetValue() > target) {
        finished = ns3::Simulator::Now().GetSeconds();
        ns3::Simulator::Stop();
    }
}
void Watch(uint32_t bytes) {
    target = bytes;
    ns3::Config::ConnectWithoutContext(
        "/NodeList/0/$ns3::TcpL4Protocol/SocketList/0/HighestRxAck",
        ns3::MakeCallback(&Acked));
}
void WatchAt(double seconds, uint32_t bytes) {
    ns3::Simulator::Schedule(ns3::Seconds(seconds), &Watch, bytes);
}
}
"""


@dataclass(frozen=True)
class Case:
    packet: int  # bytes on the wire
    window: int  # packets
    hops: tuple[tuple[str, str], ...]  # rate and one-way delay
    loss: float

    @property
    def segment(self) -> int:
        return self.packet - IP_AND_TCP - PPP


CASES = {
    "lossy": Case(1360, 24, (("1.5Mbps", "1ms"),), 0.01),
    "clean": Case(1024, 50, (("1.5Mbps", "10ms"), ("0.8Mbps", "100ms")), 0.0),
}


def settings(ns: Any, case: Case) -> None:
    """As near to ns-2 of 1998 to 2000 as ns-3 comes: NewReno, no options, an ACK per packet."""
    default = ns.Config.SetDefault
    buffer = ns.UintegerValue(case.window * case.segment)
    default("ns3::TcpL4Protocol::SocketType", ns.StringValue("ns3::TcpNewReno"))
    default("ns3::TcpL4Protocol::RecoveryType", ns.StringValue("ns3::TcpClassicRecovery"))
    default("ns3::TcpSocket::SegmentSize", ns.UintegerValue(case.segment))
    default("ns3::TcpSocket::SndBufSize", buffer)
    default("ns3::TcpSocket::RcvBufSize", buffer)
    default("ns3::TcpSocket::InitialCwnd", ns.UintegerValue(1))
    default("ns3::TcpSocket::DelAckCount", ns.UintegerValue(1))
    default("ns3::TcpSocketBase::Sack", ns.BooleanValue(False))
    default("ns3::TcpSocketBase::Timestamp", ns.BooleanValue(False))
    default("ns3::TcpSocketBase::LimitedTransmit", ns.BooleanValue(False))
    default("ns3::TcpSocketBase::MinRto", ns.StringValue("200ms"))
    default("ns3::TcpSocketBase::ClockGranularity", ns.StringValue("100ms"))
    default("ns3::DropTailQueue<Packet>::MaxSize", ns.StringValue("50p"))


def path(ns: Any, case: Case) -> tuple[Any, Any, str]:
    """The nodes in a row, the sender's device, and the receiver's address."""
    nodes = ns.NodeContainer()
    nodes.Create(len(case.hops) + 1)
    ns.InternetStackHelper().Install(nodes)
    first: Any = None
    address = ""
    for i, (rate, delay) in enumerate(case.hops):
        link = ns.PointToPointHelper()
        link.SetDeviceAttribute("DataRate", ns.StringValue(rate))
        link.SetChannelAttribute("Delay", ns.StringValue(delay))
        # No queue discipline above the queue of the device, as in ns-2.
        link.DisableFlowControl()
        devices = link.Install(nodes.Get(i), nodes.Get(i + 1))
        network = ns.Ipv4AddressHelper()
        network.SetBase(ns.Ipv4Address(f"10.0.{i}.0"), ns.Ipv4Mask("255.255.255.0"))
        network.Assign(devices)
        first, address = first or devices.Get(0), f"10.0.{i}.2"
        if case.loss:
            losses = ns.CreateObject[ns.RateErrorModel]()
            losses.SetUnit(ns.RateErrorModel.ERROR_UNIT_PACKET)
            losses.SetRate(case.loss)
            devices.Get(1).SetReceiveErrorModel(losses)
    ns.Ipv4GlobalRoutingHelper.PopulateRoutingTables()
    return nodes, first, address


def flow(ns: Any, nodes: Any, address: str, case: Case, packets: int) -> Any:
    """A bulk flow from the first node to the last; its sink."""
    there = ns.InetSocketAddress(ns.Ipv4Address(address), 5001).ConvertTo()
    source = ns.BulkSendHelper("ns3::TcpSocketFactory", there)
    source.SetAttribute("MaxBytes", ns.UintegerValue(packets * case.segment))
    source.SetAttribute("SendSize", ns.UintegerValue(case.segment))
    source.Install(nodes.Get(0)).Start(ns.Seconds(0))
    here = ns.InetSocketAddress(ns.Ipv4Address.GetAny(), 5001).ConvertTo()
    sink = ns.PacketSinkHelper("ns3::TcpSocketFactory", here)
    return sink.Install(nodes.Get(len(case.hops))).Get(0)


def run(ns: Any, case: Case, seconds: float, packets: int) -> dict[str, float]:
    settings(ns, case)
    nodes, device, address = path(ns, case)
    sink = flow(ns, nodes, address, case, packets)
    if packets:
        ns.cppyy.cppdef(WATCH)
        ns.cppyy.gbl.airtcp_peer.WatchAt(0.001, packets * case.segment)
    ns.Simulator.Stop(ns.Seconds(seconds))
    begin = time.process_time()
    ns.Simulator.Run()
    cpu = time.process_time() - begin
    return {
        "sent": device.GetQueue().GetTotalReceivedPackets() - HANDSHAKE,
        "delivered": sink.GetTotalRx() // case.segment,
        "time": ns.Simulator.Now().GetSeconds(),
        "cpu": cpu,
    }


def about() -> dict[str, str]:
    """The version, and what CMake recorded of the build: profile, logging, asserts."""
    found = importlib.util.find_spec("ns3")
    if found is None or not found.submodule_search_locations:
        sys.exit("no package ns3")
    places = Path(found.submodule_search_locations[0]).glob("lib*/cmake/ns3/ns3Targets.cmake")
    flags = {
        flag
        for place in places
        for flag in re.findall(r"NS3_(?:BUILD_PROFILE|LOG|ASSERT)_\w+", place.read_text())
    }
    return {"version": importlib.metadata.version("ns3"), "flags": " ".join(sorted(flags))}


def main() -> None:
    arguments = sys.argv[1:]
    if arguments == ["about"]:
        print(json.dumps(about()))
        return
    if len(arguments) not in (2, 3) or arguments[0] not in CASES:
        sys.exit("usage: ns3_run.py about | lossy|clean SECONDS [PACKETS]")
    from ns import ns  # type: ignore[import-not-found]  # noqa: PLC0415  (ten seconds)

    packets = int(arguments[2]) if len(arguments) == 3 else 0
    print(json.dumps(run(ns, CASES[arguments[0]], float(arguments[1]), packets)))


if __name__ == "__main__":
    main()
