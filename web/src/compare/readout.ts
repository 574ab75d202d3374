/** Words for what is pointed at, and for drops of it. */

import { firstFrom } from "../plot/thin";
import type { Drop } from "./drops";
import type { Side } from "./panels";
import { ARRIVED, CAUSES, FORCED, LOST, LOST_EMPTY, SENT, SENT_AGAIN, UNKNOWN, type Happenings, type Trace } from "./trace";
import type { Packet } from "./viewer";

const ELSEWHERE = "the first flow does not begin on the first hop, where packets can be dropped";

/** The drop that a click on a packet orders or takes back, or a sentence on why there is none. */
export function dropAt({ after }: Side, { place }: Packet): Drop | string {
  const { ys, kinds, copies, fates } = after.packets;
  const [packet, copy, kind] = [ys[place]!, copies[place]!, kinds[place]!];
  if (after.begins && copy > 0) return [packet, copy];
  const what = kind === LOST_EMPTY ? "A packet without data" : `Packet ${packet}`;
  if (kind === LOST || kind === LOST_EMPTY) return `${what} is ${lossText(after, place)}: only drops of yours can be taken back.`;
  return `${what} cannot be dropped: ${after.begins ? fateText(fates[place]!) : ELSEWHERE}.`;
}

/** A sentence on a drop that neither run has; empty if one has it. */
export function unmet(sides: readonly Side[], [packet, copy]: Drop): string {
  const has = (isIt: (packets: Trace["packets"], place: number) => boolean) =>
    sides.some(({ after: { packets } }) => packets.ys.some((number, place) => number === packet && isIt(packets, place)));
  if (has(({ kinds, copies, fates }, place) => kinds[place] === LOST && fates[place] === FORCED && copies[place] === copy)) return "";
  if (sides.some(({ after }) => !after.begins)) return `This changes nothing: ${ELSEWHERE}.`;
  return has(({ kinds }, place) => kinds[place] === SENT) ? "No copy of it arrives in either run." : "Neither run sends it.";
}

export function packetText(sides: readonly Side[], packet: Packet): string {
  const { name, after } = sides[packet.side]!;
  const { place } = packet;
  const { xs, ys, kinds, copies, fates } = after.packets;
  const [kind, time] = [kinds[place]!, `at ${xs[place]!.toFixed(4)} s`];
  const of = `${"AB"[packet.side]!}, ${name}: ${kind === LOST_EMPTY ? "packet without data" : `packet ${ys[place]}`}`;
  if (kind === SENT || kind === SENT_AGAIN) return `${of}, ${kind === SENT ? "sent" : "sent again"} ${time}, ${fateText(fates[place]!)}`;
  return `${of}, ${copies[place]! > 0 ? `lost ${time}, dropped by you` : `${lossText(after, place)} ${time}`}`;
}

/** What becomes of a packet that is sent. */
function fateText(fate: number): string {
  if (fate === ARRIVED) return "it arrives";
  if (fate === FORCED) return "dropped by you";
  return fate === UNKNOWN ? "it has not arrived when the run ends" : `it is lost anyway (${CAUSES[fate] ?? "unknown"})`;
}

function lossText({ nodes, packets }: Trace, place: number): string {
  return `lost on the way from node ${nodes[packets.nodes[place]!]} (${CAUSES[packets.fates[place]!] ?? "unknown"})`;
}

export function timeText(sides: readonly Side[], time: number, link: number): string {
  const each = sides.map(({ name, after }, side) => {
    const way = after.links[Math.min(link, after.links.length - 1)];
    const window = Math.round(valueAt(after.cwnd, time) * 10) / 10;
    const waiting = way ? `, queue ${valueAt(way.queue, time)}` : "";
    return `${"AB"[side]}, ${name}: cwnd ${window}${waiting}`;
  });
  return `${time.toFixed(4)} s · ${each.join(" · ")}`;
}

/** The latest value at a time; 0 before the first. */
function valueAt({ xs, ys }: Happenings, time: number): number {
  let place = firstFrom(xs, time);
  if (xs[place] !== time) place--;
  return ys[place] ?? 0;
}
