import type { ZarrArray } from "../api/array.js";
import type { Selection } from "../api/selection.js";
import type { ReadOptions } from "../data/readoptions.js";
import { product } from "../data/shape.js";
import { LimitError } from "../errors.js";
import { Pace } from "../platform/macrotask.js";
import { aFunction, checkArray, checked } from "../shared/arguments.js";
import { type Decoder, type DecoderOptions, decoderOf } from "./decoder.js";
import { decodeWorker, type Region } from "./decodeworker.js";
import { Kernel } from "./kernels.js";
import { partsOf, type ReadBox } from "./parts.js";
import { type Numbers, type Plan, roomFor, single, viewedAs } from "./plan.js";
import { type Decoded, decodedBy, decodedNumbers, decodeValues, type RawRegion, textsOf } from "./values.js";

/** Options of {@link decodeArray}: those of a read, and the attributes to apply. */
export interface DecodeOptions extends DecoderOptions, Pick<ReadOptions, "signal" | "priority" | "view"> {
  /** Called during decoding with the numbers of decoded and of all elements. */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/** The most elements decoded here. A message to a worker would take longer. */
const few = 16_384;
/** The fewest elements of a part. Reading one takes longer than requesting it. */
const partSize = 2 << 20;
/** The elements decoded here between two looks at the clock, if there is no worker. */
const stepSize = 1 << 16;

/** Reads a region as stored: numbers, or the bytes of fixed-width bytes. */
async function readRaw(
  array: ZarrArray,
  selection: Selection | undefined,
  options: ReadOptions,
  decoder: Decoder,
): Promise<RawRegion> {
  if (decoder.form === "chars" || decoder.form === "text") {
    return array.get(selection, { ...options, as: "bytes" });
  }
  const read: unknown = await array.get(selection, options);
  const region = read as RawRegion | null;
  if (typeof region === "object" && region && "data" in region && "shape" in region) return region;
  // If an integer selects every dimension, the read returns a single element.
  if (!decoder.stored) return { data: [read], shape: [] };
  const { re, im } = read as { re: number; im: number };
  return { data: single(decoder.stored, re === undefined ? [read as number | bigint] : [re, im]), shape: [] };
}

/** A region decoded on this thread, in short tasks. */
function regionHere(plan: Plan, count: number, signal: AbortSignal | undefined): Region {
  let output: ReturnType<typeof roomFor>;
  try {
    output = roomFor(plan, count);
  } catch (cause) {
    throw new LimitError(`there is no memory for a result of ${count} elements`, { limit: "memory", cause });
  }
  const kernel = new Kernel(plan);
  const pace = new Pace();
  return {
    add: async (source, from, { at, run, runs, stride }) => {
      const numbers = viewedAs(source, from);
      for (let k = 0; k < runs; k++) {
        for (let i = 0; i < run; i += stepSize) {
          const first = k * run + i;
          kernel.run(numbers, first, Math.min(first + stepSize, (k + 1) * run), output, at + k * stride + i);
          if (pace.due) await pace.rest(signal);
        }
      }
    },
    finish: async () => ({ output, counts: kernel.counts }),
    drop: () => {},
  };
}

/**
 * Reports whether results of an array may be transferred. An extension may return memory that it
 * keeps.
 */
const isOwn = (array: ZarrArray) => array.get === (Object.getPrototypeOf(array) as ZarrArray).get;

/** Rejects as soon as the signal is aborted; otherwise settles like the promise. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** A region to decode, with the function that reads its parts. */
interface Work {
  decoder: Decoder & { plan: Plan };
  shape: readonly number[];
  parts: Iterable<ReadBox>;
  read(selection: Selection, signal: AbortSignal): Promise<RawRegion>;
  /** Whether the memory of reads has other owners, and must not be transferred. */
  keep: boolean;
}

/** Reads parts, two at a time, and decodes each as it arrives. */
async function decodeParts(
  { decoder, shape, parts, read, keep }: Work,
  { signal, onProgress }: DecodeOptions,
): Promise<Decoded> {
  const { plan, from = plan.from } = decoder;
  const count = product(shape);
  const stop = new AbortController();
  const ended = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  // Start the worker while the first parts are read.
  const beginning = decodeWorker().then((worker) =>
    worker ? worker.begin(plan, count) : regionHere(plan, count, ended),
  );
  let done = 0;
  const next = parts[Symbol.iterator]();
  const work = async () => {
    for (let part = next.next(); !part.done; part = next.next()) {
      const { selection, ...where } = part.value;
      ended.throwIfAborted();
      const [{ data }, region] = await Promise.all([read(selection, ended), beginning]);
      await region.add(data as Numbers, from, where, keep);
      done += where.run * where.runs;
      if (!ended.aborted) onProgress?.(done, count);
    }
  };
  try {
    const all = Promise.all([beginning, work(), work()]).then(([region]) => region.finish());
    const { output, counts } = await unlessAborted(all, signal);
    return decodedNumbers(decoder, output, shape, counts);
  } catch (error) {
    stop.abort(error);
    beginning.then(
      (region) => region.drop(),
      () => {},
    );
    throw error;
  }
}

/** Decodes the strings of a region in short tasks. */
async function decodeTexts(decoder: Decoder, raw: RawRegion, signal: AbortSignal | undefined): Promise<Decoded> {
  const { list, shape, add } = textsOf(decoder, raw);
  const pace = new Pace();
  while (add()) if (list.length % 256 === 0 && pace.due) await pace.rest(signal);
  return decodedBy(decoder, list, shape, { masked: 0, missing: 0 });
}

/**
 * Reads a selection of an array and decodes it according to its attributes: see {@link decoderOf}
 * and {@link Decoded}. Large selections are read in parts and decoded in a worker, which keeps the
 * page responsive. Rejects like the array's `get`, and with the errors of `decoderOf`. Rejects with
 * an `EngineError` if the worker fails, and with {@link LimitError} if there is no memory for the
 * result.
 *
 * @example
 * const { data, masked } = await decodeArray(await group.open("t2m"), [0, null, null]);
 */
export async function decodeArray(
  array: ZarrArray,
  selection?: Selection,
  options: DecodeOptions = {},
): Promise<Decoded> {
  checkArray("decodeArray", array);
  checked("decodeArray", options, { onProgress: [aFunction] });
  return decodeWith(decoderOf(array, options), array, selection, options);
}

/**
 * @internal {@link decodeArray} with a given decoder, which may use other attributes than the
 * array's.
 */
export async function decodeWith(
  decoder: Decoder,
  array: ZarrArray,
  selection: Selection | undefined,
  options: DecodeOptions,
): Promise<Decoded> {
  const { signal, priority, view, onProgress } = options;
  signal?.throwIfAborted();
  const { plan } = decoder;
  const read = (selection: Selection | undefined, signal: AbortSignal | undefined) =>
    readRaw(array, selection, { signal, priority, view }, decoder);
  const keep = !isOwn(array);
  const cut = plan && partsOf(array, selection, partSize);
  if (cut) return decodeParts({ decoder: { ...decoder, plan }, ...cut, read, keep }, options);
  const raw = await read(selection, signal);
  const { shape } = raw;
  const count = product(shape);
  if (plan && count > few) {
    // Decode the whole result as one part.
    const parts = [{ selection: null, at: 0, run: count, runs: 1, stride: count }];
    return decodeParts({ decoder: { ...decoder, plan }, shape, parts, read: async () => raw, keep }, options);
  }
  const isText = decoder.form === "chars" || decoder.form === "text";
  const result = isText ? await decodeTexts(decoder, raw, signal) : decodeValues(decoder, raw);
  onProgress?.(count, count);
  return result;
}
