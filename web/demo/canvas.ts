// A plane of numbers as a picture: nearest-neighbour pixels, fitted, with zoom, pan and a cursor.

import { type Range, step256 } from "./contrast.js";

export interface Plane {
  width: number;
  height: number;
  /** Elements in any stride order; NaN is drawn as missing. */
  numbers: ArrayLike<number>;
  strideX: number;
  strideY: number;
}

export interface PlaneStyle {
  /** 256 pixels, see lookupTable. */
  lut: Uint32Array;
  range: Range;
  /** Whether the first row is at the bottom. */
  flip: boolean;
}

export interface Point {
  x: number;
  y: number;
}

/** Beyond this difference of its sides a picture is stretched rather than drawn as a hairline. */
const MAX_ASPECT = 12;
const MAX_ZOOM_PIXELS = 128;

export class PlaneView {
  readonly #canvas: HTMLCanvasElement;
  readonly #onCursor: (point: Point | null, byKey: boolean) => void;
  readonly #bitmap = document.createElement("canvas");
  #plane: Plane | null = null;
  #style: PlaneStyle | null = null;
  #cursor: Point | null = null;
  /** The picture's place in CSS pixels: size of an element, and the corner. */
  #scaleX = 1;
  #scaleY = 1;
  #left = 0;
  #top = 0;
  #moved = false;
  #frame = 0;
  readonly #pointers = new Map<number, { x: number; y: number }>();
  #dragged = 0;

  constructor(canvas: HTMLCanvasElement, onCursor: (point: Point | null, byKey: boolean) => void) {
    this.#canvas = canvas;
    this.#onCursor = onCursor;
    canvas.addEventListener("wheel", (e) => this.#wheel(e), { passive: false });
    canvas.addEventListener("pointerdown", (e) => this.#down(e));
    canvas.addEventListener("pointermove", (e) => this.#move(e));
    for (const type of ["pointerup", "pointercancel"] as const) canvas.addEventListener(type, (e) => this.#up(e));
    canvas.addEventListener("pointerleave", () => this.#setCursor(null, false));
    canvas.addEventListener("dblclick", () => this.fit());
    canvas.addEventListener("keydown", (e) => this.#key(e));
    new ResizeObserver(() => {
      if (!this.#moved) this.#place();
      this.#schedule();
    }).observe(canvas);
  }

  /** Shows a plane. The view stays when only the values change. */
  show(plane: Plane, style: PlaneStyle): void {
    const same = this.#plane?.width === plane.width && this.#plane.height === plane.height;
    this.#plane = plane;
    this.#style = style;
    if (!same) {
      this.#moved = false;
      this.#cursor = null;
    }
    this.#paint();
    if (!this.#moved) this.#place();
    // At once rather than with the next frame: the page says that it is ready when the picture is there.
    this.#draw();
    if (this.#cursor) this.#onCursor(this.#cursor, false);
  }

  /** Draws the same plane with other colours. */
  restyle(style: PlaneStyle): void {
    this.#style = style;
    this.#paint();
    this.#draw();
  }

  clear(): void {
    this.#plane = null;
    this.#cursor = null;
    this.#moved = false;
    this.#bitmap.width = 0;
    this.#bitmap.height = 0;
    this.#schedule();
  }

  /** Shows the whole plane again. */
  fit(): void {
    this.#moved = false;
    this.#place();
    this.#schedule();
  }

  /** Zooms about the middle. */
  zoom(factor: number): void {
    const box = this.#canvas.getBoundingClientRect();
    this.#zoomAt(factor, box.width / 2, box.height / 2);
  }

  /** Draws again, after the page's colours have changed. */
  redraw(): void {
    this.#schedule();
  }

  /** One pixel an element, in the plane's own rows. */
  #paint(): void {
    const plane = this.#plane;
    const style = this.#style;
    if (!plane || !style) return;
    const { width, height, numbers, strideX, strideY } = plane;
    const { lut, range } = style;
    this.#bitmap.width = width;
    this.#bitmap.height = height;
    const context = this.#bitmap.getContext("2d");
    if (!context || width === 0 || height === 0) return;
    const image = context.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const span = range.max - range.min;
    const simple = span > 0 && span !== Infinity;
    const factor = 256 / span;
    let out = 0;
    for (let y = 0; y < height; y++) {
      let at = y * strideY;
      for (let x = 0; x < width; x++, at += strideX, out++) {
        const value = numbers[at] as number;
        if (Number.isNaN(value)) continue;
        let step: number;
        if (simple) {
          const scaled = (value - range.min) * factor;
          step = scaled <= 0 ? 0 : scaled >= 255 ? 255 : scaled | 0;
        } else {
          step = step256(value, range);
        }
        pixels[out] = lut[step] as number;
      }
    }
    context.putImageData(image, 0, 0);
  }

  #place(): void {
    const plane = this.#plane;
    const w = this.#canvas.clientWidth;
    const h = this.#canvas.clientHeight;
    if (!plane || w === 0 || h === 0) return;
    const scale = Math.min(w / plane.width, h / plane.height);
    this.#scaleX = scale;
    this.#scaleY = scale;
    const aspect = plane.width / plane.height;
    if (aspect > MAX_ASPECT || aspect < 1 / MAX_ASPECT) {
      this.#scaleX =
        aspect > 1 ? w / plane.width : Math.min(w / plane.width, (h / plane.height) * (plane.height / plane.width / 4));
      this.#scaleY = aspect > 1 ? Math.min(h / plane.height, (w / plane.width) * (aspect / 4)) : h / plane.height;
    }
    this.#left = (w - plane.width * this.#scaleX) / 2;
    this.#top = (h - plane.height * this.#scaleY) / 2;
  }

  #schedule(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  #draw(): void {
    const canvas = this.#canvas;
    const ratio = window.devicePixelRatio || 1;
    const w = canvas.clientWidth;
    const h = canvas.clientHeight;
    const width = Math.round(w * ratio);
    const height = Math.round(h * ratio);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    const context = canvas.getContext("2d");
    if (!context) return;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, width, height);
    const plane = this.#plane;
    if (!plane || this.#bitmap.width === 0) return;
    const right = plane.width * this.#scaleX;
    const down = plane.height * this.#scaleY;

    // Where elements are missing the chequered ground shows.
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.save();
    context.beginPath();
    context.rect(this.#left, this.#top, right, down);
    context.clip();
    const pattern = context.createPattern(chequers(canvas), "repeat");
    if (pattern) {
      context.fillStyle = pattern;
      context.fillRect(Math.max(0, this.#left), Math.max(0, this.#top), w, h);
    }
    context.restore();

    context.imageSmoothingEnabled = false;
    const flip = this.#style?.flip === true;
    context.setTransform(
      ratio,
      0,
      0,
      flip ? -ratio : ratio,
      this.#left * ratio,
      (flip ? this.#top + down : this.#top) * ratio,
    );
    context.drawImage(this.#bitmap, 0, 0, right, down);

    if (this.#cursor) {
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      const row = flip ? plane.height - 1 - this.#cursor.y : this.#cursor.y;
      const x = this.#left + this.#cursor.x * this.#scaleX;
      const y = this.#top + row * this.#scaleY;
      const padX = Math.max(0, (7 - this.#scaleX) / 2);
      const padY = Math.max(0, (7 - this.#scaleY) / 2);
      for (const [colour, line] of [["#000", 3] as const, ["#fff", 1.25] as const]) {
        context.strokeStyle = colour;
        context.lineWidth = line;
        context.strokeRect(x - padX, y - padY, this.#scaleX + 2 * padX, this.#scaleY + 2 * padY);
      }
    }
  }

  #at(event: { clientX: number; clientY: number }): Point | null {
    const plane = this.#plane;
    if (!plane) return null;
    const box = this.#canvas.getBoundingClientRect();
    const x = Math.floor((event.clientX - box.left - this.#left) / this.#scaleX);
    const row = Math.floor((event.clientY - box.top - this.#top) / this.#scaleY);
    if (x < 0 || row < 0 || x >= plane.width || row >= plane.height) return null;
    return { x, y: this.#style?.flip === true ? plane.height - 1 - row : row };
  }

  #setCursor(point: Point | null, byKey: boolean): void {
    if (point?.x === this.#cursor?.x && point?.y === this.#cursor?.y) return;
    this.#cursor = point;
    this.#onCursor(point, byKey);
    this.#schedule();
  }

  #wheel(event: WheelEvent): void {
    if (!this.#plane) return;
    event.preventDefault();
    const lines =
      event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : event.deltaMode === WheelEvent.DOM_DELTA_PAGE ? 400 : 1;
    const box = this.#canvas.getBoundingClientRect();
    const amount = Math.max(-240, Math.min(240, event.deltaY * lines));
    this.#zoomAt(2 ** (-amount / 240), event.clientX - box.left, event.clientY - box.top);
  }

  #zoomAt(factor: number, x: number, y: number): void {
    const plane = this.#plane;
    if (!plane) return;
    const smallest = Math.min(this.#scaleX, this.#scaleY);
    const fitted = Math.min(this.#canvas.clientWidth / plane.width, this.#canvas.clientHeight / plane.height);
    const most = Math.max(MAX_ZOOM_PIXELS, fitted * 4) / smallest;
    const least = Math.min(1, (fitted * 0.5) / smallest);
    const by = Math.max(least, Math.min(most, factor));
    this.#left = x - (x - this.#left) * by;
    this.#top = y - (y - this.#top) * by;
    this.#scaleX *= by;
    this.#scaleY *= by;
    this.#moved = true;
    this.#schedule();
  }

  #pan(dx: number, dy: number): void {
    const plane = this.#plane;
    if (!plane) return;
    // A corner of the picture stays in sight.
    const keep = 40;
    this.#left = clamp(this.#left + dx, keep - plane.width * this.#scaleX, this.#canvas.clientWidth - keep);
    this.#top = clamp(this.#top + dy, keep - plane.height * this.#scaleY, this.#canvas.clientHeight - keep);
    this.#moved = true;
    this.#schedule();
  }

  #down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.#canvas.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.#dragged = 0;
    this.#setCursor(this.#at(event), false);
  }

  #move(event: PointerEvent): void {
    const before = this.#pointers.get(event.pointerId);
    if (!before) {
      this.#setCursor(this.#at(event), false);
      return;
    }
    const now = { x: event.clientX, y: event.clientY };
    if (this.#pointers.size === 2) {
      const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const box = this.#canvas.getBoundingClientRect();
        const spread = (p: Point): number => Math.max(1, Math.hypot(p.x - other.x, p.y - other.y));
        this.#zoomAt(spread(now) / spread(before), (now.x + other.x) / 2 - box.left, (now.y + other.y) / 2 - box.top);
        this.#pan((now.x - before.x) / 2, (now.y - before.y) / 2);
      }
    } else {
      this.#dragged += Math.hypot(now.x - before.x, now.y - before.y);
      if (this.#dragged > 3) this.#pan(now.x - before.x, now.y - before.y);
    }
    this.#pointers.set(event.pointerId, now);
  }

  #up(event: PointerEvent): void {
    this.#pointers.delete(event.pointerId);
    this.#setCursor(this.#at(event), false);
  }

  #key(event: KeyboardEvent): void {
    const plane = this.#plane;
    if (!plane || event.ctrlKey || event.metaKey || event.altKey) return;
    const arrows: Record<string, [number, number]> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
    };
    const arrow = arrows[event.key];
    if (arrow) {
      if (event.shiftKey) {
        this.#pan(-arrow[0] * 40, -arrow[1] * 40);
      } else {
        const down = this.#style?.flip === true ? -arrow[1] : arrow[1];
        const from = this.#cursor ?? { x: (plane.width - 1) >> 1, y: (plane.height - 1) >> 1 };
        const by = this.#cursor ? 1 : 0;
        this.#setCursor(
          { x: clamp(from.x + arrow[0] * by, 0, plane.width - 1), y: clamp(from.y + down * by, 0, plane.height - 1) },
          true,
        );
      }
    } else if (event.key === "+" || event.key === "=") this.zoom(1.5);
    else if (event.key === "-") this.zoom(1 / 1.5);
    else if (event.key === "0") this.fit();
    else if (event.key === "Escape") this.#setCursor(null, true);
    else return;
    event.preventDefault();
  }
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}

function chequers(host: HTMLElement): HTMLCanvasElement {
  const style = getComputedStyle(host);
  const tile = document.createElement("canvas");
  tile.width = 16;
  tile.height = 16;
  const context = tile.getContext("2d");
  if (context) {
    context.fillStyle = style.getPropertyValue("--chequer-a").trim() || "#ddd";
    context.fillRect(0, 0, 16, 16);
    context.fillStyle = style.getPropertyValue("--chequer-b").trim() || "#bbb";
    context.fillRect(0, 0, 8, 8);
    context.fillRect(8, 8, 8, 8);
  }
  return tile;
}
