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

function isSame(one: Drop, other: Drop): boolean {
  return one[0] === other[0] && one[1] === other[1];
}

/** True if a packet is dropped by one of these. */
export function includes(drops: readonly Drop[], drop: Drop): boolean {
  return drops.some((other) => isSame(other, drop));
}

export function withDrops(document: Table, drops: readonly Drop[]): Table {
  return withValue(document, PATH, drops.length > 0 ? drops.map((one) => [...one]) : undefined);
}

/** The document with one more drop, or without it if it has it. */
export function toggled(document: Table, drop: Drop): Table {
  const before = dropsOf(document);
  if (includes(before, drop)) return withDrops(document, before.filter((other) => !isSame(other, drop)));
  return withDrops(document, [...before, drop].sort((a, b) => a[0] - b[0] || a[1] - b[1]));
}

export function described([packet, copy]: Drop): string {
  return copy === 1 ? `packet ${packet}` : `copy ${copy} of packet ${packet}`;
}
