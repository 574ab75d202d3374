/** The points of a document, sorted into curves over an axis. */

import type { Core } from "../core/core";
import { flat, type Table } from "../document";
import type { Family } from "../statistics/metrics";
import { inBase } from "../units";

export interface Point {
  index: number;
  scenario: Table;
  family: Family;
  random: boolean;
  names: string[];
  payload_bits: number[];
  slot: { seconds: number; fragments: number } | null;
  /** Figures of a path for its first flow: seconds, packets and ACKs per second, bytes. */
  implied: { round_trip: number; packet_rate: number; ack_rate: number; payload: number; window: number } | null;
  replications: number;
}

export interface Curve {
  label: string;
  points: Point[];
  xs: number[];
}

export interface Curves {
  curves: Curve[];
  /** Path of the axis, empty where nothing numeric varies; its unit. */
  axis: string;
  unit: string;
}

/** Most points that a page computes. */
export const MOST_POINTS = 300;

/** Thrown for a document that is too large for a page. */
export class TooMuch extends Error {}

/** The points of a document. Throws `Refusal` and `TooMuch`. */
export async function pointsOf(core: Core, document: Table): Promise<Point[]> {
  const { head } = await core.ask({ ask: "points", document: JSON.stringify(document) });
  const count = head["count"] as number;
  if (count > MOST_POINTS) {
    throw new TooMuch(`${count} points are too many for a page, which takes ${MOST_POINTS}`);
  }
  const numbers = Array.from({ length: count }, (_, index) => index);
  const asked = numbers.map((index) => core.ask({ ask: "point", index }));
  return (await Promise.all(asked)).map((one, index) => ({ ...(one.head as object), index }) as Point);
}

/** Curves over the numeric axis with most values. */
export function curvesOf(points: readonly Point[]): Curves {
  const rows = points.map((point) => new Map(flat(point.scenario)));
  const paths = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const varying = paths.filter((path) => {
    const seen = new Set(rows.map((row) => JSON.stringify(row.get(path) ?? null)));
    return seen.size > 1;
  });
  const numbers = new Map(varying.map((path) => [path, rows.map((row) => numberOf(row.get(path)))]));
  const spread = (path: string): number => {
    const values = numbers.get(path)!;
    return values.some(Number.isNaN) ? 0 : new Set(values).size;
  };
  const axis = varying.reduce((best, path) => (spread(path) > (best ? spread(best) : 1) ? path : best), "");
  const others = varying.filter((path) => path !== axis);
  const curves = new Map<string, Curve>();
  points.forEach((point, place) => {
    const label = others.map((path) => labelled(path, rows[place]!.get(path), others.length)).join(", ");
    const curve = curves.get(label) ?? { label, points: [], xs: [] };
    curve.points.push(point);
    curve.xs.push(axis ? numbers.get(axis)![place]! : 0);
    curves.set(label, curve);
  });
  const unit = axis ? unitOf(rows[0]!.get(axis)) : "";
  return { curves: [...curves.values()].map(sorted), axis, unit };
}

function sorted(curve: Curve): Curve {
  const order = curve.xs.map((_, place) => place).sort((a, b) => curve.xs[a]! - curve.xs[b]!);
  return {
    label: curve.label,
    points: order.map((place) => curve.points[place]!),
    xs: order.map((place) => curve.xs[place]!),
  };
}

function labelled(path: string, value: unknown, number: number): string {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? "none");
  const key = path.split(".").pop()!;
  return number === 1 || key === "variant" || key === "congestion" || key === "case" ? text : `${key} ${text}`;
}

function numberOf(value: unknown): number {
  if (typeof value === "number") return value;
  return typeof value === "string" ? (inBase(value)?.number ?? NaN) : NaN;
}

function unitOf(value: unknown): string {
  return typeof value === "string" ? (inBase(value)?.unit ?? "") : "";
}
