import { makeColumn } from "../data/columns.js";
import { decodeColumn } from "../data/decodecolumn.js";
import type { ReadOptions } from "../data/readoptions.js";
import type { AnyData, Chunk, DataType } from "../data/types.js";
import type { TypeDescription } from "../engine/protocol/wire.js";
import type { ChunkPart, ZarrArray } from "./array.js";
import { turns } from "./place.js";
import { type Projection, projections } from "./projections.js";
import type { Selection } from "./selection.js";

/** Implements {@link ZarrArray.chunksIn}. */
export async function* chunksIn(
  array: ZarrArray,
  read: (selection: Selection, options: ReadOptions) => Promise<unknown>,
  {
    ahead,
    onProgress,
    selection,
    signal: given,
  }: {
    ahead: number;
    onProgress: ReadOptions["onProgress"];
    selection: Selection | undefined;
    signal: AbortSignal | undefined;
  },
): AsyncGenerator<ChunkPart<DataType>, void, undefined> {
  const stop = new AbortController();
  const signal = given ? AbortSignal.any([stop.signal, given]) : stop.signal;
  const readPart = async ({ coords, selection, out }: Projection): Promise<ChunkPart<DataType>> => {
    // Each read has a signal of its own, because Node warns of many listeners to one signal.
    const chunk = (await read(selection, { signal: AbortSignal.any([signal]), opts: undefined })) as Chunk<DataType>;
    return { ...chunk, coords, selection, out };
  };
  const list = projections(array, selection, signal);
  const running: Promise<ChunkPart<DataType>>[] = [];
  let total = 0;
  let done = 0;
  try {
    for (let ended = false; ; ) {
      while (!ended && running.length < Math.max(1, ahead)) {
        const { value } = await list.next();
        if (!value) {
          ended = true;
          break;
        }
        total = value.count;
        const reading = readPart(value);
        reading.catch(() => {}); // its error is reported in its turn
        running.push(reading);
      }
      const part = running.shift();
      if (!part) return;
      yield await part;
      onProgress?.(++done, total);
    }
  } finally {
    stop.abort();
  }
}

/**
 * Returns the bytes of `out` if it is shared memory, which a worker can fill, and fits the data
 * type. Returns undefined otherwise.
 */
export function sharedOut(out: ArrayBufferView, type: TypeDescription | undefined): Uint8Array | undefined {
  const { buffer, byteOffset, byteLength } = out;
  const { SharedArrayBuffer: Shared, crossOriginIsolated: isolated } = globalThis;
  // Pages that are not isolated cannot send shared memory that a WebAssembly module has created.
  if (!Shared || !(buffer instanceof Shared) || isolated === false) return undefined;
  const none = { bytes: new Uint8Array(), count: 0, offsets: new Uint32Array(1) };
  const data = type ? decodeColumn(type, makeColumn(type, none), 0, 0) : none.bytes;
  return tagOf(data) === tagOf(out) ? new Uint8Array(buffer, byteOffset, byteLength) : undefined;
}

const tagOf = (data: unknown) => Object.prototype.toString.call(data).slice(8, -1);

/** Entries of a typed array that are copied at once: less than 1 ms of work. */
const stretch = 1 << 17;

/** Copies data into the caller's array. Lets other tasks of this thread run in between. */
export async function copyInto(out: ArrayBufferView, data: AnyData, signal: AbortSignal | undefined): Promise<AnyData> {
  if (!ArrayBuffer.isView(data) || tagOf(data) !== tagOf(out)) {
    throw new TypeError(`out must have the class of the data, ${tagOf(data)}, not ${tagOf(out)}`);
  }
  const from = data as unknown as Uint8Array;
  const to = out as unknown as Uint8Array;
  if (from.length !== to.length) throw new RangeError(`out must have ${from.length} entries, not ${to.length}`);
  for (let at = 0; at < from.length; at += stretch) {
    while (turns.due) await turns.next(signal);
    to.set(from.subarray(at, at + stretch), at);
  }
  return to;
}
