/** Compare: two TCPs over each other on the same losses, packet by packet. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { captureOf } from "../capture/pcapng";
import { Cancelled } from "../core/core";
import { Doubt } from "../doubt";
import { isSame, valueAt, withValue, type Table, type Value } from "../document";
import { estimateSeconds, questionAbout } from "../explore/cost";
import type { Point } from "../explore/points";
import { PRESETS } from "../explore/presets";
import { theme } from "../plot/theme";
import type { Key } from "../schema/keys";
import { labelOf } from "../schema/labels";
import type { ViewProps } from "../views";
import { Choice as Select, SideChoice, choosable, widened } from "./side";
import { isOfTcp, nameOf, narrowed, pairOf, valueOf, varying, type Choice } from "./choice";
import { Dropped } from "./dropped";
import { described, dropsOf, includes, toggled, withDrops, type Drop } from "./drops";
import { drawAll, type Span } from "./layout";
import { Guide, Legend } from "./legend";
import { Numbers } from "./numbers";
import { panelsOf, type Side } from "./panels";
import { dropAt, packetText, timeText, unmet } from "./readout";
import { rowsOf } from "./rows";
import { eventsOf, Runs, type Run } from "./runs";
import { heightFor, Stack } from "./stack";
import type { Packet, Viewer } from "./viewer";

interface Props extends ViewProps {
  keys: Key[];
  say(text: string): void;
}

/** Both runs, with the points that they are of. */
interface Made {
  /** `wanted` when they were asked for. */
  of: string;
  points: [Point, Point];
  seed: number;
  runs: [Run, Run];
  before: [Run, Run] | null;
}

/** Milliseconds after which a drawing that was moved counts as at rest. */
const REST = 250;
/** Width of a drawing that is saved. */
const WIDE = 1000;
/** Said of what is shown while there is nothing newer. */
const BEFORE = "Drawing and table are those of the scenario before.";
const COMMAND = "airtcp trace scenario.toml -o sequence.svg";

export function Compare({ pool, points, state, keys, figure, copied, onState, onProblem, say }: Props) {
  const [made, setMade] = useState<Made | null>(null);
  const [question, setQuestion] = useState("");
  const [allowed, allow] = useState("");
  const [link, setLink] = useState<number | null>(null);
  const [pointed, setPointed] = useState<[Packet | null, number | null]>([null, null]);
  const runs = useRef<Runs | null>(null);
  const viewer = useRef<Viewer | null>(null);
  runs.current ??= new Runs();

  const values = useMemo(() => varying(points), [points]);
  const pair = useMemo(() => pairOf(points, state.pair, [...values.keys()]), [points, state.pair]);
  const isSlotted = points[0]?.family === "slot";
  const wanted = pair && !isSlotted ? JSON.stringify([pair.map((point) => point.scenario), state.seed]) : "";

  useEffect(() => {
    if (!pair || wanted === "") return;
    let current = true;
    const doubt = allowed === wanted ? "" : questionAbout(2 * estimateSeconds(pair, 1));
    setQuestion(doubt);
    if (doubt) return;
    const [drops, cores] = [dropsOf(pair[0].scenario), [pool.simulating[0]!, pool.solving]];
    const both = (scenarioOf: (point: Point) => Table) =>
      Promise.all(pair.map((point, side) => runs.current!.of(cores[side]!, scenarioOf(point), point, state.seed))) as Promise<[Run, Run]>;
    const begin = async () => {
      await pool.free();
      if (!current) return;
      const after = await both((point) => point.scenario);
      const before = drops.length > 0 ? await both((point) => withDrops(point.scenario, [])) : null;
      if (current) setMade({ of: wanted, points: pair, seed: state.seed, runs: after, before });
    };
    begin().catch((error: Error) => {
      if (current && !(error instanceof Cancelled)) onProblem(error.message);
    });
    return () => {
      current = false;
    };
  }, [wanted, allowed]);

  const sides = useMemo<Side[]>(() => {
    if (!made) return [];
    return made.runs.map((run, side) => ({
      name: nameOf(made.points[side]!, values.keys()), after: run.trace, before: made.before?.[side]?.trace ?? null,
    }));
  }, [made]);
  const isBefore = made !== null && made.of !== wanted;
  const ways = sides[0]?.after.links ?? [];
  const chosen = link ?? busiest(sides);
  const drops = dropsOf(state.document);
  const colours = theme().curves;

  // A drop is judged once there are runs with it.
  const ordered = useRef<Drop | null>(null);
  useEffect(() => {
    const drop = ordered.current;
    if (!drop || isBefore) return;
    ordered.current = null;
    const reason = includes(drops, drop) ? unmet(sides, drop) : "";
    if (reason) say(`Dropped: ${described(drop)}. ${reason}`);
  }, [sides]);
  const toggle = (drop: Drop) => {
    const isThere = includes(drops, drop);
    ordered.current = isThere ? null : drop;
    say(isThere ? `The drop of ${described(drop)} is taken back.` : `Dropped: ${described(drop)}.`);
    onState({ document: toggled(state.document, drop) });
  };
  const pick = (packet: Packet) => {
    if (isBefore) return say(BEFORE);
    const drop = dropAt(sides[packet.side]!, packet);
    if (typeof drop === "string") say(drop);
    else toggle(drop);
  };
  const choose = (side: number) => (path: string, value: Value) => {
    const choices = pair!.map((point) => Object.fromEntries([...new Set([...values.keys(), path])].map((one) => [one, valueOf(point, one)])));
    const next = choices.map((choice, i) => (i === side || !isOfTcp(path) ? { ...choice, [path]: value } : choice)) as [Choice, Choice];
    const given = valueAt(state.document, path);
    const isNamed = /^tcp\.(variant|congestion)$/.test(path) && !values.get(path)?.some((one) => isSame(one, value));
    onState({ pair: next, ...(isNamed && { document: withValue(state.document, path, widened(given ?? valueOf(pair![side]!, path), value)) }) });
  };

  // A drag moves the drawing at once, and the address once it rests.
  const seen = useRef(state.span);
  const resting = useRef(0);
  const follow = (next: Span | null) => {
    seen.current = next;
    clearTimeout(resting.current);
    resting.current = setTimeout(() => onState({ span: next }), REST);
  };
  useEffect(() => {
    if (JSON.stringify(seen.current) === JSON.stringify(state.span)) return;
    seen.current = state.span;
    if (state.span) viewer.current?.go(state.span);
    else viewer.current?.whole();
  }, [state.span]);
  useEffect(() => () => clearTimeout(resting.current), []);

  const span = viewer.current?.span ?? [0, sides[0]?.after.end ?? 1];
  copied.current = wanted === "" ? null : narrowed(state.document, pair!, values.keys());
  figure.current = sides.length === 0 || isBefore ? null : {
    name: "compare", width: WIDE, height: heightFor(WIDE),
    draw: (pen, theme) => void drawAll(pen, panelsOf(sides, chosen, theme), viewer.current?.span ?? span, WIDE, heightFor(WIDE), theme),
    rows: () => rowsOf(sides, viewer.current?.span ?? span),
    captures: (made?.points ?? []).map(({ scenario }, side) => ({
      side: "AB"[side]!,
      // Not kept from the drawing: the packets of a run in full are many times what is drawn of them.
      blob: async () => new Blob(captureOf(await eventsOf(pool.simulating[0]!, scenario, made!.seed, false)), { type: "application/x-pcapng" }),
    })),
  };

  if (isSlotted) return <NoPackets onState={onState} />;
  if (!pair) return null;
  const ofTcp = choosable(keys, values, isOfTcp);
  const ofLink = [...values].filter(([path]) => !isOfTcp(path));
  const [packet, time] = pointed;
  return (
    <>
      <div class="pair">
        {pair.map((point, side) => (
          <SideChoice key={side} side={side} name={nameOf(point, values.keys())} point={point} values={ofTcp} colour={colours[side]!} onChoose={choose(side)} />
        ))}
        {ofLink.length > 0 && (
          <fieldset class="side">
            <legend>Link of both</legend>
            {ofLink.map(([path, all]) => (
              <Select key={path} path={path} name={labelOf(path, pair[0].scenario)} value={valueOf(pair[0], path)} all={all} onChoose={choose(0)} />
            ))}
          </fieldset>
        )}
      </div>
      {question && <Doubt question={question} command={COMMAND} onAnswer={() => allow(wanted)} />}
      <Dropped drops={drops} onToggle={toggle} onClear={() => { say("No packet is dropped any more."); onState({ document: withDrops(state.document, []) }); }} />
      {sides.length > 0 && (
        <div class={isBefore ? "before" : undefined}>
          <div class="bar view">
            <span class="group" role="group" aria-label="Part of the run">
              <button type="button" aria-label="Zoom in" onClick={() => viewer.current?.zoom(0.5)}>+</button>
              <button type="button" aria-label="Zoom out" onClick={() => viewer.current?.zoom(2)}>−</button>
              <button type="button" aria-label="Earlier" onClick={() => viewer.current?.pan(-0.5)}>◂</button>
              <button type="button" aria-label="Later" onClick={() => viewer.current?.pan(0.5)}>▸</button>
              <button type="button" onClick={() => viewer.current?.whole()}>Whole run</button>
            </span>
            {ways.length > 1 && (
              <label>queue <select value={chosen} onChange={(e) => setLink(Number(e.currentTarget.value))}>
                {ways.map(({ name }, i) => <option key={i} value={i}>{name}</option>)}
              </select></label>
            )}
          </div>
          <Legend hasDrops={made?.before !== null} colours={colours} names={sides.map(({ name }) => name)} />
          <p class="readout" role="status">
            {isBefore ? BEFORE : packet && isThere(sides, packet) ? packetText(sides, packet) : time !== null ? timeText(sides, time, chosen) : "Point at the graph for its numbers, click a packet to drop it. Keys: arrows, and Enter."}
          </p>
          <Stack sides={sides} link={chosen} span={seen.current} viewer={viewer} onPick={pick}
            onSpan={follow} onPoint={(one, at) => setPointed([one, at])} />
          <Guide />
          <Numbers rows={sides.map(({ name }, side) => ({ name, colour: colours[side]!, after: made!.runs[side]!, before: made!.before?.[side] ?? null }))} />
        </div>
      )}
    </>
  );
}

/** True of a packet in these runs, and not in longer ones before. */
function isThere(sides: readonly Side[], { side, place }: Packet): boolean {
  return place < (sides[side]?.after.packets.xs.length ?? 0);
}

/** The queue in which packets wait longest. */
function busiest(sides: readonly Side[]): number {
  const links = sides[0]?.after.links ?? [];
  const longest = links.map(({ waits }) => waits.ys.reduce((sum, one) => sum + one, 0));
  return Math.max(0, longest.indexOf(Math.max(...longest)));
}

function NoPackets({ onState }: Pick<ViewProps, "onState">) {
  return (
    <p class="problem">
      These rules have slots, and no packets on a path to look at.{" "}
      <button type="button" onClick={() => onState({ document: PRESETS["linux"]!, pair: [{}, {}], span: null })}>Compare controls of Linux</button>
    </p>
  );
}
