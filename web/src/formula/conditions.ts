/** A point in the terms of the formulas: one transfer without end over one hop that loses packets independently. */

import { isTable, valueAt, type Table, type Value } from "../document";
import type { Point } from "../explore/points";
import { inBase } from "../units";

export interface Conditions {
  profile: string;
  growth: string;
  variant: string;
  /** Round trip without queueing, in s. */
  rtt: number;
  lossRate: number;
  /** Longest delay of an ACK, in s. */
  delayedAck: number;
  /** Largest window, in packets. */
  window: number;
  /** Packets per second that the path carries. */
  capacity: number;
  /** Parameters of CUBIC. */
  c: number;
  beta: number;
}

/** Keys of a hop under which the formulas of the page are compared with Python's. */
const COVERED = ["rate", "delay", "queue", "channel"];
const LINUX_DELAYED_ACK = 0.04;

/** The conditions of a point, or the reason why it has none here. */
export function conditionsOf(point: Point): Conditions | string {
  const { scenario, implied } = point;
  if (!implied) return "the formulas of the page cover packets on a path";
  const [profile, flows, hops, tcp] = [scenario["profile"], scenario["flow"], valueAt(scenario, "path.hop"), scenario["tcp"]];
  if (profile !== "rfc" && profile !== "linux") return "the formulas assume profile rfc or linux";
  const [flow, ...others] = Array.isArray(flows) ? flows : [];
  if (others.length > 0 || !isTable(flow) || flow["count"] !== 1) return "the formulas cover a single flow";
  if (["packets", "size", "sizes"].some((key) => key in flow)) return "the formulas cover no flow that ends";
  if (scenario["traffic"] !== undefined) return "the formulas cover no cross-traffic";
  const [hop, ...more] = Array.isArray(hops) ? hops : [];
  if (more.length > 0 || !isTable(hop) || !Object.keys(hop).every((key) => COVERED.includes(key))) {
    return "the formulas of the page cover one hop with rate, delay, queue and channel alone";
  }
  const channel = hop["channel"];
  if (!isTable(channel) || channel["kind"] !== "iid") return "the formulas of the page cover independent losses";
  if (!isTable(tcp)) return "the formulas cover TCP";
  if (/probing$/.test(String(tcp["variant"]))) return "the formulas cover no probing";
  return { ...ofPath(implied, tcp, profile), ...ofTcp(tcp, profile), profile, lossRate: Number(channel["loss_rate"]) };
}

function ofPath({ round_trip, packet_rate, ack_rate, payload, window }: NonNullable<Point["implied"]>, tcp: Table, profile: string) {
  const delayedAck = profile === "linux" ? LINUX_DELAYED_ACK : (seconds(tcp["delayed_ack"]) ?? 0);
  // A delayed ACK answers two segments [RFC 5681, 4.2].
  const capacity = Math.min(packet_rate, (delayedAck > 0 ? 2 : 1) * ack_rate);
  return { rtt: round_trip, capacity, delayedAck, window: Math.floor(window / payload) };
}

function ofTcp(tcp: Table, profile: string) {
  const control = tcp["congestion"] ?? "";
  const table: Table = isTable(control) ? control : { kind: control };
  const variant = profile === "linux" ? (tcp["sack"] === true ? "sack" : "newreno") : String(tcp["variant"]);
  return { growth: String(table["kind"]), variant, c: Number(table["c"] ?? 0.4), beta: Number(table["beta"] ?? 0.7) };
}

function seconds(value: Value | undefined): number | undefined {
  return typeof value === "string" ? inBase(value)?.number : undefined;
}
