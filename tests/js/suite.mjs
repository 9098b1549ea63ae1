// The common part of the stores' suites, in Node and in pages.

/** Bytes that differ from place to place. */
export function pattern(n, seed = n) {
  let x = (seed * 2654435761 + 1) >>> 0;
  return Uint8Array.from({ length: n }, () => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return x & 255;
  });
}

/** Fails a case unless the condition holds. */
export function demand(condition, message) {
  if (!condition) throw new Error(message);
}

/** Whether two lists have the same elements. */
export const same = (a, b) => a?.length === b?.length && a.every((v, i) => v === b[i]);

/** The error of a promise that must be rejected. */
export async function rejected(promise, what) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`${what}: no error`);
}
