// Gestures on a plot: wheel, drag, pinch, double click and hovering, as movements in CSS pixels.

/** Events of gestures. Positions are CSS pixels from the plot's left and top. */
interface GestureEvents {
  /** Drags the plot. */
  pan(dx: number, dy: number): void;
  /** Zooms about a position; a factor above 1 enlarges. */
  zoom(factor: number, x: number, y: number): void;
  /** The pointer is here; null if it left. */
  hover(x: number | null, y: number | null): void;
  /** The person clicked without dragging. */
  press(x: number, y: number): void;
  /** Shows everything again. */
  reset(): void;
}

/** A click moves no more CSS pixels than this. */
const slack = 4;

/** Listens until the signal aborts. */
export function gestures(target: HTMLElement, events: GestureEvents, signal: AbortSignal): void {
  const pointers = new Map<number, { x: number; y: number }>();
  let moved = 0;
  const at = (event: MouseEvent): { x: number; y: number } => {
    const box = target.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  target.addEventListener(
    "pointerdown",
    (event) => {
      if (event.button !== 0) return;
      if (pointers.size === 0) moved = 0;
      pointers.set(event.pointerId, at(event));
      target.setPointerCapture(event.pointerId);
    },
    { signal },
  );
  target.addEventListener(
    "pointermove",
    (event) => {
      const now = at(event);
      const before = pointers.get(event.pointerId);
      if (!before) {
        events.hover(now.x, now.y);
        return;
      }
      pointers.set(event.pointerId, now);
      const [dx, dy] = [now.x - before.x, now.y - before.y];
      moved += Math.hypot(dx, dy);
      if (pointers.size === 2) {
        const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1] ?? now;
        const [was, is] = [
          Math.hypot(before.x - other.x, before.y - other.y),
          Math.hypot(now.x - other.x, now.y - other.y),
        ];
        if (was > 0 && is > 0) events.zoom(is / was, (now.x + other.x) / 2, (now.y + other.y) / 2);
        events.pan(dx / 2, dy / 2);
      } else if (moved > slack) events.pan(dx, dy);
    },
    { signal },
  );
  const up = (event: PointerEvent): void => {
    if (!pointers.delete(event.pointerId)) return;
    const { x, y } = at(event);
    if (event.type === "pointerup" && moved <= slack && pointers.size === 0) events.press(x, y);
  };
  target.addEventListener("pointerup", up, { signal });
  target.addEventListener("pointercancel", up, { signal });
  target.addEventListener("pointerleave", () => pointers.size === 0 && events.hover(null, null), { signal });
  target.addEventListener("dblclick", () => events.reset(), { signal });
  target.addEventListener(
    "wheel",
    (event) => {
      if (event.ctrlKey && event.deltaY === 0) return;
      event.preventDefault();
      const { x, y } = at(event);
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) events.pan(-event.deltaX * lines, 0);
      else events.zoom(Math.exp((-event.deltaY * lines) / (event.ctrlKey ? 100 : 400)), x, y);
    },
    { signal, passive: false },
  );
}
