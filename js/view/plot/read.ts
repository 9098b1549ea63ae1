// A line of a field as it is read: its elements along one axis.
import type { ZarrArray } from "../../api/array.js";
import type { AnyData } from "../../data/types.js";
import type { Field } from "../../describe/index.js";
import { drawnMember, drawnType, elementAt, gathered, numbersOf, takenFor } from "../tiles/elements.js";
import type { Numbers, Part } from "../worker/tasks.js";
import type { ViewWorker } from "../worker/viewworker.js";

/** A line that was read. */
export interface ReadLine {
  /** The values in their own units, NaN where one is missing. */
  readonly values: Float64Array;
  /** The exact element as it is stored. */
  value(index: number): unknown;
}

/** What reading a line takes. */
interface LineCost {
  /** Chunks. */
  readonly chunks: number;
  /** Their bytes, decoded. */
  readonly bytes: number;
}

/** What a line of a field would take, of so many of its first elements. */
export function lineCost(field: Field, axis: number, length = field.axes[axis]?.length ?? 0): LineCost {
  const array = field.levels[0]?.array;
  const along = array?.chunks[axis] ?? 1;
  const chunks = Math.ceil(length / Math.max(1, along));
  const elements = array?.chunks.reduce((product, size) => product * size, 1) ?? 0;
  return { chunks, bytes: chunks * elements * (array?.type.size || 16) };
}

/** What a line is read with. */
interface LineReading {
  /** Ends the read. */
  readonly signal: AbortSignal;
  /** The part of complex numbers that is drawn. */
  readonly part?: Part | undefined;
  /** The member of structs that is drawn. */
  readonly member?: string | undefined;
  /** How many elements are read, from the first on; undefined for all. */
  readonly length?: number | undefined;
  /** Called as chunks arrive. */
  onProgress?(done: number, total: number): void;
}

function arrayOf({ levels }: Field): ZarrArray {
  const array = levels[0]?.array;
  if (!array) throw new TypeError("a field has at least one level");
  return array;
}

/** Reads the elements along an axis, where the others have an index each. Rejects as reads of the array do. */
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

/** The values of what was read. */
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
  // A copy is transferred: the elements themselves stay, to be read exactly.
  const source = takenFor(numbers, field.packing.type).slice() as Numbers;
  const done = await worker.do({ task: "unpack", source, count, meaning }, [source.buffer as ArrayBuffer]);
  signal.throwIfAborted();
  return { values: done.values, value: (index) => elementAt(whole, data, index) };
}

/** Reads single elements: the index of each along each axis. Rejects as {@link readLine} does. */
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
