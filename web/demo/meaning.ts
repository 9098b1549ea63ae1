// What an array's attributes say of its values, as the package reads CF: what is missing, what packed numbers stand
// for, dates, flags.

import { type Decoder, decoderOf, decodeValues, TimeArray, TimedeltaArray } from "zarr-wasm/xarray";
import { formatDate, formatNumber } from "./format.js";
import type { ArrayNode } from "./store.js";

/** Elements by their meaning. */
export interface Meant {
  /** A number for each element, NaN for what is missing; of times those that are stored. */
  readonly numbers: ArrayLike<number>;
  /** What element i means, where that is not what is stored. */
  text(i: number): string | null;
}

export class Meaning {
  /** What the numbers are multiples of, "" where nothing is said. */
  readonly units: string;
  readonly #decoder: Decoder | null;

  constructor(array: ArrayNode) {
    const { units } = array.attrs;
    this.units = typeof units === "string" ? units : "";
    this.#decoder = decoderFor(array);
  }

  /** The meaning of elements that were read, or of one; null where they mean what is stored. */
  of(data: unknown, numbers: ArrayLike<number> | null): Meant | null {
    const decoder = this.#decoder;
    const source = typedArray(data);
    if (!decoder || !source || !numbers || numbers.length !== source.length) return null;
    const { flags } = decoder;
    if (decoder.applied.length === 0 && !decoder.units && decoder.dtype !== "timedelta") {
      return flags ? { numbers, text: (i) => flags.of(source[i] as number | bigint).join(", ") || null } : null;
    }
    const { data: decoded } = decodeValues(decoder, { data: source, shape: [source.length] });
    if (decoded instanceof TimeArray) return times(decoded, numbers);
    if (decoded instanceof TimedeltaArray) return { numbers: known(decoded, numbers), text: () => null };
    if (!(decoded instanceof Float32Array || decoded instanceof Float64Array)) return null;
    const packed = decoder.applied.includes("scale_factor") || decoder.applied.includes("add_offset");
    const text = (i: number): string | null => {
      const value = decoded[i] ?? Number.NaN;
      if (Number.isNaN(value)) return Number.isNaN(numbers[i]) ? null : "missing";
      const meanings = flags?.of(source[i] as number | bigint).join(", ");
      if (!packed) return meanings || null;
      // Ten digits: what the factor itself has lost in binary is not shown.
      return `${formatNumber(Number(value.toPrecision(10)))} ${this.units}`.trim();
    };
    return { numbers: decoded, text };
  }
}

function decoderFor(array: ArrayNode): Decoder | null {
  try {
    // An array's own fill value is often a value as any other: only attributes say here what is missing.
    return decoderOf(array, { useZarrFillValueAsMask: false });
  } catch {
    // A scale that is no number: the values are shown as they are stored, beside the attribute.
    return null;
  }
}

type Source = Float64Array | BigInt64Array;

function typedArray(data: unknown): Source | null {
  if (typeof data === "number") return Float64Array.of(data);
  if (typeof data === "bigint") return BigInt64Array.of(BigInt.asIntN(64, data));
  return ArrayBuffer.isView(data) && !(data instanceof DataView) ? (data as Source) : null;
}

/** The numbers, with NaN where an element is missing. */
function known({ missing }: TimeArray | TimedeltaArray, numbers: ArrayLike<number>): ArrayLike<number> {
  return missing ? Float64Array.from(numbers, (value, i) => (missing[i] ? Number.NaN : value)) : numbers;
}

function times(decoded: TimeArray, numbers: ArrayLike<number>): Meant {
  const text = (i: number): string | null => {
    if (decoded.isMissing(i)) return Number.isNaN(numbers[i]) ? null : "missing";
    try {
      const date = decoded.get(i);
      return date && formatDate(date.toISOString(), /^(day|week|month|year|common_year)/.test(decoded.units.unit));
    } catch {
      return null; // further away than dates go
    }
  };
  return { numbers: known(decoded, numbers), text };
}
