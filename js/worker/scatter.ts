import type { WirePlace } from "../engine/protocol/wire.js";

/** The place of packed elements in a memory. */
export type PackedRuns = Omit<WirePlace, "memory">;

/** The platform copies runs of at least this length, in bytes. A loop copies shorter ones. */
const longRun = 64;

/** Copies packed elements to their place. */
export function scatter(to: Uint8Array, from: Uint8Array, { offset, run, counts, strides }: PackedRuns): void {
  if (run >= longRun || counts.length === 0) {
    each(offset, counts.length - 1, counts, strides, 0, run, (at, source) => {
      to.set(from.subarray(source, source + run), at);
    });
    return;
  }
  // Copies in the largest units that the alignment of all parts allows.
  const odd = [offset, run, from.byteOffset, to.byteOffset, ...strides].reduce((bits, n) => bits | n, 0);
  const unit = odd % 4 === 0 ? 4 : odd % 2 === 0 ? 2 : 1;
  const View = unit === 4 ? Uint32Array : unit === 2 ? Uint16Array : Uint8Array;
  const out = new View(to.buffer as ArrayBuffer, to.byteOffset, Math.floor(to.byteLength / unit));
  const src = new View(from.buffer as ArrayBuffer, from.byteOffset, Math.floor(from.byteLength / unit));
  const units = run / unit;
  const count = counts[0] as number;
  const stride = (strides[0] as number) / unit;
  each(
    offset / unit,
    counts.length - 1,
    counts,
    strides.map((s) => s / unit),
    1,
    units * count,
    (at, source) => {
      let next = source;
      for (let i = 0, base = at; i < count; i++, base += stride) {
        for (let k = 0; k < units; k++) out[base + k] = src[next++] as number;
      }
    },
  );
}

/** Returns the `n` bytes at a place, packed. */
export function gather(from: Uint8Array, n: number, { offset, run, counts, strides }: PackedRuns): Uint8Array {
  if (counts.length === 0) return from.subarray(offset, offset + n);
  const to = new Uint8Array(n);
  each(offset, counts.length - 1, counts, strides, 0, run, (at, packed) => {
    to.set(from.subarray(at, at + run), packed);
  });
  return to;
}

/**
 * An array that Go copies bytes to. It appears to have `n` bytes, and copies them directly to their
 * place.
 */
export class Target extends Uint8Array {
  #to: Uint8Array | undefined;
  readonly #n: number;
  readonly #place: PackedRuns;

  constructor(to: Uint8Array | undefined, n: number, place: PackedRuns) {
    super(0);
    this.#to = to;
    this.#n = n;
    this.#place = place;
  }

  override get length(): number {
    return this.#n;
  }

  override set(from: Uint8Array): void {
    const to = this.#to;
    // Go refers to this object until its next garbage collection. It must not keep a large result
    // alive.
    this.#to = undefined;
    if (to) scatter(to, from, this.#place);
  }
}

/**
 * Calls `copy` for each position of the dimensions from `last` down to `first`, with the offsets in
 * the target and in the source.
 */
function each(
  offset: number,
  last: number,
  counts: readonly number[],
  strides: readonly number[],
  first: number,
  step: number,
  copy: (at: number, source: number) => void,
): void {
  let source = 0;
  const walk = (d: number, at: number) => {
    if (d < first) {
      copy(at, source);
      source += step;
      return;
    }
    const stride = strides[d] as number;
    for (let i = 0, n = counts[d] as number; i < n; i++) walk(d - 1, at + i * stride);
  };
  walk(last, offset);
}
