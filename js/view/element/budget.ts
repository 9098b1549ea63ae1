import type { FieldLevel } from "../../describe/field.js";
import { formatBytes, formatCount } from "./messages.js";
import type { Question } from "./panel.js";

/** The largest number of chunks that is read without a question. */
export const ASK_CHUNKS = 1000;
/** The largest number of decoded bytes that is read without a question. */
export const ASK_BYTES = 512 << 20;

/** The cost of a read. */
export interface Cost {
  /** The chunks; of a sharded array, its inner chunks. */
  readonly chunks: number;
  /** The decoded bytes of these chunks. */
  readonly bytes: number;
  /** The requests for these chunks if neighbours in a shard arrive together. */
  readonly requests?: number;
}

/** Reports whether a read costs enough to ask the person first. */
export const isMuch = ({ chunks, bytes, requests = chunks }: Cost): boolean =>
  requests > ASK_CHUNKS || bytes > ASK_BYTES;

type Level = Pick<FieldLevel, "array" | "reads" | "bytes">;

/** Returns the cost of reading `count` chunks of a level. */
export function costOf({ array, reads = 1, bytes }: Level, count: number): Cost {
  const chunks = count * reads;
  const elements = array.chunks.reduce((product, length) => product * length, 1);
  return { chunks, bytes: chunks * (bytes ?? elements * (array.type.size || 16)) };
}

/** Returns how many chunks hold the elements of an axis from `from` to before `to`. */
export function chunksAlong({ array }: Pick<FieldLevel, "array">, axis: number, from: number, to: number): number {
  const size = Math.max(1, array.chunks[axis] ?? 1);
  return to > from ? Math.floor((to - 1) / size) - Math.floor(from / size) + 1 : 0;
}

/** Returns the question whether to read all or only the middle. */
export function questionOf({ chunks, bytes }: Cost, middle: () => void, all: () => void): Question {
  return {
    text: `This picture needs ${formatCount(chunks)} chunks, ${formatBytes(bytes)} when decoded. This may take long.`,
    answers: [
      { label: "Only the middle", run: middle },
      { label: "Read it all", run: all },
    ],
  };
}
