/** Panels on a canvas: which part of the time is to be seen, and what lies under the finger. */

import { canvasPen } from "../plot/canvas";
import type { Panel } from "../plot/panel";
import { theme } from "../plot/theme";
import { firstFrom } from "../plot/thin";
import { drawAll, type Drawn, type Span } from "./layout";
import type { Side } from "./panels";
import type { Packets } from "./trace";

/** A packet where it is sent or lost: the side, and its place among the packets of that side. */
export interface Packet {
  side: number;
  place: number;
}

/** Pixels within which a finger means a packet. */
const REACH = 14;
/** The shortest time that is shown, in seconds. */
const SHORTEST = 1e-4;

export class Viewer {
  private drawn: Drawn | null = null;
  private waiting = 0;
  private sides: readonly Side[] = [];
  private panels: readonly Panel[] = [];
  private size: [width: number, height: number] = [0, 0];
  private span_: Span = [0, 1];
  private end = 1;
  /** Packet that is ringed, and the time at which a line stands. */
  ringed: Packet | null = null;
  line: number | null = null;

  constructor(
    private readonly below: HTMLCanvasElement,
    private readonly above: HTMLCanvasElement,
    private readonly moved: (span: Span | null) => void,
  ) {}

  get span(): Span {
    return this.span_;
  }

  /** Shows these runs. The part of the time stays unless it lies outside. */
  show(sides: readonly Side[], panels: readonly Panel[], span: Span | null): void {
    this.sides = sides;
    this.panels = panels;
    if (this.ringed && this.ringed.place >= (this.packets(this.ringed.side)?.xs.length ?? 0)) this.ringed = null;
    this.end = Math.max(SHORTEST, ...sides.map(({ after }) => after.end));
    this.span_ = span ? this.inside(span) : [0, this.end];
    this.draw();
  }

  resize(width: number, height: number): void {
    this.size = [width, height];
    for (const canvas of [this.below, this.above]) {
      canvas.width = Math.round(width * devicePixelRatio);
      canvas.height = Math.round(height * devicePixelRatio);
      canvas.style.height = `${height}px`;
    }
    // A canvas of another size is empty: in the next frame would be too late.
    this.drawNow();
  }

  /** Moves the part that is shown by a share of its length. */
  pan(share: number): void {
    const [from, to] = this.span_;
    const by = share * (to - from);
    this.go([from + by, to + by]);
  }

  /** Shows `factor` times as much time, with the time at `share` of the width where it was. */
  zoom(factor: number, share = 0.5): void {
    const [from, to] = this.span_;
    const [about, length] = [from + share * (to - from), Math.max(SHORTEST, (to - from) * factor)];
    this.go([about - share * length, about + (1 - share) * length]);
  }

  whole(): void {
    this.go([0, this.end]);
  }

  go(span: Span): void {
    this.span_ = this.inside(span);
    const [from, to] = this.span_;
    this.moved(from === 0 && to === this.end ? null : this.span_);
    this.draw();
  }

  private inside([from, to]: Span): Span {
    const length = Math.min(Math.max(to - from, SHORTEST), this.end);
    const begin = Math.min(Math.max(0, from), this.end - length);
    return [begin, begin + length];
  }

  /** Share of the width at which a pixel lies. */
  share(x: number): number {
    const box = this.drawn?.boxes[0];
    return box ? Math.min(1, Math.max(0, (x - box.left) / box.width)) : 0;
  }

  /** Width of the panels in pixels. */
  get across(): number {
    return this.drawn?.boxes[0]?.width ?? 1;
  }

  time(x: number): number {
    const [from, to] = this.span_;
    return from + this.share(x) * (to - from);
  }

  /** The packet next to a pixel of the time-sequence graph; null if none is near. */
  near(x: number, y: number): Packet | null {
    const [box, scales] = [this.drawn?.boxes[0], this.drawn];
    if (!box || !scales || y < box.top || y > box.top + box.height) return null;
    let [best, found]: [number, Packet | null] = [REACH ** 2, null];
    this.sides.forEach(({ after: { packets } }, side) => {
      const { xs, ys } = packets;
      const end = firstFrom(xs, scales.x.back(x + REACH));
      for (let place = firstFrom(xs, scales.x.back(x - REACH)); place < end; place++) {
        const away = (scales.x.at(xs[place]!) - x) ** 2 + (scales.ys[0]!.at(ys[place]!) - y) ** 2;
        if (away < best) [best, found] = [away, { side, place }];
      }
    });
    return found;
  }

  packets(side: number): Packets | undefined {
    return this.sides[side]?.after.packets;
  }

  /** Rings a packet, and moves to where it is. */
  ring(packet: Packet): void {
    const time = this.packets(packet.side)!.xs[packet.place]!;
    const [from, to] = this.span_;
    this.ringed = packet;
    if (time < from || time > to) this.go([time - (to - from) / 2, time + (to - from) / 2]);
    else this.draw();
  }

  point(packet: Packet | null, time: number | null): void {
    [this.ringed, this.line] = [packet, time];
    this.drawAbove();
  }

  draw(): void {
    this.waiting ||= requestAnimationFrame(() => {
      this.waiting = 0;
      this.drawNow();
    });
  }

  /** Draws at once; milliseconds that this took. */
  drawNow(): number {
    const [width, height] = this.size;
    if (width === 0 || this.panels.length === 0) return 0;
    const began = performance.now();
    const context = this.cleared(this.below);
    this.drawn = drawAll(canvasPen(context), this.panels, this.span_, width, height, theme());
    this.drawAbove();
    return performance.now() - began;
  }

  private cleared(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
    const context = canvas.getContext("2d")!;
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    context.clearRect(0, 0, ...this.size);
    return context;
  }

  private drawAbove(): void {
    const [context, drawn] = [this.cleared(this.above), this.drawn];
    if (!drawn) return;
    const pen = canvasPen(context);
    const { ink } = theme();
    if (this.line !== null) {
      const x = drawn.x.at(this.line);
      const last = drawn.boxes[drawn.boxes.length - 1]!;
      pen.path([x, drawn.boxes[0]!.top, x, last.top + last.height], { colour: ink, width: 1, dash: [2, 2], strength: 0.7 });
    }
    const packets = this.ringed && this.packets(this.ringed.side);
    if (!packets || !this.ringed) return;
    const { place } = this.ringed;
    pen.within(drawn.boxes[0]!, () =>
      pen.marks([drawn.x.at(packets.xs[place]!), drawn.ys[0]!.at(packets.ys[place]!)], "circle", 9, ink, 1),
    );
  }
}
