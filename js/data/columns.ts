import type { WireColumn } from "../engine/protocol/columns.js";
import type { TypeDescription } from "../engine/protocol/wire.js";
import { CodecPipelineError, UnsupportedError } from "../errors.js";
import { parseJson } from "./json.js";
import { decodeFloat16, decodeMiniFloat } from "./minifloat.js";

/** Elements in the form of Go's answers: see `WireBlock`. */
interface Elements {
  /** Packed little-endian elements, or the concatenated payloads. */
  bytes: Uint8Array<ArrayBuffer>;
  count: number;
  /** For types of variable length: the start of each payload, and the end of the last. */
  offsets?: Uint32Array<ArrayBuffer> | undefined;
  /** A byte for each object, 1 if it is missing. */
  missing?: Uint8Array<ArrayBuffer> | undefined;
}

/**
 * Returns the column of elements. It takes time for each element: with workers, it does not run on
 * the page's thread.
 */
export function makeColumn(type: TypeDescription, elements: Elements): WireColumn {
  const { bytes, count } = elements;
  switch (type.kind) {
    case "bool":
    case "datetime":
    case "timedelta":
    case "raw":
      return whole(bytes);
    case "int":
    case "uint":
      if (type.bits) extend(bytes, type.bits, type.kind === "int");
      return whole(bytes);
    case "float":
    case "minifloat":
      return floats(type, bytes);
    case "complex": // There are no complex arrays of halves.
      return inner(type).size === 2 && inner(type).kind === "float"
        ? decodeFloat16(bytes).buffer
        : floats(inner(type), bytes);
    case "char":
      return chars(type.size, bytes, count);
    case "unicode":
      return codePoints(type.size / 4, bytes, count);
    case "struct": {
      const fields = type.fields ?? [];
      return {
        fields: fields.map(({ offset, type: field }) =>
          makeColumn(field, { bytes: gather(bytes, type.size, offset, field.size, count), count }),
        ),
      };
    }
    case "optional": {
      const elem = inner(type);
      const size = 1 + elem.size;
      const values = gather(bytes, size, 1, elem.size, count);
      return { mask: gather(bytes, size, 0, 1, count).buffer, of: makeColumn(elem, { bytes: values, count }) };
    }
    case "sub": {
      const elem = inner(type);
      return { of: makeColumn(elem, { bytes, count: elem.size === 0 ? 0 : bytes.length / elem.size }) };
    }
    case "string":
      checkTexts(elements);
      return payloads(elements);
    case "bytes":
      return payloads(elements);
    case "ragged": {
      const elem = inner(type);
      const { offsets, missing } = payloads(elements);
      const of = makeColumn(elem, { bytes, count: bytes.length / elem.size });
      return { offsets: new Uint32Array(offsets).map((at) => at / elem.size).buffer, of, ...(missing && { missing }) };
    }
    case "object":
      checkDocuments(elements);
      return payloads(elements);
    default:
      throw new UnsupportedError(`data type ${type.name}`, { feature: type.name });
  }
}

/** Returns the transferable buffers of a column. */
export function buffersOf(column: unknown): ArrayBuffer[] {
  if (column instanceof ArrayBuffer) return [column];
  return column === Object(column) ? Object.values(column as object).flatMap(buffersOf) : [];
}

function inner(type: TypeDescription): TypeDescription {
  if (!type.elem) throw new UnsupportedError(`data type ${type.name} without an element type`, { feature: type.name });
  return type.elem;
}

/** Returns a buffer with exactly these bytes. */
function whole(bytes: Uint8Array<ArrayBuffer>): ArrayBuffer {
  return bytes.length === bytes.buffer.byteLength ? bytes.buffer : bytes.slice().buffer;
}

/** Extends integers of less than a byte to bytes, in place. */
function extend(bytes: Uint8Array, bits: number, signed: boolean): void {
  const shift = 32 - bits;
  for (let i = 0; i < bytes.length; i++) {
    const high = (bytes[i] as number) << shift;
    bytes[i] = signed ? high >> shift : high >>> shift;
  }
}

/**
 * Returns floats in the form of the page's typed arrays. Types without a typed array become
 * float32.
 */
function floats({ kind, name, size }: TypeDescription, bytes: Uint8Array<ArrayBuffer>): ArrayBuffer {
  if (kind === "minifloat") return decodeMiniFloat(name, bytes).buffer;
  return size === 2 && typeof Float16Array !== "function" ? decodeFloat16(bytes).buffer : whole(bytes);
}

/** Gathers `width` bytes at `offset` of each of `count` elements of `size` bytes. */
function gather(
  bytes: Uint8Array,
  size: number,
  offset: number,
  width: number,
  count: number,
): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(count * width);
  // Copies in the largest units that the alignment of all parts allows.
  const start = bytes.byteOffset + offset;
  const odd = size | start | width;
  const Unit = odd % 4 === 0 ? Uint32Array : odd % 2 === 0 ? Uint16Array : Uint8Array;
  const unit = Unit.BYTES_PER_ELEMENT;
  const from = new Unit(bytes.buffer as ArrayBuffer, 0, Math.floor(bytes.buffer.byteLength / unit));
  const to = new Unit(out.buffer);
  const step = size / unit;
  const units = width / unit;
  let at = start / unit;
  for (let i = 0; i < to.length; at += step) {
    for (let k = 0; k < units; k++) to[i++] = from[at + k] as number;
  }
  return out;
}

// Keeps a byte order mark as text. Invalid UTF-8 is an error.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

interface Payloads {
  payloads: ArrayBuffer;
  offsets: ArrayBuffer;
  missing?: ArrayBuffer;
}

function payloads({ bytes, count, offsets, missing }: Elements): Payloads {
  if (offsets?.length !== count + 1) throw new CodecPipelineError("elements of variable length without their offsets");
  return { payloads: whole(bytes), offsets: offsets.buffer, ...(missing && { missing: missing.buffer }) };
}

function isAscii(bytes: Uint8Array): boolean {
  // Four bytes at a time, if they are aligned.
  const words = bytes.byteOffset % 4 === 0 ? bytes.length >> 2 : 0;
  const many = new Uint32Array(bytes.buffer, words && bytes.byteOffset, words);
  for (let i = 0; i < many.length; i++) if ((many[i] as number) & 0x80808080) return false;
  for (let i = 4 * words; i < bytes.length; i++) if ((bytes[i] as number) & 0x80) return false;
  return true;
}

/** The approximate number of bytes that are checked together. */
const together = 1 << 16;

/** Throws for an element that is not UTF-8. */
function checkTexts({ bytes, offsets }: Elements): void {
  if (!offsets || isAscii(bytes)) return;
  for (let from = 0, to = 0; from + 1 < offsets.length; from = to) {
    const begin = offsets[from] as number;
    // If the elements together are valid UTF-8, each of them is, unless one begins in the middle of
    // a character.
    let each = true;
    for (to = from; to === from || (to + 1 < offsets.length && (offsets[to] as number) - begin < together); to++) {
      const at = offsets[to] as number;
      if (at < (offsets[to + 1] as number) && ((bytes[at] as number) & 0xc0) === 0x80) each = false;
    }
    try {
      utf8.decode(bytes.subarray(begin, offsets[to]));
    } catch {
      each = false;
    }
    for (let i = from; !each && i < to; i++) text(bytes.subarray(offsets[i], offsets[i + 1]), i);
  }
}

/** Throws for an element that is not JSON. */
function checkDocuments({ bytes, offsets = new Uint32Array() }: Elements): void {
  const at = (i: number) => offsets[i] as number;
  for (let from = 0, to = 0; from + 1 < offsets.length; from = to) {
    for (to = from + 1; to + 1 < offsets.length && at(to) - at(from) < together; ) to++;
    const part = bytes.subarray(at(from), at(to));
    const ascii = isAscii(part) ? utf8.decode(part) : undefined;
    for (let i = from; i < to; i++) {
      if (at(i) === at(i + 1)) continue;
      const document =
        ascii?.slice(at(i) - at(from), at(i + 1) - at(from)) ?? text(bytes.subarray(at(i), at(i + 1)), i);
      try {
        parseJson(document);
      } catch (cause) {
        throw new CodecPipelineError(`element ${i} is not valid JSON`, { cause });
      }
    }
  }
}

function text(bytes: Uint8Array, i: number): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new CodecPipelineError(`element ${i} is not valid UTF-8`, { cause });
  }
}

/**
 * Removes the trailing NULs of fixed-width bytes. Elements that are not UTF-8 become one Latin-1
 * character for each byte.
 */
function chars(size: number, bytes: Uint8Array<ArrayBuffer>, count: number): WireColumn {
  const offsets = new Uint32Array(count + 1);
  const ascii = isAscii(bytes);
  const units = ascii ? new Uint8Array(bytes.length) : new Uint16Array(bytes.length);
  let at = 0;
  for (let i = 0; i < count; i++) {
    const start = i * size;
    let end = start + size;
    while (end > start && bytes[end - 1] === 0) end--;
    if (ascii) for (let k = start; k < end; k++) units[at++] = bytes[k] as number;
    else {
      const element = utf8OrLatin1(bytes.slice(start, end));
      for (let k = 0; k < element.length; k++) units[at++] = element.charCodeAt(k);
    }
    offsets[i + 1] = at;
  }
  return { payloads: units.slice(0, at).buffer, offsets: offsets.buffer, wide: !ascii };
}

function utf8OrLatin1(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return String.fromCharCode(...bytes);
  }
}

/**
 * Removes the trailing NULs of UTF-32. Code points outside of Unicode are an error; halves of
 * surrogate pairs stay.
 */
function codePoints(length: number, bytes: Uint8Array<ArrayBuffer>, count: number): WireColumn {
  const points = new Uint32Array(whole(bytes), 0, count * length);
  let wide = false;
  let pairs = 0;
  for (let i = 0; i < points.length; i++) {
    const point = points[i] as number;
    if (point < 0x80) continue;
    wide = true;
    if (point >= 0x10000) pairs++;
    if (point > 0x10ffff) {
      const element = Math.floor(i / length);
      throw new CodecPipelineError(`element ${element} has a code point outside of Unicode: ${point}`);
    }
  }
  const offsets = new Uint32Array(count + 1);
  const units = wide ? new Uint16Array(points.length + pairs) : new Uint8Array(points.length);
  let at = 0;
  for (let i = 0; i < count; i++) {
    let end = (i + 1) * length;
    while (end > i * length && points[end - 1] === 0) end--;
    for (let k = i * length; k < end; k++) {
      const point = points[k] as number;
      if (point >= 0x10000) {
        units[at++] = 0xd7c0 + (point >> 10);
        units[at++] = 0xdc00 + (point & 0x3ff);
      } else units[at++] = point;
    }
    offsets[i + 1] = at;
  }
  return { payloads: units.slice(0, at).buffer, offsets: offsets.buffer, wide };
}
