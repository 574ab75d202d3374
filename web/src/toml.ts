/** Documents written as TOML. */

import { visible } from "./visible";
import { isTable, type Table, type Value } from "./document";

export function toToml(document: Table): string {
  return lines(document, "").join("\n").trim() + "\n";
}

function lines(table: Table, path: string): string[] {
  const found: string[] = [];
  const below: string[] = [];
  for (const [key, value] of Object.entries(table)) {
    const inner = path ? `${path}.${name(key)}` : name(key);
    if (isTable(value) && !isInline(value)) {
      below.push("", `[${inner}]`, ...lines(value, inner));
    } else if (isTables(value)) {
      for (const item of value) below.push("", `[[${inner}]]`, ...lines(item, inner));
    } else if (value !== null) {
      found.push(`${name(key)} = ${text(value)}`);
    }
  }
  return [...found, ...below];
}

/** Small tables of plain values, such as ranges, read better in a line. */
function isInline(value: Table): boolean {
  return "from" in value && Object.values(value).every((one) => typeof one !== "object");
}

function isTables(value: Value): value is Table[] {
  return Array.isArray(value) && value.length > 0 && value.every(isTable);
}

function name(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : text(key);
}

function text(value: Value): string {
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return `[${value.map(text).join(", ")}]`;
  if (isTable(value)) {
    const pairs = Object.entries(value).filter(([, one]) => one !== null);
    return `{${pairs.map(([key, one]) => `${name(key)} = ${text(one)}`).join(", ")}}`;
  }
  // TOML wants digits on both sides of a point, and none of JavaScript's "1e+21".
  return String(value).replace("e+", "e");
}

function quoted(value: string): string {
  const escaped = visible(value);
  // A lone half of a pair is no character of a text: JSON has an escape for it, TOML has not.
  return escaped.replace(/\\ud[89a-f][0-9a-f]{2}/g, "\\ufffd");
}
