import type { Readable, StoreOptions } from "../stores/readable.js";
import type { Writable } from "../stores/writable.js";
import type { StoreAnswer } from "./protocol/page.js";
import type { RequestEvent, StoreDescription, WireFetch } from "./protocol/wire.js";

/**
 * @internal The key of a store's engine-side hooks. Stores that the engine reaches by itself have
 * it.
 */
export const engineSide: unique symbol = /* @__PURE__ */ Symbol("zarr-wasm.engineSide");

/** @internal The engine-side hooks of a store that the engine reaches by itself. */
export interface EngineSide {
  /** Describes the store. `number` returns the number of a store for the engine's questions. */
  describe(number: (store: Readable) => number): StoreDescription;
  /** Receives the store's requests. */
  tell?: ((event: RequestEvent) => void) | undefined;
  /** Returns the headers of a request. */
  headers?(): Promise<Record<string, string>>;
  /** Sends a request. */
  send?(request: WireFetch, options: StoreOptions): Promise<StoreAnswer>;
  /** Reports whether an origin that the store's contents refer to may be read. */
  confirm?: ((origin: string) => boolean | Promise<boolean>) | undefined;
}

/** @internal The key of the store that the engine may use in place of an extended store. */
export const inside: unique symbol = /* @__PURE__ */ Symbol("zarr-wasm.inside");

/** @internal Returns the store that the engine uses for a store. */
export function engineStore(store: Readable & { [inside]?: Readable | undefined }): Readable {
  return store[inside] ? engineStore(store[inside]) : store;
}

/**
 * @internal Returns the store's engine-side hooks. Undefined for page-side stores and for stores
 * that override get or getRange.
 */
export function engineSideOf(store: Readable): EngineSide | undefined {
  return inside in store ? undefined : (store as { [engineSide]?: EngineSide | undefined })[engineSide];
}

/** @internal Describes how the engine reaches a store. */
export function describe(store: Readable, number: (store: Readable) => number): StoreDescription {
  const side = engineSideOf(store);
  if (side) return side.describe(number);
  const { getRange, listFolder, set, address } = store as Partial<Writable> & { address?: unknown };
  return {
    host: {
      number: number(store),
      ranges: typeof getRange === "function",
      memory: store instanceof Map,
      writes: typeof set === "function",
      lists: store.get === Map.prototype.get || typeof listFolder === "function",
      address: typeof address === "string" ? address : "",
    },
  };
}

/** @internal Reports whether only zarr-full.wasm has the kind of a store, or of one below it. */
export function isRare(store: StoreDescription): boolean {
  if ("icechunk" in store || "n5" in store || ("reference" in store && store.reference.key === undefined)) return true;
  if ("overlay" in store) return store.overlay.some(isRare);
  return Object.values(store).some(({ of }) => of && isRare(of));
}

/**
 * @internal Receives a request and its store. The store is undefined after the page has released
 * it.
 */
export type OnRequest = (event: RequestEvent, store: Readable | undefined) => void;

/** @internal Reports a request to its store and to the listener of all requests. */
export function tell(event: RequestEvent, store: Readable | undefined, all: OnRequest | undefined): void {
  for (const one of [store && engineSideOf(store)?.tell, all]) {
    try {
      one?.(event, store);
    } catch (error) {
      // The error is reported separately, because the caller is the engine, which did not cause it.
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
