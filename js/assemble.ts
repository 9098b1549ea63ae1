import { type Line, plan } from "./plan.js";
import type { Selection } from "./selection.js";
import { product, strides } from "./shape.js";
import type { ReadOptions } from "./types.js";
import type { ZarrArray } from "./zarr-array.js";

type Data = { length: number; [i: number]: unknown };

/** Reads a selection of an array whose `getChunk` was replaced, by it: chunk by chunk, on this thread. */
export async function assemble(
  array: ZarrArray,
  inner: ZarrArray,
  selection: Selection | undefined,
  options: ReadOptions = {},
): Promise<unknown> {
  const { kept, shape, count, part } = plan(selection, array.cuts, array.dimensionNames);
  const stride = strides(shape);
  let out: Data | undefined;
  let done = 0;
  await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const { coords, spans } = part(i);
      options.signal?.throwIfAborted();
      const chunk = await array.getChunk(coords, options.signal ? { signal: options.signal } : {});
      const data = chunk.data as unknown as Data & { constructor: new (n: number) => Data };
      out ??= Array.isArray(data) ? new Array(product(shape)) : new data.constructor(product(shape));
      const target = out;
      const walk = (d: number, from: number, to: number) => {
        const span = spans[d];
        if (!span) {
          target[to] = data[from];
          return;
        }
        const step = stride[kept.indexOf(d)] ?? 0;
        for (let i = 0; i < span.take.count; i++) {
          const take = (at(span.take, i) - span.from) * (chunk.stride[d] as number);
          walk(d + 1, from + take, to + at(span.put, i) * step);
        }
      };
      walk(0, 0, 0);
      done++;
      options.onProgress?.(done, count);
    }),
  );
  if (!out) return inner.get(selection, options); // of nothing there is no chunk
  return shape.length === 0 ? out[0] : { data: out, shape, stride };
}

function at({ start, step, list }: Line, i: number): number {
  return list ? (list[i] as number) : start + i * step;
}
