import { type EngineSide, engineSide } from "../engine/description.js";
import { engine } from "../engine/engine.js";
import type { RequestStats } from "../engine/protocol/answers.js";
import type { WireAbout } from "../engine/protocol/requests.js";
import type { WireByteRange } from "../engine/protocol/types.js";
import { Printed } from "../printed.js";
import { checked, refuse } from "../refuse.js";
import type { AsyncReadable, ByteRange, StoreOptions } from "./readable.js";

/** A store that the engine reaches by itself. */
export abstract class EngineStore extends Printed implements AsyncReadable {
  /** @internal Undefined when ways to read have been replaced, by a subclass or on the object. */
  abstract get [engineSide](): EngineSide | undefined;

  /** @internal Where it is, as it may be shown. */
  abstract get address(): string;

  /** @internal A store of the same settings whose ways to read are those of this package. */
  protected abstract again(): EngineStore;

  override toString(): string {
    return `<${this[Symbol.toStringTag]} ${this.address}>`;
  }

  /** @internal Asks the engine about this store. */
  protected call<T>(operation: { op: "stats" } | WireAbout, { signal }: StoreOptions = {}): Promise<T> {
    return engine.call<T>(ownOf(this), operation, { signal });
  }

  /** What the engine sent for this store so far, in numbers. */
  stats(): Promise<RequestStats> {
    return this.call<RequestStats>({ op: "stats" });
  }

  /**
   * All bytes of a key; undefined when it is absent. It is read by the rules by which the engine reads chunks, and
   * past its caches. Rejects with {@link HttpError}, {@link LimitError}, {@link StoreError} for what is no key, or the signal's reason.
   */
  async get(key: `/${string}`, { signal }: StoreOptions = {}): Promise<Uint8Array | undefined> {
    checked("get", { signal });
    if (typeof key !== "string") refuse("get: key", key, "a text");
    return bytesOf(await engine.call<ArrayBuffer | null>(ownOf(this), { op: "get", key }, { signal }));
  }

  /** Some bytes of a key, likewise; {@link StoreError} or {@link HttpError} for a range beyond its end. */
  async getRange(key: `/${string}`, range: ByteRange, { signal }: StoreOptions = {}): Promise<Uint8Array | undefined> {
    checked("getRange", { signal });
    if (typeof key !== "string") refuse("getRange: key", key, "a text");
    const { suffixLength, offset, length } = Object(range);
    const wire: WireByteRange =
      suffixLength === undefined
        ? { offset: Number(offset), length: Number(length) }
        : { suffixLength: Number(suffixLength) };
    return bytesOf(await engine.call<ArrayBuffer | null>(ownOf(this), { op: "get", key, range: wire }, { signal }));
  }
}

const bytesOf = (buffer: ArrayBuffer | null) => (buffer ? new Uint8Array(buffer) : undefined);

/** No member, because a console shows only some. */
const twins = /* @__PURE__ */ new WeakMap<EngineStore, EngineStore>();

/** What a store is read by: where `get` has been replaced by a function that calls the one here, the engine must not ask for that again. */
function ownOf(store: EngineStore): EngineStore {
  if (store[engineSide]) return store;
  // biome-ignore lint/complexity/useLiteralKeys: it is for subclasses and for this
  const twin = twins.get(store) ?? store["again"]();
  twins.set(store, twin);
  return twin;
}
