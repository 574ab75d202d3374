/** Quantities as scenarios write them: a number and a unit. */

const FACTORS: Record<string, number> = {
  ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600,
  bps: 1, kbps: 1e3, Mbps: 1e6, Gbps: 1e9,
  B: 1, kB: 1e3, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1048576,
};
const BASES: Record<string, string> = { s: "s", ps: "bit/s", B: "B" };

export interface Quantity {
  number: number;
  unit: string;
}

export function quantity(text: string): Quantity | null {
  const found = /^\s*([0-9.]+(?:e[+-]?[0-9]+)?)\s*([A-Za-z]+)\s*$/i.exec(text);
  const number = Number(found?.[1]);
  return found && Number.isFinite(number) ? { number, unit: found[2]! } : null;
}

/** The value in seconds, bit/s or bytes, with the name of that unit; null for other texts. */
export function inBase(text: string): Quantity | null {
  const found = quantity(text);
  const factor = found && FACTORS[found.unit];
  if (!found || factor === null || factor === undefined) return null;
  const base = Object.keys(BASES).find((end) => found.unit.endsWith(end)) ?? "";
  return { number: found.number * factor, unit: BASES[base] ?? "" };
}

/** Three significant digits, with a prefix where a unit takes one. */
export function shown(value: number, unit: string): string {
  if (Number.isNaN(value)) return "–";
  const named = unit === "1" || unit === "per run" ? "" : unit;
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const large = ["bit/s", "B", "packets/s"].includes(named) ? prefixed(value) : null;
  const small = named === "s" && value !== 0 && Math.abs(value) < 1 ? ms(value) : null;
  const [number, prefix] = large ?? small ?? [value, ""];
  return `${digits(number)}${named || prefix ? ` ${prefix}${named}` : ""}`;
}

export function digits(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e10) return value.toExponential(2);
  // Thousands are set apart by a thin space.
  return String(Number(value.toPrecision(4))).replace(/\B(?=(\d{3})+$)/g, size >= 1e4 ? "\u202f" : "");
}

function prefixed(value: number): [number, string] {
  for (const [factor, prefix] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]] as const) {
    if (Math.abs(value) >= factor) return [value / factor, prefix];
  }
  return [value, ""];
}

function ms(value: number): [number, string] {
  return Math.abs(value) >= 1e-3 ? [value * 1e3, "m"] : [value * 1e6, "µ"];
}
