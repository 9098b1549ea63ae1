// Compares values with the expected ones.

/** A value as text: typed arrays as lists, and the names of numbers without a JSON form. */
export const textOf = (value) =>
  JSON.stringify(value, (_, v) => {
    if (ArrayBuffer.isView(v)) return Array.from(v);
    if (typeof v === "bigint") return String(v);
    return typeof v === "number" && !Number.isFinite(v) ? String(v) : v;
  });

/** Throws unless two values are equal. */
export function equal(is, want, what) {
  const [a, b] = [textOf(is), textOf(want)];
  if (a !== b) throw new Error(`${what}: ${a} instead of ${b}`);
}
