import type { Pixels, Placed } from "../paint/painter.js";
import type { Earth } from "./earth.js";

/** The time for one slice of a refinement, in milliseconds. */
const slice = 12;
/** The width of the blocks of a turning map, in device pixels. */
const block = 4;
/** The number of device pixels that are computed at once. */
const few = 2 ** 16;

/** The drawn map, with a text that changes when it moves. */
interface Drawn {
  readonly key: string;
  elementAt(px: number, py: number): { readonly x: number; readonly y: number };
}

const kept = new WeakMap<HTMLCanvasElement, Raster>();

/**
 * The element under each device pixel of a canvas, for drawing without a graphics processor. A
 * moving map is computed in blocks; a resting one is refined in slices.
 */
export class Raster {
  readonly #key: string;
  readonly #map: Drawn;
  readonly #earth: Earth;
  readonly #ratio: number;
  readonly #width: number;
  readonly #height: number;
  readonly #columns: Int32Array;
  readonly #rows: Int32Array;
  #next = -1;

  private constructor(key: string, canvas: HTMLCanvasElement, map: Drawn, earth: Earth, ratio: number) {
    this.#key = key;
    this.#map = map;
    this.#earth = earth;
    this.#ratio = ratio;
    this.#width = canvas.width;
    this.#height = canvas.height;
    this.#columns = new Int32Array(canvas.width * canvas.height);
    this.#rows = new Int32Array(canvas.width * canvas.height);
  }

  /** Returns the raster of a map on a canvas, the last one if nothing has moved. */
  static of(canvas: HTMLCanvasElement, map: Drawn, earth: Earth, ratio: number): Raster {
    const key = JSON.stringify([map.key, ratio, canvas.width, canvas.height]);
    const known = kept.get(canvas);
    if (known && known.#key === key && known.#earth === earth) return known;
    const raster = new Raster(key, canvas, map, earth, ratio);
    kept.set(canvas, raster);
    return raster;
  }

  /**
   * Computes the next slice, or with `whole` the rest. Returns `"blocks"` after the first one,
   * `"busy"` between, and `"done"` at the end.
   */
  advance(whole: boolean): "blocks" | "busy" | "done" {
    if (this.#next >= this.#height) return "done";
    if (this.#next < 0 && !whole && this.#columns.length > few) {
      for (let y = 0; y < this.#height; y += block) this.#fill(y, block);
      this.#next = 0;
      return "blocks";
    }
    const end = whole || this.#columns.length <= few ? Infinity : performance.now() + slice;
    this.#next = Math.max(0, this.#next);
    while (this.#next < this.#height && performance.now() < end) this.#fill(this.#next++, 1);
    return this.#next < this.#height ? "busy" : "done";
  }

  #fill(top: number, size: number): void {
    const width = this.#width;
    const { across, down } = this.#earth;
    const middle = (size - 1) / 2 + 0.5;
    const bottom = Math.min(this.#height, top + size);
    for (let left = 0; left < width; left += size) {
      const at = this.#map.elementAt((left + middle) / this.#ratio, (top + middle) / this.#ratio);
      const inside = at.x >= 0 && at.x < across.length && at.y >= 0 && at.y < down.length;
      const column = inside ? Math.floor(at.x) : -1;
      const row = inside ? Math.floor(at.y) : -1;
      for (let y = top; y < bottom; y++)
        for (let x = left; x < Math.min(width, left + size); x++) {
          this.#columns[y * width + x] = column;
          this.#rows[y * width + x] = row;
        }
    }
  }

  /**
   * Calls `run` for each run of device pixels in one tile, with the tile's number, the first pixel
   * and the places of its numbers. The last of overlapping tiles counts.
   */
  spans(
    tiles: readonly { readonly tile: Placed; readonly pixels: Pixels }[],
    run: (tile: number, first: number, sources: Int32Array) => void,
  ): void {
    const width = this.#width;
    const boxes = tiles.map(({ tile: { x, y, width, height }, pixels }) => ({
      x,
      y,
      right: x + width,
      bottom: y + height,
      columns: pixels.width,
      rows: pixels.height,
      scaleX: pixels.width / width,
      scaleY: pixels.height / height,
    }));
    const sources = new Int32Array(width);
    let [count, current, first] = [0, -1, 0];
    const flush = () => {
      if (count > 0) run(current, first, sources.subarray(0, count));
      count = 0;
    };
    for (let place = 0; place < this.#columns.length; place++) {
      if (place % width === 0) flush();
      const column = this.#columns[place] as number;
      if (column < 0) {
        flush();
        continue;
      }
      const [x, y] = [column + 0.5, (this.#rows[place] as number) + 0.5];
      let found = boxes.length - 1;
      for (; found >= 0; found--) {
        const box = boxes[found] as (typeof boxes)[number];
        if (x >= box.x && x < box.right && y >= box.y && y < box.bottom) break;
      }
      if (found !== current || count === 0) {
        flush();
        current = found;
        first = place;
      }
      if (found < 0) continue;
      const box = boxes[found] as (typeof boxes)[number];
      const row = Math.min(box.rows - 1, Math.floor((y - box.y) * box.scaleY));
      sources[count++] = row * box.columns + Math.min(box.columns - 1, Math.floor((x - box.x) * box.scaleX));
    }
    flush();
  }
}
