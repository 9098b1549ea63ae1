import type { WireColumn, WireColumns } from "../engine/protocol/columns.js";
import type { TypeDescription } from "../engine/protocol/wire.js";
import { UnsupportedError } from "../errors.js";
import { ByteStringArray, UnicodeStringArray } from "./arrays.js";
import { scalarAt, typedArray } from "./decode.js";
import { parseJson } from "./json.js";
import { listOf } from "./lazylist.js";
import { product } from "./shape.js";
import type { AnyData, Columns } from "./types.js";

/** Adds an iterator over the `n` structs to their columns. */
export function structs(type: TypeDescription, columns: { [field: string]: AnyData }, n: number): Columns {
  return Object.defineProperty(columns as Columns, Symbol.iterator, {
    *value() {
      for (let i = 0; i < n; i++) yield scalarAt(type, columns as Columns, i);
    },
  });
}

/** Returns the data of elements `from` to `to` of a column of any type. */
export function decodeColumn(type: TypeDescription, column: WireColumn, from: number, to: number): AnyData {
  const { payloads, offsets, missing, mask, fields, of } = column as WireColumns;
  const elem = type.elem as TypeDescription;
  const begin = new Uint32Array(offsets ?? []);
  const absent = missing && new Uint8Array(missing);
  const spanned = (begin[to] as number) - (begin[from] as number);
  /** Lists the results of `make`, with null for missing elements. */
  const list = (cost: number, make: (i: number) => unknown, empty: unknown[] = []): AnyData =>
    listOf(to - from, cost, (i) => (absent?.[from + i] ? null : make(from + i)), empty);
  switch (type.kind) {
    case "char":
    case "unicode":
    case "string": {
      const empty = { char: new ByteStringArray(), unicode: new UnicodeStringArray(), string: [] }[type.kind];
      return list(spanned, texts(column as WireColumns, begin, from, to), empty);
    }
    case "bytes": {
      const bytes = new Uint8Array(payloads as ArrayBuffer);
      return list(0, (i) => bytes.subarray(begin[i], begin[i + 1]));
    }
    case "object": {
      const text = texts(column as WireColumns, begin, from, to);
      // Parsing takes longer than decoding text.
      return list(8 * spanned, (i) => (begin[i] === begin[i + 1] ? null : parseJson(text(i))));
    }
    case "struct": {
      // A field called __proto__ is data like any other.
      const data = Object.fromEntries(
        (type.fields ?? []).map((f, k): [string, AnyData] => [
          f.name,
          decodeColumn(f.type, fields?.[k] as WireColumn, from, to),
        ]),
      );
      return structs(type, data, to - from);
    }
    case "optional": {
      const there = new Uint8Array(mask as ArrayBuffer);
      const values = decodeColumn(elem, of as WireColumn, from, to);
      return list(0, (i) => {
        if (there[i] === 0) return null;
        // If the inner value is optional too, it is wrapped in an object, because it could be null
        // itself.
        const value = scalarAt(elem, values, i - from);
        return elem.kind === "optional" ? { value } : value;
      });
    }
    case "sub": {
      // An element is the flat array of its values, in C order.
      const width = elem.size === 0 ? 0 : product(type.shape ?? []);
      return list((to - from) * width, (i) => decodeColumn(elem, of as WireColumn, i * width, (i + 1) * width));
    }
    case "ragged":
      return list(spanned, (i) => decodeColumn(elem, of as WireColumn, begin[i] as number, begin[i + 1] as number));
    default: {
      const data = typedArray(type, column, from, to);
      if (data) return data;
      throw new UnsupportedError(`data type ${type.name}`, { feature: type.name });
    }
  }
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * The number of texts that are decoded together, and the longest such group. Slicing a text is
 * faster than decoding it.
 */
const group = 1 << 10;
const longest = 1 << 18;

/** Returns a function that gives the texts `from` to `to` of a column. */
function texts({ payloads, wide }: WireColumns, begin: Uint32Array, from: number, to: number): (i: number) => string {
  const units = new (wide ? Uint16Array : Uint8Array)(payloads as ArrayBuffer);
  const text = (start: number, stop: number): string => {
    const these = units.subarray(start, stop);
    if (!wide) return utf8.decode(these);
    let s = "";
    // A decoder would replace the halves of surrogate pairs.
    for (let i = 0; i < these.length; i += 4096) s += String.fromCharCode(...these.subarray(i, i + 4096));
    return s;
  };
  let first = -1;
  /** The text of a group; null for a long one, undefined before its second access. */
  let decoded: string | null | undefined;
  /** The start of each text in it, and the end of the last. */
  let places = new Uint32Array();
  return (i) => {
    const own = i - ((i - from) % group);
    if (own === first && decoded === undefined) {
      const end = Math.min(own + group, to);
      const [start, stop] = [begin[own] as number, begin[end] as number];
      decoded = stop - start > longest ? null : text(start, stop);
      places = begin.slice(own, end + 1).map((at) => at - start);
      // Offsets count bytes. They are valid in the text if it is ASCII.
      if (decoded && decoded.length < stop - start) places = unitsAt(places, units.subarray(start, stop));
    }
    if (own !== first || decoded === undefined || decoded === null) {
      if (own !== first) decoded = undefined;
      first = own;
      return text(begin[i] as number, begin[i + 1] as number);
    }
    return decoded.slice(places[i - own], places[i - own + 1]);
  };
}

/** Converts offsets in a text's UTF-8 to offsets in the text. */
function unitsAt(places: Uint32Array<ArrayBuffer>, bytes: Uint8Array | Uint16Array): Uint32Array<ArrayBuffer> {
  let at = 0;
  let units = 0;
  return places.map((place) => {
    for (; at < place; at++) {
      const byte = bytes[at] as number;
      // Continuation bytes count nothing. Characters beyond U+FFFF count two units.
      if ((byte & 0xc0) !== 0x80) units += byte < 0xf0 ? 1 : 2;
    }
    return units;
  });
}
