/** Where packed elements belong: runs of bytes that are contiguous there. The innermost dimension comes first. */
export interface Place {
  offset: number;
  run: number;
  counts: readonly number[];
  strides: readonly number[];
}

/** Runs from this length on are copied by the platform, shorter ones by a loop. */
const longRun = 64;

/** Copies packed elements to their place. */
export function scatter(to: Uint8Array, from: Uint8Array, { offset, run, counts, strides }: Place): void {
  if (run >= longRun || counts.length === 0) {
    each(offset, counts.length - 1, counts, strides, 0, run, (at, source) => {
      to.set(from.subarray(source, source + run), at);
    });
    return;
  }
  // In units as large as the alignment of everything allows.
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

/** The `n` bytes of what lies at a place, packed. */
export function gather(from: Uint8Array, n: number, { offset, run, counts, strides }: Place): Uint8Array {
  if (counts.length === 0) return from.subarray(offset, offset + n);
  const to = new Uint8Array(n);
  each(offset, counts.length - 1, counts, strides, 0, run, (at, packed) => {
    to.set(from.subarray(at, at + run), packed);
  });
  return to;
}

/**
 * What Go copies bytes to so that they come to their places at once: it takes itself for an
 * array of `n` bytes, and scatters what is set.
 */
export class Target extends Uint8Array {
  #to: Uint8Array | undefined;
  readonly #n: number;
  readonly #place: Place;

  constructor(to: Uint8Array | undefined, n: number, place: Place) {
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
    // Go refers to this until it collects its garbage: not to what may be the last of a large result.
    this.#to = undefined;
    if (to) scatter(to, from, this.#place);
  }
}

/** Calls `copy` for each position of the dimensions from `last` down to `first`, with where it is and where its source is. */
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
