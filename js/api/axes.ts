import type { WireArray } from "../engine/protocol/wire.js";
import { expanded, rangeOf } from "./expand.js";
import type { Operation } from "./node.js";

/** A longer list of chunks is the engine's. */
const mostChunks = 1 << 15;

/** The part of a chunk's dimension that a read takes, and its place in the result. */
export interface Piece {
  chunk: number;
  from: number;
  count: number;
  to: number;
}

/** A dimension of the result: its pieces, the step in a chunk, and the number of elements. */
export interface Axis {
  pieces: Piece[];
  step: number;
  count: number;
  /** True if the result lacks the dimension. */
  drop: boolean;
}

/** A read of elements. */
export type Read = Operation<"read" | "chunk" | "points">;

/**
 * @internal Returns the dimensions of a read; undefined for a selection that the engine has to
 * resolve.
 */
export function axesOf({ shape, chunks, counts }: WireArray, operation: Read): Axis[] | undefined {
  if (operation.op === "points") return;
  const axes: Axis[] = [];
  let total = 1;
  if (operation.op === "chunk") {
    if (operation.coords.length !== shape.length) return;
    for (const [d, chunk] of operation.coords.entries()) {
      if (typeof chunk !== "number" || chunk < 0 || chunk >= (counts[d] as number)) return;
      const count = chunks[d] as number;
      axes.push({ pieces: [{ chunk, from: 0, count, to: 0 }], step: 1, count, drop: false });
    }
    return axes;
  }
  const { selection } = operation;
  if (selection && selection.filter((one) => one === "...").length > 1) return;
  const selectors = expanded(selection, shape.length);
  if (selectors.length !== shape.length) return;
  for (const [d, selector] of selectors.entries()) {
    const n = shape[d] as number;
    let [start, count, step] = [0, n, 1];
    if (typeof selector === "number") {
      start = selector < 0 ? selector + n : selector;
      if (start < 0 || start >= n) return;
      count = 1;
    } else if (selector !== null) {
      if (!("start" in selector)) return;
      if (selector.step !== null) {
        if (typeof selector.step !== "number" || selector.step === 0) return;
        step = selector.step;
      }
      [start, count] = rangeOf(selector, n);
    }
    const pieces = piecesOf(start, count, step, chunks[d] as number);
    total *= pieces?.length ?? Number.POSITIVE_INFINITY;
    if (!pieces || total > mostChunks) return;
    axes.push({ pieces, step, count, drop: typeof selector === "number" });
  }
  return axes;
}

/** Divides indices among the chunks of a dimension; undefined if these are too many. */
function piecesOf(start: number, count: number, step: number, chunk: number): Piece[] | undefined {
  const pieces: Piece[] = [];
  for (let to = 0; to < count; ) {
    if (pieces.length === mostChunks) return;
    const at = start + to * step;
    const number = Math.floor(at / chunk);
    const from = at - number * chunk;
    const room = step > 0 ? chunk - 1 - from : from;
    const here = Math.min(count - to, Math.floor(room / Math.abs(step)) + 1);
    pieces.push({ chunk: number, from, count: here, to });
    to += here;
  }
  return pieces;
}

/** @internal Yields all combinations of pieces in C order, always in the same list. */
export function* combinations(all: readonly Piece[][], chosen: Piece[] = [], d = 0): Generator<Piece[], void> {
  if (d === all.length) yield chosen;
  else
    for (const piece of all[d] as Piece[]) {
      chosen[d] = piece;
      yield* combinations(all, chosen, d + 1);
    }
}
