/** The state of the page in the fragment of its address. */

import { isTable, type Table } from "./document";

export interface State {
  document: Table;
  metric: string;
  seed: number;
}

const MOST = 1_000_000;

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
    const { document, metric, seed } = found;
    const sound = isTable(document) && typeof metric === "string" && Number.isSafeInteger(seed) && seed >= 0;
    return sound ? { document, metric, seed } : null;
  } catch {
    return null;
  }
}
