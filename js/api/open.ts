import type { DataType } from "../data/types.js";
import { engineStore } from "../engine/description.js";
import { engine } from "../engine/engine.js";
import type { ZarrError } from "../errors.js";
import type { Composition, StoreOf } from "../stores/composedstore.js";
import type { Directory } from "../stores/directory.js";
import type { DirectoryStore } from "../stores/directorystore.js";
import type { FetchStore } from "../stores/fetchstore.js";
import type { Readable } from "../stores/readable.js";
import { isPlainUrl, openAddress } from "./address.js";
import type { ZarrArray } from "./array.js";
import { type Group, type OpenOptions, openNode } from "./group.js";
import { type Location, locationOf, type Target } from "./location.js";
import { wirePath } from "./node.js";
import { type Selector, selectionToWire } from "./selection.js";

/**
 * Starts the engine before the first call, without waiting. If it cannot start, the first call
 * rejects with the error. With a target, sends the requests of {@link open} now, and keeps the
 * answers for 30 seconds. It sends these requests only if there is a worker, and if the store has
 * no headers and no custom fetch. It sends none for a pipeline or a container's address.
 *
 * With a selection, the target is an array that the page will read. For a regular grid without
 * shards, the first chunks are requested as soon as the array's metadata have arrived, even before
 * the engine runs.
 *
 * @throws {@link StoreError} for an invalid URL, and {@link InvalidSelectionError} for an invalid
 * selection.
 *
 * @example
 * preload("https://example.org/data.zarr"); // while the page is still built
 * preload("https://example.org/data.zarr/temperature", [0, null, null]);
 */
export function preload(target?: Target, selection?: readonly Selector[] | null): void {
  const place = target === undefined ? undefined : locationOf("preload", target);
  const wire = selection === undefined ? undefined : selectionToWire(selection, undefined);
  const early = place && isPlainUrl(urlText(target)) ? { path: wirePath(place.path), selection: wire } : undefined;
  engine.preload(place && engineStore(place.store), early);
}

/** A function that opens nodes. */
export interface Open {
  (target: string | URL, options: OpenOptions & { kind: "array" }): Promise<ZarrArray<DataType, FetchStore>>;
  (target: string | URL, options: OpenOptions & { kind: "group" }): Promise<Group<FetchStore>>;
  (target: string | URL, options?: OpenOptions): Promise<ZarrArray<DataType, FetchStore> | Group<FetchStore>>;
  <C extends Composition>(
    target: C,
    options: OpenOptions & { kind: "array" },
  ): Promise<ZarrArray<DataType, StoreOf<C>>>;
  <C extends Composition>(target: C, options: OpenOptions & { kind: "group" }): Promise<Group<StoreOf<C>>>;
  <C extends Composition>(
    target: C,
    options?: OpenOptions,
  ): Promise<ZarrArray<DataType, StoreOf<C>> | Group<StoreOf<C>>>;
  (target: Directory, options: OpenOptions & { kind: "array" }): Promise<ZarrArray<DataType, DirectoryStore>>;
  (target: Directory, options: OpenOptions & { kind: "group" }): Promise<Group<DirectoryStore>>;
  (target: Directory, options?: OpenOptions): Promise<ZarrArray<DataType, DirectoryStore> | Group<DirectoryStore>>;
  <S extends Readable>(
    target: Location<S> | S,
    options: OpenOptions & { kind: "array" },
  ): Promise<ZarrArray<DataType, S>>;
  <S extends Readable>(target: Location<S> | S, options: OpenOptions & { kind: "group" }): Promise<Group<S>>;
  <S extends Readable>(target: Location<S> | S, options?: OpenOptions): Promise<ZarrArray<DataType, S> | Group<S>>;
}

/** Returns the text of an address, and an empty text for any other target. */
const urlText = (target: unknown) => (typeof target === "string" || target instanceof URL ? String(target) : "");

function opener(format?: 2 | 3): Open {
  const open = async (target: Target, options: OpenOptions = {}) => {
    const text = urlText(target);
    if (text && (options?.endpoints || !isPlainUrl(text))) return openAddress(text, options, format);
    try {
      return await openNode(target, options, format);
    } catch (error) {
      const container = text && (error as ZarrError).container;
      if (!container) throw error;
      return openAddress(text, options, format, container);
    }
  };
  return open as Open;
}

/**
 * Opens the array or group at a URL, at a store's root, or at a place in a store, of any version. A
 * URL may be relative to the page's. The URL of a metadata document stands for its node. `open.v2`
 * and `open.v3` open only that version. In Node, a path or a `file:` URL opens a directory by a
 * {@link DirectoryStore}.
 *
 * @throws {@link NotFoundError}, {@link InvalidMetadataError}, {@link UnknownCodecError},
 * {@link UnsupportedError}, {@link HttpError}, {@link StoreError}, {@link EngineError}, or the
 * signal's reason.
 *
 * @example
 * const array = await open("https://example.org/data.zarr/temperature", { kind: "array" });
 */
export const open: Open & { v2: Open; v3: Open } = /* @__PURE__ */ Object.assign(opener(), {
  v2: /* @__PURE__ */ opener(2),
  v3: /* @__PURE__ */ opener(3),
});
