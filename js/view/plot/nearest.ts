// A search for the point nearest to a place.
import { Pace } from "../../platform/macrotask.js";

/** The number of cells along each side. */
const side = 512;

/** Points, sorted into cells. */
export class Nearest {
  readonly #x: Float32Array;
  readonly #y: Float32Array;
  readonly #box: { readonly left: number; readonly top: number; readonly cellX: number; readonly cellY: number };
  /** The start of each cell in the list, with the end of the last. */
  #starts: Uint32Array | null = null;
  #list = new Uint32Array(0);

  constructor(
    x: Float32Array,
    y: Float32Array,
    box: readonly [left: number, top: number, right: number, bottom: number],
  ) {
    this.#x = x;
    this.#y = y;
    const [left, top, right, bottom] = box;
    this.#box = { left, top, cellX: (right - left) / side || 1, cellY: (bottom - top) / side || 1 };
  }

  /** Sorts the points into cells, in short tasks. Rejects when the signal aborts. */
  async prepare(signal: AbortSignal): Promise<void> {
    const pace = new Pace();
    const count = Math.min(this.#x.length, this.#y.length);
    const starts = new Uint32Array(side * side + 1);
    const cells = new Int32Array(count);
    for (let i = 0; i < count; i++) {
      const cell = this.#cellOf(this.#x[i] as number, this.#y[i] as number);
      cells[i] = cell;
      if (cell >= 0) starts[cell + 1] = (starts[cell + 1] as number) + 1;
      if (i % 65536 === 65535 && pace.due) await pace.rest(signal);
    }
    for (let cell = 0; cell < side * side; cell++)
      starts[cell + 1] = (starts[cell + 1] as number) + (starts[cell] as number);
    const next = starts.slice();
    const list = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      const cell = cells[i] as number;
      if (cell >= 0) {
        list[next[cell] as number] = i;
        next[cell] = (next[cell] as number) + 1;
      }
      if (i % 65536 === 65535 && pace.due) await pace.rest(signal);
    }
    this.#list = list;
    this.#starts = starts;
  }

  /** Returns the nearest visible point within `reachX` and `reachY`; null if there is none. */
  find(x: number, y: number, reachX: number, reachY: number, shown: (i: number) => boolean): number | null {
    const starts = this.#starts;
    if (!starts) return null;
    const { left, top, cellX, cellY } = this.#box;
    const clamp = (cell: number): number => Math.max(0, Math.min(side - 1, Math.floor(cell)));
    const [c0, c1] = [clamp((x - reachX - left) / cellX), clamp((x + reachX - left) / cellX)];
    const [r0, r1] = [clamp((y - reachY - top) / cellY), clamp((y + reachY - top) / cellY)];
    let found: number | null = null;
    let least = 1;
    for (let row = r0; row <= r1; row++) {
      const [from, to] = [starts[row * side + c0] as number, starts[row * side + c1 + 1] as number];
      for (let k = from; k < to; k++) {
        const i = this.#list[k] as number;
        const dx = ((this.#x[i] as number) - x) / reachX;
        const dy = ((this.#y[i] as number) - y) / reachY;
        const distance = dx * dx + dy * dy;
        if (distance <= least && shown(i)) [found, least] = [i, distance];
      }
    }
    return found;
  }

  #cellOf(x: number, y: number): number {
    if (!Number.isFinite(x) || !Number.isFinite(y)) return -1;
    const { left, top, cellX, cellY } = this.#box;
    const column = Math.max(0, Math.min(side - 1, Math.floor((x - left) / cellX)));
    const row = Math.max(0, Math.min(side - 1, Math.floor((y - top) / cellY)));
    return row * side + column;
  }
}
