import type { ZarrArray } from "../../api/array.js";
import type { AnyData, Chunk, DataType } from "../../data/types.js";
import type { TypeDescription } from "../../engine/protocol/wire.js";
import { UnsupportedError } from "../../index.js";
import { gathered, type Item, numbersOf, type Options, takenFor } from "../tiles/elements.js";
import { standIn } from "../tiles/standin.js";
import type { Gather, Numbers } from "../worker/tasks.js";
import type { ViewWorker } from "../worker/viewworker.js";

/** The map from pixels to elements of the grid. */
interface Charted {
  /** The array of the grid, and its axes of columns and rows. */
  readonly array: ZarrArray;
  readonly x: number;
  readonly y: number;
  /** The stride of the taken columns and rows. */
  readonly every: number;
  /** The number of taken columns. */
  readonly width: number;
  /** The cell of each pixel, row by row; -1 if there is none. */
  readonly cells: Int32Array;
  readonly columns: number;
  readonly rows: number;
  /** The type that reinterprets the bits of stored integers. */
  readonly taken: string | null | undefined;
}

/** The form of a map's pixels: the stored type, or a wider one with room for a missing value. */
interface Form {
  readonly form: Gather["form"];
  readonly fill: number;
}

/**
 * Types whose elements and a missing value fit a type of twice the size. Floats have NaN, and all
 * other types become float64.
 */
const wider: Readonly<Record<string, Form>> = {
  bool: { form: "int16", fill: -32768 },
  int8: { form: "int16", fill: -32768 },
  uint8: { form: "int16", fill: -32768 },
  int16: { form: "int32", fill: -(2 ** 31) },
  uint16: { form: "int32", fill: -(2 ** 31) },
  float16: { form: "float32", fill: Number.NaN },
  float32: { form: "float32", fill: Number.NaN },
};

/** Returns the form of the pixels of a type. */
export const formOf = (name: string): Form => wider[name] ?? { form: "float64", fill: Number.NaN };

const described = (form: Gather["form"]): TypeDescription => ({
  kind: form.startsWith("int") ? "int" : "float",
  name: form,
  size: { int16: 2, int32: 4, float32: 4, float64: 8 }[form],
});

const range = (start: number, stop: number, step: number): Item => ({ start, stop, step });

/** The elements of pixels without a cell. */
const noElements = new Uint8Array(0) as AnyData;

interface Taken {
  first: number;
  count: number;
  step: number;
}

/** Returns the positions that an item selects of an axis. */
function taken(item: Item, length: number): Taken {
  if (typeof item === "number") return { first: item, count: 1, step: 1 };
  const [first, step] = [item.start ?? 0, item.step ?? 1];
  return { first, step, count: Math.max(0, Math.ceil((Math.min(length, item.stop ?? length) - first) / step)) };
}

/**
 * Returns the cells of pixels, and the rows and columns of the grid that contain them: top, bottom,
 * left, right.
 */
function cellsIn({ array, y, every, width, cells, columns, rows }: Charted, across: Taken, down: Taken) {
  if (across.count === columns && down.count === rows && across.step === 1 && down.step === 1)
    return [cells, 0, Math.ceil((array.shape[y] ?? 0) / every), 0, width] as const;
  const wanted = new Int32Array(across.count * down.count);
  let [top, bottom, left, right] = [Infinity, 0, Infinity, 0];
  for (let i = 0; i < wanted.length; i++) {
    const row = down.first + Math.floor(i / across.count) * down.step;
    const cell = cells[row * columns + across.first + (i % across.count) * across.step] ?? -1;
    wanted[i] = cell;
    if (cell < 0) continue;
    const [j, k] = [Math.floor(cell / width), cell % width];
    [top, bottom] = [Math.min(top, j), Math.max(bottom, j + 1)];
    [left, right] = [Math.min(left, k), Math.max(right, k + 1)];
  }
  return [wanted, top, bottom, left, right] as const;
}

/**
 * Returns an array whose plane is a map. An element is that of the cell under the pixel; without a
 * cell it is missing.
 */
export function mapArray(charted: Charted, { form, fill }: Form, workers: () => ViewWorker): ZarrArray {
  const { array, x, y, every, width, cells, columns, rows } = charted;
  const shape = array.shape.map((length, d) => (d === x ? columns : d === y ? rows : length));
  const chunks = array.chunks.map((length, d) => (d === x ? columns : d === y ? rows : length));

  /** Gathers elements at given places of a read. */
  async function gather(data: AnyData, places: Int32Array, signal: AbortSignal | undefined): Promise<Numbers> {
    const listed = data === noElements ? new Uint8Array(0) : numbersOf(array.type, data, undefined);
    const source = listed
      ? takenFor(listed, data === noElements ? null : charted.taken)
      : await gathered(data, undefined, signal ?? new AbortController().signal);
    const worker = workers();
    try {
      const asked = { task: "gather", source, cells: places, form, fill } as const;
      const { numbers } = await worker.do(asked, [source.buffer as ArrayBuffer]);
      signal?.throwIfAborted();
      return numbers;
    } finally {
      worker.close();
    }
  }

  /** Reads a line of one pixel along other axes. */
  async function point(cell: number, items: readonly Item[], options: Options) {
    const others = items.flatMap((item, d) => (typeof item === "number" ? [] : [d]));
    const sizes = others.map((d) => taken(items[d] as Item, shape[d] ?? 0).count);
    const count = sizes.reduce((a, b) => a * b, 1);
    const stride = sizes.map((_, d) => sizes.slice(d + 1).reduce((a, b) => a * b, 1));
    const places = new Int32Array(count).fill(-1);
    const [row, column] = [Math.floor(Math.max(0, cell) / width) * every, (Math.max(0, cell) % width) * every];
    // The column is read as a range of one element, because indices alone return a bare value.
    const own = items.map((item, d) => (d === x ? range(column, column + 1, 1) : d === y ? row : item));
    if (cell < 0) return { data: await gather(noElements, places, options.signal), shape: sizes, stride };
    const { data, stride: lies, shape: read } = (await array.get(own, options)) as Chunk<DataType>;
    const parts = own.flatMap((item, d) => (typeof item === "number" ? [] : [d]));
    const steps = others.map((d) => lies[parts.indexOf(d)] ?? 0);
    if (read.reduce((a, b) => a * b, 1) === count) {
      const at = sizes.map(() => 0);
      for (let i = 0; i < count; i++) {
        places[i] = at.reduce((sum, index, k) => sum + index * (steps[k] ?? 0), 0);
        for (let k = sizes.length - 1; k >= 0; k--) {
          at[k] = (at[k] ?? 0) + 1;
          if ((at[k] ?? 0) < (sizes[k] ?? 0)) break;
          at[k] = 0;
        }
      }
    }
    return { data: await gather(data as AnyData, places, options.signal), shape: sizes, stride };
  }

  async function get(items: readonly Item[], options: Options = {}) {
    const [across, down] = [taken(items[x] as Item, columns), taken(items[y] as Item, rows)];
    if (typeof items[x] === "number" && typeof items[y] === "number") {
      const found = await point(cells[down.first * columns + across.first] ?? -1, items, options);
      return found.shape.length === 0 ? found.data[0] : found;
    }
    if (items.some((item, d) => d !== x && d !== y && typeof item !== "number"))
      throw new UnsupportedError("a map is read plane by plane", {
        path: array.path,
        feature: "several planes of a map",
      });
    const [wanted, top, bottom, left, right] = cellsIn(charted, across, down);
    const kept = [x, y].filter((d) => typeof items[d] !== "number").sort((a, b) => a - b);
    const answer = (data: Numbers) => ({
      data,
      shape: kept.map((d) => (d === x ? across.count : down.count)),
      stride: kept.map((d) => (d === x ? 1 : across.count)),
    });
    if (bottom === 0) return answer(await gather(noElements, wanted, options.signal));
    const [lastRow, lastColumn] = [array.shape[y] ?? 0, array.shape[x] ?? 0];
    const { data, stride } = (await array.get(
      items.map((item, d) => {
        if (d === y) return range(top * every, Math.min(lastRow, (bottom - 1) * every + 1), every);
        return d === x ? range(left * every, Math.min(lastColumn, (right - 1) * every + 1), every) : item;
      }),
      options,
    )) as Chunk<DataType>;
    const [strideY = 0, strideX = 0] = y < x ? stride : [...stride].reverse();
    const plain = top === 0 && left === 0 && strideX === 1 && strideY === width;
    const places = plain
      ? wanted
      : wanted.map((cell) =>
          cell < 0 ? -1 : (Math.floor(cell / width) - top) * strideY + ((cell % width) - left) * strideX,
        );
    return answer(await gather(data as AnyData, places, options.signal));
  }

  async function vindex(coords: readonly (readonly number[])[], options: Options = {}) {
    const count = coords[0]?.length ?? 0;
    const found = Int32Array.from(
      { length: count },
      (_, i) => cells[(coords[y]?.[i] ?? 0) * columns + (coords[x]?.[i] ?? 0)] ?? -1,
    );
    const own = coords.map((list, d) =>
      d === y || d === x
        ? Array.from(
            found,
            (cell) => (d === y ? Math.floor(Math.max(0, cell) / width) : Math.max(0, cell) % width) * every,
          )
        : [...list],
    );
    const { data } = (await array.vindex(own, options)) as Chunk<DataType>;
    const places = found.map((cell, i) => (cell < 0 ? -1 : i));
    return { data: await gather(data as AnyData, places, options.signal), shape: [count], stride: [1] };
  }

  const type = described(form);
  const own: Record<string, unknown> = {
    type,
    dtype: form,
    shape,
    chunks,
    chunkGrid: { chunkShapes: chunks },
    get,
    vindex,
  };
  return standIn(array, own, "map");
}
