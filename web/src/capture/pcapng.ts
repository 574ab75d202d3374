/**
 * A run as a capture in pcapng [draft-ietf-opsawg-pcapng], byte for byte as python/airtcp/export/pcapng.py
 * writes it, which says why it is so.
 */

import type { Answer } from "../core/instance";
import { checkSizes, factsOf } from "./flows";
import { Headers } from "./headers";
import { AT_SENDER, Events, packetsOf, reasonsOf } from "./packets";

const SNAPLEN = 96; // bytes kept of a packet: all headers, some payload
const INTERFACES = ["sender", "receiver"];
const [SECTION, INTERFACE, PACKET] = [0x0a0d0d0a, 1, 6]; // types of blocks
const BYTE_ORDER = 0x1a2b3c4d;
const RAW_IPV4 = 101; // LINKTYPE_RAW
const [COMMENT, NAME, APPLICATION, RESOLUTION] = [1, 2, 4, 9]; // codes of options
const NANOSECONDS = "\x09";
const FIXED_BYTES = 32; // of a packet's block around the packet
const CHUNK = 2 ** 20;
const ABOUT = "events of a simulation; times count from its start; handshakes are synthetic";
const HANDSHAKE = "synthetic handshake: it tells window scale, SACK and first sequence number";

/** The capture in an answer to a question for the events of a run, in parts. Throws for packets that IPv4 cannot carry. */
export function captureOf(answer: Answer): Uint8Array<ArrayBuffer>[] {
  const facts = factsOf(answer);
  checkSizes(facts);
  const events = new Events(answer, facts);
  const [headers, reasons] = [new Headers(answer, events), reasonsOf(events)];
  const shaken = options([[COMMENT, HANDSHAKE]]);
  const parts = [head(facts.version)];
  let [chunk, used] = [new Uint8Array(CHUNK), 0];
  for (const packet of packetsOf(events)) {
    const { words, header, total } = headers.of(packet);
    const reason = packet.place === AT_SENDER ? reasons.get(packet.row) : undefined;
    const text = packet.step > 0 ? shaken : reason === undefined ? new Uint8Array(0) : options([[COMMENT, reason]]);
    const captured = Math.min(total, SNAPLEN);
    const size = FIXED_BYTES + Math.ceil(captured / 4) * 4 + text.length;
    if (used + size > chunk.length) {
      parts.push(chunk.subarray(0, used));
      [chunk, used] = [new Uint8Array(Math.max(CHUNK, size)), 0];
    }
    const view = new DataView(chunk.buffer, used, size);
    const time = events.time(packet.row);
    const fields = [PACKET, size, packet.place, Math.floor(time / 2 ** 32), time % 2 ** 32, captured, total];
    fields.forEach((value, i) => view.setUint32(4 * i, value, true));
    for (let i = 0; 2 * i < header; i++) view.setUint16(28 + 2 * i, words[i]!);
    chunk.set(text, used + size - 4 - text.length);
    view.setUint32(size - 4, size, true);
    used += size;
  }
  return [...parts, chunk.subarray(0, used)];
}

function head(version: string): Uint8Array<ArrayBuffer> {
  const section = new DataView(new ArrayBuffer(16));
  section.setUint32(0, BYTE_ORDER, true);
  section.setUint16(4, 1, true);
  section.setBigInt64(8, -1n, true);
  const blocks = [block(SECTION, section, options([[COMMENT, ABOUT], [APPLICATION, `airtcp ${version}`]]))];
  for (const name of INTERFACES) {
    const body = new DataView(new ArrayBuffer(8));
    body.setUint16(0, RAW_IPV4, true);
    body.setUint32(4, SNAPLEN, true);
    blocks.push(block(INTERFACE, body, options([[NAME, name], [RESOLUTION, NANOSECONDS]])));
  }
  return joined(blocks);
}

function block(kind: number, body: DataView<ArrayBuffer>, text: Uint8Array): Uint8Array<ArrayBuffer> {
  const length = 12 + body.byteLength + text.length;
  const found = new Uint8Array(length);
  const view = new DataView(found.buffer);
  view.setUint32(0, kind, true);
  view.setUint32(4, length, true);
  found.set(new Uint8Array(body.buffer), 8);
  found.set(text, 8 + body.byteLength);
  view.setUint32(length - 4, length, true);
  return found;
}

function options(values: [code: number, text: string][]): Uint8Array<ArrayBuffer> {
  const written = values.map(([code, text]) => {
    const content = new TextEncoder().encode(text);
    const found = new Uint8Array(4 + Math.ceil(content.length / 4) * 4);
    const view = new DataView(found.buffer);
    view.setUint16(0, code, true);
    view.setUint16(2, content.length, true);
    found.set(content, 4);
    return found;
  });
  return joined([...written, new Uint8Array(4)]); // ends with the end of options
}

function joined(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const found = new Uint8Array(parts.reduce((all, one) => all + one.length, 0));
  let at = 0;
  for (const part of parts) {
    found.set(part, at);
    at += part.length;
  }
  return found;
}
