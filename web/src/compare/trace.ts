/** The events of the first flow of a run, by what is drawn of them. Times are seconds, sequence numbers packets. */

import type { Answer } from "../core/instance";
import { Numbers } from "./columns";
import { Words } from "./words";

/** Fate of a copy of a packet on the first hop: code of its loss in crates/sim/src/network/table.rs, or these. */
export const ARRIVED = 0;
export const QUEUE = 1;
export const FORCED = 4;
export const UNKNOWN = -1;
export const CAUSES: Record<number, string> = { [QUEUE]: "queue", 2: "channel", 3: "gate", 4: "forced", 5: "arq" };

/** A kind of events: when, and which packet. */
export interface Happenings {
  xs: Float64Array;
  ys: Float64Array;
}

/** Packets where they are sent and where they are lost, in the order of time. */
export interface Packets extends Happenings {
  /** `SENT`, `SENT_AGAIN`, `LOST` or `LOST_EMPTY`. */
  kinds: Float64Array;
  /** Number among the copies of the packet that reach the end of the first hop, from 1, as scenarios name them; 0 for others. */
  copies: Float64Array;
  /** Of one that is sent its fate on the first hop, of one that is lost the cause. */
  fates: Float64Array;
  /** Number of the node from which it is on its way. */
  nodes: Float64Array;
}

export interface Link {
  name: string;
  /** Packets that wait, from each instant on. */
  queue: Happenings;
  /** Time that each packet of the flow has waited, in ms. */
  waits: Happenings;
}

export interface Trace {
  /** Length of the run in seconds. */
  end: number;
  packets: Packets;
  /** Names of nodes by their numbers. */
  nodes: string[];
  /** Data sent for the first time and again. */
  fresh: Happenings;
  again: Happenings;
  acks: Happenings;
  losses: Happenings;
  timeouts: Happenings;
  cwnd: Happenings;
  ssthresh: Happenings;
  /** The links that data cross, in that order. */
  links: Link[];
  /** True if data begin on the first hop, forwards, where scenarios drop packets. */
  begins: boolean;
  /** Events of all kinds. */
  count: number;
}

const [SEND, RESEND, ACK, TIMEOUT, DROP, ARRIVE] = [0, 1, 2, 3, 4, 6];
/** Kinds of packets that are drawn; the empty ones, without data, are ACKs and probes. */
export const [SENT, SENT_AGAIN, LOST, LOST_EMPTY] = [0, 1, 2, 3] as const;
/** Kinds of events that have a record of the sender's state: data, ACKs, timeouts, probes and their answers. */
const WITH_STATE = new Set([SEND, RESEND, ACK, TIMEOUT, 10, 11]);
/** A threshold from here on, in packets, means none yet. */
const NO_THRESHOLD = 2 ** 28;
const SECOND = 1e9;

interface Facts {
  end: number;
  nodes: string[];
  hops: [string, string][];
  flows: [number[], number[]][];
  units: number[];
}

/**
 * The trace in an answer to a question for the events of a run with those of links. Packets of the first flow reach the first
 * hop `access` seconds after they were sent.
 */
export function traceOf({ head, columns }: Answer, access: number): Trace {
  const facts = head as unknown as Facts;
  const named = new Map(columns.map((column) => [column.name, column]));
  const words = (name: string, bytes: number) => new Words(named.get(name)!, bytes);
  const [events, states, steady] = [words("events", 32), words("states", 24), words("steady", 40)];
  const unit = facts.units[0]!;
  const [kinds, copies, fates, nodes] = [new Numbers(), new Numbers(), new Numbers(), new Numbers()];
  const [packets, fresh, again, acks, losses, timeouts, cwnd, ssthresh] = Array.from({ length: 8 }, series) as [
    Series, Series, Series, Series, Series, Series, Series, Series,
  ];
  const way = new Copies(Math.round(access * SECOND));
  const see = (kind: number, time: number, packet: number, node: number, [copy, fate]: [number, number]) => {
    add(packets, time, packet);
    kinds.push(kind);
    nodes.push(node);
    copies.push(copy);
    fates.push(fate);
  };
  let state = 0;
  for (let i = 0; i < events.length; i++) {
    const kind = events.int8(i, 30);
    const record = WITH_STATE.has(kind) ? state++ : -1;
    if (events.uint32(i, 24) !== 0) continue;
    const at = events.int64(i, 0);
    const time = at / SECOND;
    const number = events.int64(i, 8) / unit;
    const packet = Math.floor(number);
    const [node, cause, isEmpty] = [events.int16(i, 28), events.int8(i, 31), events.int32(i, 16) === 0];
    // Node 1 is the far end of the first hop; a loss is told of the node at which its hop begins.
    const isThrough = (kind === ARRIVE && node === 1) || (kind === DROP && node === 0);
    const copy = isThrough && !isEmpty ? way.end(packet, at, cause) : null;
    if (copy) (copies.values[copy.place] = copy.number), (fates.values[copy.place] = cause);
    if (kind === SEND || kind === RESEND) {
      way.send(packet, at, packets.xs.length);
      see(kind === SEND ? SENT : SENT_AGAIN, time, packet, node, [0, UNKNOWN]);
      add(kind === SEND ? fresh : again, time, packet);
    } else if (kind === ACK) add(acks, time, number);
    else if (kind === TIMEOUT) add(timeouts, time, packet);
    else if (kind === DROP) {
      see(isEmpty ? LOST_EMPTY : LOST, time, packet, node, [copy?.number ?? 0, cause]);
      add(losses, time, packet);
    }
    if (record >= 0) {
      add(cwnd, time, states.float64(record, 0));
      const threshold = steady.float64(states.uint32(record, 20), 0);
      add(ssthresh, time, threshold < NO_THRESHOLD ? threshold : NaN);
    }
  }
  const links = facts.flows[0]![0].map((link) => {
    const [hop, isBack] = link < facts.hops.length ? [link, false] : [2 * facts.hops.length - 1 - link, true];
    const [near, far] = facts.hops[hop]!;
    const name = isBack ? `${far} to ${near}` : `${near} to ${far}`;
    return linkOf(name, words(`queue[${link}]`, 24), words(`sojourns[${link}]`, 32));
  });
  return {
    end: facts.end / SECOND, links, begins: facts.flows[0]![0][0] === 0, count: events.length,
    packets: { ...done(packets), kinds: kinds.copy(), copies: copies.copy(), fates: fates.copy(), nodes: nodes.copy() },
    nodes: facts.nodes,
    fresh: done(fresh), again: done(again), acks: done(acks), losses: done(losses), timeouts: done(timeouts),
    cwnd: done(cwnd), ssthresh: done(ssthresh),
  };
}

/** A copy on its way: its place among all packets that are drawn, and when it was sent. */
interface Copy {
  place: number;
  sent: number;
}

/**
 * Copies of packets on their way over the first hop. They leave it in the order in which they came, except those that find the
 * queue full: they are lost at the instant at which they reach it, before others that wait. Times are nanoseconds.
 */
class Copies {
  private readonly waiting = new Map<number, Copy[]>();
  private readonly reached = new Map<number, number>();

  constructor(private readonly access: number) {}

  send(packet: number, at: number, place: number): void {
    const others = this.waiting.get(packet);
    if (others) others.push({ place, sent: at });
    else this.waiting.set(packet, [{ place, sent: at }]);
  }

  /**
   * The way of a copy ends: its place among all packets that are drawn, and its number for a scenario, which is 0 if it is lost
   * before it gets there. Null if no copy is on its way.
   */
  end(packet: number, at: number, cause: number): { place: number; number: number } | null {
    const all = this.waiting.get(packet);
    const copy = all && this.taken(all, at, cause);
    if (all?.length === 0) this.waiting.delete(packet);
    if (!copy) return null;
    const { place } = copy;
    if (cause !== ARRIVED && cause !== FORCED) return { place, number: 0 };
    const number = (this.reached.get(packet) ?? 0) + 1;
    this.reached.set(packet, number);
    return { place, number };
  }

  private taken(all: Copy[], at: number, cause: number): Copy | undefined {
    const comes = cause === QUEUE ? all.findIndex(({ sent }) => sent + this.access === at) : -1;
    return all.splice(Math.max(0, comes), 1)[0];
  }
}

function linkOf(name: string, lengths: Words, sojourns: Words): Link {
  const [queue, waits] = [series(), series()];
  for (let i = 0; i < lengths.length; i++) add(queue, lengths.int64(i, 0) / SECOND, lengths.int64(i, 8));
  for (let i = 0; i < sojourns.length; i++) {
    if (sojourns.int64(i, 16) === 0) add(waits, sojourns.int64(i, 0) / SECOND, sojourns.int64(i, 8) / 1e6);
  }
  return { name, queue: done(queue), waits: done(waits) };
}

type Series = { xs: Numbers; ys: Numbers };

function series(): Series {
  return { xs: new Numbers(), ys: new Numbers() };
}

function add({ xs, ys }: Series, x: number, y: number): void {
  xs.push(x);
  ys.push(y);
}

function done({ xs, ys }: Series): Happenings {
  return { xs: xs.copy(), ys: ys.copy() };
}

/** Bytes of the columns of a trace. */
export function bytesOf(value: unknown): number {
  if (value instanceof Float64Array) return value.byteLength;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, one) => sum + bytesOf(one), 0);
}
