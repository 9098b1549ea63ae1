// Statistics of a region's elements: of all together, or of each column or row.
import type { AnyData, Chunk, DataType } from "../../data/types.js";
import type { Coordinate, Field } from "../../describe/field.js";
import { classesOf } from "../colour/classes.js";
import { periodOf } from "../element/aspect.js";
import { type Cost, chunksAlong, costOf } from "../element/budget.js";
import { gathered, numbersOf, takenFor } from "../tiles/elements.js";
import { noStatistics } from "../worker/statistics.js";
import type { Summarise, Summarised } from "../worker/tasks.js";
import type { ViewWorker } from "../worker/viewworker.js";
import { blocksOf, maskOf, mostElements, type Part, type Plane, partsOf, type Shape } from "./cells.js";

/** The plane of a field, with the weights of its columns and rows. */
export interface Ground extends Plane {
  readonly field: Field;
  readonly x: number;
  readonly y: number;
  readonly columns: Coordinate | null;
  readonly rows: Coordinate | null;
  /** Whether the axes are longitudes and latitudes, which weight elements by their areas. */
  readonly lonLat: boolean;
}

/** Reads the positions along the axes of a plane. */
export async function groundOf(field: Field, x: number, y: number, signal: AbortSignal): Promise<Ground> {
  const [columns = null, rows = null] = await Promise.all(
    [x, y].map(async (d) => (await field.axes[d]?.coordinate(signal)) ?? null),
  );
  const lonLat = field.place?.lonLat === true;
  const [across, down] = [field.axes[x], field.axes[y]];
  if (!across || !down) throw new TypeError("a region lies in two axes");
  const around = lonLat && x === field.plane.value.x;
  const period = around ? periodOf({ axis: across, coordinate: columns }) : undefined;
  return { field, x, y, columns, rows, lonLat, width: across.length, height: down.length, period };
}

const isLatitude = (coordinate: Coordinate | null): boolean =>
  coordinate?.kind === "number" && (/^degrees?_?n/i.test(coordinate.units) || coordinate.units === "°N");

/** Reports whether the elements of a plane are weighted by their areas. */
export const hasAreas = ({ lonLat, columns, rows }: Ground): boolean =>
  lonLat && (isLatitude(columns) || isLatitude(rows));

/** Returns the weight of each position of a run: the cosine of its latitude, or 1. */
function weightsAlong(coordinate: Coordinate | null, lonLat: boolean, first: number, stop: number): Float64Array {
  const areas = lonLat && isLatitude(coordinate);
  return Float64Array.from({ length: stop - first }, (_, i) =>
    areas && coordinate ? Math.max(0, Math.cos((coordinate.number(first + i) * Math.PI) / 180)) : 1,
  );
}

/** The elements to summarise. */
export interface Asked {
  readonly shape: Shape;
  /** The index of each axis. Those of the plane and of `along` are ignored. */
  readonly indices: readonly number[];
  /** The axis of the planes, and their indices; null for the plane at `indices`. */
  readonly along: { readonly axis: number; readonly from: number; readonly to: number } | null;
  readonly by: Summarise["by"];
  /** The first and the exclusive last of the region's columns or rows; undefined for all. */
  readonly run?: readonly [from: number, to: number] | undefined;
}

/** The statistics of the groups of each plane. */
interface Found {
  /** The number of planes. */
  readonly planes: number;
  /** The columns or rows with statistics, in the order of the region; null for whole planes. */
  readonly places: readonly number[] | null;
  readonly statistics: Summarised;
}

/** A part of a region that is read at once, in some planes. */
interface Piece {
  readonly block: Part;
  readonly from: number;
  readonly planes: number;
}

const arrayOf = ({ levels }: Field) => {
  const array = levels[0]?.array;
  if (!array) throw new TypeError("a field has at least one level");
  return array;
};

/** The number of reads that are under way at once. */
const ahead = 4;

/** Returns the rectangles to read: those of the region, or of a run of its columns or rows. */
function partsIn(ground: Ground, { shape, by, run }: Pick<Asked, "shape" | "by" | "run">): Part[] {
  const parts = partsOf(shape, ground);
  if (!run || by === "plane") return parts;
  if (by === "row") return parts.map((part) => ({ ...part, top: part.top + run[0], bottom: part.top + run[1] }));
  let before = 0;
  return parts.flatMap((part) => {
    const [left, right] = run.map((at) => Math.max(part.left, Math.min(part.right, part.left + at - before)));
    before += part.right - part.left;
    return left !== undefined && right !== undefined && left < right ? [{ ...part, left, right }] : [];
  });
}

/** Returns the pieces of a region in their order. */
function piecesOf(ground: Ground, asked: Asked): Piece[] {
  const { along } = asked;
  const { field, x, y } = ground;
  const { chunks } = arrayOf(field);
  const [first, stop] = along ? [along.from, along.to] : [0, 1];
  const deep = along ? Math.max(1, chunks[along.axis] ?? 1) : 1;
  const blocks = partsIn(ground, asked).flatMap((part) => blocksOf(part, chunks[x] ?? 1, chunks[y] ?? 1));
  const pieces: Piece[] = [];
  for (let from = first; from < stop; ) {
    const border = Math.min(stop, (Math.floor(from / deep) + 1) * deep);
    for (const block of blocks) {
      const size = (block.right - block.left) * (block.bottom - block.top);
      const step = Math.max(1, Math.floor(mostElements / size));
      for (let at = from; at < border; at += step)
        pieces.push({ block, from: at, planes: Math.min(step, border - at) });
    }
    from = border;
  }
  return pieces;
}

/** Returns a function that makes masks of blocks. It keeps the last ones. */
function masking(shape: Shape, plane: Plane): (block: Part) => Uint8Array | null {
  const kept = new Map<Part, Uint8Array | null>();
  return (block) => {
    const mask = kept.get(block) ?? maskOf(shape, block, plane);
    kept.delete(block);
    kept.set(block, mask);
    for (const [old] of kept) if (kept.size > 2 * ahead) kept.delete(old);
    return mask;
  };
}

/** Returns the columns or the rows of a region, in its order. */
export function placesOf(ground: Ground, asked: Pick<Asked, "shape" | "by" | "run">): number[] {
  const parts = partsIn(ground, asked);
  const all = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
  if (asked.by === "column") return parts.flatMap(({ left, right }) => all(left, right));
  return parts.slice(0, 1).flatMap(({ top, bottom }) => all(top, bottom));
}

/** Adds the statistics of group `g` of a part to those of group `k`. */
function combine(all: Summarised, k: number, part: Summarised, g: number): void {
  const of = (one: Float64Array, i: number) => one[i] as number;
  all.count[k] = of(all.count, k) + of(part.count, g);
  all.missing[k] = of(all.missing, k) + of(part.missing, g);
  all.least[k] = Math.min(of(all.least, k), of(part.least, g));
  all.most[k] = Math.max(of(all.most, k), of(part.most, g));
  const classes = all.classes.length / all.count.length;
  for (let i = 0; i < classes; i++) (all.classes[k * classes + i] as number) += of(part.classes, g * classes + i);
  const [before, weight] = [of(all.weights, k), of(part.weights, g)];
  if (weight === 0) return;
  const sum = before + weight;
  const change = of(part.mean, g) - of(all.mean, k);
  all.weights[k] = sum;
  all.mean[k] = of(all.mean, k) + change * (weight / sum);
  all.squares[k] = of(all.squares, k) + of(part.squares, g) + change * change * before * (weight / sum);
}

/** Reads the elements of a region piece by piece, and summarises them in the worker. */
export async function statisticsOf(
  ground: Ground,
  asked: Asked,
  worker: ViewWorker,
  signal: AbortSignal,
  progress: (done: number, total: number) => void = () => {},
): Promise<Found> {
  const { field, x, y, columns, rows, lonLat } = ground;
  const { shape, indices, along, by } = asked;
  const array = arrayOf(field);
  const pieces = piecesOf(ground, asked);
  const places = by === "plane" ? null : placesOf(ground, asked);
  const groupOf = new Map(places?.map((place, i) => [place, i]));
  const groups = places?.length ?? 1;
  const planes = along ? along.to - along.from : 1;
  const classes = classesOf(field).map(({ value }) => value);
  const statistics = noStatistics(planes * groups, classes.length);

  const maskFor = masking(shape, ground);
  const failed = new AbortController();
  const until = AbortSignal.any([signal, failed.signal]);

  const read = async ({ block, from, planes }: Piece): Promise<Summarised | null> => {
    const mask = maskFor(block);
    if (mask && !mask.includes(1)) return null;
    const range = (start: number, stop: number) => ({ start, stop, step: 1 });
    const selection = array.shape.map((_, d) => {
      if (d === x) return range(block.left, block.right);
      if (d === y) return range(block.top, block.bottom);
      return d === along?.axis ? range(from, from + planes) : (indices[d] ?? 0);
    });
    const { data, stride } = (await array.get(selection, { signal: until })) as Chunk<DataType>;
    const numbers = numbersOf(array.type, data as AnyData, undefined);
    const source = numbers ? takenFor(numbers, field.packing.type) : await gathered(data as AnyData, undefined, until);
    const kept = selection.flatMap((one, d) => (typeof one === "number" ? [] : [d]));
    const strideOf = (d: number | undefined) => (d === undefined ? 0 : (stride[kept.indexOf(d)] ?? 0));
    const task = {
      task: "summarise",
      source,
      meaning: { complex: null, time: false, packing: field.packing },
      strideX: strideOf(x),
      strideY: strideOf(y),
      strideZ: strideOf(along?.axis),
      planes,
      columns: weightsAlong(columns, lonLat, block.left, block.right),
      rows: weightsAlong(rows, lonLat, block.top, block.bottom),
      mask,
      classes,
      by,
    } as const;
    const found = await worker.do(task, [source.buffer as ArrayBuffer]);
    until.throwIfAborted();
    return found;
  };

  // Some reads run ahead, so that they do not wait for each other's answers.
  const reads: (Promise<Summarised | null> | undefined)[] = [];
  const begin = () => {
    const next = pieces[reads.length];
    if (!next) return;
    const started = read(next);
    started.catch(() => {}); // The loop reports the first failure.
    reads.push(started);
  };
  try {
    for (let i = 0; i < ahead; i++) begin();
    for (const [i, { block, from, planes }] of pieces.entries()) {
      progress(i, pieces.length);
      signal.throwIfAborted();
      const found = await reads[i];
      reads[i] = undefined;
      begin();
      if (!found) continue;
      const own = found.count.length / planes;
      for (let g = 0; g < found.count.length; g++) {
        const plane = Math.floor(g / own) + from - (along?.from ?? 0);
        const place = (by === "column" ? block.left : block.top) + (g % own);
        combine(statistics, plane * groups + (groupOf.get(place) ?? 0), found, g);
      }
    }
  } catch (error) {
    failed.abort();
    throw error;
  }
  progress(pieces.length, pieces.length);
  return { planes, places, statistics };
}

/** Returns the cost of reading a region: chunks, and their decoded bytes. */
export function areaCost(ground: Ground, asked: Asked): Cost {
  const [level] = ground.field.levels;
  if (!level) return { chunks: 0, bytes: 0 };
  const { along } = asked;
  const deep = along ? chunksAlong(level, along.axis, along.from, along.to) : 1;
  const flat = partsIn(ground, asked).reduce(
    (sum, { left, right, top, bottom }) =>
      sum + chunksAlong(level, ground.x, left, right) * chunksAlong(level, ground.y, top, bottom),
    0,
  );
  return costOf(level, flat * deep);
}
