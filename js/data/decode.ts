import type { TypeDescription, WireBlock } from "../engine/protocol.js";
import { CodecPipelineError, UnsupportedError } from "../errors.js";
import {
  BoolArray,
  ByteStringArray,
  Complex64Array,
  Complex128Array,
  DateTimeArray,
  RawArray,
  TimeDeltaArray,
  UnicodeStringArray,
} from "./arrays.js";
import { parseJson } from "./json.js";
import { decodeFloat16, decodeMiniFloat } from "./minifloat.js";
import type { AnyData, AnyScalar } from "./types.js";

/** Elements as they come from the engine: see {@link WireBlock}. */
interface Elements {
  /** Packed little-endian elements, or the payloads one after the other. */
  bytes: Uint8Array<ArrayBuffer>;
  count: number;
  /** Types of variable length: where each payload begins, and where the last ends. */
  offsets?: Uint32Array;
  /** A byte each, 1 for an object that is missing. */
  missing?: Uint8Array;
}

/** Makes the typed array (or the array, or the columns) of a block that the engine sent. */
export function decodeBlock(type: TypeDescription, block: Omit<WireBlock, "type">): AnyData {
  const elements: Elements = {
    bytes: new Uint8Array(block.buffer),
    count: block.shape.reduce((product, size) => product * size, 1),
  };
  if (block.offsets) elements.offsets = new Uint32Array(block.offsets);
  if (block.missing) elements.missing = new Uint8Array(block.missing);
  return decode(type, elements);
}

/** Makes a scalar of the bytes of one element, such as a fill value. */
export function decodeElement(type: TypeDescription, bytes: Uint8Array): AnyScalar {
  const own = new Uint8Array(bytes);
  return scalarAt(type, decode(type, { bytes: own, count: 1, offsets: Uint32Array.of(0, own.length) }), 0);
}

/** Element `i` of what {@link decodeBlock} made. */
export function scalarAt(type: TypeDescription, data: AnyData, i: number): AnyScalar {
  if (
    data instanceof BoolArray ||
    data instanceof Complex64Array ||
    data instanceof Complex128Array ||
    data instanceof RawArray
  ) {
    return data.get(i);
  }
  if (type.kind === "struct") {
    const columns = data as Record<string, AnyData>;
    const fields = type.fields ?? [];
    return Object.fromEntries(fields.map((f) => [f.name, scalarAt(f.type, columns[f.name] as AnyData, i)]));
  }
  return (data as ArrayLike<AnyScalar>)[i] as AnyScalar;
}

function decode(type: TypeDescription, elements: Elements): AnyData {
  const { bytes, count } = elements;
  switch (type.kind) {
    case "bool":
      return new BoolArray(bytes.buffer, bytes.byteOffset, count);
    case "int":
      return decodeInt(type, elements);
    case "uint":
      return decodeUint(type, elements);
    case "float":
      return decodeFloat(type, elements);
    case "minifloat":
      return decodeMiniFloat(type.name, bytes);
    case "complex":
      return decodeComplex(type, elements);
    case "datetime":
      return new DateTimeArray(aligned(bytes, 8), 0, count, type.unit ?? "generic", type.scale ?? 1);
    case "timedelta":
      return new TimeDeltaArray(aligned(bytes, 8), 0, count, type.unit ?? "generic", type.scale ?? 1);
    case "raw":
      return new RawArray(bytes.buffer, bytes.byteOffset, bytes.length, type.size);
    case "char":
      return decodeChar(type.size, elements);
    case "unicode":
      return decodeUnicode(type.size / 4, elements);
    case "struct":
      return decodeStruct(type, elements);
    case "optional":
      return decodeOptional(type, elements);
    case "sub":
      return decodeSub(type, elements);
    case "string":
      return decodeString(elements);
    case "bytes":
      return eachPayload(elements, (payload) => payload);
    case "ragged": {
      const elem = inner(type);
      return eachPayload(elements, (payload) => decode(elem, { bytes: payload, count: payload.length / elem.size }));
    }
    case "object":
      return eachPayload(elements, (payload, i) => (payload.length === 0 ? null : parseJson(text(payload, i))));
    default:
      throw new UnsupportedError(`data type ${type.name}`, { feature: type.name });
  }
}

/** A buffer that begins with the bytes, for typed arrays of `width` bytes an element. */
function aligned(bytes: Uint8Array<ArrayBuffer>, width: number): ArrayBuffer {
  if (bytes.byteOffset === 0 && bytes.buffer.byteLength % width === 0) return bytes.buffer;
  return bytes.slice().buffer;
}

function inner(type: TypeDescription): TypeDescription {
  if (!type.elem) throw new UnsupportedError(`data type ${type.name} without an element type`, { feature: type.name });
  return type.elem;
}

function decodeInt(type: TypeDescription, { bytes, count }: Elements): AnyData {
  switch (type.size) {
    case 1: {
      const out = new Int8Array(bytes.buffer, bytes.byteOffset, count);
      if (type.bits) {
        const shift = 32 - type.bits;
        for (let i = 0; i < count; i++) out[i] = ((out[i] as number) << shift) >> shift;
      }
      return out;
    }
    case 2:
      return new Int16Array(aligned(bytes, 2), 0, count);
    case 4:
      return new Int32Array(aligned(bytes, 4), 0, count);
    default:
      return new BigInt64Array(aligned(bytes, 8), 0, count);
  }
}

function decodeUint(type: TypeDescription, { bytes, count }: Elements): AnyData {
  switch (type.size) {
    case 1: {
      const out = new Uint8Array(bytes.buffer, bytes.byteOffset, count);
      if (type.bits) {
        const mask = (1 << type.bits) - 1;
        for (let i = 0; i < count; i++) out[i] = (out[i] as number) & mask;
      }
      return out;
    }
    case 2:
      return new Uint16Array(aligned(bytes, 2), 0, count);
    case 4:
      return new Uint32Array(aligned(bytes, 4), 0, count);
    default:
      return new BigUint64Array(aligned(bytes, 8), 0, count);
  }
}

function decodeFloat(type: TypeDescription, { bytes, count }: Elements): AnyData {
  switch (type.size) {
    case 2:
      if (typeof Float16Array === "function") return new Float16Array(aligned(bytes, 2), 0, count);
      return decodeFloat16(bytes);
    case 4:
      return new Float32Array(aligned(bytes, 4), 0, count);
    default:
      return new Float64Array(aligned(bytes, 8), 0, count);
  }
}

function decodeComplex(type: TypeDescription, { bytes, count }: Elements): AnyData {
  const elem = inner(type);
  if (elem.kind === "float" && elem.size === 8) return new Complex128Array(aligned(bytes, 8), 0, 2 * count);
  if (elem.kind === "float" && elem.size === 4) return new Complex64Array(aligned(bytes, 4), 0, 2 * count);
  const parts = elem.kind === "float" ? decodeFloat16(bytes) : decodeMiniFloat(elem.name, bytes);
  return new Complex64Array(parts.buffer, 0, 2 * count);
}

/** Fixed-width bytes without their trailing NULs: as UTF-8 where they are, else a Latin-1 character a byte. */
function decodeChar(size: number, { bytes, count }: Elements): AnyData {
  const whole = asciiText(bytes);
  const out = new ByteStringArray(count);
  for (let i = 0; i < count; i++) {
    const start = i * size;
    let end = start + size;
    while (end > start && bytes[end - 1] === 0) end--;
    out[i] = whole === undefined ? utf8OrLatin1(bytes.subarray(start, end)) : whole.slice(start, end);
  }
  return out;
}

function utf8OrLatin1(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    let s = "";
    for (const byte of bytes) s += String.fromCharCode(byte);
    return s;
  }
}

/** UTF-32 without trailing NULs. */
function decodeUnicode(length: number, { bytes, count }: Elements): AnyData {
  const units = new Uint32Array(aligned(bytes, 4), 0, count * length);
  const out = new UnicodeStringArray(count);
  for (let i = 0; i < count; i++) {
    let end = (i + 1) * length;
    while (end > i * length && units[end - 1] === 0) end--;
    let s = "";
    for (let k = i * length; k < end; k++) {
      const point = units[k] as number;
      if (point > 0x10ffff) throw new CodecPipelineError(`element ${i} has a character that Unicode has not: ${point}`);
      s += String.fromCodePoint(point);
    }
    out[i] = s;
  }
  return out;
}

/** One column a field. A field called `__proto__` is data like any other. Iterating gives the elements. */
function decodeStruct(type: TypeDescription, { bytes, count }: Elements): AnyData {
  const columns = (type.fields ?? []).map(({ name, offset, type: field }) => {
    const column = gather(bytes, type.size, offset, field.size, count);
    return [name, decode(field, { bytes: column, count })];
  });
  const data = Object.fromEntries(columns);
  return Object.defineProperty(data, Symbol.iterator, {
    *value() {
      for (let i = 0; i < count; i++) yield scalarAt(type, data, i);
    },
  });
}

/** Brings together `width` bytes at `offset` of each of `count` elements of `size` bytes. */
function gather(
  bytes: Uint8Array,
  size: number,
  offset: number,
  width: number,
  count: number,
): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(count * width);
  for (let i = 0; i < count; i++) {
    const from = i * size + offset;
    for (let k = 0; k < width; k++) out[i * width + k] = bytes[from + k] as number;
  }
  return out;
}

/** Null for what is absent. What is there and could be null itself, because it is optional too, stands in an object. */
function decodeOptional(type: TypeDescription, { bytes, count }: Elements): AnyData {
  const elem = inner(type);
  const size = 1 + elem.size;
  const data = decode(elem, { bytes: gather(bytes, size, 1, elem.size, count), count });
  return Array.from({ length: count }, (_, i) => {
    if (bytes[i * size] === 0) return null;
    const value = scalarAt(elem, data, i);
    return elem.kind === "optional" ? { value } : value;
  });
}

/** A field that is an array itself: an element is the flat array of its values, in C order. */
function decodeSub(type: TypeDescription, { bytes, count }: Elements): AnyData {
  const elem = inner(type);
  const width = (type.shape ?? []).reduce((product, size) => product * size, 1) * elem.size;
  return Array.from({ length: count }, (_, i) =>
    decode(elem, { bytes: bytes.slice(i * width, (i + 1) * width), count: elem.size === 0 ? 0 : width / elem.size }),
  );
}

// A byte order mark is text, and what is not UTF-8 is an error.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function text(bytes: Uint8Array, i: number): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new CodecPipelineError(`element ${i} is not valid UTF-8`, { cause });
  }
}

/** Text of ASCII only, the usual case: decoded at once, to be cut up. Undefined for any other. */
function asciiText(bytes: Uint8Array): string | undefined {
  try {
    const whole = utf8.decode(bytes);
    return whole.length === bytes.length ? whole : undefined;
  } catch {
    return undefined;
  }
}

function decodeString(elements: Elements): AnyData {
  const whole = asciiText(elements.bytes);
  const { offsets } = elements;
  if (whole === undefined || !offsets) return eachPayload(elements, text);
  return eachPayload(elements, (_, i) => whole.slice(offsets[i], offsets[i + 1]));
}

/** What `make` gives for each payload (a view), and null for what is missing. */
function eachPayload<T>(
  { bytes, count, offsets, missing }: Elements,
  make: (payload: Uint8Array<ArrayBuffer>, i: number) => T,
): (T | null)[] {
  if (offsets?.length !== count + 1) throw new CodecPipelineError("elements of variable length without their offsets");
  const out = new Array<T | null>(count);
  for (let i = 0; i < count; i++) {
    out[i] = missing?.[i] === 1 ? null : make(bytes.subarray(offsets[i], offsets[i + 1]), i);
  }
  return out;
}
