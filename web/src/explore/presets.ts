/** Documents to start from: one for each profile. */

import type { Table } from "../document";

const losses = (from: number, to: number, points: number): Table => ({
  kind: "iid",
  loss_rate: { from, to, points, scale: "log" },
});

const path = (points: number): Table => ({
  hop: [{ rate: "10Mbps", delay: "20ms", queue: 60, channel: losses(0.0003, 0.03, points) }],
});

export const PRESETS: Record<string, Table> = {
  zorzi: {
    title: "Idealised TCP on a fading link",
    profile: "zorzi",
    tcp: { variant: ["tahoe", "reno", "newreno"], window: 24, dupacks: 3, timeout: 100 },
    link: { rate: "1.5Mbps", packet: "1400B" },
    channel: { kind: "burst", loss_rate: { from: 0.001, to: 0.1, points: 9, scale: "log" }, mean_burst: 4 },
    stop: { slots: 20000 },
  },
  ns2: {
    title: "The TCPs of ns-2 on a link that loses packets",
    profile: "ns2",
    tcp: { variant: ["tahoe", "reno", "newreno", "sack"], window: 50 },
    path: path(7),
    stop: { time: "20s", warmup: "2s" },
  },
  rfc: {
    title: "TCP by the RFCs on a link that loses packets",
    profile: "rfc",
    tcp: { variant: ["reno", "newreno", "sack"] },
    path: path(7),
    stop: { time: "20s", warmup: "2s" },
  },
  bsd: {
    title: "TCP of BSD on a link that loses packets",
    profile: "bsd",
    tcp: { variant: ["tahoe", "reno"] },
    path: path(7),
    stop: { time: "20s", warmup: "2s" },
  },
  linux: {
    title: "Linux on a link that loses packets",
    profile: "linux",
    tcp: { congestion: ["reno", "cubic", "bbr"] },
    path: path(7),
    stop: { time: "20s", warmup: "2s" },
  },
};
