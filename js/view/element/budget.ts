import { formatBytes, formatCount } from "./messages.js";
import type { Question } from "./panel.js";

/** The largest number of chunks that is read without a question. */
export const ASK_CHUNKS = 1000;
/** The largest number of decoded bytes that is read without a question. */
export const ASK_BYTES = 512 << 20;

/** The cost of a read. */
export interface Cost {
  readonly chunks: number;
  readonly bytes: number;
}

/** Reports whether a read costs enough to ask the person first. */
export const isMuch = ({ chunks, bytes }: Cost): boolean => chunks > ASK_CHUNKS || bytes > ASK_BYTES;

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
