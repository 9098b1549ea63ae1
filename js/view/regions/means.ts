import type { ZarrArray } from "../../api/array.js";
import type { FieldLevel } from "../../describe/field.js";
import type { TypeDescription } from "../../engine/protocol/wire.js";
import { LimitError } from "../../index.js";
import type { Item, Options } from "../tiles/elements.js";
import { standIn } from "../tiles/standin.js";
import type { ViewWorker } from "../worker/viewworker.js";
import type { Shape } from "./cells.js";
import { indicesOf, runOf, selected } from "./runs.js";
import { areaCost, type Ground, statisticsOf } from "./statistics.js";

/** The means of a region's columns, or of its rows. */
interface Averaged {
  readonly ground: Ground;
  readonly shape: Shape;
  readonly by: "column" | "row";
  /** The axes of the field that stay. */
  readonly kept: readonly number[];
  /** The columns or the rows. */
  readonly places: readonly number[];
}

const float64: TypeDescription = { kind: "float", name: "float64", size: 8 };

/** The longest run of columns or rows that is computed at once. */
const longest = 1024;
/** The largest number of means that single points need at once. */
const mostScattered = 1 << 20;

/**
 * Returns an array of means: the kept axes, and the region's columns or rows at the end. It is
 * computed from the finest level, and NaN without values.
 */
export function meansArray({ ground, shape, by, kept, places }: Averaged, workers: () => ViewWorker): FieldLevel {
  const { levels, axes } = ground.field;
  const level = levels[0];
  if (!level) throw new TypeError("a field has at least one level");
  const { array } = level;
  const lengths = [...kept.map((d) => array.shape[d] ?? 1), places.length];
  const wide = Math.min(places.length, longest);
  const chunks = [...kept.map((d) => Math.max(1, array.chunks[d] ?? 1)), wide];

  async function get(items: readonly Item[], options: Options = {}): Promise<unknown> {
    const signal = options.signal ?? new AbortController().signal;
    const runs = lengths.map((length, d) => runOf(items[d], length));
    const last = runs.at(-1) ?? runOf(0, 1);
    // Planes along the innermost kept range are read together.
    const deep = runs.slice(0, -1).findLastIndex(({ single }) => !single);
    const outer = runs.slice(0, -1).map((run, d) => (d === deep ? { ...run, count: 1 } : run));
    const planes = deep < 0 ? null : (runs[deep] ?? null);
    const result = new Float64Array(runs.reduce((product, { count }) => product * count, 1));
    const worker = workers();
    let at = 0;
    try {
      for (const index of result.length > 0 ? indicesOf(outer) : []) {
        const indices = axes.map((_, d) => index[kept.indexOf(d)] ?? 0);
        const along = planes && {
          axis: kept[deep] ?? 0,
          from: planes.from,
          to: planes.from + (planes.count - 1) * planes.step + 1,
        };
        const run = [last.from, last.from + (last.count - 1) * last.step + 1] as const;
        const { statistics } = await statisticsOf(
          ground,
          { shape, indices, along, by, run },
          worker,
          signal,
          options.onProgress,
        );
        const width = run[1] - run[0];
        for (let p = 0; p < (planes?.count ?? 1); p++)
          for (let c = 0; c < last.count; c++) {
            const from = p * (planes?.step ?? 1) * width + c * last.step;
            result[at++] = statistics.weights[from] === 0 ? Number.NaN : (statistics.mean[from] ?? Number.NaN);
          }
      }
    } finally {
      worker.close();
    }
    if (runs.every(({ single }) => single)) return result[0];
    return { data: result, ...selected(runs) };
  }

  async function vindex(coords: readonly (readonly number[])[], options: Options = {}) {
    const spans = coords.map((list) => {
      const from = list.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
      const to = list.reduce((most, at) => Math.max(most, at), -1) + 1;
      return { start: Math.min(from, to), stop: to, step: 1 };
    });
    const size = spans.reduce((product, { start, stop }) => product * (stop - start), 1);
    if (size > mostScattered)
      throw new LimitError(`the points span ${size} means; the maximum is ${mostScattered}`, {
        limit: "means of points",
        max: mostScattered,
      });
    const { data, stride } = (await get(spans, options)) as { data: Float64Array; stride: number[] };
    const count = coords[0]?.length ?? 0;
    const values = Float64Array.from({ length: count }, (_, i) => {
      const place = coords.reduce(
        (sum, list, d) => sum + ((list[i] ?? 0) - (spans[d]?.start ?? 0)) * (stride[d] ?? 0),
        0,
      );
      return data[place] ?? Number.NaN;
    });
    return { data: values, shape: [count], stride: [1] };
  }

  // The cost of one chunk of means: those of its columns or rows, in one chunk of the kept axes.
  const asked = { shape, indices: [], along: null, by, run: [0, wide] as const };
  const cost = areaCost(ground, asked);
  const own: Record<string, unknown> = {
    type: float64,
    dtype: "float64",
    shape: lengths,
    chunks,
    chunkGrid: { chunkShapes: chunks },
    dimensionNames: null,
    get,
    vindex,
  };
  const means: ZarrArray = standIn(array, own, "diagram");
  const zeros = lengths.map(() => 0);
  return {
    array: means,
    factor: lengths.map(() => 1),
    start: zeros,
    reads: Math.max(1, cost.chunks),
    bytes: cost.bytes / Math.max(1, cost.chunks),
  };
}
