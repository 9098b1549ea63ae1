import type { WireReadOptions } from "../engine/protocol/wire.js";
import { aFunction, aNumber, aSignal, aText, type Check, checked, refuseOption } from "../shared/arguments.js";
import type { PartialResult } from "./types.js";

/** Options of a read. */
export interface ReadOptions {
  /** Cancels the read, which rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Called as chunks arrive, with the numbers of finished chunks and of all needed ones. */
  onProgress?: ((done: number, total: number) => void) | undefined;
  /**
   * Called with boxes of the result as they arrive, each in its own memory, at most once a frame.
   * Not for lists of indices and masks.
   */
  onChunk?: ((partial: PartialResult) => void) | undefined;
  /** Waiting chunks of reads with a higher priority go first; the default is 0. */
  priority?: number | undefined;
  /**
   * Names the purpose of the read: among reads of one priority, the newest of a view goes before
   * older ones of the same view.
   */
  view?: string | undefined;
  /**
   * A typed array that receives the elements and becomes `data`. It must have the class and the
   * length that `data` would have. It is written only once all elements have arrived. Without
   * shared memory, the copy runs in tasks of a few milliseconds, and a signal ends it.
   */
  out?: ArrayBufferView | undefined;
  /**
   * `"bytes"`: `data` is a Uint8Array of the elements' bytes, packed and little-endian. Only for
   * types of fixed size.
   */
  as?: "bytes" | undefined;
  /**
   * Puts elements of fixed size into a SharedArrayBuffer, which the workers fill directly. The page
   * must be cross-origin isolated; elsewhere the read rejects with an UnsupportedError.
   */
  useSharedArrayBuffer?: boolean | undefined;
  /** The signal's place in older versions of zarrita. */
  opts?: { signal?: AbortSignal | undefined } | undefined;
}

/**
 * The check of each read option, and its name in the engine's messages if it is sent. An option of
 * the same name is sent unchanged, another one as `true`.
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
} as const satisfies Record<keyof ReadOptions, readonly [check?: Check | undefined, wire?: keyof WireReadOptions]>;

type Table = typeof readOptions;

/** The table's entries. Their type is `never` while the table lacks an option of the messages. */
type Entries<Sent> = keyof WireReadOptions extends Sent ? [keyof ReadOptions, Table[keyof Table]][] : never;

/** The options with their entries in the table. */
export const optionEntries = /* @__PURE__ */ Object.entries(readOptions) as Entries<Table[keyof Table][1]>;

/** zarrita's names of a queue of chunks, which the engine has no use for. */
const unused = ["createQueue", "create_queue"];

/** Returns the options of a read after checking their names and values. `more` has other names. */
export function readSettings<T extends ReadOptions>(what: string, options: T, more?: keyof T & string): T {
  for (const [name, value] of Object.entries(checked(what, options, readOptions))) {
    if (value !== undefined && !Object.hasOwn(readOptions, name) && name !== more && !unused.includes(name))
      refuseOption(what, name, [...Object.keys(readOptions), ...(more ? [more] : [])]);
  }
  return options;
}
