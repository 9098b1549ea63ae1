import { aFunction, aNumber, aSignal, aText, type Check } from "../refuse.js";
import type { PartialResult } from "./types.js";

/** Settings of a read. */
export interface ReadOptions {
  /** Ends the read early: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Called as chunks arrive, with how many of those that are needed are there. */
  onProgress?: ((done: number, total: number) => void) | undefined;
  /**
   * Called with boxes of the result as they arrive, each in memory of its own, no more often than
   * the screen is drawn. Not for lists of indices and masks.
   */
  onChunk?: ((partial: PartialResult) => void) | undefined;
  /** Of the chunks that wait, those of reads of higher priority go first; the default is 0. */
  priority?: number | undefined;
  /**
   * Names what the read is for: among reads of one priority the newest of a
   * view goes before the older ones of the same view.
   */
  view?: string | undefined;
  /**
   * A typed array that the elements are copied into and that becomes `data`: of
   * the class that `data` would be, and of exactly its length. It is not written to before all elements are there.
   * Where it is not shared memory, the copy is made in tasks of a few milliseconds, and a signal ends it.
   */
  out?: ArrayBufferView | undefined;
  /**
   * `"bytes"`: `data` is a Uint8Array of the elements' own bytes, packed and
   * little-endian. For types of fixed size only.
   */
  as?: "bytes" | undefined;
  /**
   * Puts elements of fixed size into a SharedArrayBuffer, which the workers fill at once. On pages that
   * are cross-origin isolated; elsewhere the read rejects with an UnsupportedError.
   */
  useSharedArrayBuffer?: boolean | undefined;
  /** Where zarrita once had the signal. */
  opts?: { signal?: AbortSignal | undefined } | undefined;
}

/**
 * What each option of a read may be, and what the engine calls those that it acts on. An option of the same name there goes
 * as it is, another as `true`.
 */
export const readOptions = {
  signal: [aSignal],
  opts: [],
  onProgress: [aFunction, "progress"],
  onChunk: [aFunction, "partial"],
  priority: [aNumber, "priority"],
  view: [aText, "view"],
  out: [[ArrayBuffer.isView, "a typed array"]],
  as: [[(value) => value === "bytes", '"bytes"']],
  useSharedArrayBuffer: [undefined, "shared"],
} as const satisfies Record<keyof ReadOptions, readonly [check?: Check | undefined, wire?: string]>;

type Table = typeof readOptions;

/** The options with what the table has of them. */
export const optionEntries = /* @__PURE__ */ Object.entries(readOptions) as [keyof ReadOptions, Table[keyof Table]][];

/** What operations that read are told of the options. */
export type WireReadOptions = {
  [K in keyof Table as Table[K] extends readonly [unknown, infer Name extends string]
    ? Name
    : never]?: Table[K][1] extends K ? ReadOptions[K] : true;
};
