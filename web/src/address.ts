/** The state of the page in the fragment of its address. */

import { isTable, type Table, type Value } from "./document";

export type View = "compare" | "explore";

export interface State {
  view: View;
  document: Table;
  metric: string;
  seed: number;
  /** Values that choose the two points to compare, by path. */
  pair: [Table, Table];
  /** The part of the run that is compared, in seconds; null: all of it. */
  span: [number, number] | null;
}

const MOST = 1_000_000;
const VIEWS: readonly Value[] = ["compare", "explore"];

/** `#` and the state, in characters that no messenger breaks. */
export function fragment(state: State): string {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return `#1${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

/** The state in a fragment; null where it holds none. */
export function stateOf(fragment: string): State | null {
  if (!fragment.startsWith("#1") || fragment.length > MOST) return null;
  try {
    const binary = atob(fragment.slice(2).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (one) => one.charCodeAt(0));
    const found = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    // Addresses of earlier versions have neither view nor pair.
    const { document, metric, seed, view = "explore", pair = [{}, {}], span = null } = found;
    const sound = isTable(document) && typeof metric === "string" && isCount(seed) && VIEWS.includes(view) && isPair(pair) && isSpan(span);
    return sound ? { view, document, metric, seed, pair, span } : null;
  } catch {
    return null;
  }
}

function isCount(value: Value): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isPair(value: Value): boolean {
  return Array.isArray(value) && value.length === 2 && value.every(isTable);
}

function isSpan(value: Value): boolean {
  if (value === null) return true;
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [from, to] = value;
  return typeof from === "number" && typeof to === "number" && from >= 0 && from < to;
}
