// Reads a line of a field: its elements along one axis.
import type { ZarrArray } from "../../api/array.js";
import type { AnyData } from "../../data/types.js";
import type { Field } from "../../describe/index.js";
import { drawnMember, drawnType, elementAt, gathered, numbersOf, takenFor } from "../tiles/elements.js";
import type { ComplexPart, Numbers } from "../worker/tasks.js";
import type { ViewWorker } from "../worker/viewworker.js";

/** The result of reading a line. */
export interface ReadLine {
  /** The values in their own units, NaN if missing. */
  readonly values: Float64Array;
  /** Returns the exact stored element. */
  value(index: number): unknown;
}

/** The cost of reading a line. */
interface LineCost {
  /** The number of chunks. */
  readonly chunks: number;
  /** The decoded bytes of these chunks. */
  readonly bytes: number;
}

/** Returns the cost of the first `length` elements of a line. */
export function lineCost(field: Field, axis: number, length = field.axes[axis]?.length ?? 0): LineCost {
  const array = field.levels[0]?.array;
  const along = array?.chunks[axis] ?? 1;
  const chunks = Math.ceil(length / Math.max(1, along));
  const elements = array?.chunks.reduce((product, size) => product * size, 1) ?? 0;
  return { chunks, bytes: chunks * elements * (array?.type.size || 16) };
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
async function unpacked(
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
  return { values: done.values, value: (index) => elementAt(whole, data, index) };
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
