import { type EngineSide, engineSide } from "../engine/description.js";
import { engine } from "../engine/engine.js";
import type { RequestStats, WireByteRange } from "../engine/protocol/wire.js";
import { checked, refuse } from "../shared/arguments.js";
import { Printed } from "../shared/printed.js";
import type { AsyncReadable, ByteRange, StoreOptions } from "./readable.js";

/** A store that the engine reaches by itself. */
export abstract class EngineStore extends Printed implements AsyncReadable {
  /** @internal Undefined if a subclass or the object overrides get or getRange. */
  abstract get [engineSide](): EngineSide | undefined;

  /** @internal The address in a form that may be shown. */
  abstract get address(): string;

  /** @internal Returns a store with the same settings and without overrides. */
  protected abstract again(): EngineStore;

  override toString(): string {
    return `<${this[Symbol.toStringTag]} ${this.address}>`;
  }

  /** @internal Asks the engine for a description of this store. */
  protected async about<T>(what: string, { signal }: StoreOptions, most?: number): Promise<T> {
    const operation = { op: "about" as const, about: what, ...(most === undefined ? {} : { most }) };
    return (await engine.call(ownOf(this), operation, { signal })) as T;
  }

  /** Returns the number of the engine's requests for this store, and their sizes. */
  stats(): Promise<RequestStats> {
    return engine.call(ownOf(this), { op: "stats" });
  }

  /**
   * Reads all bytes of a key; undefined if it is absent. The engine reads it by the rules of
   * chunks, but without its caches.
   *
   * @throws `HttpError`, `LimitError`, `StoreError` for an invalid key, or the signal's reason.
   */
  async get(key: `/${string}`, { signal }: StoreOptions = {}): Promise<Uint8Array | undefined> {
    checked("get", { signal });
    if (typeof key !== "string") refuse("get: key", key, "a string");
    return bytesOf(await engine.call(ownOf(this), { op: "get", key }, { signal }));
  }

  /**
   * Reads a range of a key. Rejects as {@link get} does, and with {@link StoreError} or
   * {@link HttpError} for a range beyond its end.
   */
  async getRange(key: `/${string}`, range: ByteRange, { signal }: StoreOptions = {}): Promise<Uint8Array | undefined> {
    checked("getRange", { signal });
    if (typeof key !== "string") refuse("getRange: key", key, "a string");
    const { suffixLength, offset, length } = Object(range);
    const wire: WireByteRange =
      suffixLength === undefined
        ? { offset: Number(offset), length: Number(length) }
        : { suffixLength: Number(suffixLength) };
    return bytesOf(await engine.call(ownOf(this), { op: "get", key, range: wire }, { signal }));
  }
}

const bytesOf = (buffer: ArrayBuffer | null) => (buffer ? new Uint8Array(buffer) : undefined);

/** Not a member, because a console shows only some. */
const twins = /* @__PURE__ */ new WeakMap<EngineStore, EngineStore>();

/**
 * Returns the store that the engine reads. If `get` is overridden, it may call the inherited one,
 * and the engine must not call the override again.
 */
function ownOf(store: EngineStore): EngineStore {
  if (store[engineSide]) return store;
  // biome-ignore lint/complexity/useLiteralKeys: it is for subclasses and for this
  const twin = twins.get(store) ?? store["again"]();
  twins.set(store, twin);
  return twin;
}
