/** Words for what is pointed at. */

import { firstFrom } from "../plot/thin";
import type { Side } from "./panels";
import { ARRIVED, CAUSES, FORCED, UNKNOWN, type Happenings } from "./trace";
import type { Packet } from "./viewer";

/** Why a packet cannot be dropped; empty if it can. */
export function obstacle({ after }: Side, { place }: Packet): string {
  const fate = after.sendings.fates[place]!;
  if (!after.begins) return "the first flow does not begin on the first hop, where packets can be dropped";
  if (fate === UNKNOWN) return "it has not arrived when the run ends";
  return fate === ARRIVED || fate === FORCED ? "" : `it is lost anyway (${CAUSES[fate] ?? "unknown"})`;
}

export function packetText(sides: readonly Side[], packet: Packet): string {
  const side = sides[packet.side]!;
  const { xs, ys, fates, again } = side.after.sendings;
  const { place } = packet;
  const [fate, letter] = [fates[place]!, "AB"[packet.side]!];
  const what = again[place] ? "sent again" : "sent";
  const then = fate === ARRIVED ? "it arrives" : fate === FORCED ? "dropped by you" : obstacle(side, packet);
  return `${letter}, ${side.name}: packet ${ys[place]}, ${what} at ${xs[place]!.toFixed(4)} s, ${then}`;
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
