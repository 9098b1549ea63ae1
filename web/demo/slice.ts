// Which part of an array is read for a picture, and that only the latest wish counts.

import { formatCount, product } from "./format.js";

/** Positions along a drawn dimension: start, start + step, … */
export interface Window {
  start: number;
  step: number;
  count: number;
}

export interface Range {
  start: number;
  stop: number;
  step: number;
}

export interface Plan {
  /** For the read: a number drops its dimension. */
  selection: (number | Range)[];
  /** The drawn dimensions. y is null for a line. */
  x: Window;
  y: Window | null;
  /** In the data that comes back: from one element to the next to the right and downwards. */
  strideX: number;
  strideY: number;
  elements: number;
  /** Chunks that hold the elements, and what they are decoded; Infinity beyond counting. */
  chunks: number;
  bytes: number;
  /** "every 4th element" where elements are left out, else null. */
  note: string | null;
}

export interface Axes {
  x: number;
  y: number;
}

export interface PlanInput {
  shape: readonly number[];
  chunks: readonly number[];
  /** Bytes of one element, as well as it is known. */
  itemBytes: number;
  axes: Axes;
  indices: readonly number[];
  maxElements: number;
  /** Read a window of at most this many elements each way from the middle instead of stepping. */
  window?: number | undefined;
}

/** The axes drawn when nothing else is asked for: the last two. */
export function defaultAxes(rank: number): Axes {
  return { x: rank - 1, y: rank - 2 };
}

/** Brings the axes of a link into what the array has. */
export function fitAxes(axes: Axes | null, rank: number): Axes {
  const inside = (d: number): boolean => Number.isInteger(d) && d >= 0 && d < rank;
  return axes && axes.x !== axes.y && inside(axes.x) && inside(axes.y) ? axes : defaultAxes(rank);
}

/** Brings the indices of a link into the shape; says whether any had to be changed. */
export function fitIndices(
  indices: readonly number[] | null,
  shape: readonly number[],
): { indices: number[]; changed: boolean } {
  let changed = indices !== null && indices.length !== shape.length;
  const fitted = shape.map((size, d) => {
    const wanted = indices?.[d] ?? 0;
    const index = Math.max(0, Math.min(Math.trunc(wanted), size - 1));
    if (indices !== null && d < indices.length && index !== wanted) changed = true;
    return index;
  });
  return { indices: fitted, changed };
}

/** Plans the read of a plane, or of a line when the array has one dimension. The shape must have no 0 in it. */
export function planSlice(input: PlanInput): Plan {
  const { shape, axes, indices, maxElements } = input;
  const line = shape.length === 1;
  const width = shape[axes.x] ?? 1;
  const height = line ? 1 : (shape[axes.y] ?? 1);
  let x: Window = { start: 0, step: 1, count: width };
  let y: Window = { start: 0, step: 1, count: height };
  if (input.window !== undefined) {
    x = middle(width, input.window);
    y = middle(height, line ? 1 : input.window);
  }
  const steps = chooseSteps(x.count, y.count, maxElements);
  x = { start: x.start, step: steps.x, count: Math.ceil(x.count / steps.x) };
  y = { start: y.start, step: steps.y, count: Math.ceil(y.count / steps.y) };

  const selection = shape.map((_, d): number | Range => {
    if (d === axes.x) return range(x, width);
    if (!line && d === axes.y) return range(y, height);
    return indices[d] ?? 0;
  });
  const chunkX = input.chunks[axes.x] ?? width;
  const chunkY = input.chunks[axes.y] ?? height;
  const chunks = touched(x, chunkX) * (line ? 1 : touched(y, chunkY));
  const bytes = chunks * product(input.chunks) * input.itemBytes;
  // The data comes in the order of the array's dimensions.
  const transposed = !line && axes.x < axes.y;
  return {
    selection,
    x,
    y: line ? null : y,
    strideX: transposed ? y.count : 1,
    strideY: transposed ? 1 : x.count,
    elements: x.count * y.count,
    chunks,
    bytes,
    note: stepNote(x.step, y.step, line),
  };
}

function middle(size: number, window: number): Window {
  const count = Math.min(size, window);
  return { start: Math.floor((size - count) / 2), step: 1, count };
}

/** The same step both ways, unless that would leave next to nothing of the shorter one. */
function chooseSteps(width: number, height: number, max: number): { x: number; y: number } {
  if (width * height <= max) return { x: 1, y: 1 };
  const keep = 256;
  const short = Math.min(width, height);
  let step = Math.ceil(Math.sqrt((width / Math.sqrt(max)) * (height / Math.sqrt(max))));
  while (Math.ceil(width / step) * Math.ceil(height / step) > max) step++;
  if (short / step >= keep) return { x: step, y: step };
  const shortStep = Math.max(1, Math.min(step, Math.floor(short / keep)));
  const rows = Math.ceil(short / shortStep);
  const longStep = Math.ceil(Math.max(width, height) / Math.max(1, Math.floor(max / rows)));
  return width >= height ? { x: longStep, y: shortStep } : { x: shortStep, y: longStep };
}

function range(w: Window, size: number): Range {
  return { start: w.start, stop: Math.min(size, w.start + (w.count - 1) * w.step + 1), step: w.step };
}

/** How many chunks of a dimension hold a window's positions. */
function touched(w: Window, chunk: number): number {
  if (w.count === 0) return 0;
  const first = Math.floor(w.start / chunk);
  const last = Math.floor((w.start + (w.count - 1) * w.step) / chunk);
  return Math.min(w.count, last - first + 1);
}

function stepNote(x: number, y: number, line: boolean): string | null {
  if (x === 1 && y === 1) return null;
  if (line || x === y) return `every ${ordinal(x)} element is shown`;
  const part = (n: number, what: string): string => (n === 1 ? `every ${what}` : `every ${ordinal(n)} ${what}`);
  return `${part(x, "column")} and ${part(y, "row")} is shown`;
}

/** 2nd, 3rd, 11th, 21st. */
export function ordinal(n: number): string {
  const tens = n % 100;
  const ones = n % 10;
  const ending = tens >= 11 && tens <= 13 ? "th" : ones === 1 ? "st" : ones === 2 ? "nd" : ones === 3 ? "rd" : "th";
  return `${formatCount(n)}${ending}`;
}

/** The outcome of a task under {@link Latest}: stale when a later one was started, or it was cancelled, meanwhile. */
export type Outcome<T> = { stale: true } | { stale: false; value: T };

/** Runs tasks of which only the latest counts: starting one aborts the one before, and its result or error is dropped. */
export class Latest {
  #controller: AbortController | null = null;

  /** Runs a task. Its error is thrown only while it is the latest and was not cancelled. */
  async run<T>(task: (signal: AbortSignal) => Promise<T>): Promise<Outcome<T>> {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    try {
      const value = await task(controller.signal);
      return controller.signal.aborted ? { stale: true } : { stale: false, value };
    } catch (error) {
      if (controller.signal.aborted) return { stale: true };
      throw error;
    } finally {
      if (this.#controller === controller) this.#controller = null;
    }
  }

  /** Whether a task is running. */
  get busy(): boolean {
    return this.#controller !== null;
  }

  /** Aborts the running task, if any. */
  cancel(): void {
    this.#controller?.abort();
    this.#controller = null;
  }
}
