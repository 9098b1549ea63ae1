import type { ReadOptions } from "../data/readoptions.js";
import { product, strides } from "../data/shape.js";
import { LimitError } from "../errors.js";
import type { ZarrArray } from "./array.js";
import { type Line, type Projection, projections } from "./projections.js";
import type { Selection } from "./selection.js";

type Data = { length: number; [i: number]: unknown };

/** Reads a selection of an array whose `getChunk` was replaced, by it: chunk by chunk, on this thread. */
export async function assemble(
  array: ZarrArray,
  inner: ZarrArray,
  selection: Selection | undefined,
  options: ReadOptions = {},
): Promise<unknown> {
  let shape: number[] = [];
  let out: Data | undefined;
  let done = 0;
  const take = async ({ coords, start, selection, out: places, count }: Projection) => {
    const chunk = await array.getChunk(coords, options.signal ? { signal: options.signal } : {});
    const data = chunk.data as unknown as Data & { constructor: new (n: number) => Data };
    out ??= Array.isArray(data) ? new Array(product(shape)) : new data.constructor(product(shape));
    const target = out;
    const stride = strides(shape);
    let kept = 0;
    const dimensions = selection.map((taken, d) => {
      const each = chunk.stride[d] as number;
      const dropped = typeof taken === "number";
      const from = (dropped ? [taken] : positions(taken)).map((p) => (p - (start[d] as number)) * each);
      const to = dropped ? [0] : positions(places[kept] as Line).map((p) => p * (stride[kept] as number));
      if (!dropped) kept++;
      return { from, to };
    });
    const walk = (d: number, from: number, to: number) => {
      const dimension = dimensions[d];
      if (!dimension) target[to] = data[from];
      else dimension.from.forEach((step, i) => void walk(d + 1, from + step, to + (dimension.to[i] as number)));
    };
    walk(0, 0, 0);
    options.onProgress?.(++done, count);
  };
  const running: Promise<void>[] = [];
  for await (const projection of projections(inner, selection, options.signal)) {
    shape = projection.shape;
    if (product(shape) >= 2 ** 32) {
      throw new LimitError(`a result of ${product(shape)} elements`, { limit: "OutputBytes", max: 2 ** 32 });
    }
    const taking = take(projection);
    taking.catch(() => {}); // Promise.all tells of it
    running.push(taking);
  }
  await Promise.all(running);
  if (!out) return inner.get(selection, options); // of nothing there is no chunk
  return shape.length === 0 ? out[0] : { data: out, shape, stride: strides(shape) };
}

function positions(line: Line): number[] {
  if (Array.isArray(line)) return line;
  const { start, stop, step } = line;
  return Array.from({ length: Math.ceil(((stop ?? -1) - start) / step) }, (_, i) => start + i * step);
}
