/** Keys of a scenario as controls, by the JSON Schema of the core. */

import { isTable, type Table, type Value } from "../document";

type Schema = { [key: string]: any };

export interface Name {
  name: string;
  help: string;
}

/** A key that a control sets. */
export interface Key {
  path: string;
  help: string;
  kind: "choice" | "number" | "integer" | "quantity" | "truth" | "text";
  names: Name[];
  least: number;
  most: number;
  /** True if the key may hold a list or a range of values. */
  sweeps: boolean;
  /** For a `kind`: the keys that each kind must have, with a value to start from. */
  tables: Record<string, Table>;
}

export class Keys {
  constructor(private readonly root: Schema) {}

  get profiles(): string[] {
    return this.root["properties"].profile.enum;
  }

  /** The keys with a value in a point, in the order of the schema. */
  of(point: Table): Key[] {
    const schema = this.profile(String(point["profile"]));
    return schema ? this.inside(schema, point, "") : [];
  }

  private profile(name: string): Schema | undefined {
    const all = (this.root["oneOf"] as Schema[]).map((one) => this.resolved(one));
    return all.find((one) => one["properties"].profile.const === name);
  }

  private resolved(schema: Schema): Schema {
    const name: string | undefined = schema["$ref"]?.split("/").pop();
    if (name === undefined) return schema;
    const found = this.root["$defs"][name] as Schema;
    return schema["description"] ? { ...found, description: schema["description"] } : found;
  }

  private inside(schema: Schema, table: Table, path: string): Key[] {
    const properties = Object.entries((schema["properties"] ?? {}) as Record<string, Schema>);
    return properties.flatMap(([key, below]) => {
      const value = table[key];
      const there = value !== undefined && value !== null && !("const" in below);
      return there ? this.at(below, value, path ? `${path}.${key}` : key) : [];
    });
  }

  private at(schema: Schema, value: Value, path: string): Key[] {
    const help = String(this.resolved(schema)["description"] ?? "");
    const choices = (schema["anyOf"] as Schema[] | undefined) ?? [schema];
    const single = this.resolved(choices[0]!);
    const key = this.key(path, help, choices.length > 1);
    if (isTable(value)) return this.table(single, value, key);
    if (Array.isArray(value)) {
      const items = this.resolved(single["items"] ?? {});
      return value.flatMap((item, place) =>
        isTable(item) ? this.inside(items, item, `${path}[${place}]`) : [],
      );
    }
    if (typeof value === "boolean") return [{ ...key, kind: "truth" }];
    const names = this.names(single);
    if (typeof value === "string") {
      if (names.length > 0) return [{ ...key, kind: "choice", names }];
      return [{ ...key, kind: single["format"] ? "quantity" : "text" }];
    }
    const kind = [single["type"]].flat().includes("integer") ? "integer" : "number";
    const bounds = { least: single["minimum"] ?? 0, most: single["maximum"] ?? Infinity };
    return [{ ...key, kind, ...bounds }];
  }

  private table(single: Schema, value: Table, key: Key): Key[] {
    const schema = this.resolved(single["then"] ?? single);
    const kinds = (schema["oneOf"] as Schema[] | undefined)?.filter((one) => one["properties"]?.kind);
    if (!kinds) return this.inside(schema, value, key.path);
    const kindOf = (one: Schema): string => one["properties"].kind.const;
    const names = kinds.map((one) => ({ name: kindOf(one), help: String(one["description"] ?? "") }));
    const tables = Object.fromEntries(kinds.map((one) => [kindOf(one), this.start(one)]));
    const kind: Key = { ...key, path: `${key.path}.kind`, kind: "choice", names, tables, sweeps: false };
    const own = kinds.find((one) => kindOf(one) === value["kind"]);
    return [kind, ...(own ? this.inside(own, value, key.path) : [])];
  }

  private key(path: string, help: string, sweeps: boolean): Key {
    return { path, help, kind: "text", names: [], least: 0, most: Infinity, sweeps, tables: {} };
  }

  private names(schema: Schema): Name[] {
    const consts = ((schema["oneOf"] ?? []) as Schema[]).filter((one) => typeof one["const"] === "string");
    return consts.map((one) => ({ name: one["const"], help: String(one["description"] ?? "") }));
  }

  /** A table with the keys that it must have. */
  private start(schema: Schema): Table {
    const required = ((schema["required"] ?? []) as string[]).filter((key) => key !== "kind");
    return Object.fromEntries(required.map((key) => [key, this.first(schema["properties"][key])]));
  }

  private first(schema: Schema): Value {
    const single = this.resolved((schema["anyOf"] as Schema[] | undefined)?.[0] ?? schema);
    if (single["examples"]) return single["examples"][0];
    const [name] = this.names(single);
    if (name) return name.name;
    const type = [single["type"]].flat()[0];
    if (type === "number") return single["maximum"] === 1 ? 0.02 : Math.max(single["minimum"] ?? 0, 1);
    if (type === "integer") return Math.max(single["minimum"] ?? 0, 1);
    if (type === "boolean") return false;
    if (type === "array") return [0, 1];
    return single["format"] ? { rate: "1Mbps", duration: "100ms", size: "1kB" }[single["format"] as string] ?? "1s" : "";
  }
}
