import type { WireInteger, WireRange, WireSelector } from "../engine/protocol/wire.js";

const integer = (value: WireInteger): number => (typeof value === "number" ? value : Number(value.bigint));

/**
 * Returns a selection's entries, one for each dimension. Entries that "..." covers or that are
 * missing are `null`.
 */
export function expanded(
  selection: readonly WireSelector[] | null,
  rank: number,
): (Exclude<WireSelector, "..." | { bigint: string }> | number)[] {
  const selectors = selection ?? [];
  const given = selectors.filter((selector) => selector !== "...").length;
  const rest = new Array<null>(Math.max(0, rank - given)).fill(null);
  const all = selectors.flatMap((selector) => (selector === "..." ? rest : [selector]));
  return all
    .concat(selectors.includes("...") ? [] : rest)
    .map((one) => (one !== null && typeof one === "object" && "bigint" in one ? integer(one) : one));
}

/** Returns the start of a range in a dimension, and its number of indices, by Python's rules. */
export function rangeOf(range: WireRange, size: number): [start: number, count: number] {
  const step = range.step === null ? 1 : integer(range.step);
  if (step === 0) return [0, 0];
  const [low, high] = step > 0 ? [0, size] : [-1, size - 1];
  const bound = (value: WireInteger | null, otherwise: number) => {
    if (value === null) return otherwise;
    const index = integer(value);
    return Math.min(Math.max(index < 0 ? index + size : index, low), high);
  };
  const [start, stop] = [bound(range.start, step > 0 ? low : high), bound(range.stop, step > 0 ? high : low)];
  return [start, Math.max(0, Math.ceil((stop - start) / step))];
}
