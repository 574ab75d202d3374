/** Lengths and agreements of the flows of a run, as the headers of a capture need them. */

import type { Answer } from "../core/instance";

/** Numbers of a run beside its events; of each flow where they are lists. */
export interface Facts {
  units: number[];
  payloads: number[];
  headers: number[];
  windows: number[];
  stamped: boolean[];
  sacks: boolean[];
  receivers: number[];
  version: string;
}

/** Bytes of IP and TCP headers without options, and the most that options take [RFC 9293 3.1]. */
export const IP_AND_TCP = 40;
export const MOST_OPTIONS = 40;
/** Bytes of the largest IPv4 packet, and of the largest window that is not scaled. */
export const MOST_BYTES = 65_535;

export function factsOf({ head }: Answer): Facts {
  return head as unknown as Facts;
}

/** Bytes of payload in a full packet of each flow; headers of counted packets come out of it. */
export function payloadBytes({ payloads, headers, units }: Facts): number[] {
  return payloads.map((payload, flow) => payload - (units[flow]! > 1 ? 0 : Math.max(0, IP_AND_TCP - headers[flow]!)));
}

/** Bytes of options on data of each flow, which make headers as long as in the scenario. */
export function optionBytes({ headers }: Facts): number[] {
  return headers.map((header) => Math.min(MOST_OPTIONS, Math.max(0, Math.floor((header - IP_AND_TCP) / 4) * 4)));
}

/** Throws for packets that IPv4 cannot carry. */
export function checkSizes(facts: Facts): void {
  const options = optionBytes(facts);
  payloadBytes(facts).forEach((payload, flow) => {
    const most = MOST_BYTES - IP_AND_TCP - options[flow]!;
    if (payload < 1 || payload > most) throw new Error(`payload = ${payload} B: an IPv4 packet with TCP holds 1 to ${most} B`);
  });
}
