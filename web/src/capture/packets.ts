/** Packets that pass either end of a run, in the order of a capture, as python/airtcp/export/packets.py has them. */

import type { Answer } from "../core/instance";
import { Words } from "../compare/words";
import { payloadBytes, type Facts } from "./flows";

export const [AT_SENDER, AT_RECEIVER] = [0, 1];
/** Steps of the handshake; 0 is an event of the run. */
export const [SYN, SYN_ACK, FIRST_ACK] = [1, 2, 3];

const [SEND, RESEND, ACK, TIMEOUT, DROP, ARRIVE, ACK_SENT] = [0, 1, 2, 3, 4, 6, 7];
const [PROBE_SEND, PROBE_ACK, PROBE_ARRIVE, PROBE_ACK_SENT] = [10, 11, 14, 15];
const OUTWARD = new Set([SEND, RESEND, ARRIVE, PROBE_SEND, PROBE_ARRIVE]);
const WITH_WINDOW = new Set([ACK, ACK_SENT, PROBE_ACK, PROBE_ACK_SENT]);
const AT_SENDER_DATA = new Set([SEND, RESEND, PROBE_SEND]);
const AT_SENDER_ACKS = new Set([ACK, PROBE_ACK]);
const CAUSES = ["", "queue", "channel", "gate", "forced", "arq"];

export interface Packet {
  row: number;
  step: number;
  place: number;
  /** True of a packet from the sender to the receiver. */
  isData: boolean;
  /** Lowest sequence number of the flow at this place, in bytes. */
  first: number;
  /** IP identification: every host counts its packets. */
  number: number;
}

/** Fields of the events. */
export class Events {
  readonly words: Words;
  readonly units: number[];

  constructor({ columns }: Answer, readonly facts: Facts) {
    this.words = new Words(columns.find(({ name }) => name === "events")!, 32);
    this.units = payloadBytes(facts).map((payload, flow) => Math.floor(payload / facts.units[flow]!));
  }

  time = (row: number): number => this.words.int64(row, 0);
  flow = (row: number): number => this.words.uint32(row, 24);
  node = (row: number): number => this.words.int16(row, 28);
  kind = (row: number): number => this.words.int8(row, 30);
  length = (row: number): number => this.words.uint32(row, 16) * this.units[this.flow(row)]!;
  hasWindow = (row: number): boolean => WITH_WINDOW.has(this.kind(row));
  window = (row: number): number => (this.hasWindow(row) ? this.facts.windows[this.flow(row)]! * this.units[this.flow(row)]! : 0);
  /** Sequence number in bytes. */
  seq = (row: number): number => this.words.int64(row, 8) * this.units[this.flow(row)]!;
  cause = (row: number): string => CAUSES[this.words.int8(row, 31)]!;
  packet = (row: number): number => Math.floor(this.words.int64(row, 8) / this.facts.units[this.flow(row)]!);
}

/** All packets in time order, an ACK before the data that it releases, each flow with a handshake at each place. */
export function packetsOf(events: Events): Packet[] {
  const rows = rowsInOrder(events);
  const placeOf = (row: number) => (isAtReceiver(events, row) ? AT_RECEIVER : AT_SENDER);
  const group = (row: number) => 2 * events.flow(row) + placeOf(row);
  const firsts = new Map<number, number>();
  const seen = new Set<number>();
  for (const row of rows) {
    const direction = 2 * group(row) + Number(events.hasWindow(row));
    if (seen.has(direction)) continue;
    seen.add(direction);
    firsts.set(group(row), Math.min(firsts.get(group(row)) ?? Infinity, events.seq(row)));
  }
  const sent = [0, 0, 0, 0];
  const found: Packet[] = [];
  const add = (row: number, step: number) => {
    const place = placeOf(row);
    const isData = step === 0 ? OUTWARD.has(events.kind(row)) : step !== SYN_ACK;
    const number = ++sent[2 * place + Number(isData)]! & 0xffff;
    found.push({ row, step, place, isData, first: firsts.get(group(row))!, number });
  };
  const begun = new Set<number>();
  for (const row of rows) {
    if (!begun.has(group(row))) for (const step of [SYN, SYN_ACK, FIRST_ACK]) add(row, step);
    begun.add(group(row));
    add(row, 0);
  }
  return found;
}

function isAtReceiver(events: Events, row: number): boolean {
  const kind = events.kind(row);
  if (kind === ACK_SENT || kind === PROBE_ACK_SENT) return true;
  return (kind === ARRIVE || kind === PROBE_ARRIVE) && events.node(row) === events.facts.receivers[events.flow(row)];
}

/** The latest event of a flow at its sender, and where what an ACK has released begins. */
interface Sender {
  time: number;
  kind: number;
  begin: number;
  isInstant: boolean;
  isAfterTimeout: boolean;
}

/** Rows of what passes either end. In the records data stand before the ACK that releases them, since it shows the state after them. */
function rowsInOrder(events: Events): number[] {
  const senders = new Map<number, Sender>();
  const keyed: [key: number, row: number][] = [];
  for (let row = 0; row < events.words.length; row++) {
    const kind = events.kind(row);
    const isAck = AT_SENDER_ACKS.has(kind);
    if (isAck || kind === TIMEOUT || AT_SENDER_DATA.has(kind)) {
      const [flow, time] = [events.flow(row), events.time(row)];
      const old = senders.get(flow);
      const isInstant = old?.time !== time;
      const isEnded = old !== undefined && (AT_SENDER_ACKS.has(old.kind) || old.kind === TIMEOUT);
      const now: Sender = isInstant || isEnded
        ? { time, kind, begin: row, isInstant, isAfterTimeout: old?.kind === TIMEOUT }
        : { ...old!, kind };
      senders.set(flow, now);
      if (kind === TIMEOUT) continue;
      keyed.push([isAck && (now.isInstant || !now.isAfterTimeout) ? 2 * now.begin - 1 : 2 * row, row]);
    } else if (isAtReceiver(events, row)) keyed.push([2 * row, row]);
  }
  return keyed.sort(([a], [b]) => a - b).map(([, row]) => row);
}

/** Reasons of retransmissions, which the simulator knows, by row. */
export function reasonsOf(events: Events): Map<number, string> {
  const losses = new Map<string, string[]>();
  const reasons = new Map<number, string>();
  for (let row = 0; row < events.words.length; row++) {
    const kind = events.kind(row);
    if (kind !== DROP && kind !== RESEND) continue;
    const packet = events.packet(row);
    const key = `${events.flow(row)} ${packet}`;
    const lost = losses.get(key) ?? [];
    if (kind === DROP) losses.set(key, [...lost, `${events.cause(row)} after node ${events.node(row)}`]);
    else {
      losses.delete(key);
      const why = lost.length > 0 ? `lost before: ${lost.join(", ")}` : "no loss of it was seen";
      reasons.set(row, `retransmission of packet ${packet}; ${why}`);
    }
  }
  return reasons;
}
