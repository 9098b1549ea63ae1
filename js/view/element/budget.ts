import type { Question } from "./panel.js";
import { countOf, sizeOf } from "./words.js";

/** Chunks that are read without asking. */
export const ASK_CHUNKS = 1000;
/** The bytes of chunks, decoded, that are read without asking. */
export const ASK_BYTES = 512 << 20;

/** What reading costs. */
export interface Cost {
  readonly chunks: number;
  readonly bytes: number;
}

/** Whether reading costs so much that a person is asked first. */
export const isMuch = ({ chunks, bytes }: Cost): boolean => chunks > ASK_CHUNKS || bytes > ASK_BYTES;

/** What is asked: whether to read all, or only the middle. */
export function questionOf({ chunks, bytes }: Cost, middle: () => void, all: () => void): Question {
  return {
    text: `This picture needs ${countOf(chunks)} chunks, ${sizeOf(bytes)} when decoded. That may take long.`,
    answers: [
      { label: "Only the middle", run: middle },
      { label: "Read it all", run: all },
    ],
  };
}
