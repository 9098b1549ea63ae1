import { files } from "#storeat";
import { isDocument } from "../data/documents.js";
import { engine } from "../engine/engine.js";
import type { Composition } from "../stores/composedstore.js";
import { type OpenOptions, openNode } from "./group.js";
import { locationOf } from "./location.js";
import type { Operation } from "./node.js";
import { noStore } from "./node.js";

/** Matches a pipeline, a scheme other than the web's, or the name of a container. */
const special = /\|[a-z]\w*:|^(?!https?:|file:)[a-z][\w+.-]+:|^[^?#]*\.(zip|ozx|json|parq|parquet)([?#]|$)/is;

/**
 * Reports whether a text is the URL or path of a folder or of a metadata document. Returns false
 * for other addresses: a pipeline, a prefix, a URL of an object store, or the name of a container.
 * {@link open} reads both; `root` and the stores take only such URLs.
 *
 * @example
 * isPlainUrl("https://example.org/data.zarr"); // true
 * isPlainUrl("https://example.org/a.zip|zip:inner"); // false
 */
export function isPlainUrl(text: string): boolean {
  const path = text.trim().replace(/[?#].*/s, "");
  return !special.test(isDocument(path) ? path.slice(0, path.lastIndexOf("/") + 1) : text.trim());
}

/**
 * @internal Opens the node at an address. `known` names the kind of container there, if the caller
 * knows it.
 */
export async function openAddress(
  text: string,
  options: OpenOptions,
  format?: 2 | 3,
  known?: string,
): ReturnType<typeof openNode> {
  const { endpoints, signal } = options;
  const operation: Operation<"address"> = { op: "address", text, known, endpoints, files };
  const found = await engine.call(noStore, operation, { signal });
  try {
    const place = locationOf("open", found.store as string | Composition).resolve(found.path);
    return await openNode(place, options, format ?? (found.format || undefined));
  } catch (error) {
    // The name may also be that of a folder.
    if (!found.guessed) throw error;
    return openAddress(text, options, format, "folder").catch(() => Promise.reject(error));
  }
}
