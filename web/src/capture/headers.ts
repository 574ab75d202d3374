/** IP and TCP headers of the packets of a run, as 16-bit words, as python/airtcp/export/pcapng.py has them. */

import type { Answer } from "../core/instance";
import { Words } from "../compare/words";
import { IP_AND_TCP, MOST_BYTES, MOST_OPTIONS, optionBytes, payloadBytes } from "./flows";
import { FIRST_ACK, SYN, SYN_ACK, type Events, type Packet } from "./packets";

/** Headers of a packet; `header` and `total` are bytes, the latter with the payload. */
export interface Header {
  words: Uint16Array;
  header: number;
  total: number;
}

const MOST_SHIFT = 14; // [RFC 7323 2.3]
const TIMESTAMPS = 12; // bytes of the option, padded [RFC 7323 appendix A]
const FIRST_ADDRESS = 0x0a00; // 10.0.place.1 sends, 10.0.place.2 receives
const [FIRST_PORT, FLOWS_PER_PORT, SERVER_PORT] = [49_152, 14_000, 63_152];
const FLAGS = { 0: 0x10, [SYN]: 0x02, [SYN_ACK]: 0x12, [FIRST_ACK]: 0x10 } as Record<number, number>;
const OPTIONS = 20; // where they begin, in words
const [PROBE_OPTION, EXID] = [0xfd08, 0x4154]; // docs/howto/wireshark.md
const SACK_BLOCKS = 4;

export class Headers {
  private readonly payloads: number[];
  private readonly padding: number[];
  private readonly stamps: Words;
  private readonly sacks = new Map<number, [number, number][]>();
  private readonly probes = new Map<number, [probe: number, number: number]>();
  private readonly speakSack: boolean[];
  private readonly largest: number;
  private readonly shift: number;

  constructor(answer: Answer, private readonly events: Events) {
    const { facts } = events;
    const words = (name: string, bytes: number) => new Words(answer.columns.find((one) => one.name === name)!, bytes);
    [this.payloads, this.padding] = [payloadBytes(facts), optionBytes(facts)];
    this.stamps = words("stamps", 8);
    this.speakSack = [...facts.sacks];
    const sacks = words("sacks", 8 + 16 * SACK_BLOCKS);
    for (let i = 0; i < sacks.length; i++) this.readSack(sacks, i);
    const probes = words("probes", 16);
    for (let i = 0; i < probes.length; i++) this.probes.set(probes.int64(i, 0), [probes.uint32(i, 12), probes.uint32(i, 8)]);
    let largest = 0;
    for (let row = 0; row < events.words.length; row++) largest = Math.max(largest, events.window(row));
    this.largest = largest;
    const bits = Math.ceil(Math.log2(Math.floor(largest / (MOST_BYTES + 1)) + 1));
    this.shift = Math.min(MOST_SHIFT, bits);
  }

  private readSack(sacks: Words, record: number): void {
    const row = sacks.int64(record, 0);
    const unit = this.events.units[this.events.flow(row)]!;
    const blocks = Array.from({ length: SACK_BLOCKS }, (_, i): [number, number] => [
      sacks.int64(record, 8 + 16 * i) * unit, sacks.int64(record, 16 + 16 * i) * unit,
    ]);
    if (blocks.some(([left, right]) => left !== 0 || right !== 0)) this.speakSack[this.events.flow(row)] = true;
    this.sacks.set(row, blocks.filter(([left, right]) => right > left));
  }

  of(packet: Packet): Header {
    const words = new Uint16Array((IP_AND_TCP + MOST_OPTIONS) / 2);
    const header = IP_AND_TCP + this.writeOptions(words, packet);
    const total = header + (packet.isData && packet.step === 0 ? this.events.length(packet.row) : 0);
    this.writeTcp(words, packet, header);
    writeIp(words, packet, total);
    const pseudo = sum(words, 6, 10) + 6 + total - 20;
    words[18] = checksum(sum(words, 10, words.length) + pseudo);
    words[5] = checksum(sum(words, 0, 10));
    return { words, header, total };
  }

  private writeTcp(words: Uint16Array, packet: Packet, header: number): void {
    const { row, step, isData, first } = packet;
    const flow = this.events.flow(row);
    const ports = [FIRST_PORT + (flow % FLOWS_PER_PORT), SERVER_PORT + Math.floor(flow / FLOWS_PER_PORT)];
    [words[10], words[11]] = (isData ? ports : ports.reverse()) as [number, number];
    // The first byte has number 1, and the receiver sends none.
    const ours = step === SYN ? first : step === 0 ? this.events.seq(row) + 1 : first + 1;
    writeLong(words, 12, isData ? ours : Number(step === 0));
    writeLong(words, 14, isData ? Number(step !== SYN) : ours);
    words[16] = ((header - 20) / 4) << 12 | FLAGS[step]!;
    // The window in a SYN is never scaled.
    const offered = step === SYN_ACK ? this.largest : Math.floor(this.events.window(row) / 2 ** this.shift);
    words[17] = isData ? MOST_BYTES : Math.min(offered, MOST_BYTES);
  }

  /** Writes the options of TCP; returns their bytes. */
  private writeOptions(words: Uint16Array, packet: Packet): number {
    const { row, step, isData } = packet;
    const flow = this.events.flow(row);
    const isStamped = this.events.facts.stamped[flow]!;
    const isShaking = step === SYN || step === SYN_ACK;
    if (isShaking) {
      // SACK is permitted [RFC 2018 2], or not.
      const sack = this.speakSack[flow] ? 0x0402 : 0x0101;
      words.set([0x0204, this.payloads[flow]!, 0x0103, 0x0300 | (step === SYN ? 0 : this.shift), 0x0101, sack], OPTIONS);
    }
    const [probe, number] = (step === 0 && this.probes.get(row)) || [0, 0];
    const padding = isData && step === 0 && probe === 0 ? this.padding[flow]! : 0;
    words.fill(0x0101, OPTIONS, OPTIONS + padding / 2);
    let size = isShaking ? 12 : padding;
    if (isStamped) this.writeTimestamps(words, packet, OPTIONS + (isShaking ? size / 2 : 0));
    if (isStamped && !(isData && step === 0)) size += TIMESTAMPS;
    if (!isData && step === 0) size += this.writeSack(words, row, OPTIONS + size / 2);
    if (probe === 0) return size;
    // One byte, 1 to 4 for PROBE1, PROBE1_ACK, PROBE2, PROBE2_ACK, and the number of the probe in three.
    const kind = 2 * probe - Number(isData);
    words.set([PROBE_OPTION, EXID, kind << 8 | (number >> 16 & 0xff), number & 0xffff], OPTIONS);
    return 8;
  }

  /** Timestamps [RFC 7323 3.2]. The clock of the receiver stands at 0: data travels one way, so nothing depends on it. */
  private writeTimestamps(words: Uint16Array, { row, step, isData }: Packet, at: number): void {
    words.set([0x0101, 0x080a], at);
    const stamp = this.stamps.int64(row, 0);
    writeLong(words, at + 2, isData ? stamp : 0);
    writeLong(words, at + 4, isData || step === SYN ? 0 : stamp);
  }

  /** SACK blocks [RFC 2018 3]; returns their bytes. */
  private writeSack(words: Uint16Array, row: number, at: number): number {
    const blocks = this.sacks.get(row) ?? [];
    if (blocks.length === 0) return 0;
    words.set([0x0101, 0x0500 | (2 + 8 * blocks.length)], at);
    blocks.forEach(([left, right], i) => {
      writeLong(words, at + 2 + 4 * i, left + 1);
      writeLong(words, at + 4 + 4 * i, right + 1);
    });
    return 4 + 8 * blocks.length;
  }
}

function writeIp(words: Uint16Array, { place, isData, number }: Packet, total: number): void {
  // Version 4 without options; do not fragment; time to live 64, TCP.
  words.set([0x4500, total, number, 0x4000, 64 << 8 | 6], 0);
  const [from, to] = isData ? [1, 2] : [2, 1];
  words.set([FIRST_ADDRESS, place << 8 | from, FIRST_ADDRESS, place << 8 | to], 6);
}

/** Writes the lower 32 bits of a value. */
function writeLong(words: Uint16Array, at: number, value: number): void {
  words[at] = Math.floor(value / 2 ** 16) % 2 ** 16;
  words[at + 1] = value % 2 ** 16;
}

function sum(words: Uint16Array, from: number, end: number): number {
  return words.subarray(from, end).reduce((all, one) => all + one, 0);
}

/** The Internet checksum [RFC 1071] of a sum of words. */
function checksum(total: number): number {
  const folded = (total & 0xffff) + (total >> 16);
  return ~((folded & 0xffff) + (folded >> 16)) & 0xffff;
}
