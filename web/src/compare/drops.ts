/** Packets that a scenario drops by order, on the first hop of the first flow. */

import { valueAt, withValue, type Table, type Value } from "../document";

/** Number of a data packet, from 0, and of its copy among those that get there, from 1. */
export type Drop = [packet: number, copy: number];

const PATH = "path.hop[0].drop";

export function dropsOf(document: Table): Drop[] {
  const found = valueAt(document, PATH);
  return Array.isArray(found) ? (found.filter(isDrop) as Drop[]) : [];
}

function isDrop(value: Value): boolean {
  return Array.isArray(value) && value.length === 2 && value.every((one) => Number.isSafeInteger(one));
}

export function withDrops(document: Table, drops: readonly Drop[]): Table {
  return withValue(document, PATH, drops.length > 0 ? drops.map((one) => [...one]) : undefined);
}

/** The document with one more drop, or without it if it has it. */
export function toggled(document: Table, [packet, copy]: Drop): Table {
  const before = dropsOf(document);
  const others = before.filter(([a, b]) => a !== packet || b !== copy);
  if (others.length < before.length) return withDrops(document, others);
  return withDrops(document, [...before, [packet, copy] as Drop].sort((a, b) => a[0] - b[0] || a[1] - b[1]));
}

export function described([packet, copy]: Drop): string {
  return copy === 1 ? `packet ${packet}` : `copy ${copy} of packet ${packet}`;
}
