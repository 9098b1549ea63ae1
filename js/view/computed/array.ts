import type { ZarrArray } from "../../api/array.js";
import type { AnyData, Chunk, DataType } from "../../data/types.js";
import type { Packing } from "../../describe/field.js";
import type { TypeDescription } from "../../engine/protocol/wire.js";
import { gathered, type Item, numbersOf, type Options, takenFor } from "../tiles/elements.js";
import { standIn } from "../tiles/standin.js";
import type { Step } from "../worker/operations.js";
import type { Operand } from "../worker/tasks.js";
import type { ViewWorker } from "../worker/viewworker.js";

/** An operand: an array, and the packing of its numbers. */
export interface Side {
  readonly array: ZarrArray;
  readonly packing: Packing;
  /** Maps each dimension of the array to a dimension of the result, or to a fixed index. */
  readonly dimensions: readonly ({ readonly follows: number } | { readonly index: number })[];
}

/** The numbers that were read, with a stride for each kept dimension of the result. */
interface Part {
  readonly source: Operand["source"];
  readonly strides: readonly number[];
}

const float64: TypeDescription = { kind: "float", name: "float64", size: 8 };

/** Reads a part of an array; `kept` are the dimensions of the result that the selection keeps. */
async function read(
  { array, packing, dimensions }: Side,
  items: readonly Item[],
  kept: readonly number[],
  options: Options,
): Promise<Part> {
  const own = dimensions.map((one): Item => ("index" in one ? one.index : (items[one.follows] as Item)));
  const parts = own.flatMap((item, d) => (typeof item === "number" ? [] : [d]));
  // Indices alone return a bare value, so the first dimension is read as a range of one element.
  const single = parts.length === 0 && own.length > 0;
  const asked = single ? [{ start: own[0] as number, stop: (own[0] as number) + 1, step: 1 }, ...own.slice(1)] : own;
  const { data, stride } = (await array.get(asked, options)) as Chunk<DataType>;
  const strides = kept.map((k) => {
    const at = parts.findIndex((d) => {
      const one = dimensions[d];
      return one !== undefined && "follows" in one && one.follows === k;
    });
    return at < 0 ? 0 : (stride[at] ?? 0);
  });
  return { source: await plain(array.type, data as AnyData, packing, options.signal), strides };
}

async function plain(type: TypeDescription, data: AnyData, packing: Packing, signal: AbortSignal | undefined) {
  const numbers = numbersOf(type, data, undefined);
  return numbers ? takenFor(numbers, packing.type) : gathered(data, undefined, signal ?? new AbortController().signal);
}

/** Returns the strides of C order. */
const ordered = (shape: readonly number[]) =>
  shape.map((_, d) => shape.slice(d + 1).reduce((count, length) => count * length, 1));

/**
 * Returns an array of the shape of `like`, of type float64. A program computes its elements from
 * the values of the sides; NaN is missing.
 */
export function computedArray(
  like: ZarrArray,
  sides: readonly Side[],
  program: readonly Step[],
  workers: () => ViewWorker,
): ZarrArray {
  async function compute(
    parts: readonly Part[],
    shape: readonly number[],
    signal: AbortSignal | undefined,
  ): Promise<Float64Array> {
    const worker = workers();
    try {
      const operands = parts.map(
        ({ source, strides }, i): Operand => ({
          source,
          strides,
          meaning: { complex: null, time: false, packing: (sides[i] as Side).packing },
        }),
      );
      const buffers = new Set(parts.map(({ source }) => source.buffer as ArrayBuffer));
      const { values } = await worker.do({ task: "compute", operands, program, shape }, [...buffers]);
      signal?.throwIfAborted();
      return values;
    } finally {
      worker.close();
    }
  }

  // The first side reports progress for all.
  const all = (options: Options, take: (side: Side, options: Options) => Promise<Part>): Promise<Part[]> =>
    Promise.all(sides.map((side, i) => take(side, i === 0 ? options : { ...options, onProgress: undefined })));

  async function get(items: readonly Item[], options: Options = {}) {
    const kept = items.flatMap((item, d) => (typeof item === "number" ? [] : [d]));
    const parts = await all(options, (side, more) => read(side, items, kept, more));
    const shape = kept.map((d) => {
      const { start, stop, step } = items[d] as Exclude<Item, number>;
      const length = like.shape[d] ?? 0;
      return Math.max(0, Math.ceil((Math.min(length, stop ?? length) - (start ?? 0)) / (step ?? 1)));
    });
    const data = await compute(parts, shape, options.signal);
    return kept.length === 0 ? data[0] : { data, shape, stride: ordered(shape) };
  }

  async function vindex(coords: readonly (readonly number[])[], options: Options = {}) {
    const count = coords[0]?.length ?? 0;
    const parts = await all(options, async ({ array, packing, dimensions }, more) => {
      const own = dimensions.map((one) =>
        "index" in one ? Array<number>(count).fill(one.index) : [...(coords[one.follows] ?? [])],
      );
      const { data } = (await array.vindex(own, more)) as Chunk<DataType>;
      return { source: await plain(array.type, data as AnyData, packing, more.signal), strides: [1] };
    });
    return { data: await compute(parts, [count], options.signal), shape: [count], stride: [1] };
  }

  const own: Record<string, unknown> = { type: float64, dtype: "float64", get, vindex };
  return standIn(like, own, "computed array");
}
