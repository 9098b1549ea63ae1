import { product } from "../data/shape.js";
import type { TypeDescription } from "../engine/protocol/wire.js";
import { UnsupportedError } from "../errors.js";
import { type Collection, type Encoded, elementsOf, isCollection, payloads } from "./elements.js";
import { InvalidValueError } from "./errors.js";
import { writeJson } from "./json.js";
import { bools, complexes, entriesOf, floats, integers, typed } from "./numbers.js";
import { refuseElement } from "./refused.js";
import { byteStrings, chars, codePoints, texts } from "./texts.js";

/**
 * Returns the number of a type's elements in data. Returns undefined for elements without bytes or
 * fields.
 */
export function elementCount(type: TypeDescription, data: unknown): number | undefined {
  if (isCollection(data)) {
    if (!ArrayBuffer.isView(data)) return data.length;
    const entries = entriesOf(type);
    return entries === 0 ? undefined : data.length / entries;
  }
  const [field] = type.fields ?? [];
  return field && elementCount(field.type, (data as Record<string, unknown>)[field.name]);
}

/**
 * Encodes `count` elements for the engine, from a list or from the form in which a read returns
 * them.
 */
export function encode(type: TypeDescription, data: unknown, count: number): Encoded {
  if (type.kind === "struct") return structs(type, data, count);
  if (!isCollection(data)) throw new InvalidValueError(`elements of ${type.name} cannot be ${typeof data}s`);
  const { length } = data;
  if (length !== count * (ArrayBuffer.isView(data) ? entriesOf(type) : 1)) {
    throw new InvalidValueError(`${length} entries for ${count} elements of ${type.name}`);
  }
  const at = elementsOf(data);
  if (ArrayBuffer.isView(data)) return typed(type, data);
  switch (type.kind) {
    case "bool":
      return bools(type, data);
    case "int":
    case "uint":
    case "datetime":
    case "timedelta":
      return integers(type, data);
    case "float":
    case "minifloat":
      return floats(type, data);
    case "complex":
      return complexes(type, data);
    case "char":
      return chars(type, at, count);
    case "unicode":
      return codePoints(type, at, count);
    case "raw":
      return fixed(type, count, (i, value) => {
        const bytes = at(i);
        if (!isRaw(bytes, type.size)) refuseElement(type, bytes, i);
        value.set(bytes);
      });
    case "string":
      return texts(type, at, count);
    case "bytes":
      return byteStrings(type, at, count);
    case "optional":
      return optionals(type, data);
    case "sub": {
      const elem = inner(type);
      const width = widthOf(type);
      return fixed(type, count, (i, value) => {
        const all = at(i);
        if (!hasElements(elem, all) || elementCount(elem, all) !== width) refuseElement(type, all, i);
        value.set(encode(elem, all, width).bytes);
      });
    }
    case "ragged": {
      const elem = inner(type);
      return payloads(
        Array.from({ length: count }, (_, i) => {
          const all = at(i);
          if (!hasElements(elem, all)) refuseElement(type, all, i);
          return encode(elem, all, elementCount(elem, all) ?? 0).bytes;
        }),
      );
    }
    case "object":
      return documents(at, count);
  }
}

function inner({ name, elem }: TypeDescription): TypeDescription {
  if (!elem || isVariable(elem)) throw new UnsupportedError(`writing elements of ${name}`, { feature: name });
  return elem;
}

/** Reports whether the elements of a type have no fixed size. */
export function isVariable({ kind, elem }: TypeDescription): boolean {
  return /^(string|bytes|ragged|object)$/.test(kind) || (kind === "optional" && elem !== undefined && isVariable(elem));
}

/**
 * Returns the number of elements in a sub-array, in the form of a read; 0 if they have no bytes.
 */
export function widthOf({ shape = [], elem }: TypeDescription): number {
  return elem?.size === 0 ? 0 : product(shape);
}

/** Reports whether a value has elements of a type. For structs, columns are included. */
const hasElements = (type: TypeDescription, value: unknown) =>
  isCollection(value) || (type.kind === "struct" && value !== null && typeof value === "object");

const isRaw = (value: unknown, size: number): value is Uint8Array =>
  Object.prototype.toString.call(value) === "[object Uint8Array]" && (value as Uint8Array).length === size;

/** Encodes elements of fixed size. `put` writes each into its place. */
function fixed({ size }: TypeDescription, count: number, put: (i: number, place: Uint8Array) => void): Encoded {
  const bytes = new Uint8Array(count * size);
  for (let i = 0; i < count; i++) put(i, bytes.subarray(i * size, (i + 1) * size));
  return { bytes };
}

/** Copies elements of `width` bytes to `offset` in each element of `size` bytes. */
function spread(to: Uint8Array, from: Uint8Array, size: number, offset: number, width: number): void {
  for (let at = 0, out = offset; at < from.length; at += width, out += size) {
    for (let k = 0; k < width; k++) to[out + k] = from[at + k] as number;
  }
}

/** Encodes structs: a column for each field, or a list of objects. */
function structs(type: TypeDescription, data: unknown, count: number): Encoded {
  const { size, fields = [] } = type;
  const bytes = new Uint8Array(count * size);
  const columns = isCollection(data) ? columnsOf(type, data, count) : (data as { [field: string]: unknown });
  const names = Object.keys(columns);
  const known = new Set(fields.map(({ name }) => name));
  const odd = names.find((name) => !known.has(name));
  if (odd !== undefined) throw new InvalidValueError(`${type.name} has no field ${JSON.stringify(odd)}`);
  for (const { name, offset, type: field } of fields) {
    if (!Object.hasOwn(columns, name)) throw new InvalidValueError(`no values of the field ${JSON.stringify(name)}`);
    if (isVariable(field)) throw new UnsupportedError(`writing elements of ${type.name}`, { feature: type.name });
    spread(bytes, encode(field, columns[name], count).bytes, size, offset, field.size);
  }
  return { bytes };
}

/** Returns the columns of a list of structs. */
function columnsOf(type: TypeDescription, list: Collection, count: number): { [field: string]: unknown } {
  const at = elementsOf(list);
  const names = (type.fields ?? []).map(({ name }) => name);
  const columns = names.map((): unknown[] => []);
  for (let i = 0; i < count; i++) {
    const value = at(i);
    const its = value === Object(value) ? Object.keys(value as object) : [];
    if (its.length !== names.length || !names.every((name) => Object.hasOwn(value as object, name))) {
      refuseElement(type, value, i, `expected an object of ${names.map((name) => JSON.stringify(name)).join(", ")}`);
    }
    for (const [k, name] of names.entries()) columns[k]?.push((value as Record<string, unknown>)[name]);
  }
  return Object.fromEntries(names.map((name, k) => [name, columns[k]]));
}

/** Encodes optional elements: a byte for their presence, and the element. */
function optionals(type: TypeDescription, list: Collection): Encoded {
  const elem = inner(type);
  const at = elementsOf(list);
  const there: number[] = [];
  const values: unknown[] = [];
  for (let i = 0; i < list.length; i++) {
    const value = at(i);
    if (value === null) continue;
    there.push(i);
    if (elem.kind !== "optional") values.push(value);
    else if (value === Object(value) && Object.keys(value as object).join() === "value") {
      values.push((value as { value: unknown }).value);
    } else refuseElement(type, value, i, "expected null or { value }");
  }
  const size = 1 + elem.size;
  const bytes = new Uint8Array(list.length * size);
  const encoded = encode(elem, values, values.length).bytes;
  for (const [k, i] of there.entries()) {
    bytes[i * size] = 1;
    bytes.set(encoded.subarray(k * elem.size, (k + 1) * elem.size), i * size + 1);
  }
  return { bytes };
}

const utf8 = new TextEncoder();

/** Encodes objects as JSON. */
function documents(at: (i: number) => unknown, count: number): Encoded {
  const missing = new Uint8Array(count);
  const encoded = payloads(
    Array.from({ length: count }, (_, i) => {
      const value = at(i);
      if (value === undefined) throw new InvalidValueError(`element ${i}: undefined has no JSON form`);
      if (value === null) missing[i] = 1;
      return utf8.encode(value === null ? "" : writeJson(value, `element ${i}`));
    }),
  );
  return missing.includes(1) ? { ...encoded, missing } : encoded;
}
