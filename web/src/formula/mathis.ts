/** Mathis, Semke, Mahdavi and Ott (1997): congestion avoidance under independent losses. */

import type { Conditions } from "./conditions";

/** Factors of the product: the next one differs from 1 by 4^-31. */
const FACTORS = 30;

/**
 * The constant C of C / (RTT sqrt(p)) for one ACK per packet: sqrt(2) / E[sqrt S] with S = sum N_k 4^-k and N_k ~ Exp(1), as
 * airtcp.models.zoo.mathis derives it.
 */
export const CONSTANT = Math.SQRT2 / meanRoot();

function meanRoot(): number {
  let product = Math.sqrt(Math.PI) / 2; // Gamma(3/2)
  for (let k = 1; k <= FACTORS; k++) product *= (1 - 4 ** -k / 2) / (1 - 4 ** -k);
  return product;
}

/** Packets per second. */
export function mathis({ rtt, lossRate }: Conditions): number {
  return CONSTANT / (rtt * Math.sqrt(lossRate));
}
