import { RawArray } from "../data/arrays.js";
import { product } from "../data/shape.js";
import type { TypeDescription, WireValues } from "../engine/protocol/wire.js";
import { UnsupportedError } from "../errors.js";
import { show } from "../shared/arguments.js";
import { type Encoded, elementsOf, isCollection, joined } from "./elements.js";
import { elementCount, encode, isVariable, widthOf } from "./encode.js";
import { InvalidValueError } from "./errors.js";
import { inOrder } from "./inorder.js";
import { bytesIn } from "./numbers.js";

/**
 * Encodes a value for a selection of `rank` dimensions: one element, a chunk from a read, nested
 * lists, or a flat list of elements. The engine gives a flat list the selection's shape.
 */
export function valuesOf(type: TypeDescription, value: unknown, rank: number): WireValues {
  const chunk = chunkOf(type, value);
  if (chunk) {
    const data = inOrder(type, chunk.data, chunk.shape, chunk.stride);
    return wired(encode(type, data, product(chunk.shape)), chunk.shape);
  }
  if (isCollection(value) && !(rank === 0 && type.kind === "object") && !isElement(type, value)) {
    return nested(type, value, rank);
  }
  if (type.kind === "struct" && isColumns(type, value)) return flat(encodeAll(type, value));
  return wired(encode(type, [value], 1), []);
}

/**
 * Returns the bytes and the shape of a chunk whose elements have the engine's form already.
 * Undefined for other values. The bytes are the value's own, which must not change meanwhile.
 */
export function ownValues(
  type: TypeDescription,
  value: unknown,
): { bytes: Uint8Array; shape: readonly number[] } | undefined {
  const chunk = chunkOf(type, value);
  if (!chunk || !ArrayBuffer.isView(chunk.data) || chunk.data instanceof DataView) return undefined;
  const data = inOrder(type, chunk.data, chunk.shape, chunk.stride) as ArrayBufferView;
  const bytes = bytesIn(type, data);
  return bytes && { bytes, shape: chunk.shape };
}

/** Encodes packed bytes of elements, in the form of a read that returns bytes. */
export function bytesOf(type: TypeDescription, value: unknown, rank: number): WireValues {
  if (isVariable(type)) {
    throw new UnsupportedError(`${type.name} has no fixed size: it cannot be written as bytes`, {
      feature: "bytes of a type of variable length",
    });
  }
  const raw: TypeDescription = { kind: "raw", name: `${type.size} bytes`, size: type.size };
  const values = valuesOf(raw, value, rank);
  if (type.kind === "bool" && new Uint8Array(values.buffer).some((byte) => byte > 1)) {
    throw new InvalidValueError("a byte that is neither 0 nor 1 for bool");
  }
  return values;
}

interface ChunkValue {
  data: unknown;
  shape: readonly number[];
  stride?: readonly number[] | undefined;
}

/** Returns the value if it is a chunk; undefined otherwise. */
function chunkOf(type: TypeDescription, value: unknown): ChunkValue | undefined {
  if (value === null || typeof value !== "object" || isCollection(value)) return undefined;
  const { data, shape, stride } = value as Partial<ChunkValue>;
  if (data === undefined || !Array.isArray(shape) || (stride !== undefined && !Array.isArray(stride))) return undefined;
  // A struct may have fields of these names.
  if (type.fields?.some(({ name }) => name === "data") && stride === undefined) return undefined;
  if (data === null || typeof data !== "object") return undefined;
  if (!shape.every((length) => Number.isSafeInteger(length) && length >= 0)) {
    throw new InvalidValueError(`a chunk whose shape is ${shape.map(show).join()}`);
  }
  return { data, shape, stride };
}

/** Reports whether a value that could be several elements is one. */
function isElement(type: TypeDescription, value: unknown): boolean {
  if (value === null) return type.kind === "optional" || type.kind === "object";
  if (!isCollection(value)) return type.kind !== "struct" || !isColumns(type, value);
  const { length } = value;
  const isBytes = Object.prototype.toString.call(value) === "[object Uint8Array]";
  const { elem } = type;
  const isRow = () => ArrayBuffer.isView(value) || length === 0 || (elem && isElement(elem, elementsOf(value)(0)));
  switch (type.kind) {
    case "raw":
      return isBytes && length === type.size && !(value instanceof RawArray);
    case "bytes":
    case "char":
      return isBytes;
    case "sub":
      return elem !== undefined && elementCount(elem, value) === widthOf(type) && isRow() === true;
    case "ragged":
      return isRow() === true;
    case "optional":
      return elem !== undefined && elem.kind !== "optional" && isElement(elem, value);
    default:
      return false;
  }
}

/** Reports whether an object has columns of structs, and is not one struct. */
function isColumns(type: TypeDescription, value: unknown): boolean {
  if (value === null || typeof value !== "object") return false;
  if (Symbol.iterator in value) return true;
  return (type.fields ?? []).some(({ name, type: field }) => {
    const column = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
    if (field.kind === "struct" && !isCollection(column)) return isColumns(field, column);
    return isCollection(column) && !isElement(field, column);
  });
}

function encodeAll(type: TypeDescription, data: unknown): [encoded: Encoded, count: number] {
  const count = elementCount(type, data) ?? 0;
  if (!Number.isInteger(count)) throw new InvalidValueError(`entries for ${count} elements of ${type.name}`);
  return [encode(type, data, count), count];
}

/** Encodes a flat list of elements. */
function flat([encoded, count]: [Encoded, number]): WireValues {
  return { ...wired(encoded, [count]), list: true };
}

/**
 * Encodes nested lists, or lists of typed arrays. Those beside each other must have the same
 * length.
 */
function nested(type: TypeDescription, list: ArrayLike<unknown>, rank: number): WireValues {
  const own: number[] = [];
  const rows: ArrayLike<unknown>[] = [];
  // An object element may itself be a list. Only as many levels are opened as there are dimensions.
  const most = type.kind === "object" ? rank : Number.POSITIVE_INFINITY;
  const visit = (one: ArrayLike<unknown>, depth: number): void => {
    const at = elementsOf(one);
    const first = one.length > 0 ? at(0) : undefined;
    const inner = !ArrayBuffer.isView(one) && depth + 1 < most && isCollection(first) && !isElement(type, first);
    const length = inner ? one.length : (elementCount(type, one) ?? 0);
    own[depth] ??= length;
    if (own[depth] !== length || (depth + 1 < own.length && !inner && length > 0)) {
      throw new InvalidValueError(`lists of ${own[depth]} and of ${length} elements beside each other`);
    }
    if (!inner) {
      rows.push(one);
      return;
    }
    for (let i = 0; i < length; i++) {
      const row = at(i);
      if (!isCollection(row)) throw new InvalidValueError(`${show(row)} beside a list of elements`);
      visit(row, depth + 1);
    }
  };
  visit(list, 0);
  const lists = rows.length > 1 && rows.every((row) => Array.isArray(row));
  const encoded = lists ? encodeAll(type, rows.flat(1))[0] : joined(rows.map((row) => encodeAll(type, row)[0]));
  return own.length === 1 ? flat([encoded, own[0] as number]) : wired(encoded, own);
}

function wired({ bytes, offsets, missing }: Encoded, shape: readonly number[]): WireValues {
  return {
    buffer: bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : bytes.slice().buffer,
    shape: [...shape],
    ...(offsets && { offsets: offsets.buffer }),
    ...(missing && { missing: missing.buffer }),
  };
}
