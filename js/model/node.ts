import type { Json, JsonObject } from "./json.js";
import { member } from "./json.js";

/** The model of an array: its metadata properties as stored, and the user attributes. */
export interface ArrayModel<A extends JsonObject = JsonObject> extends JsonObject {
  /** The version of Zarr. */
  readonly zarr_format: number;
  /** Only in v3. */
  readonly node_type?: "array";
  /** The user attributes; `{}` if the metadata have none. */
  readonly attributes: A;
  /** The number of elements along each dimension. */
  readonly shape: readonly number[];
}

/** The model of a group: its metadata properties, the user attributes, and its members. */
export interface GroupModel<A extends JsonObject = JsonObject, M extends JsonObject = Model> extends JsonObject {
  /** The version of Zarr. */
  readonly zarr_format: number;
  /** Only in v3. */
  readonly node_type?: "group";
  /** The user attributes; `{}` if the metadata have none. */
  readonly attributes: A;
  /** The nodes directly below it, by name. */
  readonly members: { readonly [name: string]: M };
}

/** The model of a hierarchy: its root and all nodes below it. */
export type Model = ArrayModel | GroupModel;

/** The array properties that the core specification of each version defines, in its order. */
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

/** The metadata documents and attributes of a node. */
export interface Described {
  /** The version of Zarr. */
  format: number;
  /**
   * The document with the node's properties; empty for a group that is only implied by nodes below
   * it.
   */
  document: JsonObject;
  /** The user attributes. */
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

/**
 * The model of a group. A `members` property in its metadata, from a later version of Zarr, is
 * renamed.
 */
export function groupModel(node: Described, members: { [name: string]: Model }): GroupModel {
  const { format, document, attributes } = node;
  const entries = head(format, "group");
  for (const [name, value] of Object.entries(document)) {
    if (/^_*members$/.test(name)) entries.push([name === "members" ? freeName(document) : name, value]);
  }
  entries.push(["attributes", attributes], ["members", members]);
  return Object.fromEntries(entries) as unknown as GroupModel;
}

/**
 * The new name of a `members` property in group metadata: the first unused one with leading
 * underscores.
 */
function freeName(document: JsonObject): string {
  let name = "_members";
  while (Object.hasOwn(document, name)) name = `_${name}`;
  return name;
}

/** The properties of both kinds of nodes, as core versions define them. */
function head(format: number, kind: "array" | "group"): Entry[] {
  return format === 3
    ? [
        ["zarr_format", format],
        ["node_type", kind],
      ]
    : [["zarr_format", format]];
}

/** Reports whether a model, or a value in its place, is a group's. */
export function isGroup(model: JsonObject): boolean {
  const type = member(model, "node_type");
  return type === undefined ? Object.hasOwn(model, "members") || !Object.hasOwn(model, "shape") : type === "group";
}
