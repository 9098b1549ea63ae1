// Reduces many numbers to few pixels, by the least and the largest of each.

/** The number of values per block. */
const size = 256;

/** The number of blocks that are prepared at once, which takes some milliseconds. */
const atOnce = 2048;

/** The least and the largest of some values; `least > most` if there is none. */
interface Extent {
  /** The least value. */
  readonly least: number;
  /** The largest value. */
  readonly most: number;
}

const nothing: Extent = { least: Infinity, most: -Infinity };

/**
 * Extents of ranges of values. The blocks are prepared in pieces, so that the page stays
 * responsive. A range is exact even before, and only takes longer. Values that are not finite count
 * as missing.
 */
export class Extents {
  readonly #values: ArrayLike<number>;
  readonly #least: Float64Array;
  readonly #most: Float64Array;
  /** The least positive value, for logarithmic axes. */
  readonly #above: Float64Array;
  #done = 0;

  constructor(values: ArrayLike<number>) {
    this.#values = values;
    const blocks = Math.floor(values.length / size);
    this.#least = new Float64Array(blocks);
    this.#most = new Float64Array(blocks);
    this.#above = new Float64Array(blocks);
  }

  /** Whether all blocks are prepared. */
  get ready(): boolean {
    return this.#done === this.#least.length;
  }

  /** Prepares some more blocks. */
  prepare(): void {
    const end = Math.min(this.#least.length, this.#done + atOnce);
    for (; this.#done < end; this.#done++) {
      let [least, most, above] = [Infinity, -Infinity, Infinity];
      for (let i = this.#done * size, stop = i + size; i < stop; i++) {
        const value = this.#values[i] as number;
        // NaN fails both comparisons, and infinities do not count as values.
        if (value < least && value !== -Infinity) least = value;
        if (value > most && value !== Infinity) most = value;
        if (value > 0 && value < above) above = value;
      }
      // A block of infinities only.
      const empty = least > most || least === Infinity || most === -Infinity;
      this.#least[this.#done] = empty ? Infinity : least;
      this.#most[this.#done] = empty ? -Infinity : most;
      this.#above[this.#done] = above;
    }
  }

  /** Returns the extent of the values in `[start, stop)`, or of the positive ones among them. */
  of(start: number, stop: number, positive = false): Extent {
    let { least, most } = nothing;
    const end = Math.min(stop, this.#values.length);
    let i = Math.max(0, start);
    while (i < end) {
      const block = i / size;
      if (i % size === 0 && i + size <= end && block < this.#done) {
        const low = (positive ? this.#above : this.#least)[block] as number;
        const high = this.#most[block] as number;
        if (low < least) least = low;
        if (high > most) most = high;
        i += size;
      } else {
        const value = this.#values[i++] as number;
        if (!Number.isFinite(value) || (positive && !(value > 0))) continue;
        if (value < least) least = value;
        if (value > most) most = value;
      }
    }
    return least > most ? nothing : { least, most };
  }
}
