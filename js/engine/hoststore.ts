import type { ByteRange, Readable, StoreOptions } from "../stores/readable.js";
import type { EngineSide } from "./description.js";
import type { WireByteRange, WireFound, WireQuestion } from "./protocol.js";

/** @internal Answers a question of the engine's. `side` is what a store has that the engine reaches by itself. */
export async function answerForStore(
  store: Readable,
  side: EngineSide | undefined,
  question: WireQuestion,
  options: StoreOptions,
): Promise<WireFound> {
  if ("key" in question) {
    return readFromHost(store, question.key, question.range, options);
  }
  if (!side?.send || !side.headers) throw new TypeError("the store is not one at a URL");
  return "fetch" in question ? side.send(question.fetch, options) : { headers: await side.headers() };
}

/** Reads a key for the engine. The bytes may be the store's own. */
async function readFromHost(
  store: Readable,
  key: string,
  range: WireByteRange | undefined,
  options: StoreOptions,
): Promise<WireFound> {
  const path = `/${key.replace(/^\/+/, "")}` as const;
  const ranged = range !== undefined && typeof store.getRange === "function";
  const found = await (ranged ? store.getRange?.(path, range, options) : store.get(path, options));
  if (found === undefined || found === null) return {};
  if (!(found instanceof Uint8Array)) throw new TypeError(`the store gave no Uint8Array for ${path}`);
  if (ranged) return { bytes: found };
  return { bytes: range ? slice(found, range) : found, size: found.length };
}

/** A part of bytes, as far as they have it. */
function slice(bytes: Uint8Array, range: ByteRange): Uint8Array {
  if ("suffixLength" in range) return bytes.subarray(Math.max(0, bytes.length - range.suffixLength));
  return bytes.subarray(range.offset, range.offset + range.length);
}
