/** Points of a document by the values that vary. */

import { flat, valueAt, withValue, type Table, type Value } from "../document";
import type { Point } from "../explore/points";

/** Values that choose a point, by path. */
export type Choice = Table;

/** The values of what varies, by path, in the order of the points. */
export function varying(points: readonly Point[]): Map<string, Value[]> {
  const rows = points.map((point) => new Map(flat(point.scenario)));
  const paths = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const found = paths.map((path) => [path, distinct(rows.map((row) => row.get(path) ?? null))] as const);
  return new Map(found.filter(([, values]) => values.length > 1));
}

function distinct(values: Value[]): Value[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

/** True of a key that may differ between two flows on one link. */
export function isOfTcp(path: string): boolean {
  return path === "case" || /^(tcp|flow|ack)\b/.test(path);
}

/** The point that agrees with most values of a choice, the first of several. */
export function pointOf(points: readonly Point[], choice: Choice): Point | undefined {
  const wanted = Object.entries(choice).map(([path, value]) => [path, JSON.stringify(value)] as const);
  const agreement = (point: Point): number =>
    wanted.filter(([path, text]) => JSON.stringify(valueOf(point, path)) === text).length;
  const scores = points.map(agreement);
  return points[scores.indexOf(Math.max(...scores))];
}

export function valueOf(point: Point, path: string): Value {
  return valueAt(point.scenario, path) ?? null;
}

/** A value as a choice shows it. */
export function written(value: Value): string {
  return typeof value === "string" ? value : value === null ? "none" : JSON.stringify(value);
}

/** A name for a point among others: its values of the TCP that vary. */
export function nameOf(point: Point, paths: Iterable<string>): string {
  const own = [...paths].filter(isOfTcp);
  const named = own.map((path) => {
    const key = path.split(".").pop()!;
    const text = written(valueOf(point, path));
    return own.length === 1 || key === "congestion" || key === "variant" || key === "case" ? text : `${key} ${text}`;
  });
  if (named.length > 0) return named.join(", ");
  return written(valueAt(point.scenario, "tcp.congestion") ?? valueAt(point.scenario, "tcp.variant") ?? "TCP");
}

/** The document with nothing but two points; as it is if its cases differ by name. */
export function narrowed(document: Table, pair: readonly [Point, Point], paths: Iterable<string>): Table {
  if ("case" in document) return document;
  const varied = [...paths].map((path) => [path, pair.map((point) => valueOf(point, path))] as const);
  const differ = varied.filter(([, [one, other]]) => JSON.stringify(one) !== JSON.stringify(other));
  const single = varied.reduce((found, [path, [one]]) => withValue(found, path, one ?? undefined), document);
  if (differ.length === 1) return withValue(single, differ[0]![0], [...differ[0]![1]]);
  if (differ.length === 0) return single;
  const cases = pair.map((_, side) => ({ name: "AB"[side]!, ...Object.fromEntries(differ.map(([path, values]) => [path, values[side]!])) }));
  return { ...single, case: cases };
}
