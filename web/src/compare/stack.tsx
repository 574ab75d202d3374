/** The panels of two runs, moved by fingers, mouse and keys; a packet that is picked is told to whoever drops it. */

import { useEffect, useRef } from "preact/hooks";
import { preference, theme } from "../plot/theme";
import { firstFrom } from "../plot/thin";
import { listen } from "./gestures";
import type { Span } from "./layout";
import { panelsOf, type Side } from "./panels";
import { Viewer, type Packet } from "./viewer";

interface Props {
  sides: readonly Side[];
  link: number;
  span: Span | null;
  /** Gets the viewer, so that buttons can move it. */
  viewer: { current: Viewer | null };
  onSpan(span: Span | null): void;
  /** A packet is to be dropped, or no longer. */
  onPick(packet: Packet): void;
  /** A packet is pointed at, or a time, or neither. */
  onPoint(packet: Packet | null, time: number | null): void;
}

export function heightFor(width: number): number {
  return width < 600 ? 700 : 720;
}

export function Stack(props: Props) {
  const { sides, link, viewer } = props;
  const place = useRef<HTMLDivElement>(null);
  const [below, above] = [useRef<HTMLCanvasElement>(null), useRef<HTMLCanvasElement>(null)];
  // Listeners outlive a drawing, and call what is current.
  const told = useRef(props);
  told.current = props;
  const at = useRef<Packet>({ side: 0, place: -1 });

  useEffect(() => {
    const box = place.current;
    if (!box) return;
    const made = new Viewer(below.current!, above.current!, (span) => told.current.onSpan(span));
    viewer.current = made;
    const point = (x: number | null, y: number) => {
      const packet = x === null ? null : made.near(x, y);
      const time = x === null ? null : made.time(x);
      made.point(packet, time);
      told.current.onPoint(packet, time);
    };
    const pick = (packet: Packet | null) => {
      if (!packet) return;
      at.current = packet;
      told.current.onPick(packet);
    };
    const fit = () => made.resize(box.clientWidth, heightFor(box.clientWidth));
    const repaint = () => {
      const { sides, link } = told.current;
      made.show(sides, panelsOf(sides, link, theme()), made.span);
    };
    const silence = listen(box, made, pick, point);
    const watch = new ResizeObserver(fit);
    watch.observe(box);
    preference.addEventListener("change", repaint);
    return () => {
      silence();
      watch.disconnect();
      preference.removeEventListener("change", repaint);
      viewer.current = null;
    };
  }, []);

  useEffect(() => {
    viewer.current?.show(sides, panelsOf(sides, link, theme()), props.span);
  }, [sides, link]);

  const step = (event: KeyboardEvent) => {
    const made = viewer.current;
    if (!made || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = actions(made, at, told.current)[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  return (
    <div class="stack" ref={place} role="application" tabIndex={0} onKeyDown={step}
      aria-label="Packets, windows and queue over time" aria-describedby="stack-keys">
      <canvas ref={below} aria-hidden="true" />
      <canvas ref={above} class="above" aria-hidden="true" />
    </div>
  );
}

function actions(made: Viewer, at: { current: Packet }, { onPick, onPoint }: Props): Record<string, () => void> {
  const ring = (side: number, place: number) => {
    const count = made.packets(side)?.xs.length ?? 0;
    if (count === 0) return;
    at.current = { side, place: Math.min(count - 1, Math.max(0, place)) };
    made.ring(at.current);
    onPoint(at.current, null);
  };
  const { side, place } = at.current;
  /** The packet of the other side at about the same time. */
  const cross = (to: number) => {
    const time = made.packets(side)?.xs[Math.max(0, place)] ?? 0;
    const xs = made.packets(to)?.xs ?? [];
    let next = 0;
    while (next < xs.length - 1 && xs[next]! < time) next++;
    ring(to, next);
  };
  const pick = () => made.ringed && onPick(made.ringed);
  return {
    ArrowRight: () => ring(side, place < 0 ? firstFrom(made.packets(side)?.xs ?? [], made.span[0]) : place + 1),
    ArrowLeft: () => ring(side, place - 1),
    ArrowUp: () => cross(0),
    ArrowDown: () => cross(1),
    PageDown: () => made.pan(0.5),
    PageUp: () => made.pan(-0.5),
    Home: () => ring(side, 0),
    End: () => ring(side, Infinity),
    "+": () => made.zoom(0.5),
    "=": () => made.zoom(0.5),
    "-": () => made.zoom(2),
    "0": () => made.whole(),
    Enter: pick,
    " ": pick,
  };
}
