import type { ReadOptions } from "../data/readoptions.js";
import type { AnyData, Chunk, DataType } from "../data/types.js";
import type { ChunkPart, ZarrArray } from "./array.js";
import { type Projection, projections } from "./projections.js";
import type { Selection } from "./selection.js";

/** What {@link ZarrArray.chunksIn} does. */
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
    // A signal for each read: Node warns of many listeners to one.
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
        reading.catch(() => {}); // it is told when its turn comes
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

/** Copies data to where the caller wants it. */
export function copyInto(out: ArrayBufferView, data: AnyData): ArrayBufferView {
  const own = Object.prototype.toString.call(data);
  const theirs = Object.prototype.toString.call(out);
  if (!ArrayBuffer.isView(data) || own !== theirs) {
    throw new TypeError(`out must be like the data, ${own.slice(8, -1)}, and not ${theirs.slice(8, -1)}`);
  }
  const from = data as unknown as Uint8Array;
  const to = out as unknown as Uint8Array;
  if (from.length !== to.length) throw new RangeError(`out must have ${from.length} entries and not ${to.length}`);
  to.set(from);
  return out;
}
