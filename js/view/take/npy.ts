// NumPy's file format: a header that is a Python literal, and the elements in C order.
import type { AnyData, Columns } from "../../data/types.js";
import type { TypeDescription } from "../../engine/protocol/wire.js";
import { UnsupportedError } from "../../index.js";
import type { Slice } from "./slice.js";

/**
 * The encoding of elements: NumPy's type, bytes per element, and a function that writes an element.
 */
interface Written {
  readonly descr: string;
  readonly size: number;
  readonly put: (view: DataView, at: number, i: number) => void;
}

const quote = (text: string) => {
  let out = "";
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (char === "'" || char === "\\") out += `\\${char}`;
    else if (code >= 32 && code < 127) out += char;
    else out += code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  }
  return `'${out}'`;
};

/** Returns the half-float bits of a number that a half float represents exactly. */
function halfBits(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  if (size === Number.POSITIVE_INFINITY) return sign | 0x7c00;
  if (size < 2 ** -14) return sign | (size * 2 ** 24);
  const exponent = Math.floor(Math.log2(size));
  return sign | ((exponent + 15) << 10) | ((size / 2 ** exponent - 1) * 1024);
}

function none(type: TypeDescription): never {
  throw new UnsupportedError(`numpy has no array of ${type.name}`, { feature: `${type.name} as NPY` });
}

function written(type: TypeDescription, data: AnyData, n: number): Written {
  const numbers = data as unknown as Float64Array & BigInt64Array;
  const width = type.kind === "complex" ? Math.max(4, type.size / 2) : type.size;
  const number = (i: number) => numbers[i] as unknown as number;
  const big = (i: number) => numbers[i] as unknown as bigint;
  const bytes = (of: string, get: (i: number) => number) => ({
    descr: `'|${of}1'`,
    size: 1,
    put: (view: DataView, at: number, i: number) => view.setUint8(at, get(i)),
  });
  switch (type.kind) {
    case "bool":
      return bytes("b", number);
    case "int":
    case "uint": {
      const of = type.kind === "int" ? "i" : "u";
      if (width === 1) return bytes(of, number);
      const put: Record<number, Written["put"]> = {
        2: (view, at, i) => view.setUint16(at, number(i), true),
        4: (view, at, i) => view.setUint32(at, number(i), true),
        8: (view, at, i) => view.setBigUint64(at, big(i), true),
      };
      return { descr: `'<${of}${width}'`, size: width, put: put[width] ?? none(type) };
    }
    case "minifloat":
    case "float":
      if (type.kind === "float" && type.size === 2)
        return { descr: "'<f2'", size: 2, put: (view, at, i) => view.setUint16(at, halfBits(number(i)), true) };
      if (width === 8) return { descr: "'<f8'", size: 8, put: (view, at, i) => view.setFloat64(at, number(i), true) };
      return { descr: "'<f4'", size: 4, put: (view, at, i) => view.setFloat32(at, number(i), true) };
    case "complex": {
      const set = (view: DataView, at: number, value: number) =>
        width === 8 ? view.setFloat64(at, value, true) : view.setFloat32(at, value, true);
      return {
        descr: `'<c${2 * width}'`,
        size: 2 * width,
        put: (view, at, i) => {
          set(view, at, number(2 * i));
          set(view, at + width, number(2 * i + 1));
        },
      };
    }
    case "datetime":
    case "timedelta": {
      const { unit = "generic", scale = 1 } = type;
      const of = type.kind === "datetime" ? "M8" : "m8";
      const name = unit.replace(/[μµ]/, "u");
      const every = unit === "generic" ? "" : `[${scale === 1 ? "" : scale}${name}]`;
      return { descr: `'<${of}${every}'`, size: 8, put: (view, at, i) => view.setBigInt64(at, big(i), true) };
    }
    case "raw":
      return {
        descr: `'|V${type.size}'`,
        size: type.size,
        put: (view, at, i) =>
          new Uint8Array(view.buffer, at, type.size).set(
            (data as Uint8Array).subarray(i * type.size, (i + 1) * type.size),
          ),
      };
    case "char":
    case "unicode":
    case "string":
      return texts(type, data as readonly (string | null)[], n);
    case "struct":
      return struct(type, data as Columns, n);
    case "sub":
      return subArrays(type, data as readonly AnyData[], n);
    default:
      return none(type);
  }
}

/** Encodes texts of fixed width: bytes, or four bytes per character. */
function texts(type: TypeDescription, list: readonly (string | null)[], n: number): Written {
  if (type.kind === "char") {
    return {
      descr: `'|S${type.size}'`,
      size: type.size,
      // The texts alone do not identify the original bytes.
      put: () => none(type),
    };
  }
  const points = (text: string | null | undefined): number[] => {
    // A missing text must not become an empty one.
    if (text === null || text === undefined)
      throw new UnsupportedError("numpy has no missing text", { feature: "missing texts as NPY" });
    return Array.from(text, (char) => char.codePointAt(0) ?? 0);
  };
  let width = type.kind === "unicode" ? type.size / 4 : 1;
  if (type.kind === "string") for (let i = 0; i < n; i++) width = Math.max(width, points(list[i]).length);
  return {
    descr: `'<U${width}'`,
    size: 4 * width,
    put: (view, at, i) => {
      for (const [k, point] of points(list[i]).entries()) view.setUint32(at + 4 * k, point, true);
    },
  };
}

function struct(type: TypeDescription, columns: Columns, n: number): Written {
  let size = 0;
  const fields = (type.fields ?? []).map(({ name, type }) => {
    const field = { name, offset: size, ...written(type, columns[name] as AnyData, n) };
    size += field.size;
    return field;
  });
  // The type and the shape of a sub-array are separate entries.
  const descr = fields.map(
    ({ name, descr }) => `(${quote(name)}, ${descr.startsWith("(") ? descr.slice(1, -1) : descr})`,
  );
  return {
    descr: `[${descr.join(", ")}]`,
    size,
    put: (view, at, i) => {
      for (const { offset, put } of fields) put(view, at + offset, i);
    },
  };
}

function subArrays(type: TypeDescription, list: readonly AnyData[], n: number): Written {
  const { elem, shape = [] } = type;
  if (!elem) return none(type);
  const width = shape.reduce((a, b) => a * b, 1);
  const each = Array.from({ length: n }, (_, i) => written(elem, list[i] as AnyData, width));
  const [first] = each;
  if (!first) return none(type);
  return {
    descr: `(${first.descr}, (${shape.join(", ")}${shape.length === 1 ? "," : ""}))`,
    size: width * first.size,
    put: (view, at, i) => {
      for (let k = 0; k < width; k++) each[i]?.put(view, at + k * first.size, k);
    },
  };
}

/**
 * Encodes a slice as a NumPy array in its stored form. Missing elements have the value that means
 * missing.
 */
export function npyOf({
  rows,
  columns,
  parts,
  type,
  data,
  bytes,
}: Pick<Slice, "rows" | "columns" | "parts" | "type" | "data" | "bytes">): Uint8Array<ArrayBuffer> {
  const shape = [rows?.length, columns?.length, parts > 1 ? parts : undefined].filter((n) => n !== undefined);
  const n = shape.reduce((a, b) => a * b, 1);
  const { descr, size, put } = written(type, data, n);
  const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
  const text = `{'descr': ${descr}, 'fortran_order': False, 'shape': ${tuple}, }`;
  // Version 1 has two bytes for the length of the header, version 2 four.
  const long = text.length > 65_000;
  const before = long ? 12 : 10;
  const header = `${text}${" ".repeat(63 - ((before + text.length) % 64))}\n`;
  const out = new Uint8Array(before + header.length + n * size);
  const view = new DataView(out.buffer);
  out.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, long ? 2 : 1, 0]);
  if (long) view.setUint32(8, header.length, true);
  else view.setUint16(8, header.length, true);
  out.set(new TextEncoder().encode(header), before);
  const own = ArrayBuffer.isView(data) ? data : null;
  if (bytes && bytes.length === n * size) out.set(bytes, before + header.length);
  // Memory in little-endian order is copied directly.
  else if (own && own.byteLength === n * size && new Uint8Array(Uint16Array.of(1).buffer)[0] === 1)
    out.set(new Uint8Array(own.buffer, own.byteOffset, own.byteLength), before + header.length);
  else for (let i = 0; i < n; i++) put(view, before + header.length + i * size, i);
  return out;
}
