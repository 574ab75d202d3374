/** Fingers, mouse and wheel on the panels: a drag pans, a pinch or the wheel with Ctrl zooms, a tap picks. */

import type { Packet, Viewer } from "./viewer";

/** Pixels by which a tap may slip. */
const SLIP = 5;

/** Listens until the function that it returns is called. */
export function listen(place: HTMLElement, viewer: Viewer, pick: (packet: Packet | null) => void, point: (x: number | null, y: number) => void): () => void {
  const fingers = new Map<number, { x: number; y: number }>();
  let slipped = 0;
  const at = (event: PointerEvent | WheelEvent) => {
    const { left, top } = place.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const apart = () => {
    const [one, other] = [...fingers.values()];
    return one && other ? Math.max(1, Math.abs(one.x - other.x)) : 0;
  };
  const down = (event: PointerEvent) => {
    if (event.button !== 0) return;
    if (fingers.size === 0) slipped = 0;
    fingers.set(event.pointerId, at(event));
    place.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent) => {
    const now = at(event);
    const before = fingers.get(event.pointerId);
    if (!before) return point(now.x, now.y);
    const was = apart();
    fingers.set(event.pointerId, now);
    slipped += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
    if (slipped <= SLIP) return;
    if (was > 0) viewer.zoom(was / apart(), viewer.share(now.x));
    else viewer.pan((before.x - now.x) / viewer.across);
  };
  const up = (event: PointerEvent) => {
    const there = fingers.delete(event.pointerId);
    const { x, y } = at(event);
    if (there && fingers.size === 0 && slipped <= SLIP && event.type === "pointerup") pick(viewer.near(x, y));
  };
  const leave = () => point(null, 0);
  const wheel = (event: WheelEvent) => {
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (event.ctrlKey || event.metaKey) viewer.zoom(1.0015 ** event.deltaY, viewer.share(at(event).x));
    else if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) viewer.pan(sideways / viewer.across);
    else return; // the page scrolls
    event.preventDefault();
  };
  const all = { pointerdown: down, pointermove: move, pointerup: up, pointercancel: up, pointerleave: leave } as const;
  for (const [name, heard] of Object.entries(all)) place.addEventListener(name, heard as EventListener);
  place.addEventListener("wheel", wheel, { passive: false });
  return () => {
    for (const [name, heard] of Object.entries(all)) place.removeEventListener(name, heard as EventListener);
    place.removeEventListener("wheel", wheel);
  };
}
