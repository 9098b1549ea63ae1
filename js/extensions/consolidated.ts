import { documentNames } from "../data/documents.js";
import { parseJson } from "../data/json.js";
import type { WireNode } from "../engine/protocol/wire.js";
import { InvalidMetadataError, isZarrError, NotFoundError } from "../errors.js";
import { checked } from "../shared/arguments.js";
import type { Readable, StoreOptions } from "../stores/readable.js";
import type { ConsolidatedFormat, ConsolidatedMetadataOptions } from "./extensions.js";

/** Metadata documents by key. */
type Documents = Record<string, Record<string, unknown>>;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/**
 * Returns the documents in a store's consolidated metadata by key. `openRoot` opens the root in
 * that version of Zarr.
 */
async function consolidated(
  store: Readable,
  format: ConsolidatedFormat,
  key: string,
  openRoot: (format: 2 | 3) => Promise<WireNode>,
): Promise<Documents> {
  let bytes: Uint8Array | null | undefined;
  if (key === documentNames.consolidated || format === "v3") {
    // The engine keeps the root's consolidated metadata.
    const node = await openRoot(format === "v2" ? 2 : 3);
    bytes = node.documents[format === "v2" ? key : documentNames.v3];
  } else {
    bytes = await store.get(`/${key}`);
  }
  if (!bytes) throw new NotFoundError(`${format} consolidated metadata: no ${key}`, { path: `/${key}` });
  let document: unknown;
  try {
    document = parseJson(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new InvalidMetadataError(`${key} is not JSON`, { path: `/${key}`, cause });
  }
  const inline = format === "v3" && isObject(document) ? document.consolidated_metadata : document;
  if (!isObject(document) || !isObject(inline) || !isObject(inline.metadata)) {
    throw new InvalidMetadataError(`no ${format} consolidated metadata`, {
      path: `/${format === "v2" ? key : documentNames.v3}`,
    });
  }
  const found: Documents = {};
  if (format === "v3") {
    const { consolidated_metadata: _, ...root } = document;
    found[`/${documentNames.v3}`] = root;
  }
  for (const [name, value] of Object.entries(inline.metadata)) {
    const path = name.replace(/^\/*/, "/");
    found[format === "v3" ? `${path.replace(/\/$/, "")}/${documentNames.v3}` : path] = isObject(value) ? value : {};
  }
  return found;
}

const kinds: Record<string, "array" | "group"> = { [documentNames.array]: "array", [documentNames.group]: "group" };

/** Returns the nodes that the documents describe. */
function contentsOf(documents: Documents): { path: `/${string}`; kind: "array" | "group" }[] {
  return Object.entries(documents).flatMap(([key, { node_type }]) => {
    const cut = key.lastIndexOf("/");
    const kind = kinds[key.slice(cut + 1)] ?? node_type;
    return kind === "array" || kind === "group" ? [{ path: (key.slice(0, cut) || "/") as `/${string}`, kind }] : [];
  });
}

/** Returns JSON of values that {@link parseJson} returned. */
function toJson(value: unknown): Uint8Array {
  const text = JSON.stringify(value, (_, v: unknown) => {
    if (typeof v === "bigint") return Number(v);
    return typeof v === "number" && !Number.isFinite(v) ? String(v) : v;
  });
  return new TextEncoder().encode(text);
}

/**
 * Returns the overrides of a store with consolidated metadata. Also reports whether these have
 * their usual key.
 */
export async function consolidatedNodes(
  store: Readable,
  options: ConsolidatedMetadataOptions,
  openRoot: (format: 2 | 3) => Promise<WireNode>,
) {
  const { format, metadataKey = documentNames.consolidated } = checked("withConsolidatedMetadata", options);
  let failure: unknown;
  for (const one of [format ?? (["v3", "v2"] as const)].flat()) {
    try {
      const documents = await consolidated(store, one, metadataKey, openRoot);
      return {
        usual: one === "v3" || metadataKey === documentNames.consolidated,
        get: (key: `/${string}`, options?: StoreOptions) =>
          Object.hasOwn(documents, key) ? toJson(documents[key]) : store.get(key, options),
        contents: () => contentsOf(documents),
      };
    } catch (error) {
      if (!isZarrError(error, "NotFoundError", "InvalidMetadataError")) throw error;
      failure ??= error;
    }
  }
  throw failure;
}
