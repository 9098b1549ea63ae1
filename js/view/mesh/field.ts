import type { ZarrArray } from "../../api/array.js";
import type { AnyData, Chunk, DataType } from "../../data/types.js";
import { linearCoordinate } from "../../describe/coordinate.js";
import { stated } from "../../describe/fact.js";
import type { Axis, Curvilinear, Field, FieldLevel } from "../../describe/field.js";
import { describe } from "../../describe/index.js";
import { LimitError, UnsupportedError } from "../../index.js";
import { type Cost, chunksAlong, costOf } from "../element/budget.js";
import { gathered, numbersOf, takenFor } from "../tiles/elements.js";
import type { Placed } from "../worker/tasks.js";
import type { ViewWorker } from "../worker/viewworker.js";
import { formOf, mapArray } from "./array.js";
import type { Cells } from "./cells.js";

/** The largest number of cells of a map. A larger grid is drawn with a stride. */
const mostCells = 2 ** 20;
/** The largest number of elements of a coordinate that are read for it. */
const mostRead = 2 ** 26;

/** Returns the stride of columns and rows that keeps a grid within `mostCells`. */
function everyOf(width: number, height: number): number {
  let every = Math.max(1, Math.ceil(Math.sqrt((width * height) / mostCells)));
  while (Math.ceil(width / every) * Math.ceil(height / every) > mostCells) every++;
  return every;
}

/** Reads a coordinate, or its corners, with a stride of `every`. */
async function read(array: ZarrArray, dimensions: number, every: number, signal: AbortSignal): Promise<Placed> {
  const description = await describe(array, { signal });
  if (description.kind !== "array")
    throw new UnsupportedError("coordinates that are not an array", { path: array.path, feature: "such coordinates" });
  const { packing } = description.field;
  const before = array.shape.length - dimensions;
  const items = array.shape.map((length, d) =>
    d < before ? 0 : { start: 0, stop: length, step: d < before + 2 ? every : 1 },
  );
  const { data } = (await array.get(items, { signal })) as Chunk<DataType>;
  const listed = numbersOf(array.type, data as AnyData, undefined);
  const source = listed ? takenFor(listed, packing.type) : await gathered(data as AnyData, undefined, signal);
  return { source, meaning: { complex: null, time: false, packing } };
}

/** Returns a name that no other axis has. */
const free = (name: string, long: string, axes: readonly Axis[]) =>
  axes.some((axis) => axis.name === name) ? long : name;

/** Returns the cost of reading an array's plane. */
function planeCost(array: ZarrArray, axes: readonly number[]): Cost {
  const count = axes.reduce((n, d) => n * chunksAlong({ array }, d, 0, array.shape[d] ?? 1), 1);
  return costOf({ array }, count);
}

/** Returns the cost of reading the positions of a grid's cells. */
export function placesCost({ longitude, latitude, bounds }: Curvilinear): Cost {
  const arrays = [longitude, latitude, ...(bounds ? [bounds.longitude, bounds.latitude] : [])];
  const each = arrays.map((array) => planeCost(array, [...array.shape.keys()]));
  const sum = (of: "chunks" | "bytes") => each.reduce((all, one) => all + one[of], 0);
  return { chunks: sum("chunks"), bytes: sum("bytes") };
}

/**
 * Returns a field of a curvilinear grid as a map, and its cells. The map has regular longitudes and
 * latitudes, and each pixel shows the element of the cell under it.
 */
export async function mapped(
  field: Field,
  workers: () => ViewWorker,
  signal: AbortSignal,
): Promise<{ readonly field: Field; readonly cells: Cells }> {
  const { x, y } = field.plane.value;
  const grid = field.place?.curvilinear;
  const [level] = field.levels as readonly [FieldLevel, ...FieldLevel[]];
  const refuse = (message: string) => new UnsupportedError(message, { path: field.path, feature: "a map of this" });
  if (x === null || y === null || !grid) throw refuse(`${field.path} has no longitudes and latitudes of its elements`);
  const [w, h] = [field.axes[x]?.length ?? 0, field.axes[y]?.length ?? 0];
  if (w * h > mostRead)
    throw new LimitError(`the grid has ${w * h} cells; a map has at most ${mostRead}`, {
      limit: "cells of a map",
      max: mostRead,
    });
  const every = everyOf(w, h);
  const [width, height] = [Math.ceil(w / every), Math.ceil(h / every)];
  const { bounds } = grid;
  // The corners of every second cell would leave gaps between the cells.
  const stated4 = every === 1 ? bounds : null;
  const [longitude, latitude, lonCorners, latCorners] = await Promise.all([
    read(grid.longitude, 2, every, signal),
    read(grid.latitude, 2, every, signal),
    stated4 && read(stated4.longitude, 3, 1, signal),
    stated4 && read(stated4.latitude, 3, 1, signal),
  ]);
  const corners = lonCorners && latCorners ? { longitude: lonCorners, latitude: latCorners } : null;
  const worker = workers();
  const map = await worker
    .do({ task: "locate", width, height, longitude, latitude, corners })
    .finally(() => worker.close());
  signal.throwIfAborted();
  const { cells, columns, rows, west, north, step } = map;
  if (columns === 0) throw refuse(`none of the elements of ${field.path} has a longitude and a latitude`);

  const { array } = level;
  const { packing } = field;
  const form = formOf(packing.type ?? array.type.name);
  const charted = { array, x, y, every, width, cells, columns, rows, taken: packing.type };
  const { chunks, bytes } = planeCost(array, [x, y]);
  const levels: FieldLevel[] = [
    {
      array: mapArray(charted, form, workers),
      factor: array.shape.map(() => 1),
      start: array.shape.map(() => 0),
      reads: chunks,
      bytes: bytes / chunks,
    },
  ];
  const across = linearCoordinate("longitude", "°E", columns, [step, west + step / 2]);
  const down = linearCoordinate("latitude", "°N", rows, [-step, north - step / 2]);
  const axes = field.axes.map((axis, d): Axis => {
    if (d !== x && d !== y) return axis;
    const [name, title, role, coordinate] =
      d === x
        ? ([free("lon", "longitude", field.axes), "longitude", "x", across] as const)
        : ([free("lat", "latitude", field.axes), "latitude", "y", down] as const);
    const { length, units } = coordinate;
    const why = "the grid's longitudes and latitudes";
    return { name, title, role: stated(role, why), length, units, coordinate: async () => coordinate };
  });
  const isWhole = /^u?int64$/.test(packing.type ?? array.type.name);
  const original = (value: unknown) =>
    array.type.kind === "bool" ? value === 1 : isWhole ? BigInt(value as number) : value;
  const made: Field = {
    ...field,
    axes,
    levels,
    plane: { ...field.plane, value: { x, y, up: false, left: false } },
    packing: {
      ...packing,
      type: null,
      missing: Number.isNaN(form.fill) ? packing.missing : [...packing.missing, form.fill],
    },
    place: { lonLat: true, curvilinear: null, transform: null, crs: "" },
    text: (value) => (Number.isNaN(value) || value === form.fill ? "missing" : field.text(original(value))),
  };
  const [lon, lat] = [grid.longitude, grid.latitude].map((one) => one.path.split("/").at(-1) ?? "") as [string, string];
  // Formats position `k` of a coordinate in its own units, from the numbers that the worker
  // returned.
  const word = ({ source, meaning }: Placed, k: number, units: string) => {
    const { scale, offset } = meaning.packing;
    return linearCoordinate("", units, 1, [1, Number(source[k]) * scale + offset]).text(0);
  };
  const found: Cells = {
    x: field.axes[x] as Axis,
    y: field.axes[y] as Axis,
    every,
    at: (column, row) => {
      const cell = column >= 0 && column < columns ? (cells[row * columns + column] ?? -1) : -1;
      if (cell < 0) return null;
      return {
        x: (cell % width) * every,
        y: Math.floor(cell / width) * every,
        coordinates: { [lat]: word(latitude, cell, "°N"), [lon]: word(longitude, cell, "°E") },
      };
    },
  };
  return { field: made, cells: found };
}
