// A line of numbers as a plot, with a cursor. However many elements there are, each column of pixels shows its
// smallest and largest, so that no peak is lost.

import { formatShort } from "./format.js";

export interface Line {
  numbers: ArrayLike<number>;
  count: number;
  /** The label of position i of the line, for the ticks. */
  label(i: number): string;
}

const MARGIN = { left: 64, right: 16, top: 14, bottom: 30 };

export class LinePlot {
  readonly #canvas: HTMLCanvasElement;
  readonly #onCursor: (i: number | null, byKey: boolean) => void;
  #line: Line | null = null;
  #cursor: number | null = null;
  #low = 0;
  #high = 1;
  #frame = 0;

  constructor(canvas: HTMLCanvasElement, onCursor: (i: number | null, byKey: boolean) => void) {
    this.#canvas = canvas;
    this.#onCursor = onCursor;
    canvas.addEventListener("pointermove", (e) => this.#setCursor(this.#at(e), false));
    canvas.addEventListener("pointerleave", () => this.#setCursor(null, false));
    canvas.addEventListener("keydown", (e) => this.#key(e));
    new ResizeObserver(() => this.redraw()).observe(canvas);
  }

  show(line: Line): void {
    this.#line = line;
    this.#cursor = null;
    this.#bounds(line);
    this.#draw();
  }

  /** Draws again, after a change of the labels or of the page's colours. */
  redraw(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  clear(): void {
    this.#line = null;
    this.#cursor = null;
    this.redraw();
  }

  #bounds(line: Line): void {
    let low = Infinity;
    let high = -Infinity;
    for (let i = 0; i < line.count; i++) {
      const v = line.numbers[i] ?? NaN;
      if (!Number.isFinite(v)) continue;
      if (v < low) low = v;
      if (v > high) high = v;
    }
    if (low > high) [low, high] = [0, 1];
    const pad = low === high ? Math.max(Math.abs(low) * 0.1, 0.5) : (high / 2 - low / 2) * 0.1;
    this.#low = Math.max(low - pad, -Number.MAX_VALUE);
    this.#high = Math.min(high + pad, Number.MAX_VALUE);
  }

  #size(): { w: number; h: number; width: number; height: number } {
    const w = this.#canvas.clientWidth;
    const h = this.#canvas.clientHeight;
    return {
      w,
      h,
      width: Math.max(1, w - MARGIN.left - MARGIN.right),
      height: Math.max(1, h - MARGIN.top - MARGIN.bottom),
    };
  }

  #draw(): void {
    const canvas = this.#canvas;
    const ratio = window.devicePixelRatio || 1;
    const { w, h, width, height } = this.#size();
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
    const context = canvas.getContext("2d");
    const line = this.#line;
    if (!context || !line || w === 0) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(canvas);
    const colour = (name: string): string => style.getPropertyValue(name).trim() || "#888";
    context.font = `12px ${style.fontFamily}`;
    const span = this.#high / 2 - this.#low / 2;
    const py = (v: number): number => MARGIN.top + height * (1 - (v / 2 - this.#low / 2) / span);
    const px = (i: number): number => MARGIN.left + (line.count <= 1 ? width / 2 : (i / (line.count - 1)) * width);

    context.lineWidth = 1;
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (const tick of ticks(this.#low, this.#high, Math.max(2, Math.floor(height / 52)))) {
      const y = Math.round(py(tick)) + 0.5;
      context.strokeStyle = colour("--grid");
      context.beginPath();
      context.moveTo(MARGIN.left, y);
      context.lineTo(MARGIN.left + width, y);
      context.stroke();
      context.fillStyle = colour("--muted");
      context.fillText(formatShort(tick), MARGIN.left - 8, y);
    }
    context.textBaseline = "top";
    const labels = Math.max(1, Math.min(line.count - 1, Math.floor(width / 130)));
    let free = -Infinity;
    for (let k = 0; k <= labels; k++) {
      const i = Math.round((k / labels) * (line.count - 1)) || 0;
      const text = line.label(i);
      const half = context.measureText(text).width / 2;
      const x = Math.max(half, Math.min(w - half - 2, px(i)));
      if (x - half < free) continue;
      free = x + half + 12;
      context.textAlign = "center";
      context.fillStyle = colour("--muted");
      context.fillText(text, x, MARGIN.top + height + 10);
    }

    context.strokeStyle = colour("--accent");
    context.fillStyle = colour("--accent");
    context.lineWidth = 1.75;
    context.lineJoin = "round";
    this.#stroke(context, line, px, py, width);

    if (this.#cursor !== null) {
      const x = px(this.#cursor);
      context.strokeStyle = colour("--muted");
      context.lineWidth = 1;
      context.setLineDash([3, 3]);
      context.beginPath();
      context.moveTo(x, MARGIN.top);
      context.lineTo(x, MARGIN.top + height);
      context.stroke();
      context.setLineDash([]);
      const value = line.numbers[this.#cursor] ?? NaN;
      if (Number.isFinite(value)) {
        context.beginPath();
        context.arc(x, py(value), 4.5, 0, 2 * Math.PI);
        context.fill();
        context.strokeStyle = colour("--surface");
        context.lineWidth = 2;
        context.stroke();
      }
    }
  }

  #stroke(
    context: CanvasRenderingContext2D,
    line: Line,
    px: (i: number) => number,
    py: (v: number) => number,
    width: number,
  ): void {
    const usable = (i: number): number => {
      const v = line.numbers[i] ?? NaN;
      return Number.isFinite(v) ? v : NaN;
    };
    context.beginPath();
    let pen = false;
    if (line.count <= width * 2) {
      for (let i = 0; i < line.count; i++) {
        const v = usable(i);
        if (Number.isNaN(v)) {
          pen = false;
          continue;
        }
        if (pen) context.lineTo(px(i), py(v));
        else context.moveTo(px(i), py(v));
        // A value between two gaps has no line of its own.
        if (!pen && Number.isNaN(usable(i + 1))) context.rect(px(i) - 1, py(v) - 1, 2, 2);
        pen = true;
      }
      context.stroke();
      if (line.count <= width / 12) {
        for (let i = 0; i < line.count; i++) {
          const v = usable(i);
          if (Number.isNaN(v)) continue;
          context.beginPath();
          context.arc(px(i), py(v), 2.5, 0, 2 * Math.PI);
          context.fill();
        }
      }
      return;
    }
    const columns = Math.max(1, Math.floor(width));
    for (let c = 0; c < columns; c++) {
      const from = Math.floor((c / columns) * line.count);
      const to = Math.max(from + 1, Math.floor(((c + 1) / columns) * line.count));
      let low = Infinity;
      let high = -Infinity;
      for (let i = from; i < to; i++) {
        const v = usable(i);
        if (v < low) low = v;
        if (v > high) high = v;
      }
      if (low > high) {
        pen = false;
        continue;
      }
      const x = MARGIN.left + c + 0.5;
      if (pen) context.lineTo(x, py(high));
      else context.moveTo(x, py(high));
      context.lineTo(x, py(low) + 0.5);
      pen = true;
    }
    context.stroke();
  }

  #at(event: PointerEvent): number | null {
    const line = this.#line;
    if (!line || line.count === 0) return null;
    const box = this.#canvas.getBoundingClientRect();
    const { width } = this.#size();
    const t = (event.clientX - box.left - MARGIN.left) / width;
    return Math.max(0, Math.min(line.count - 1, Math.round(t * (line.count - 1))));
  }

  #setCursor(i: number | null, byKey: boolean): void {
    if (i === this.#cursor) return;
    this.#cursor = i;
    this.#onCursor(i, byKey);
    this.redraw();
  }

  #key(event: KeyboardEvent): void {
    const line = this.#line;
    if (!line || line.count === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const last = line.count - 1;
    const at = this.#cursor;
    const far = Math.max(1, Math.round(line.count / 20));
    const to: Record<string, number> = {
      ArrowLeft: at === null ? 0 : at - 1,
      ArrowRight: at === null ? 0 : at + 1,
      PageUp: (at ?? 0) - far,
      PageDown: (at ?? 0) + far,
      Home: 0,
      End: last,
    };
    const next = to[event.key];
    if (next !== undefined) this.#setCursor(Math.max(0, Math.min(last, next)), true);
    else if (event.key === "Escape") this.#setCursor(null, true);
    else return;
    event.preventDefault();
  }
}

/** Round numbers between low and high, about as many as wanted. */
export function ticks(low: number, high: number, wanted: number): number[] {
  const rough = high / wanted - low / wanted || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) ?? 10 * power;
  if (!(step > 0) || !Number.isFinite(step)) return [];
  const out: number[] = [];
  for (let k = Math.ceil(low / step); k * step <= high && out.length < 50; k++)
    out.push(Number((k * step).toPrecision(12)));
  return out;
}
