/** Documents as plain data: values at paths such as `path.hop[0].rate`. */

export type Value = null | boolean | number | string | Value[] | { [key: string]: Value };
export type Table = { [key: string]: Value };

export function isTable(value: Value | undefined): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True of two values that are written alike. */
export function isSame(one: Value, other: Value): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Names and numbers that a path leads along. */
export function steps(path: string): (string | number)[] {
  return [...path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map((m) => m[1] ?? Number(m[2]));
}

export function valueAt(document: Value, path: string): Value | undefined {
  let value: Value | undefined = document;
  for (const step of steps(path)) {
    if (typeof step === "number") value = Array.isArray(value) ? value[step] : undefined;
    else value = isTable(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

/** The document with another value at a path, or without one; tables on the way are made. */
export function withValue(document: Table, path: string, value: Value | undefined): Table {
  return changed(document, steps(path), value) as Table;
}

function changed(
  inside: Value | undefined,
  [step, ...rest]: (string | number)[],
  value: Value | undefined,
): Value | undefined {
  if (step === undefined) return value;
  if (typeof step === "number") {
    const list = Array.isArray(inside) ? [...inside] : [];
    list[step] = changed(list[step], rest, value) ?? {};
    return list;
  }
  const table: Table = isTable(inside) ? { ...inside } : {};
  const below = changed(table[step], rest, value);
  if (below === undefined) delete table[step];
  else Object.defineProperty(table, step, { value: below, enumerable: true, configurable: true, writable: true });
  return table;
}

/** Values that are no tables, by their paths; lists of anything but tables are values. */
export function flat(value: Value, path = ""): [string, Value][] {
  if (isTable(value)) {
    return Object.entries(value).flatMap(([key, item]) => flat(item, path ? `${path}.${key}` : key));
  }
  if (Array.isArray(value) && value.length > 0 && value.every(isTable)) {
    return value.flatMap((item, place) => flat(item, `${path}[${place}]`));
  }
  return [[path, value]];
}

/** A spaced axis: {from, to, points, scale}. */
export interface Range {
  from: number;
  to: number;
  points: number;
  scale?: string;
}

export function isRange(value: Value | undefined): boolean {
  return isTable(value) && "from" in value && "to" in value && "points" in value;
}
