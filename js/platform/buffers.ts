/** The maximum number of bytes that are kept for reuse. */
const mostKept = 24 << 20;

/**
 * A pool of used buffers. Allocating a fresh buffer takes longer than most codecs need to fill it.
 */
export class Buffers {
  readonly #free: ArrayBuffer[] = [];
  #kept = 0;

  /** The number of bytes in the pool. */
  get size(): number {
    return this.#kept;
  }

  /** Returns `n` bytes with any content, at the beginning of a buffer that may be larger. */
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

  /** Drops the pooled buffers. */
  clear(): void {
    this.#free.length = 0;
    this.#kept = 0;
  }
}

/**
 * Returns a size slightly larger than the requested one. The next chunk then fits too, even if it
 * is a little larger.
 */
function roomFor(n: number): number {
  const step = n < 65536 ? 4096 : 65536;
  return Math.ceil((n + n / 16) / step) * step;
}
