import { DateTimeArray, RawArray, TimeDeltaArray } from "../data/arrays.js";
import { scalarAt } from "../data/decode.js";
import { structs } from "../data/decodecolumn.js";
import type { ReadOptions } from "../data/readoptions.js";
import { product, strides } from "../data/shape.js";
import type { AnyData, Columns } from "../data/types.js";
import { LimitError } from "../errors.js";
import { Pace } from "../platform/macrotask.js";
import type { ZarrArray } from "./array.js";
import { copyInto } from "./chunks.js";
import { type Line, type Projection, projections } from "./projections.js";
import type { Selection } from "./selection.js";

/** Entries of data, with the same number for each element. */
interface Entries {
  length: number;
  [i: number]: unknown;
  subarray?(from: number, to: number): Entries;
  set?(entries: Entries, at: number): void;
}

/** The positions of the elements along one dimension, in a chunk and in the result. */
interface Dimension {
  from: number[];
  to: number[];
}

/**
 * Reads a selection of an array whose `getChunk` was replaced. Calls it chunk by chunk on this
 * thread.
 */
export async function assemble(
  array: ZarrArray,
  inner: ZarrArray,
  selection: Selection | undefined,
  options: ReadOptions = {},
): Promise<unknown> {
  const { signal } = options;
  let shape: number[] = [];
  let out: AnyData | undefined;
  let done = 0;
  const pace = new Pace();
  const take = async ({ coords, start, selection, out: places, count }: Projection) => {
    const chunk = await array.getChunk(coords, signal ? { signal } : {});
    const size = product(chunk.shape);
    out ??= emptyLike(inner, chunk.data, size, product(shape));
    const stride = strides(shape);
    let kept = 0;
    const dimensions = selection.map((taken, d): Dimension => {
      const each = chunk.stride[d] as number;
      const dropped = typeof taken === "number";
      const from = (dropped ? [taken] : positions(taken)).map((p) => (p - (start[d] as number)) * each);
      const to = dropped ? [0] : positions(places[kept] as Line).map((p) => p * (stride[kept] as number));
      if (!dropped) kept++;
      return { from, to };
    });
    for (const [target, data] of pairs(out, chunk.data)) {
      const per = data.length / size;
      for (const [from, to] of rows(dimensions.slice(0, -1))) {
        if (pace.due) await pace.rest(signal);
        copyRow(target, data, per, from, to, dimensions.at(-1) ?? { from: [0], to: [0] });
      }
    }
    options.onProgress?.(++done, count);
  };
  const running: Promise<void>[] = [];
  for await (const projection of projections(inner, selection, signal)) {
    shape = projection.shape;
    if (product(shape) >= 2 ** 32) {
      throw new LimitError(`a result of ${product(shape)} elements`, { limit: "OutputBytes", max: 2 ** 32 });
    }
    const taking = take(projection);
    taking.catch(() => {}); // Promise.all reports the error
    running.push(taking);
  }
  await Promise.all(running);
  if (!out) return inner.get(selection, options); // an empty selection touches no chunk
  if (options.out) out = await copyInto(options.out, out, signal);
  else if (shape.length === 0) return scalarAt(inner.type, out, 0);
  return { data: out, shape, stride: strides(shape) };
}

function isColumns(data: AnyData): data is Columns {
  return !Array.isArray(data) && !ArrayBuffer.isView(data);
}

/** Returns data for `n` elements. It has the classes of `data`, which has `size` elements. */
function emptyLike({ type }: ZarrArray, data: AnyData, size: number, n: number): AnyData {
  const like = (data: AnyData): AnyData => {
    if (Array.isArray(data)) return new (data.constructor as ArrayConstructor)(n);
    if (isColumns(data))
      return Object.fromEntries(Object.entries(data).map(([name, one]) => [name, like(one)])) as Columns;
    const Of = data.constructor as new (buffer: ArrayBuffer, at: number, length: number, ...more: unknown[]) => AnyData;
    const length = (data.length / size) * n;
    const more: unknown[] = [];
    if (data instanceof RawArray) more.push(data.itemSize);
    if (data instanceof DateTimeArray || data instanceof TimeDeltaArray) more.push(data.unit, data.scale);
    return new Of(new ArrayBuffer(length * data.BYTES_PER_ELEMENT), 0, length, ...more);
  };
  const made = like(data);
  return isColumns(made) ? structs(type, made, n) : made;
}

/** Pairs the entries of a result with the entries of a chunk: one pair, or one for each column. */
function pairs(target: AnyData, data: AnyData): [Entries, Entries][] {
  if (!isColumns(target)) return [[target as Entries, data as unknown as Entries]];
  return Object.keys(target).flatMap((name) => pairs(target[name] as AnyData, (data as Columns)[name] as AnyData));
}

/** Yields the beginnings of rows, from the positions along all dimensions but the last. */
function* rows(dimensions: readonly Dimension[], from = 0, to = 0): Generator<[from: number, to: number], void> {
  const [first, ...others] = dimensions;
  if (!first) yield [from, to];
  else for (const [i, step] of first.from.entries()) yield* rows(others, from + step, to + (first.to[i] as number));
}

function copyRow(target: Entries, data: Entries, per: number, from: number, to: number, row: Dimension): void {
  const n = row.from.length;
  const side = (places: readonly number[]) => places.every((place, i) => place === (places[0] as number) + i);
  if (target.set && data.subarray && side(row.from) && side(row.to)) {
    const first = (from + (row.from[0] ?? 0)) * per;
    target.set(data.subarray(first, first + n * per), (to + (row.to[0] ?? 0)) * per);
    return;
  }
  for (let i = 0; i < n; i++) {
    const [source, place] = [(from + (row.from[i] as number)) * per, (to + (row.to[i] as number)) * per];
    for (let k = 0; k < per; k++) target[place + k] = data[source + k];
  }
}

function positions(line: Line): number[] {
  if (Array.isArray(line)) return line;
  const { start, stop, step } = line;
  return Array.from({ length: Math.ceil(((stop ?? -1) - start) / step) }, (_, i) => start + i * step);
}
