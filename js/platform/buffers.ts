/** The most bytes that are kept for later use. */
const mostKept = 24 << 20;

/**
 * Buffers that have been used before. A fresh one costs the operating system more
 * than most codecs need to fill it.
 */
export class Buffers {
  readonly #free: ArrayBuffer[] = [];
  #kept = 0;

  /** Bytes that are kept. */
  get size(): number {
    return this.#kept;
  }

  /** `n` bytes with any content, at the beginning of a buffer that may be larger. */
  lend(n: number): Uint8Array<ArrayBuffer> {
    let best = -1;
    for (let i = 0; i < this.#free.length; i++) {
      const size = (this.#free[i] as ArrayBuffer).byteLength;
      if (size >= n && size <= 4 * n + 4096 && (best < 0 || size < (this.#free[best] as ArrayBuffer).byteLength))
        best = i;
    }
    if (best < 0) return new Uint8Array(new ArrayBuffer(roomFor(n)), 0, n);
    const [buffer] = this.#free.splice(best, 1) as [ArrayBuffer];
    this.#kept -= buffer.byteLength;
    return new Uint8Array(buffer, 0, n);
  }

  /** Takes a buffer that is no longer used. */
  giveBack(buffer: ArrayBuffer): void {
    if (buffer.byteLength === 0 || buffer.byteLength > mostKept) return;
    this.#free.push(buffer);
    this.#kept += buffer.byteLength;
    while (this.#kept > mostKept) this.#kept -= (this.#free.shift() as ArrayBuffer).byteLength;
  }

  /** Forgets what is kept. */
  clear(): void {
    this.#free.length = 0;
    this.#kept = 0;
  }
}

/** A little more than asked for, so that the next chunk, which is not of quite that length, fits too. */
function roomFor(n: number): number {
  const step = n < 65536 ? 4096 : 65536;
  return Math.ceil((n + n / 16) / step) * step;
}
