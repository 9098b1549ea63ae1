/** Gestures and keys on a picture. Points are CSS pixels from the surface's corner. */
interface GestureEvents {
  /** Zooms about a point. */
  zoom(factor: number, x: number, y: number): void;
  /** Moves the picture; `aside` with Shift or two fingers. */
  pan(dx: number, dy: number, aside: boolean): void;
  /** Shows the whole picture. */
  fit(): void;
  /** The pointer is at a point; null if it left. */
  hover(point: { x: number; y: number } | null): void;
  /** The person clicked or tapped a point; `more` with Shift. */
  click(point: { x: number; y: number }, more: boolean): void;
  /** Moves the cursor by elements, to the right and downwards on the screen. */
  step(dx: number, dy: number): void;
  /** Removes the cursor. */
  escape(): void;
  /** Whether arrows move the picture, and with Shift the cursor. */
  turns(): boolean;
  /** Offers a key that the picture does not use itself. Returns true if it was handled. */
  key(event: KeyboardEvent): boolean;
}

const arrows: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** A pointer that moves more CSS pixels than this drags. */
const SLACK = 3;

/** Listens on a surface until the signal aborts: wheel, drag, pinch, double click, keys. */
export function listen(surface: HTMLElement, events: GestureEvents, signal: AbortSignal): void {
  const pointers = new Map<number, { x: number; y: number }>();
  let dragged = 0;
  let pinched = false;

  const at = ({ clientX, clientY }: { clientX: number; clientY: number }) => {
    const box = surface.getBoundingClientRect();
    return { x: clientX - box.left, y: clientY - box.top };
  };
  const middle = (factor: number) => events.zoom(factor, surface.clientWidth / 2, surface.clientHeight / 2);

  const on = <K extends keyof HTMLElementEventMap>(
    type: K,
    run: (event: HTMLElementEventMap[K]) => void,
    passive?: boolean,
  ) => surface.addEventListener(type, run, passive === undefined ? { signal } : { signal, passive });

  on(
    "wheel",
    (event) => {
      event.preventDefault();
      const { DOM_DELTA_LINE, DOM_DELTA_PAGE } = WheelEvent;
      const unit = event.deltaMode === DOM_DELTA_LINE ? 16 : event.deltaMode === DOM_DELTA_PAGE ? 400 : 1;
      // Browsers report a touchpad's pinch as a wheel event with Ctrl and small steps.
      const amount = Math.max(-240, Math.min(240, event.deltaY * unit * (event.ctrlKey ? 6 : 1)));
      const point = at(event);
      events.zoom(2 ** (-amount / 240), point.x, point.y);
    },
    false,
  );
  on("pointerdown", (event) => {
    if (event.button !== 0) return;
    surface.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, at(event));
    if (pointers.size === 1) {
      dragged = 0;
      pinched = false;
    } else pinched = true;
    events.hover(at(event));
  });
  on("pointermove", (event) => {
    const now = at(event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      events.hover(now);
      return;
    }
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    pointers.set(event.pointerId, now);
    if (other) {
      const spread = (p: { x: number; y: number }) => Math.max(1, Math.hypot(p.x - other.x, p.y - other.y));
      events.zoom(spread(now) / spread(before), (now.x + other.x) / 2, (now.y + other.y) / 2);
      events.pan((now.x - before.x) / 2, (now.y - before.y) / 2, true);
      return;
    }
    const passed = dragged > SLACK;
    dragged += Math.hypot(now.x - before.x, now.y - before.y);
    if (dragged > SLACK) {
      if (!passed) surface.classList.add("dragged");
      events.pan(now.x - before.x, now.y - before.y, event.shiftKey);
    }
  });
  const up = (event: PointerEvent, cancelled: boolean) => {
    const was = pointers.delete(event.pointerId);
    surface.classList.remove("dragged");
    const point = at(event);
    if (was && !cancelled && !pinched && dragged <= SLACK) events.click(point, event.shiftKey);
    else if (!cancelled) events.hover(point);
  };
  on("pointerup", (event) => up(event, false));
  on("pointercancel", (event) => up(event, true));
  on("pointerleave", (event) => {
    // A finger leaves when it is lifted, and what it tapped stays.
    if (event.pointerType !== "touch" && !pointers.has(event.pointerId)) events.hover(null);
  });
  on("dblclick", () => events.fit());
  on("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = arrows[event.key];
    if (arrow && event.shiftKey !== events.turns()) events.pan(-arrow[0] * 40, -arrow[1] * 40, false);
    else if (arrow) events.step(...arrow);
    else if (event.key === "+" || event.key === "=") middle(1.5);
    else if (event.key === "-") middle(1 / 1.5);
    else if (event.key === "0") events.fit();
    else if (event.key === "Escape") events.escape();
    else if (!events.key(event)) return;
    event.preventDefault();
  });
}
