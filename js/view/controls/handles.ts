import { append, el } from "../dom.js";
import type { Curve } from "../paint/painter.js";
import type { Statistics } from "../tiles/tiles.js";
import { short } from "./parts.js";
import { outline, type Range, room, type Span } from "./span.js";

const SVG = "http://www.w3.org/2000/svg";
/** Formats numbers of attributes, in which ARIA knows no exponents. */
const decimal = new Intl.NumberFormat("en", { useGrouping: false, maximumSignificantDigits: 15 });

/** Data of {@link Handles}. */
interface HandlesData {
  /** The drawn range. */
  readonly range: Range;
  /** How values map to colours. */
  readonly curve: Curve;
  /** The histogram; null until it arrives. */
  readonly statistics: Statistics | null;
  /** Formats a value. */
  readonly text?: ((value: number) => string) | undefined;
}

/**
 * A histogram with two handles for mouse, touch and keys. Dragging between the handles moves both.
 */
export class Handles {
  /** The control's element. */
  readonly box: HTMLDivElement;
  readonly #path = document.createElementNS(SVG, "path");
  readonly #ends: readonly [HTMLDivElement, HTMLDivElement];
  readonly #between = el("div", { class: "zc-between" });
  readonly #change: (range: Range) => void;
  #data: HandlesData = { range: [0, 1], curve: { kind: "linear" }, statistics: null };
  #span: Span = room([0, 1], { kind: "linear" }, null);
  /** Whether the span is frozen because an end is being moved. */
  #held = false;
  #drawn: readonly unknown[] = [];

  /** `name` is part of the handles' names. */
  constructor(name: string, change: (range: Range) => void) {
    this.#change = change;
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", "0 0 100 100");
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    svg.append(this.#path);
    const handle = (end: 0 | 1, label: string) => {
      const node = el("div", { class: "zc-handle", role: "slider", tabindex: 0, "aria-label": label });
      node.addEventListener("keydown", (event) => this.#key(event, end));
      node.addEventListener("blur", () => this.#hold(false));
      return node;
    };
    this.#ends = [handle(0, `Lowest ${name}`), handle(1, `Highest ${name}`)];
    this.box = el("div", { class: "zc-handles" });
    append(this.box, svg, this.#between, ...this.#ends);
    this.box.addEventListener("pointerdown", (event) => this.#down(event));
  }

  /** The values that the bar spans. */
  get span(): Span {
    return this.#span;
  }

  /** Shows a range. A dragged handle keeps its place until it is released. */
  show(data: HandlesData): void {
    this.#data = data;
    const { range, curve, statistics, text = short } = data;
    const [least, most] = this.#span.ends;
    if (!this.#held || range[0] < least || range[1] > most) this.#span = room(range, curve, statistics);
    const [low, high] = range.map((value) => Math.min(1, Math.max(0, this.#span.at(value)))) as [number, number];
    this.#between.style.left = `${100 * low}%`;
    this.#between.style.width = `${100 * Math.max(0, high - low)}%`;
    for (const end of [0, 1] as const) {
      const node = this.#ends[end];
      // One value has no ends to move.
      node.hidden = range[0] === range[1];
      node.style.left = `${100 * (end === 0 ? low : high)}%`;
      node.setAttribute("aria-valuemin", decimal.format(end === 0 ? this.#span.ends[0] : range[0]));
      node.setAttribute("aria-valuemax", decimal.format(end === 0 ? range[1] : this.#span.ends[1]));
      node.setAttribute("aria-valuenow", decimal.format(range[end]));
      node.setAttribute("aria-valuetext", text(range[end]));
    }
    const drawn = [statistics, ...this.#span.ends, curve.kind];
    if (drawn.some((part, i) => part !== this.#drawn[i])) {
      this.#drawn = drawn;
      this.#path.setAttribute("d", statistics ? outline(statistics, this.#span) : "");
    }
  }

  #hold(held: boolean): void {
    if (this.#held === held) return;
    this.#held = held;
    if (!held) this.show(this.#data);
  }

  #set(low: number, high: number): void {
    if (!(low < high) || !Number.isFinite(low) || !Number.isFinite(high)) return;
    const [before, after] = this.#data.range;
    if (low === before && high === after) return;
    this.show({ ...this.#data, range: [low, high] });
    this.#change([low, high]);
  }

  /** Moves an end, but not past the other end. */
  #move(end: 0 | 1, at: number): void {
    const [low, high] = this.#data.range;
    const gap = 0.002;
    if (end === 0) this.#set(this.#span.value(Math.min(at, this.#span.at(high) - gap)), high);
    else this.#set(low, this.#span.value(Math.max(at, this.#span.at(low) + gap)));
  }

  #key(event: KeyboardEvent, end: 0 | 1): void {
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
    const at = this.#span.at(this.#data.range[end]);
    this.#hold(true);
    if (step !== undefined) this.#move(end, at + (step * (event.shiftKey ? 10 : 1)) / 100);
    else if (event.key === "Home") this.#move(end, 0);
    else if (event.key === "End") this.#move(end, 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #down(event: PointerEvent): void {
    if (event.button !== 0) return;
    const { left, width } = this.box.getBoundingClientRect();
    if (width === 0) return;
    const place = (pointer: PointerEvent) => (pointer.clientX - left) / width;
    const first = place(event);
    const ends = this.#data.range.map((value) => this.#span.at(value)) as [number, number];
    const near = Math.abs(first - ends[0]) < Math.abs(first - ends[1]) ? 0 : 1;
    // A press near an end or outside moves that end. A press between the ends moves both.
    const within = first > ends[0] && first < ends[1] && Math.abs(first - ends[near]) * width > 14;
    if (!within) this.#ends[near].focus({ preventScroll: true });
    this.#hold(true);
    this.box.setPointerCapture(event.pointerId);
    const off = within ? 0 : Math.abs(first - ends[near]) * width <= 14 ? ends[near] - first : 0;
    const move = (pointer: PointerEvent) => {
      const to = Math.min(1, Math.max(0, place(pointer) + off));
      if (!within) return this.#move(near, to);
      const by = place(pointer) - first;
      this.#set(this.#span.value(ends[0] + by), this.#span.value(ends[1] + by));
    };
    if (!within && off === 0) move(event);
    const end = () => {
      this.box.removeEventListener("pointermove", move);
      this.box.removeEventListener("lostpointercapture", end);
      this.#hold(false);
    };
    this.box.addEventListener("pointermove", move);
    this.box.addEventListener("lostpointercapture", end);
    event.preventDefault();
  }
}
