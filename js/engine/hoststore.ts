import type { ByteRange, Readable, StoreOptions } from "../stores/readable.js";
import type { EngineSide } from "./description.js";
import { versionOf } from "./objectversion.js";
import type { StoreAnswer, StoreQuestion } from "./protocol/page.js";
import type { WireByteRange } from "./protocol/wire.js";

/**
 * @internal Answers a question of the engine. `side` has the hooks of a store that the engine
 * reaches by itself.
 */
export async function answerForStore(
  store: Readable,
  side: EngineSide | undefined,
  question: StoreQuestion,
  options: StoreOptions,
): Promise<StoreAnswer> {
  if ("key" in question) {
    return readFromHost(
      store,
      question.key,
      question.range,
      question.fresh ? { ...options, cache: "reload" } : options,
    );
  }
  if ("list" in question) {
    const names = store.listFolder
      ? await store.listFolder(question.list, options)
      : store instanceof Map && namesIn(store, question.list);
    if (!Array.isArray(names))
      throw new TypeError(`the store returned no list of names for ${JSON.stringify(question.list)}`);
    return { names };
  }
  if ("confirm" in question) return { confirmed: (await side?.confirm?.(question.confirm)) === true };
  if (!side?.send || !side.headers) throw new TypeError("the store is not at a URL");
  if ("fetch" in question) return side.send(question.fetch, options);
  question satisfies { headers: true };
  return { headers: await side.headers() };
}

/** Returns the names directly below a folder of a `Map`. Names of folders end with a slash. */
function namesIn(map: Map<unknown, unknown>, folder: string): string[] {
  const prefix = folder && `${folder}/`;
  const names = new Set<string>();
  for (const key of map.keys()) {
    const path = String(key).replace(/^\/+/, "");
    const [, name] = path.startsWith(prefix) ? (/^([^/]+\/?)/.exec(path.slice(prefix.length)) ?? []) : [];
    if (name && !/^\.\.?\/?$/.test(name)) names.add(name);
  }
  return [...names];
}

/** Reads a key for the engine. The bytes may belong to the store. */
async function readFromHost(
  store: Readable,
  key: string,
  range: WireByteRange | undefined,
  options: StoreOptions,
): Promise<StoreAnswer> {
  const path = `/${key.replace(/^\/+/, "")}` as const;
  const ranged = range !== undefined && typeof store.getRange === "function";
  const found = await (ranged ? store.getRange?.(path, range, options) : store.get(path, options));
  if (found === undefined || found === null) return {};
  if (!(found instanceof Uint8Array)) throw new TypeError(`the store returned no Uint8Array for ${path}`);
  const { size, ...version } = versionOf(found);
  if (!ranged) return { ...version, bytes: range ? slice(found, range) : found, size: found.length };
  return size === undefined ? { ...version, bytes: found } : { ...version, bytes: found, size };
}

/** Returns a range of bytes, cut off at their end. */
function slice(bytes: Uint8Array, range: ByteRange): Uint8Array {
  if ("suffixLength" in range) return bytes.subarray(Math.max(0, bytes.length - range.suffixLength));
  return bytes.subarray(range.offset, range.offset + range.length);
}
