"""Plays the arrivals through ns-3's queue discs, and writes down what became of them.

    python -m aqm.ns3_drive    # in tests/, with the wheel ns3 (3.44); writes aqm/ns3.csv, ns3.npz

The disc is driven directly: Enqueue at each arrival, Dequeue at an idle link and at each end of a
transmission, as `aqm.link.serve` does. Sizes are of the whole item: a 20-byte IPv4 header and the
rest as payload. What the transcriptions need to draw as ns-3 drew is kept with it: the uniform
numbers of its stream, in units of their grain, and the hashes of the flows.
"""

import csv
from importlib import import_module
from pathlib import Path

import cppyy
import numpy as np

from aqm import arrivals
from aqm.ns3_cases import CASES, GRAIN, digest

FOLDER = Path(__file__).parent
MOST_DRAWS = 10_100  # one per packet at most

NS3 = import_module("ns").ns  # loads its libraries
cppyy.cppdef(r"""
#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/internet-module.h"
#include "ns3/traffic-control-module.h"
namespace drive {
using namespace ns3;
struct Played { std::vector<std::string> fate; std::vector<int64_t> departure; };

struct Link {
    Ptr<QueueDisc> disc;
    std::vector<int64_t> times; std::vector<int> sizes, flows, ecns;
    int64_t rate;
    Played out;
    std::map<uint64_t, size_t> index;
    bool busy = false;

    static std::string Name(const char *reason, bool queued) {
        std::string r(reason);
        if (!queued) return "drop_enqueue";
        return r.find("Overlimit") != std::string::npos ? "drop_overload" : "drop_dequeue";
    }
    void Before(Ptr<const QueueDiscItem> i, const char *r) { Set(i, Name(r, false)); }
    void After(Ptr<const QueueDiscItem> i, const char *r) { Set(i, Name(r, true)); }
    void Marked(Ptr<const QueueDiscItem> i, const char *) { Set(i, "mark"); }
    void Set(Ptr<const QueueDiscItem> i, std::string fate) {
        out.fate[index[i->GetPacket()->GetUid()]] = fate;
    }

    Ptr<QueueDiscItem> Item(size_t k) {
        Ptr<Packet> p = Create<Packet>(sizes[k] - 28);
        UdpHeader udp;
        udp.SetSourcePort(1000 + flows[k]);
        udp.SetDestinationPort(9);
        p->AddHeader(udp);
        Ipv4Header h;
        h.SetPayloadSize(p->GetSize());
        h.SetProtocol(17);
        h.SetSource(Ipv4Address("10.0.0.1"));
        h.SetDestination(Ipv4Address("10.0.0.2"));
        h.SetEcn(static_cast<Ipv4Header::EcnType>(ecns[k]));
        index[p->GetUid()] = k;
        return Create<Ipv4QueueDiscItem>(p, Address(), 0x0800, h);
    }
    void Arrive(size_t k) {
        if (k + 1 < times.size())
            Simulator::Schedule(NanoSeconds(times[k + 1] - times[k]), &Link::Arrive, this, k + 1);
        disc->Enqueue(Item(k));
        if (!busy) Start();
    }
    void Start() {
        Ptr<QueueDiscItem> i = disc->Dequeue();
        busy = i != nullptr;
        if (!i) return;
        size_t k = index[i->GetPacket()->GetUid()];
        int64_t time = int64_t(sizes[k]) * 8000000000LL / rate;
        out.departure[k] = Simulator::Now().GetNanoSeconds() + time;
        Simulator::Schedule(NanoSeconds(time), &Link::Start, this);
    }
};

Played Play(Ptr<QueueDisc> disc, std::vector<int64_t> times, std::vector<int> sizes,
            std::vector<int> flows, std::vector<int> ecns, int64_t rate) {
    Link l;
    l.disc = disc; l.times = times; l.sizes = sizes; l.flows = flows; l.ecns = ecns; l.rate = rate;
    l.out.fate.assign(times.size(), "deliver");
    l.out.departure.assign(times.size(), -1);
    disc->TraceConnectWithoutContext("DropBeforeEnqueue", MakeCallback(&Link::Before, &l));
    disc->TraceConnectWithoutContext("DropAfterDequeue", MakeCallback(&Link::After, &l));
    disc->TraceConnectWithoutContext("Mark", MakeCallback(&Link::Marked, &l));
    disc->Initialize();
    Simulator::Schedule(NanoSeconds(times[0]), &Link::Arrive, &l, 0);
    Simulator::Stop(NanoSeconds(times.back()) + Seconds(60));
    Simulator::Run();
    disc->Dispose();
    Simulator::Destroy();
    return l.out;
}

Ptr<QueueDisc> Make(std::string type, std::vector<std::string> names,
                    std::vector<std::string> values) {
    ObjectFactory f(type);
    for (size_t k = 0; k < names.size(); k++) f.Set(names[k], StringValue(values[k]));
    Ptr<QueueDisc> disc = f.Create<QueueDisc>();
    if (auto fq = DynamicCast<FqCoDelQueueDisc>(disc)) fq->SetQuantum(1514);
    return disc;
}
void StreamOf(Ptr<QueueDisc> d, int64_t stream) {
    if (auto red = DynamicCast<RedQueueDisc>(d)) red->AssignStreams(stream);
    if (auto pie = DynamicCast<PieQueueDisc>(d)) pie->AssignStreams(stream);
}
std::vector<double> Uniforms(int64_t stream, size_t n) {
    Ptr<UniformRandomVariable> u = CreateObject<UniformRandomVariable>();
    u->SetStream(stream);
    std::vector<double> out(n);
    for (auto &x : out) x = u->GetValue();
    return out;
}
std::vector<uint32_t> Hashes(int flows) {
    Link l; l.sizes.assign(flows, 100); l.ecns.assign(flows, 0);
    for (int f = 0; f < flows; f++) l.flows.push_back(f);
    std::vector<uint32_t> out;
    for (int f = 0; f < flows; f++) out.push_back(l.Item(f)->Hash(0));
    return out;
}
}
""")
drive = cppyy.gbl.drive

STREAM = 77
HASHES = list(drive.Hashes(64))

MAX_SIZE = {"codel": "1000p", "fq_codel": "10240p", "pie": "1000p", "red": "100p"}
TYPE = {"codel": "CoDel", "fq_codel": "FqCoDel", "pie": "Pie", "red": "Red"}


def disc_of(oracle, attributes, rate):
    attributes = {"MaxSize": MAX_SIZE[oracle], **attributes}
    if oracle == "red":
        attributes["LinkBandwidth"] = f"{rate}bps"
        attributes.setdefault("LInterm", "50")
    disc = drive.Make(f"ns3::{TYPE[oracle]}QueueDisc", list(attributes), list(attributes.values()))
    drive.StreamOf(disc, STREAM)
    return disc


def ns3_fates(oracle, attributes, rate, played):
    columns = [list(column) for column in zip(*played, strict=False)]
    out = drive.Play(disc_of(oracle, attributes, rate), *columns, rate)
    outcomes = zip(out.fate, out.departure, strict=True)
    return [(str(fate), int(at) if at >= 0 else None) for fate, at in outcomes]


def main():
    rows = []
    for oracle, cases in CASES.items():
        for case, (attributes, _) in cases.items():
            for process, make in arrivals.PROCESSES.items():
                rate, played = make()
                found = ns3_fates(oracle, attributes, rate, played)
                rows.append((oracle, case, process, digest(found)))
            print(oracle, case, flush=True)
    with (FOLDER / "ns3.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(
            [("queue", "case", "process", "sha256"), *rows]
        )
    uniforms = np.array(drive.Uniforms(STREAM, MOST_DRAWS))
    words = np.rint(uniforms / GRAIN).astype(np.uint32)
    assert np.array_equal(words * GRAIN, uniforms)
    np.savez_compressed(FOLDER / "ns3.npz", draws=words, hashes=np.array(HASHES, np.uint32))


if __name__ == "__main__":
    main()
