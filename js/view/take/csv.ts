import { UnsupportedError } from "../../index.js";
import { elementAt, indexOf, isMissing, positionOf, type Slice, type SliceAxis, taken } from "./slice.js";

/** Returns a cell of CSV, quoted if necessary. */
function quoted(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns the shortest text that parses to the same number in its stored precision. */
function digits(value: number, single: boolean): string {
  if (single && Number.isFinite(value)) {
    for (let n = 6; n < 9; n++) {
      const text = value.toPrecision(n);
      if (Math.fround(Number(text)) === value) return String(Number(text));
    }
  }
  return String(value);
}

/** Formats rows of cells as CSV (RFC 4180). */
export const csvTable = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `${cells.map(quoted).join(",")}\r\n`).join("");

function position(along: SliceAxis, i: number): string {
  const { coordinate } = along;
  const at = indexOf(along, i);
  if (!coordinate) return String(at);
  const whole = Math.max(0, Math.min(coordinate.length - 1, Math.round(at)));
  return coordinate.kind === "number" ? String(positionOf(along, i)) : coordinate.text(whole);
}

const titleOf = ({ axis, coordinate }: SliceAxis) => {
  const units = coordinate?.kind === "number" ? coordinate.units : "";
  return units === "" ? axis.name : `${axis.name} (${units})`;
};

/** Returns the formatter of elements. */
function writer({ field, type, data, array }: Slice): (i: number) => string {
  const { packing, categories, values } = field;
  const names = new Map(categories.map(({ value, label }) => [value, label]));
  const single = type.kind === "minifloat" || (type.kind === "float" && type.size <= 4);
  const plain = packing.scale === 1 && packing.offset === 0;
  switch (type.kind) {
    case "struct":
    case "sub":
    case "ragged":
    case "object":
    case "optional":
      throw new UnsupportedError(`${array.dtype} cannot be written as CSV`, { feature: `${array.dtype} as CSV` });
    case "bool":
      return (i) => String(elementAt(type, data, i));
    case "complex":
      return (i) => {
        const { re, im } = elementAt(type, data, i) as { re: number; im: number };
        return `${re}${im < 0 || Object.is(im, -0) ? "-" : "+"}${Math.abs(im)}i`;
      };
    case "raw":
    case "bytes":
      return (i) => {
        const bytes = elementAt(type, data, i) as Uint8Array | null;
        return bytes === null ? "" : Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
      };
    case "char":
    case "unicode":
    case "string":
      return (i) => String(elementAt(type, data, i) ?? "");
    default:
      return (i) => {
        const value = taken(packing, elementAt(type, data, i) as number | bigint);
        if (isMissing(packing, value)) return "";
        if (values === "time" || values === "duration") return field.text(elementAt(type, data, i));
        const name = names.get(Number(value));
        if (name !== undefined) return name;
        if (plain) return typeof value === "bigint" ? String(value) : digits(value, single);
        return String(Number(value) * packing.scale + packing.offset);
      };
  }
}

/**
 * Formats a slice as CSV (RFC 4180). The header contains the positions of the columns. Each row
 * contains its position and the values in their own units; missing ones are empty. A line of values
 * runs down the page, and colours and channels have a column for each part.
 */
export function* csvLines(slice: Slice): Generator<string, void, undefined> {
  const { rows, columns, parts, field } = slice;
  const write = writer(slice);
  const line = (cells: readonly string[]) => csvTable([cells]);
  const name = field.units === "" ? field.name : `${field.name} (${field.units})`;
  const names = parts === 1 ? [name] : (slice.names ?? ["red", "green", "blue", "alpha"].slice(0, parts));
  if (columns === null) {
    yield line(names);
    yield line(names.map((_, k) => write(k)));
  } else if (rows === null || parts > 1) {
    // One place per line.
    yield line([...(rows ? [titleOf(rows)] : []), titleOf(columns), ...names]);
    for (let r = 0; r < (rows?.length ?? 1); r++)
      for (let c = 0; c < columns.length; c++) {
        const at = (r * columns.length + c) * parts;
        yield line([...(rows ? [position(rows, r)] : []), position(columns, c), ...names.map((_, k) => write(at + k))]);
      }
  } else {
    const at = Array.from({ length: columns.length }, (_, c) => position(columns, c));
    yield line([`${titleOf(rows)} \\ ${titleOf(columns)}`, ...at]);
    for (let r = 0; r < rows.length; r++)
      yield line([position(rows, r), ...at.map((_, c) => write(r * columns.length + c))]);
  }
}

/** Returns the lines of {@link csvLines} as one text. */
export const csvOf = (slice: Slice): string => [...csvLines(slice)].join("");
