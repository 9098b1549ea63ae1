import type { Readable, StoreOptions } from "../stores/readable.js";
import type { Writable } from "../stores/writable.js";
import type { RequestEvent } from "./protocol/answers.js";
import type { WireFetch, WireFound } from "./protocol/questions.js";
import type { StoreDescription } from "./protocol/requests.js";

/** @internal On a store that the engine reaches by itself: what it needs for that. */
export const engineSide: unique symbol = /* @__PURE__ */ Symbol("zarr-wasm.engineSide");

/** @internal What a store that the engine reaches by itself has for it. */
export interface EngineSide {
  /** Describes the store; `number` gives the number of a store that the engine asks things of. */
  describe(number: (store: Readable) => number): StoreDescription;
  /** The store is told of requests. */
  tell?: ((event: RequestEvent) => void) | undefined;
  /** The headers of a request. */
  headers?(): Promise<Record<string, string>>;
  /** Sends a request. */
  send?(request: WireFetch, options: StoreOptions): Promise<WireFound>;
  /** Tells whether what the store refers to may be read from an origin. */
  confirm?: ((origin: string) => boolean | Promise<boolean>) | undefined;
}

/** @internal On an extended store: the store that the engine may use in its place, if there is one. */
export const inside: unique symbol = /* @__PURE__ */ Symbol("zarr-wasm.inside");

/** @internal The store that the engine uses for a store. */
export function engineStore(store: Readable & { [inside]?: Readable | undefined }): Readable {
  return store[inside] ? engineStore(store[inside]) : store;
}

/** @internal What the store has for the engine; undefined for one that lives on this thread, and one whose ways to read have been replaced. */
export function engineSideOf(store: Readable): EngineSide | undefined {
  return inside in store ? undefined : (store as { [engineSide]?: EngineSide | undefined })[engineSide];
}

/** @internal How the engine reaches a store. */
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

/** @internal Is told of a request, and of the store that it was made for as long as the page has that. */
export type OnRequest = (event: RequestEvent, store: Readable | undefined) => void;

/** @internal Tells a store of a request, and what is told of all. */
export function tell(event: RequestEvent, store: Readable | undefined, all: OnRequest | undefined): void {
  for (const one of [store && engineSideOf(store)?.tell, all]) {
    try {
      one?.(event, store);
    } catch (error) {
      // The caller is the engine, which is not to blame.
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
