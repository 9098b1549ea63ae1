// The array that is looked at, what of it is chosen, and what therefore is read.

import type { Coordinate, Dimension } from "./coords.js";
import type { Meaning, Meant } from "./meaning.js";
import { type Axes, type Plan, planSlice, type Range as Selector } from "./slice.js";
import type { ArrayNode, Hierarchy } from "./store.js";
import { TABLE_COLUMNS, TABLE_ROWS } from "./table.js";
import { type Elements, isTextual } from "./values.js";

/** Elements of a picture: about as many as a large screen has pixels. */
const MAX_ELEMENTS = 1 << 22;
/** Bytes that are read of a picture at most, for types of many bytes. */
const MAX_BYTES = 1 << 26;
/** Decoded bytes of the touched chunks beyond which the reader is asked first. */
const ASK_BYTES = 512 * 1024 * 1024;
/** The same for the number of chunks: each may be a request. */
const ASK_CHUNKS = 20_000;
/** A window's side, when only the middle of a large plane is read, and its length for a line. */
const WINDOW = 1024;
const WINDOW_LINE = 1 << 16;
/** One array being looked at. */
export interface Subject {
  store: Hierarchy;
  array: ArrayNode;
  dimensions: Dimension[];
  coordinates: (Coordinate | null)[];
  indices: number[];
  axes: Axes;
  field: string;
  fields: string[];
  /** What its attributes say of the values. */
  meaning: Meaning;
  name: string;
  /** Whether the reader agreed to a large read. */
  agreed: boolean;
  window: boolean;
  rowStart: number;
}

/** What of it is shown. */
export interface Shown {
  elements: Elements;
  /** All fields of a struct, for the readout. */
  whole: Elements | null;
  plan: Plan;
  /** What the elements mean, where that is not what is stored. */
  meant: Meant | null;
  /** The numbers drawn: those that are meant; NaN is missing. */
  numbers: ArrayLike<number>;
}

/** Whether the reader is asked before so much is read. */
export function isLarge(plan: Plan): boolean {
  return plan.bytes > ASK_BYTES || plan.chunks > ASK_CHUNKS;
}

/** What is to be read for what is chosen. */
export function planOf(subject: Subject): Plan {
  const { array, axes, indices } = subject;
  const itemBytes = Math.max(1, array.type.size || 16);
  if (isTextual(array.type.kind)) return tablePlan(subject, itemBytes);
  return planSlice({
    shape: array.shape,
    chunks: array.chunks,
    itemBytes,
    axes,
    indices,
    maxElements: Math.max(1024, Math.min(MAX_ELEMENTS, Math.floor(MAX_BYTES / itemBytes))),
    window: subject.window ? windowOf(array.shape.length) : undefined,
  });
}

/** A page of rows, not the whole plane. */
function tablePlan(subject: Subject, itemBytes: number): Plan {
  const { array, axes, indices } = subject;
  const plan = planSlice({
    shape: array.shape,
    chunks: array.chunks,
    itemBytes,
    axes,
    indices,
    maxElements: Number.MAX_SAFE_INTEGER,
  });
  const cut = (d: number, start: number, most: number): { start: number; step: number; count: number } => {
    const size = array.shape[d] ?? 1;
    const from = Math.max(0, Math.min(start, size - 1));
    const count = Math.min(most, size - from);
    plan.selection[d] = { start: from, stop: from + count, step: 1 } satisfies Selector;
    return { start: from, step: 1, count };
  };
  if (plan.y === null) {
    plan.x = cut(0, subject.rowStart, TABLE_ROWS);
  } else {
    plan.y = cut(axes.y, subject.rowStart, TABLE_ROWS);
    plan.x = cut(axes.x, 0, TABLE_COLUMNS);
  }
  const height = plan.y?.count ?? 1;
  const transposed = plan.y !== null && axes.x < axes.y;
  plan.strideX = transposed ? height : 1;
  plan.strideY = transposed ? 1 : plan.x.count;
  plan.elements = plan.x.count * height;
  // What a page touches is bounded by its rows and columns; the question before large reads is for pictures.
  plan.bytes = 0;
  plan.chunks = 0;
  return plan;
}

/** How many elements wide the middle of a large plane is, or of a line. */
export function windowOf(rank: number): number {
  return rank === 1 ? WINDOW_LINE : WINDOW;
}
