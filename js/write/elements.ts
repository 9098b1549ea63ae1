import { InvalidValueError } from "./errors.js";

/** Elements in the engine's form: the inverse of a read's result. */
export interface Encoded {
  /**
   * Packed little-endian elements. For types of variable length, the concatenated bytes of the
   * elements.
   */
  bytes: Uint8Array<ArrayBuffer>;
  /** For types of variable length: the start of each element, and the end of the last. */
  offsets?: Uint32Array<ArrayBuffer> | undefined;
  /** A byte for each object, 1 if it is missing. */
  missing?: Uint8Array<ArrayBuffer> | undefined;
}

/** A collection of elements: a list, a typed array, or an object with `get` and `length`. */
export type Collection = ArrayLike<unknown>;

/** Reports whether a value is a collection of elements. */
export function isCollection(value: unknown): value is Collection {
  if (Array.isArray(value)) return true;
  if (ArrayBuffer.isView(value)) return !(value instanceof DataView);
  const { get, length } = Object(value) as { get?: unknown; length?: unknown };
  return typeof value === "object" && typeof get === "function" && typeof length === "number";
}

/**
 * Returns a function that gives a collection's entries: lists and typed arrays by index, others by
 * `get`.
 */
export function elementsOf(list: Collection): (i: number) => unknown {
  const { get } = list as { get?: unknown };
  if (Array.isArray(list) || ArrayBuffer.isView(list) || typeof get !== "function") return (i) => list[i];
  return (i) => (get as (i: number) => unknown).call(list, i);
}

/** Returns the name of a typed array's class, whichever page or thread created it. */
export function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** Concatenates elements of variable length. */
export function payloads(items: readonly Uint8Array[]): Encoded {
  const offsets = new Uint32Array(items.length + 1);
  let end = 0;
  for (let i = 0; i < items.length; i++) {
    end += (items[i] as Uint8Array).length;
    if (end > 0xffff_ffff) throw new InvalidValueError("elements of more than 4 GiB together");
    offsets[i + 1] = end;
  }
  const bytes = new Uint8Array(end);
  for (let i = 0; i < items.length; i++) bytes.set(items[i] as Uint8Array, offsets[i]);
  return { bytes, offsets };
}

/** Concatenates the elements of several parts. */
export function joined(parts: readonly Encoded[]): Encoded {
  const { bytes } = payloads(parts.map((part) => part.bytes));
  if (!parts.some(({ offsets }) => offsets)) return { bytes };
  const counts = parts.map(({ offsets }) => (offsets?.length ?? 1) - 1);
  const count = counts.reduce((a, b) => a + b, 0);
  const offsets = new Uint32Array(count + 1);
  const missing = parts.some((part) => part.missing) ? new Uint8Array(count) : undefined;
  let from = 0;
  let begin = 0;
  for (const [k, part] of parts.entries()) {
    const n = counts[k] as number;
    for (let i = 1; i <= n; i++) offsets[from + i] = begin + (part.offsets?.[i] as number);
    if (part.missing) missing?.set(part.missing, from);
    from += n;
    begin += part.bytes.length;
  }
  return { bytes, offsets, ...(missing && { missing }) };
}
