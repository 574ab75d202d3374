/** Controls of the keys of a scenario, by the schema. */

import { useId, useState } from "preact/hooks";
import { isRange, isTable, valueAt, withValue, type Range, type Table, type Value } from "../document";
import type { Key } from "../schema/keys";
import { helpOf, labelOf } from "../schema/labels";
import { digits, quantity } from "../units";
import { slide, STEPS } from "./slide";

interface Props {
  document: Table;
  point: Table;
  keys: Key[];
  onChange(document: Table): void;
}

const GROUPS: Record<string, string> = {
  tcp: "TCP", link: "Link", path: "Path", channel: "Channel", ack: "Acknowledgements",
  stop: "Length of a run", analysis: "Analysis", flow: "Flows", traffic: "Cross-traffic", live: "Live runs",
};
/** Keys that say how long to run or how to analyse stand last, since they change no answer's meaning. */
const LAST = ["stop", "analysis"];
const NEVER = ["title", "case", "live", "stop.replications", "stop.batches", "analysis.method"];

export function Controls({ document, point, keys, onChange }: Props) {
  const groups = new Map<string, Key[]>();
  for (const key of keys) {
    if (NEVER.some((one) => key.path === one || key.path.startsWith(`${one}.`))) continue;
    const group = /^[^.[]+/.exec(key.path)![0];
    groups.set(group, [...(groups.get(group) ?? []), key]);
  }
  const order = [...groups.keys()].sort((a, b) => LAST.indexOf(a) - LAST.indexOf(b));
  const isGiven = (key: Key): boolean => valueAt(document, key.path) !== undefined;
  const control = (key: Key) => (
    <Control key={key.path} of={key} document={document} point={point} onChange={onChange} />
  );
  return (
    <>
      {order.map((group) => {
        const all = groups.get(group)!;
        const rest = all.filter((key) => !isGiven(key));
        return (
          <fieldset key={group}>
            <legend>{GROUPS[group] ?? group}</legend>
            {all.filter(isGiven).map(control)}
            {rest.length > 0 && (
              <details>
                <summary>{rest.length} more, at {rest.length === 1 ? "its default" : "their defaults"}</summary>
                {rest.map(control)}
              </details>
            )}
          </fieldset>
        );
      })}
    </>
  );
}

interface One {
  of: Key;
  document: Table;
  point: Table;
  onChange(document: Table): void;
}

function Control({ of: key, document, point, onChange }: One) {
  const id = useId();
  const given = valueAt(document, key.path);
  const value = given ?? valueAt(point, key.path)!;
  const [first, rest] = helpOf(key.help);
  const set = (next: Value) => onChange(next === value ? document : withValue(document, key.path, next));
  const choose = (next: string) => {
    const table = key.tables[next];
    if (!table) return set(next);
    const path = key.path.replace(/\.kind$/, "");
    const old = valueAt(document, path);
    const kept = isTable(old) ? Object.entries(old).filter(([one]) => one in table) : [];
    onChange(withValue(document, path, { kind: next, ...table, ...Object.fromEntries(kept) }));
  };
  return (
    <div class="control">
      <label for={id} title={key.path}>{labelOf(key.path, point, true)}</label>
      {isRange(given) ? (
        <Spaced id={id} value={given as unknown as Range} of={key} set={set} />
      ) : key.kind === "choice" && key.sweeps ? (
        <Choices id={id} of={key} value={value} set={set} />
      ) : key.kind === "choice" ? (
        <select id={id} value={String(value)} onChange={(e) => choose(e.currentTarget.value)}>
          {key.names.map(({ name, help }) => <option value={name} title={help}>{name}</option>)}
        </select>
      ) : key.kind === "truth" ? (
        <input id={id} type="checkbox" checked={value === true} onChange={(e) => set(e.currentTarget.checked)} />
      ) : Array.isArray(given) ? (
        <Text id={id} value={given.join(", ")} set={(text) => set(text.split(",").map((one) => read(one, key)))} />
      ) : key.kind === "text" ? (
        <Text id={id} value={String(value)} set={set} />
      ) : (
        <Slider id={id} of={key} value={value} set={set} />
      )}
      {key.kind === "choice" && !key.sweeps && <p class="help">{coded(helpOf(key.names.find(({ name }) => name === value)?.help ?? "")[0])}</p>}
      {rest ? (
        <details class="help" id={`${id}-help`}><summary>{coded(first)}{bounds(key)}</summary>{coded(rest)}</details>
      ) : (
        <p class="help" id={`${id}-help`}>{coded(first)}{bounds(key)}</p>
      )}
    </div>
  );
}

/** A text of the schema, in which names of keys stand between backticks. */
function coded(text: string) {
  return text.split("`").map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part));
}

function bounds({ kind, least, most }: Key): string {
  if (kind !== "number" && kind !== "integer") return "";
  return Number.isFinite(most) ? ` From ${digits(least)} to ${digits(most)}.` : ` At least ${digits(least)}.`;
}

function read(text: string, key: Key): Value {
  const number = Number(text.trim());
  return (key.kind === "number" || key.kind === "integer") && text.trim() !== "" && !Number.isNaN(number)
    ? number
    : text.trim();
}

/** Several names: each that is ticked has a curve. */
function Choices({ id, of: key, value, set }: { id: string; of: Key; value: Value; set(value: Value): void }) {
  const chosen = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string");
  const toggle = (name: string, on: boolean) => {
    const next = key.names.map((one) => one.name).filter((one) => (one === name ? on : chosen.includes(one)));
    if (next.length > 0) set(next.length === 1 ? next[0]! : next);
  };
  return (
    <div class="choices" id={id} role="group">
      {key.names.map(({ name, help }) => (
        <label key={name} title={help}>
          <input type="checkbox" checked={chosen.includes(name)} onChange={(e) => toggle(name, e.currentTarget.checked)} />
          {name}
        </label>
      ))}
    </div>
  );
}

/** A number or a quantity, by slider and by text. */
function Slider({ id, of: key, value, set }: { id: string; of: Key; value: Value; set(value: Value): void }) {
  const parts = typeof value === "string" ? quantity(value) : { number: Number(value), unit: "" };
  // A slider keeps its ends while it is dragged.
  const [middle, anchor] = useState(parts?.number ?? 1);
  const whole = key.kind === "integer" && typeof value === "number";
  const scale = slide(middle, key.least, key.most, whole);
  const write = (number: number): Value => (parts?.unit ? `${number}${parts.unit}` : number);
  return (
    <span class="slider">
      {parts && (
        <input
          type="range" min={0} max={STEPS} value={scale.position(parts.number)} aria-label={`${key.path}, slider`}
          aria-valuetext={String(value)}
          onInput={(e) => set(write(scale.value(Number(e.currentTarget.value))))}
          onChange={() => anchor(parts.number)}
        />
      )}
      <Text id={id} value={String(value)} set={(text) => {
        const number = quantity(text)?.number ?? Number(text);
        if (Number.isFinite(number)) anchor(number);
        set(read(text, key.kind === "quantity" && typeof value === "number" ? { ...key, kind: "number" } : key));
      }} />
      {key.sweeps && parts && !parts.unit && parts.number > 0 && (
        <button type="button" onClick={() => set(around(parts.number, key) as unknown as Value)} title="Draw curves over this value in Explore">vary</button>
      )}
    </span>
  );
}

function around(value: number, { least, most, kind }: Key): Range {
  const ends = [Math.max(least, value / 4), Math.min(most, value * 4)].map((end) =>
    kind === "integer" ? Math.max(1, Math.round(end)) : Number(end.toPrecision(3)),
  );
  return { from: ends[0]!, to: ends[1]!, points: 5, scale: "log" };
}

/** An axis: both ends, the number of points, and the scale. */
function Spaced({ id, value, of: key, set }: { id: string; value: Range; of: Key; set(value: Value): void }) {
  const change = (part: keyof Range) => (text: string) =>
    set({ ...value, [part]: Number.isNaN(Number(text)) ? text : Number(text) } as unknown as Value);
  const single = Number(Math.sqrt(value.from * value.to).toPrecision(2)) || value.to;
  return (
    <span class="axis">
      <label>from <Text id={id} value={String(value.from)} set={change("from")} /></label>
      <label>to <Text value={String(value.to)} set={change("to")} /></label>
      <label>points <Text value={String(value.points)} set={change("points")} /></label>
      <label>scale <select value={value.scale ?? "linear"} onChange={(e) => set({ ...value, scale: e.currentTarget.value } as unknown as Value)}>
        <option>linear</option><option>log</option>
      </select></label>
      <button type="button" onClick={() => set(key.kind === "integer" ? Math.round(single) : single)}>one value only</button>
    </span>
  );
}

/** A text that counts when it is left or entered. */
function Text({ id, value, set }: { id?: string; value: string; set(text: string): void }) {
  return (
    <input
      {...(id ? { id, "aria-describedby": `${id}-help` } : {})} type="text" size={8} value={value} spellcheck={false} autocomplete="off"
      onChange={(e) => set(e.currentTarget.value)}
    />
  );
}
