import { attributesV1, documentNames } from "../data/documents.js";
import { parseJson } from "../data/json.js";
import type { CallOptions, StoreCall } from "../engine/connection.js";
import { engineStore } from "../engine/description.js";
import { engine } from "../engine/engine.js";
import type { AnswerValues, WireNode, WireOperation } from "../engine/protocol/wire.js";
import type { Readable } from "../stores/readable.js";
import type { AbsolutePath } from "./location.js";

/**
 * User attributes. Integers that a number cannot hold are bigints; bare `NaN` and `Infinity` are
 * numbers.
 */
export type Attributes = Record<string, unknown>;

/** @internal An operation without its store. The node's reference stands for its handle. */
export type Operation<Op extends WireOperation["op"]> = Extract<StoreCall, { op: Op }>;

/** @internal Sends an operation on a store to the engine. */
export function call<Op extends StoreCall["op"]>(
  store: Readable,
  operation: StoreCall & { op: Op },
  options: CallOptions,
): Promise<AnswerValues[Op]> {
  return engine.call<Op>(engineStore(store), operation, options);
}

/** @internal Stands for the store in operations that need none. */
export const noStore = /* @__PURE__ */ new Map<string, Uint8Array>();

/** @internal Returns the path in the engine's form. */
export function wirePath(path: AbsolutePath): string {
  return path.slice(1);
}

const utf8Text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/**
 * @internal Returns a node's documents by name, parsed. Their attributes are those of
 * {@link attributesOf}, which parses once, because there may be millions of them.
 */
export function parseDocuments(node: WireNode): Record<string, unknown> {
  const parsed = (name: string, bytes: Uint8Array) => {
    if (name === documentNames.attributes) return attributesOf(node);
    const text = utf8Text(bytes);
    if (name !== documentNames.v3 || !node.attributes) return parseJson(text);
    const own = utf8Text(node.attributes);
    // A text that is longer than half of the document can occur in it only once.
    const at = 2 * own.length > text.length ? text.indexOf(own) : -1;
    const document = parseJson(at < 0 ? text : `${text.slice(0, at)}{}${text.slice(at + own.length)}`) as {
      attributes?: unknown;
    };
    if (document.attributes) document.attributes = attributesOf(node);
    return document;
  };
  return Object.fromEntries(Object.entries(node.documents).map(([name, bytes]) => [name, parsed(name, bytes)]));
}

/** The parsed attributes by the node's documents. An array and its views share them. */
const parsed = /* @__PURE__ */ new WeakMap<object, Attributes>();

/** @internal Returns a node's attributes. Parses them at the first call. */
export function attributesOf({ attributes, documents }: WireNode): Attributes {
  let known = parsed.get(documents);
  if (!known) {
    const text = attributes ?? documents[documentNames.attributes] ?? documents[attributesV1];
    known = ((text && parseJson(utf8Text(text))) ?? {}) as Attributes;
    parsed.set(documents, known);
  }
  return known;
}
