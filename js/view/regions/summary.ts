// Statistics of a rectangle of the plane, at one index or at each index of another axis.
import type { AnyData, Chunk, DataType } from "../../data/types.js";
import type { Coordinate, Field } from "../../describe/field.js";
import { gathered, numbersOf, takenFor } from "../tiles/elements.js";
import type { Summarised } from "../worker/tasks.js";
import type { ViewWorker } from "../worker/viewworker.js";

/** A rectangle of the plane, in elements of the finest level; the ends are exclusive. */
interface Region {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The plane of a rectangle, and the axis along which its statistics are computed. */
export interface RegionOf {
  readonly field: Field;
  readonly x: number;
  readonly y: number;
  readonly indices: readonly number[];
  readonly region: Region;
  /** The axis of the series; null for the index of now only. */
  readonly along: number | null;
}

/** Returns the cost of the statistics: chunks, and their decoded bytes. */
export function regionCost({ field, x, y, region, along }: RegionOf): { chunks: number; bytes: number } {
  const level = field.levels[0];
  if (!level) return { chunks: 0, bytes: 0 };
  const { array, reads = 1 } = level;
  const spans = array.chunks.map((size, d) => {
    const [from, to] = d === x ? [region.left, region.right] : d === y ? [region.top, region.bottom] : [0, 1];
    if (d === along) return Math.ceil((array.shape[d] ?? 1) / Math.max(1, size));
    return Math.floor((to - 1) / Math.max(1, size)) - Math.floor(from / Math.max(1, size)) + 1;
  });
  const chunks = spans.reduce((product, span) => product * span, reads);
  const elements = array.chunks.reduce((product, size) => product * size, 1);
  return { chunks, bytes: chunks * elements * (array.type.size || 8) };
}

const isLatitude = (coordinate: Coordinate | null): boolean =>
  coordinate?.kind === "number" && (/^degrees?_?n/i.test(coordinate.units) || coordinate.units === "°N");

/**
 * Returns the weight of each position from `first` to before `stop`: the cosine of its latitude, or
 * 1 along other axes. `areas` says whether they are such cosines.
 */
function weightsAlong(
  coordinate: Coordinate | null,
  lonLat: boolean,
  first: number,
  stop: number,
): { weights: Float64Array; areas: boolean } {
  const areas = lonLat && isLatitude(coordinate);
  const weights = Float64Array.from({ length: stop - first }, (_, i) =>
    areas && coordinate ? Math.max(0, Math.cos((coordinate.number(first + i) * Math.PI) / 180)) : 1,
  );
  return { weights, areas };
}

/** The statistics of a rectangle. */
export interface RegionSummary {
  /** One for each index of the series; a single one without a series. */
  readonly each: readonly Summarised[];
  /** The positions along the axis of the series; null without one. */
  readonly coordinate: Coordinate | null;
  /** Whether elements are weighted by their areas. */
  readonly areas: boolean;
}

/** Reads a rectangle at each index of the series in turn, and summarises its values. */
export async function summaryOf(
  of: RegionOf,
  worker: ViewWorker,
  signal: AbortSignal,
  progress: (done: number, total: number) => void,
): Promise<RegionSummary> {
  const { field, x, y, indices, region, along } = of;
  const level = field.levels[0];
  if (!level) throw new TypeError("a field has at least one level");
  const { array } = level;
  const [across, down, coordinate] = await Promise.all([
    field.axes[x]?.coordinate(signal) ?? null,
    field.axes[y]?.coordinate(signal) ?? null,
    along === null ? null : (field.axes[along]?.coordinate(signal) ?? null),
  ]);
  const lonLat = field.place?.lonLat === true;
  const columns = weightsAlong(across, lonLat, region.left, region.right);
  const rows = weightsAlong(down, lonLat, region.top, region.bottom);
  const total = along === null ? 1 : (array.shape[along] ?? 0);
  const each: Summarised[] = [];
  for (let i = 0; i < total; i++) {
    progress(i, total);
    const selection = array.shape.map((_, d) => {
      if (d === x) return { start: region.left, stop: region.right, step: 1 };
      if (d === y) return { start: region.top, stop: region.bottom, step: 1 };
      return d === along ? i : (indices[d] ?? 0);
    });
    const { data, stride } = (await array.get(selection, { signal })) as Chunk<DataType>;
    const numbers = numbersOf(array.type, data as AnyData, undefined);
    const source = numbers ? takenFor(numbers, field.packing.type) : await gathered(data as AnyData, undefined, signal);
    const [strideX = 0, strideY = 0] = x < y ? stride : [...stride].reverse();
    const task = {
      task: "summarise",
      source,
      meaning: { complex: null, time: false, packing: field.packing },
      strideX,
      strideY,
      columns: columns.weights,
      rows: rows.weights,
    } as const;
    each.push(await worker.do(task, [source.buffer as ArrayBuffer]));
    signal.throwIfAborted();
  }
  progress(total, total);
  return { each, coordinate, areas: columns.areas || rows.areas };
}
