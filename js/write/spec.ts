import { refuse, refuseOption, show } from "../shared/arguments.js";
import { InvalidValueError } from "./errors.js";
import { writeJson } from "./json.js";
import { latin1, utf8 } from "./texts.js";

type Options = Readonly<Record<string, unknown>>;

/** The accepted names of options, with their names in this file. */
const groupNames = {
  format: "format",
  zarr_format: "format",
  attributes: "attributes",
  overwrite: "overwrite",
} as const;

const layoutNames = {
  chunks: "chunks",
  chunkShape: "chunks",
  chunk_shape: "chunks",
  shards: "shards",
  codecs: "codecs",
  compressor: "compressor",
  filters: "filters",
  order: "order",
  separator: "separator",
  chunkSeparator: "separator",
  dimension_separator: "separator",
} as const;

const arrayNames = {
  ...groupNames,
  ...layoutNames,
  shape: "shape",
  dtype: "dtype",
  data_type: "dtype",
  dataType: "dtype",
  fillValue: "fill",
  fill_value: "fill",
  dimensionNames: "dimensionNames",
  dimension_names: "dimensionNames",
} as const;

/** Further settings of calls, which are no part of a specification. */
const others = new Set(["signal", "onProgress"]);

/**
 * Returns the options by their names in this file. Throws for an unknown option, and for two names
 * of one option.
 */
function named(what: string, options: Options, names: Readonly<Record<string, string>>): Map<string, unknown> {
  if (options === null || typeof options !== "object") refuse(`${what}: options`, options, "an object");
  const all = new Map<string, unknown>();
  const from = new Map<string, string>();
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || others.has(name)) continue;
    const known = Object.hasOwn(names, name) ? (names[name] as string) : undefined;
    if (known === undefined) refuseOption(what, name, Object.keys(names));
    if (all.has(known)) throw new TypeError(`${what}: ${from.get(known)} and ${name} are the same option`);
    all.set(known, value);
    from.set(known, name);
  }
  return all;
}

const isLength = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Returns a list of lengths of dimensions. */
function lengths(what: string, value: unknown): number[] {
  const list = typeof value === "number" ? [value] : value;
  if (!Array.isArray(list) || !list.every(isLength)) {
    const given = Array.isArray(list) ? `[${list.map(show).join(", ")}]` : list;
    throw new TypeError(`${what}: expected a list of lengths, not ${Array.isArray(list) ? given : show(given)}`);
  }
  return [...list];
}

/** Returns the lengths of chunks along one dimension, in the form of a rectilinear grid. */
function edgesOf(what: string, list: readonly unknown[]): unknown[] {
  const is = (n: unknown) => isLength(n) && n > 0;
  const run = (one: unknown) => is(one) || (Array.isArray(one) && one.length === 2 && one.every(is));
  if (list.length > 0 && list.every(run)) return [...list];
  const given = list.map((one) => (Array.isArray(one) ? `[${one.map(show).join(", ")}]` : show(one)));
  throw new TypeError(`${what}: expected a list of lengths or of [length, count], not [${given.join(", ")}]`);
}

/**
 * Returns the chunks along each dimension: a length, with 0 for the whole dimension, or a list of
 * lengths for an irregular grid.
 */
function cutsOf(what: string, value: unknown): unknown[] {
  if (!Array.isArray(value) || !value.some(Array.isArray)) return lengths(what, value);
  return value.map((one) => (Array.isArray(one) ? edgesOf(what, one) : lengths(what, one)[0]));
}

/**
 * Returns the chunks of the option `chunks`, which may also be a number for all dimensions, or a
 * word.
 */
function chunksOf(what: string, value: unknown, rank: number | undefined): unknown[] | undefined {
  if (value === "auto" || value === true) return undefined;
  if (value === false) return [];
  const list = typeof value === "number" ? new Array<number>(rank ?? 1).fill(value) : value;
  const all = Array.isArray(list) ? list.map((n) => (n === null || n === -1 ? 0 : n)) : list;
  return cutsOf(`${what}: chunks`, all);
}

/** Returns a codec in the form of version 3's metadata. */
function codecOf(what: string, value: unknown): { name: string; configuration?: unknown } {
  if (typeof value === "string") return { name: value };
  const { name, id, configuration, ...rest } = Object(value) as Record<string, unknown>;
  if (typeof name === "string") return { name, ...(configuration !== undefined && { configuration }) };
  if (typeof id === "string")
    return { name: id, configuration: { ...rest, ...(configuration !== undefined && { configuration }) } };
  refuse(what, value, "a codec, as { name, configuration } or { id, … }");
}

/** Returns a codec in the form of version 2's metadata. */
function codecV2(what: string, value: unknown): Record<string, unknown> {
  const { name, configuration } = codecOf(what, value);
  return { id: name, ...(configuration as object | undefined) };
}

function codecList<T>(what: string, value: unknown, make: (what: string, value: unknown) => T): T[] {
  if (!Array.isArray(value)) refuse(what, value, "a list of codecs");
  return value.map((one) => make(what, one));
}

/** Converts zarrita's names of numpy's types. */
function typeName(name: string): string {
  const [, kind, size] = /^v2:(U|S|V)(\d+)$/.exec(name) ?? [];
  if (kind) return `${kind === "U" ? "<" : "|"}${kind}${size}`;
  return name === "v2:object" ? "|O" : name;
}

function typeOf(what: string, value: unknown): unknown {
  if (typeof value === "string") return typeName(value);
  if (value === null || typeof value !== "object") refuse(`${what}: dtype`, value, "a data type");
  return value;
}

/** Reports whether metadata store a type's fill value as bytes in base64. */
function isBytesType(dtype: unknown): boolean {
  const name = typeof dtype === "string" ? dtype : (Object(dtype) as { name?: unknown }).name;
  return (
    typeof name === "string" &&
    /^([<>|=]?[SV]\d+|null_terminated_bytes|raw_bytes|r\d+|(variable_length_)?bytes)$/.test(name)
  );
}

/** Returns a fill value in the form of version 3's metadata. */
function fillJson(dtype: unknown, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === "[object Uint8Array]") {
    return base64(value as Uint8Array);
  }
  if (typeof value === "string" && typeof dtype === "string" && /^[|<>=]?S\d+$/.test(dtype)) {
    const bytes = utf8.encode(value);
    return base64(bytes.length > Number(dtype.replace(/^\D*/, "")) ? (latin1(value) ?? bytes) : bytes);
  }
  if (Array.isArray(value)) return value.map((one) => fillJson(undefined, one));
  if (value !== null && typeof value === "object" && !ArrayBuffer.isView(value)) {
    const { re, im, ...rest } = value as Record<string, unknown>;
    if (typeof re === "number" && typeof im === "number" && Object.keys(rest).length === 0) {
      return [fillJson(undefined, re), fillJson(undefined, im)];
    }
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fillJson(undefined, one)]));
  }
  if (typeof value === "string" && isBytesType(dtype) && !isBase64(value)) {
    throw new InvalidValueError(`the fill value ${show(value)} is not base64 of bytes`);
  }
  return value;
}

const isBase64 = (text: string) => text.length % 4 === 0 && /^[A-Za-z\d+/]*={0,2}$/.test(text);

function base64(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

const formats = (what: string, value: unknown) => {
  if (value !== 2 && value !== 3) refuse(`${what}: format`, value, "2 or 3");
  return value;
};

/**
 * Options that enter a specification unchanged: their public names, their checks, and the
 * descriptions of these.
 */
const verbatim: Readonly<Record<string, readonly [option: string, is: (value: unknown) => boolean, expected: string]>> =
  {
    overwrite: ["overwrite", (value) => typeof value === "boolean", "true or false"],
    attributes: [
      "attributes",
      (value) => value !== null && typeof value === "object" && !Array.isArray(value),
      "an object",
    ],
    order: ["order", (value) => value === "C" || value === "F", '"C" or "F"'],
    separator: ["chunkSeparator", (value) => value === "/" || value === ".", '"/" or "."'],
    dimensionNames: [
      "dimensionNames",
      (value) => Array.isArray(value) && value.every((one) => one === null || typeof one === "string"),
      "a list of names",
    ],
  };

/** Returns the members of a specification for one option. `name` is the member's name. */
function member(what: string, name: string, value: unknown, all: ReadonlyMap<string, unknown>): [string, unknown][] {
  if (value === null && (name === "dimensionNames" || name === "shards")) return [];
  const unchanged = verbatim[name];
  if (unchanged) {
    const [option, is, expected] = unchanged;
    return is(value) ? [[name, value]] : refuse(`${what}: ${option}`, value, expected);
  }
  switch (name) {
    case "format":
      return [[name, formats(what, value)]];
    case "shape":
      return [[name, lengths(`${what}: shape`, value)]];
    case "dtype":
      return [[name, typeOf(what, value)]];
    case "chunks": {
      const shape = all.get("shape");
      const chunks = chunksOf(what, value, Array.isArray(shape) ? shape.length : undefined);
      return chunks ? [[name, chunks]] : [];
    }
    case "shards":
      return [[name, cutsOf(`${what}: shards`, value)]];
    case "codecs":
      return [[name, codecList(`${what}: codecs`, value, codecOf)]];
    case "compressor":
      return [[name, value === null ? null : codecV2(`${what}: compressor`, value)]];
    case "filters":
      return [[name, value === null ? null : codecList(`${what}: filters`, value, codecV2)]];
    default:
      return value === null ? [["noFill", true]] : [["fill", fillJson(typeOf(what, all.get("dtype") ?? ""), value)]];
  }
}

function specification(
  what: string,
  options: Options,
  names: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const all = named(what, options, names);
  if (all.has("codecs") && (all.has("compressor") || all.has("filters"))) {
    throw new TypeError(`${what}: codecs, or compressor and filters, but not both`);
  }
  const chunks = all.get("chunks");
  if (Array.isArray(chunks) && chunks.some(Array.isArray) && (all.get("shards") ?? null) !== null) {
    throw new TypeError(`${what}: chunks inside shards are all of one shape`);
  }
  return Object.fromEntries([...all].flatMap(([name, value]) => member(what, name, value, all)));
}

/** Returns a group's options in the engine's form. */
export function groupSpec(what: string, options: Options): string {
  return writeJson(specification(what, options, groupNames), what);
}

/** Returns an array's options in the engine's form. */
export function arraySpec(what: string, options: Options): string {
  if (options?.shape === undefined) refuse(`${what}: shape`, options?.shape, "a list of lengths");
  return writeJson({ dtype: "float64", ...specification(what, options, arrayNames) }, what);
}

/** Returns changed storage settings of arrays in the engine's form. */
export function layoutSpec(what: string, options: Options): Record<string, unknown> {
  return specification(what, options, layoutNames);
}
