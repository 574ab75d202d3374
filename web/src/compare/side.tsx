/** Choosing one of the two TCPs: values of the keys of TCP that vary, and any control that there is. */

import { isSame, type Value } from "../document";
import type { Point } from "../explore/points";
import type { Key } from "../schema/keys";
import { labelOf } from "../schema/labels";
import { STYLES } from "./panels";
import { valueOf, written } from "./choice";
import { outline, type Shape } from "../plot/pen";

interface Props {
  side: number;
  name: string;
  point: Point;
  /** Values to choose from, by path. */
  values: Map<string, Value[]>;
  colour: string;
  onChoose(path: string, value: Value): void;
}

export function SideChoice({ side, name, point, values, colour, onChoose }: Props) {
  const letter = "AB"[side]!;
  return (
    <fieldset class="side">
      <legend><Mark shape={STYLES[side]!.data} colour={colour} /> {letter}: {name}</legend>
      {[...values].map(([path, all]) => (
        <Choice key={path} path={path} name={labelOf(path, point.scenario)} side={letter} value={valueOf(point, path)} all={all} onChoose={onChoose} />
      ))}
    </fieldset>
  );
}

interface ChoiceProps {
  path: string;
  name: string;
  /** The letter of the side; none where the choice is that of both. */
  side?: string;
  value: Value;
  all: Value[];
  onChoose(path: string, value: Value): void;
}

export function Choice({ path, name, side, value, all, onChoose }: ChoiceProps) {
  const texts = all.map((one) => JSON.stringify(one));
  return (
    <label class="choice" title={path}>
      {name}{" "}
      <select aria-label={side ? `${side}, ${name}` : name} value={JSON.stringify(value)} onChange={(e) => onChoose(path, JSON.parse(e.currentTarget.value) as Value)}>
        {all.map((one, i) => <option key={texts[i]} value={texts[i]}>{written(one)}</option>)}
      </select>
    </label>
  );
}

/** A mark of the drawing, for the legend. */
export function Mark({ shape, colour }: { shape: Shape; colour: string }) {
  const { lines, filled } = outline(shape);
  return (
    <svg class="mark" viewBox="-2 -2 4 4" aria-hidden="true">
      {lines.map((line, i) => (
        <polyline key={i} points={line.join(" ")} fill={filled ? colour : "none"} stroke={colour} stroke-width={0.45} />
      ))}
    </svg>
  );
}

/** A line of the drawing, for the legend. */
export function Stroke({ dash, colour }: { dash: readonly number[]; colour: string }) {
  return (
    <svg class="stroke" viewBox="0 0 28 4" aria-hidden="true">
      <line x1="0" y1="2" x2="28" y2="2" stroke={colour} stroke-width="2" stroke-dasharray={dash.join(" ")} />
    </svg>
  );
}

/** Values of a key of the TCP: those that vary, and the names that the schema has. */
export function choosable(keys: readonly Key[], varying: Map<string, Value[]>, isOfTcp: (path: string) => boolean): Map<string, Value[]> {
  const named = keys.filter((key) => key.kind === "choice" && key.sweeps && /^tcp\.(variant|congestion)$/.test(key.path));
  const found = new Map<string, Value[]>(named.map((key) => [key.path, key.names.map((one) => one.name)]));
  for (const [path, values] of varying) {
    if (isOfTcp(path) && !found.has(path)) found.set(path, values);
  }
  return found;
}

/** The document with a value among those of a key. */
export function widened(given: Value | undefined, value: Value): Value {
  const all = Array.isArray(given) ? given : given === undefined ? [] : [given];
  return all.some((one) => isSame(one, value)) ? (given as Value) : [...all, value];
}

