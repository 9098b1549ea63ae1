// Comparing what a suite got with what it has to be.

/**
 * A value as a text: typed arrays as lists of their elements, and numbers that JSON has no form for
 * by their names.
 */
export const textOf = (value) =>
  JSON.stringify(value, (_, v) => {
    if (ArrayBuffer.isView(v)) return Array.from(v);
    if (typeof v === "bigint") return String(v);
    return typeof v === "number" && !Number.isFinite(v) ? String(v) : v;
  });

/** Throws where two values are not the same. */
export function equal(is, want, what) {
  const [a, b] = [textOf(is), textOf(want)];
  if (a !== b) throw new Error(`${what}: ${a} instead of ${b}`);
}
