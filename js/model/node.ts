import type { Json, JsonObject } from "./json.js";
import { member } from "./json.js";

/** The model of an array: the properties of its metadata, as its documents have them, and the user's attributes. */
export interface ArrayModel<A extends JsonObject = JsonObject> extends JsonObject {
  /** The version of Zarr. */
  readonly zarr_format: number;
  /** v3 only. */
  readonly node_type?: "array";
  /** The user's attributes; `{}` where the metadata has none. */
  readonly attributes: A;
  /** Elements along each dimension. */
  readonly shape: readonly number[];
}

/** The model of a group: the properties of its metadata, the user's attributes, and its members. */
export interface GroupModel<A extends JsonObject = JsonObject, M extends JsonObject = Model> extends JsonObject {
  /** The version of Zarr. */
  readonly zarr_format: number;
  /** v3 only. */
  readonly node_type?: "group";
  /** The user's attributes; `{}` where the metadata has none. */
  readonly attributes: A;
  /** The nodes directly below it, by name. */
  readonly members: { readonly [name: string]: M };
}

/** The model of a hierarchy: of its root and of all that is below it. */
export type Model = ArrayModel | GroupModel;

/** The properties of arrays that the core specification of each version defines, in its order. */
const ofArrays: Readonly<Record<number, readonly string[]>> = {
  1: ["shape", "chunks", "dtype", "compression", "compression_opts", "fill_value", "order"],
  2: ["shape", "chunks", "dtype", "compressor", "fill_value", "order", "filters", "dimension_separator"],
  3: [
    "shape",
    "data_type",
    "chunk_grid",
    "chunk_key_encoding",
    "fill_value",
    "codecs",
    "storage_transformers",
    "dimension_names",
  ],
};

type Entry = [name: string, value: Json | undefined];

/** What a node's documents say of it, and its attributes. */
export interface Described {
  /** The version of Zarr. */
  format: number;
  /** The document with the node's properties; none of a group that is known only because nodes lie below it. */
  document: JsonObject;
  /** The user's attributes. */
  attributes: JsonObject;
}

/** The model of an array. */
export function arrayModel(node: Described): ArrayModel {
  const { format, document, attributes } = node;
  const defined = (ofArrays[format] ?? []).filter((name) => Object.hasOwn(document, name));
  const entries = defined.map((name): Entry => [name, document[name]]);
  return Object.fromEntries([
    ...head(format, "array"),
    ...entries,
    ["attributes", attributes],
  ]) as unknown as ArrayModel;
}

/** The model of a group. Its metadata's own `members`, of a later version of Zarr, have another name. */
export function groupModel(node: Described, members: { [name: string]: Model }): GroupModel {
  const { format, document, attributes } = node;
  const entries = head(format, "group");
  for (const [name, value] of Object.entries(document)) {
    if (/^_*members$/.test(name)) entries.push([name === "members" ? freeName(document) : name, value]);
  }
  entries.push(["attributes", attributes], ["members", members]);
  return Object.fromEntries(entries) as unknown as GroupModel;
}

/** What `members` of a group's metadata is called: it has one more underscore than what is there already. */
function freeName(document: JsonObject): string {
  let name = "_members";
  while (Object.hasOwn(document, name)) name = `_${name}`;
  return name;
}

/** What both kinds of nodes have, as core versions define it. */
function head(format: number, kind: "array" | "group"): Entry[] {
  return format === 3
    ? [
        ["zarr_format", format],
        ["node_type", kind],
      ]
    : [["zarr_format", format]];
}

/** Whether what is or should be a model is a group's. */
export function isGroup(model: JsonObject): boolean {
  const type = member(model, "node_type");
  return type === undefined ? Object.hasOwn(model, "members") || !Object.hasOwn(model, "shape") : type === "group";
}
