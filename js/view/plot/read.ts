// Reads a line of a field: its elements along one axis.
import type { ZarrArray } from "../../api/array.js";
import type { AnyData } from "../../data/types.js";
import type { Field } from "../../describe/index.js";
import { type Cost, chunksAlong, costOf } from "../element/budget.js";
import { drawnMember, drawnType, elementAt, gathered, numbersOf, takenFor } from "../tiles/elements.js";
import type { Close, ComplexPart, Numbers } from "../worker/tasks.js";
import type { ViewWorker } from "../worker/viewworker.js";

/** The result of reading a line. */
export interface ReadLine {
  /** The values in their own units, NaN if missing. */
  readonly values: Float64Array;
  /** The exact extremes of integers that float64 does not distinguish. */
  readonly close?: Close | null | undefined;
  /** Returns the exact stored element. */
  value(index: number): unknown;
}

/**
 * Returns the cost of the first `length` elements of lines at some indices of the other axes. Lines
 * through the same chunks cost as much as one.
 */
export function linesCost(
  { axes, levels }: Field,
  axis: number,
  places: readonly (readonly number[])[],
  length = axes[axis]?.length ?? 0,
): Cost {
  const [level] = levels;
  if (!level) return { chunks: 0, bytes: 0 };
  const { chunks, shards } = level.array;
  const cellOf = (index: number, d: number) => (d === axis ? 0 : Math.floor(index / Math.max(1, chunks[d] ?? 1)));
  const cells = new Set(places.map((at) => at.map(cellOf).join())).size;
  const cost = costOf(level, cells * chunksAlong(level, axis, 0, length));
  // Inner chunks along the only long axis of a shard are neighbours in it.
  const lined = shards?.every((size, d) => d === axis || size <= (chunks[d] ?? 1));
  return lined ? { ...cost, requests: cells * Math.ceil(length / Math.max(1, shards?.[axis] ?? 1)) } : cost;
}

/** Options of a read. */
interface LineReading {
  /** Aborts the read. */
  readonly signal: AbortSignal;
  /** The drawn part of complex numbers. */
  readonly part?: ComplexPart | undefined;
  /** The drawn member of structs. */
  readonly member?: string | undefined;
  /** The number of elements to read, from the first on; undefined for all. */
  readonly length?: number | undefined;
  /** Called as chunks arrive. */
  onProgress?(done: number, total: number): void;
}

function arrayOf({ levels }: Field): ZarrArray {
  const array = levels[0]?.array;
  if (!array) throw new TypeError("a field has at least one level");
  return array;
}

/**
 * Reads the elements along an axis, at an index of each other axis. Rejects like reads of the
 * array.
 */
export async function readLine(
  field: Field,
  axis: number,
  indices: readonly number[],
  worker: ViewWorker,
  reading: LineReading,
): Promise<ReadLine> {
  const { signal, length, onProgress } = reading;
  const count = Math.min(length ?? Infinity, field.axes[axis]?.length ?? 0);
  const selection = field.axes.map((_, d) => (d === axis ? { start: 0, stop: count, step: null } : (indices[d] ?? 0)));
  const { data } = await arrayOf(field).get(selection, { signal, onProgress });
  return unpacked(field, data, count, worker, reading);
}

/** Unpacks the values of a read. */
export async function unpacked(
  field: Field,
  data: AnyData,
  count: number,
  worker: ViewWorker,
  { signal, part = "magnitude", member }: Pick<LineReading, "signal" | "part" | "member">,
): Promise<ReadLine> {
  const { type: whole } = arrayOf(field);
  const drawn = drawnMember(whole, member);
  const type = drawnType(whole, drawn);
  const numbers = numbersOf(type, data, drawn) ?? (await gathered(data, drawn, signal));
  const meaning = {
    complex: type.kind === "complex" ? part : null,
    time: type.kind === "datetime" || type.kind === "timedelta",
    packing: field.packing,
  };
  // The worker takes a copy: the elements stay here for exact values.
  const source = takenFor(numbers, field.packing.type).slice() as Numbers;
  const done = await worker.do({ task: "unpack", source, count, meaning }, [source.buffer as ArrayBuffer]);
  signal.throwIfAborted();
  return { values: done.values, close: done.close, value: (index) => elementAt(whole, data, index) };
}

/** Reads single elements by their index along each axis. Rejects like `readLine`. */
export async function readPoints(
  field: Field,
  places: readonly (readonly number[])[],
  worker: ViewWorker,
  reading: Pick<LineReading, "signal" | "part" | "member" | "onProgress">,
): Promise<ReadLine> {
  const array = arrayOf(field);
  const { signal, onProgress } = reading;
  const coords = field.axes.map((_, d) => places.map((place) => place[d] ?? 0));
  const { data } = await array.vindex(coords, { signal, onProgress });
  return unpacked(field, data, places.length, worker, reading);
}
