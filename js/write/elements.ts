import { InvalidValueError } from "./errors.js";

/** Elements as the engine takes them: the inverse of what it sends of a read. */
export interface Encoded {
  /** Packed little-endian elements; of types of variable length the elements' bytes one after the other. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Types of variable length: where each element begins, and where the last ends. */
  offsets?: Uint32Array<ArrayBuffer> | undefined;
  /** A byte each, 1 for an object that is missing. */
  missing?: Uint8Array<ArrayBuffer> | undefined;
}

/** What holds several elements: a list, a typed array, or what has `get` and `length`. */
export type Collection = ArrayLike<unknown>;

/** Whether a value holds several elements. */
export function isCollection(value: unknown): value is Collection {
  if (Array.isArray(value)) return true;
  if (ArrayBuffer.isView(value)) return !(value instanceof DataView);
  const { get, length } = Object(value) as { get?: unknown; length?: unknown };
  return typeof value === "object" && typeof get === "function" && typeof length === "number";
}

/** The entries of a collection one by one: of lists and typed arrays by index, of others by `get`. */
export function elementsOf(list: Collection): (i: number) => unknown {
  const { get } = list as { get?: unknown };
  if (Array.isArray(list) || ArrayBuffer.isView(list) || typeof get !== "function") return (i) => list[i];
  return (i) => (get as (i: number) => unknown).call(list, i);
}

/** What tells typed arrays of one class from others, whichever page or thread made them. */
export function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** Puts elements of variable length one after the other. */
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

/** Puts the elements of several together. */
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
