/** A scenario as text to go on with: TOML, Python, or a command. */

import type { View } from "./address";
import type { Table, Value } from "./document";
import { toToml } from "./toml";
import { visible } from "./visible";

export interface Form {
  name: string;
  text(document: Table, seed: number, view: View): string;
}

export const FORMS: Form[] = [
  { name: "TOML", text: toToml },
  { name: "Python", text: toPython },
  { name: "command", text: toCommand },
];

/** Python that answers the scenario, or keeps the events of each of its points. */
export function toPython(document: Table, seed: number, view: View): string {
  const head = `import airtcp as at\n\nscenario = at.Scenario.from_dict(${literal(document, "")})\n`;
  if (view === "explore") return `${head}print(at.run(scenario, seed=${seed}))\n`;
  return `${head}traces = [at.trace(scenario, point=one, seed=${seed}, links=True) for one in scenario.points()]\n`;
}

/** Commands that write the scenario to a file, and run it or draw its packets. */
export function toCommand(document: Table, seed: number, view: View): string {
  // No line of TOML is one word.
  const file = `cat > scenario.toml <<'END'\n${toToml(document)}END\n`;
  const command = view === "explore" ? "airtcp run scenario.toml" : "airtcp trace scenario.toml -o sequence.svg";
  return `${file}${command} --seed ${seed}\n`;
}

function literal(value: Value, indent: string): string {
  const inner = `${indent}    `;
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) {
    const items = value.map((one) => literal(one, inner));
    return items.some((one) => one.includes("\n")) ? block("[", items, "]", indent) : `[${items.join(", ")}]`;
  }
  if (typeof value === "object") {
    const items = Object.entries(value).map(([key, one]) => `${visible(key)}: ${literal(one, inner)}`);
    return items.length === 0 ? "{}" : block("{", items, "}", indent);
  }
  return typeof value === "string" ? visible(value) : JSON.stringify(value);
}

function block(open: string, items: string[], close: string, indent: string): string {
  return `${open}\n${items.map((one) => `${indent}    ${one},\n`).join("")}${indent}${close}`;
}
