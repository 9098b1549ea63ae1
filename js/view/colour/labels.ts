import { fromOklch } from "./oklab.js";

let table: Uint8Array | undefined;

/**
 * Returns the 256 colours of labels, four bytes each. Consecutive ones are strong and differ
 * clearly.
 */
export function labelTable(): Uint8Array {
  if (table) return table;
  table = new Uint8Array(1024);
  for (let i = 0; i < 256; i++) {
    // Steps of the golden section spread any number of hues evenly. The lightness distinguishes
    // near hues.
    const [red, green, blue] = fromOklch(0.6 + 0.25 * ((i * 0.7548776662) % 1), 0.15, i * 2.39996323);
    table.set([red, green, blue, 255], i * 4);
  }
  return table;
}

/**
 * Folds both halves of a label into 32 bits. Two labels rarely collide, and none becomes the
 * background.
 */
export function foldedLabel(low: number, high: number): number {
  const mixed = Math.imul(0x9e3779b9 + (high ^ (high >>> 15)), 0x85ebca6b);
  return low ^ Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) || 1;
}

/** Returns the number of 32 bits that draws a label; labels of 64 bits are folded. */
export function drawnLabel(label: number | bigint): number {
  if (typeof label === "number" || (label >= -(2n ** 31n) && label < 2n ** 32n)) return Number(label);
  return foldedLabel(Number(BigInt.asUintN(32, label)), Number(BigInt.asUintN(32, label >> 32n)));
}

/** Returns the index of a label's colour, out of 256. The shader computes the same. */
export function labelIndex(label: number): number {
  let bits = Math.min(2 ** 32 - 1, Math.max(-(2 ** 31), label)) >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x45d9f3b);
  bits = Math.imul(bits ^ (bits >>> 16), 0x45d9f3b);
  return ((bits ^ (bits >>> 16)) >>> 0) & 255;
}
