/** RFC 9438: the mean window of CUBIC where losses come every 1/p packets, never below Reno's. */

import type { Conditions } from "./conditions";

/** Reno's window times sqrt(p), as RFC 3649 has it. */
const RENO = 1.2;

/** Packets per second: a window per round trip [RFC 9438, figure 6 and section 5.1]. */
export function rfc9438({ rtt, lossRate, c, beta }: Conditions): number {
  const steepness = ((c * (3 + beta)) / (4 * (1 - beta))) ** 0.25;
  const cubic = steepness * (rtt / lossRate) ** 0.75;
  return Math.max(cubic, RENO / Math.sqrt(lossRate)) / rtt;
}
