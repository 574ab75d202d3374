/** Points of a document by the values that vary. */

import { flat, isSame, isTable, valueAt, withValue, type Table, type Value } from "../document";
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

/** Two points to compare, which differ in their TCP if there are such. */
export function pairOf(points: readonly Point[], [first, second]: [Choice, Choice], paths: readonly string[]): [Point, Point] | null {
  const one = pointOf(points, first);
  if (!one) return null;
  const link = Object.fromEntries(paths.filter((path) => !isOfTcp(path)).map((path) => [path, valueOf(one, path)]));
  if (Object.keys(second).length > 0) return [one, pointOf(points, { ...second, ...link })!];
  const same = points.filter((point) => Object.entries(link).every(([path, value]) => isSame(valueOf(point, path), value)));
  return [one, same.find((point) => point !== one) ?? one];
}

/** The point that agrees with most values of a choice, the first of several. */
export function pointOf(points: readonly Point[], choice: Choice): Point | undefined {
  const wanted = Object.entries(choice);
  const agreement = (point: Point): number => wanted.filter(([path, value]) => isSame(valueOf(point, path), value)).length;
  const scores = points.map(agreement);
  return points[scores.indexOf(Math.max(...scores))];
}

export function valueOf(point: Point, path: string): Value {
  return valueAt(point.scenario, path) ?? null;
}

/** A value as a choice shows it. */
export function written(value: Value): string {
  if (typeof value === "number") return String(Number(value.toPrecision(4)));
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

/** The document with nothing but two points. */
export function narrowed(document: Table, pair: readonly [Point, Point], paths: Iterable<string>): Table {
  const varied = [...paths].filter((path) => path !== "case");
  const given = Array.isArray(document["case"]) ? document["case"].filter(isTable) : [];
  const own = pair.map((point) => Object.fromEntries(flat(given.find(({ name }) => name === valueOf(point, "case")) ?? {})));
  const values = varied.filter((path) => !own.every((one) => sets(one, path)));
  const differ = values.filter((path) => !isSame(valueOf(pair[0], path), valueOf(pair[1], path)));
  const single = values.reduce((found, path) => {
    const value = differ.includes(path) ? undefined : (valueOf(pair[0], path) ?? undefined);
    return value === undefined && valueAt(found, path) === undefined ? found : withValue(found, path, value);
  }, document);
  if (given.length === 0) {
    const [path, ...more] = differ;
    if (path === undefined) return single;
    const both = pair.map((point) => valueOf(point, path));
    if (more.length === 0 && !both.includes(null)) return withValue(single, path, both);
  }
  const isOne = differ.length === 0 && isSame(valueOf(pair[0], "case"), valueOf(pair[1], "case"));
  const sides = isOne ? [pair[0]] : pair;
  const names = isOne || own[0]!["name"] !== own[1]!["name"] ? own.map(({ name }) => name!) : ["A", "B"];
  const cases = sides.map((point, side) => {
    const more = differ.filter((path) => !sets(own[side]!, path)).map((path) => [path, valueOf(point, path)] as const);
    return { ...own[side], ...Object.fromEntries(more.filter(([, value]) => value !== null)), name: names[side]! };
  });
  return { ...single, case: cases };
}

/** True of a case with a value at a path, above it, or below. */
function sets(one: Table, path: string): boolean {
  return Object.keys(one).some((key) => key === path || key.startsWith(`${path}.`) || path.startsWith(`${key}.`));
}
