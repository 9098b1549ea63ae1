import type { ZarrArray } from "../api/array.js";
import type { Group, Member, Tree } from "../api/group.js";
import { mainDocument } from "../data/documents.js";
import type { CodecDescription, TypeDescription } from "../engine/protocol/wire.js";
import { refuse } from "../shared/arguments.js";
import { serializers } from "./serializers.js";
import { bytesText, lineText, tupleText, valueText } from "./values.js";

/** An object that prints itself, such as a dataset. */
export interface PrintsItself {
  /** Returns the object as HTML. */
  toHTML(): string;
  /** Returns the object as text. */
  toString(): string;
}

/** A printable value: a node, the result of `group.tree()`, or an object that prints itself. */
export type Printable = Group | ZarrArray | Tree | PrintsItself;

export const printsItself = (source: Printable): source is PrintsItself =>
  typeof (Object(source) as Partial<PrintsItself>).toHTML === "function";

/**
 * Reports whether a value is a tree. Throws a TypeError for a value that is neither a tree nor a
 * node.
 */
export function isTree(what: string, source: Exclude<Printable, PrintsItself>): source is Tree {
  const { kind, node, children } = Object(source) as Partial<ZarrArray> & Partial<Tree>;
  if (kind === "array" || kind === "group") return false;
  if (!node || !children) refuse(what, source, "a group, an array, a dataset, or the result of group.tree()");
  return true;
}

/** A line of a node's description. */
export type Row = readonly [label: string, text: string];

/** Returns a node's description in the words of zarr-python's `info`. */
export function rowsOf(node: Group | ZarrArray): Row[] {
  const array = node.kind === "array" ? node : undefined;
  const store = node.store as { address?: string; [Symbol.toStringTag]?: string };
  const place = store.address;
  return [
    ["Name", lineText(node.path)],
    ["Type", array ? "Array" : "Group"],
    ["Zarr format", String(node.format)],
    ...(array ? arrayRows(array) : []),
    ["Store type", valueText(store[Symbol.toStringTag] ?? store.constructor?.name ?? "Object", 60)],
    ...(place ? [["Store", valueText(place, 200)] as const] : []),
    ...(array ? sizeRows(array) : []),
    ...(node.kind === "group" ? [["Consolidated", node.consolidated ? "yes" : "no"] as const] : []),
  ];
}

function arrayRows(array: ZarrArray): Row[] {
  const { shape, chunks, shards, chunkGrid, order, dimensionNames } = array;
  const rows: Row[] = [
    ["Data type", typeText(array.type)],
    ["Fill value", fillText(array)],
    ["Shape", tupleText(shape)],
  ];
  if (dimensionNames) rows.push(["Dimensions", tupleText(dimensionNames.map((name) => lineText(name ?? "None")))]);
  if (shards) rows.push(["Shard shape", tupleText(shards)]);
  rows.push(["Chunk shape", tupleText(chunks)]);
  if (chunkGrid.name !== "regular") rows.push(["Chunk grid", lineText(chunkGrid.name)]);
  rows.push(["Order", order ?? "C"]);
  return [...rows, ...(array.format === 3 ? codecRows(array.codecs) : oldCodecRows(documentOf(array)))];
}

function sizeRows({ nbytes, nchunks, type }: ZarrArray): Row[] {
  const bytes: Row[] = type.size > 0 ? [["No. bytes", bytesText(nbytes)]] : [];
  return [...bytes, ["No. chunks", String(nchunks)]];
}

/** Returns a data type with its parts. */
function typeText(type: TypeDescription): string {
  const { name, unit, scale = 1, fields, size } = type;
  if (unit) return `${name}[${scale === 1 ? "" : scale}${unit}]`;
  if (fields) return valueText(`${name}(${fields.map((one) => `${one.name}: ${typeText(one.type)}`).join(", ")})`, 200);
  return /^(fixed_length_utf32|null_terminated_bytes|raw_bytes)$/.test(name) ? `${name}(${size} bytes)` : name;
}

/** Returns the fill value in the form of the metadata. */
function fillText(array: ZarrArray): string {
  const { fill_value = null } = documentOf(array);
  return fill_value === null ? "None" : valueText(fill_value, 60) || '""';
}

/** Returns the document with an array's properties. */
function documentOf({ format, metadata }: ZarrArray): { [name: string]: unknown } {
  return Object(metadata[mainDocument(format, "array")]);
}

/**
 * Returns the chain of codecs by their roles; for a sharded array, that of its inner chunks.
 * Without a known serializer, returns all in one row.
 */
function codecRows(codecs: readonly CodecDescription[]): Row[] {
  const names = serializers.split(" ");
  const at = codecs.findIndex(({ name }) => names.includes(name));
  const serializer = codecs[at];
  const several = (some: readonly CodecDescription[]) => tupleText(some.map(codecText));
  if (!serializer) return [["Codecs", several(codecs)]];
  // A shard has one chain for its inner chunks and one for its index.
  const { codecs: inner, index_codecs: index } = serializer.configuration ?? {};
  if (Array.isArray(inner) && index) {
    return codecRows(
      inner.map(
        (one): CodecDescription => (typeof one === "string" ? { name: one } : { ...one, name: `${one?.name}` }),
      ),
    );
  }
  return [
    ["Filters", several(codecs.slice(0, at))],
    ["Serializer", codecText(serializer)],
    ["Compressors", several(codecs.slice(at + 1))],
  ];
}

/** Returns the codecs of v1's and v2's metadata, which have no chain. */
function oldCodecRows({ filters, compressor, compression, compression_opts }: { [name: string]: unknown }): Row[] {
  const known = (codecs: unknown[]) =>
    codecs
      .filter((codec) => codec !== null && codec !== undefined)
      .map((codec) => {
        const { id, ...configuration } = Object(codec) as { [name: string]: unknown };
        return codecText({ name: String(id ?? codec), configuration: id === undefined ? {} : configuration });
      });
  const first =
    compression === "none" || compression === undefined ? null : { id: compression, opts: compression_opts };
  return [
    ["Filters", tupleText(known(Array.isArray(filters) ? filters : []))],
    ["Compressors", tupleText(known([compressor ?? first]))],
  ];
}

function codecText({ name, configuration = {} }: CodecDescription): string {
  const settings = Object.entries(Object(configuration) as object);
  return lineText(`${name}(${settings.map(([key, value]) => `${key}=${valueText(value, 60)}`).join(", ")})`);
}

/** Returns the description of a node on its line of a tree. */
export function lineOf(node: Group | ZarrArray | Member): string {
  if ("shape" in node) {
    const { shape, dimensionNames } = node;
    const sizes = shape.map((n, i) => {
      const name = dimensionNames?.[i];
      return name == null ? String(n) : `${lineText(name)}: ${n}`;
    });
    return `(${sizes.join(", ")}) ${typeText(node.type)}`;
  }
  if ("error" in node && node.error) return `cannot be opened: ${valueText(node.error.message, 200)}`;
  return node.kind;
}
