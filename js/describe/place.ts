// The position of a field on the Earth.
import type { ZarrArray } from "../api/array.js";
import { member, text } from "../shared/attributes.js";
import { linearCoordinate } from "./coordinate.js";
import type { Axis, Coordinate, Place, Plane } from "./field.js";
import { attempt, loadGeo, messageOf } from "./load.js";
import type { Surroundings } from "./parents.js";
import { degreesOf } from "./roles.js";

/** The inputs of `earthPlace`. */
interface Looked {
  readonly axes: readonly Axis[];
  readonly coordinates: readonly (ZarrArray | undefined)[];
  readonly names: readonly (string | null)[];
  readonly plane: Pick<Plane, "x" | "y">;
  readonly around: Surroundings;
  readonly signal: AbortSignal | undefined;
  report(message: string): void;
}

/**
 * @internal The position of an array on the Earth, from its coordinates and metadata; null if
 * neither states one.
 */
export async function earthPlace(array: ZarrArray, looked: Looked): Promise<Place | null> {
  const { x, y } = looked.plane;
  if (x === null || y === null) return null;
  const degrees = (d: number) => degreesOf(looked.coordinates[d]?.attrs ?? {}, looked.names[d] ?? null);
  const regular =
    degrees(x) === "x" &&
    degrees(y) === "y" &&
    looked.coordinates[x] !== undefined &&
    looked.coordinates[y] !== undefined;
  const curvilinear = regular ? null : await curvilinearOf(array, [y, x], looked);
  const { transform, crs } = await georeferenced(array, looked);
  const lonLat = regular || (transform !== null && isGeographic.test(crs));
  if (!lonLat && !curvilinear && !transform && crs === "") return null;
  return { lonLat, curvilinear, transform, crs };
}

/** Reference systems with longitude as x and latitude as y. */
const isGeographic = /^(EPSG:(4326|4979|4258|4269|4267)|OGC:CRS84|WGS ?84)$/i;

/** @internal Reports whether rows and columns run along the reference system's axes. */
const isAligned = ([, b, , d]: readonly number[]): boolean => b === 0 && d === 0;

/**
 * @internal The positions of element centres along an axis of the plane, from the place's
 * transform.
 */
export function placedCoordinate(
  { transform, lonLat, crs }: Place,
  axis: "x" | "y",
  length: number,
): Coordinate | null {
  if (!transform || !isAligned(transform)) return null;
  const [step, edge] = (axis === "x" ? [transform[0], transform[2]] : [transform[4], transform[5]]) as [number, number];
  const units = lonLat ? (axis === "x" ? "°E" : "°N") : "";
  return linearCoordinate(crs || "spatial:transform", units, length, [step, edge + step / 2]);
}

/**
 * Longitudes and latitudes of each element: the two-dimensional arrays listed in the attribute
 * `coordinates` (CF 5.2).
 */
async function curvilinearOf(
  array: ZarrArray,
  plane: readonly [y: number, x: number],
  { around, names }: Looked,
): Promise<Place["curvilinear"]> {
  const written = [array.attrs, around.parent?.attrs ?? {}].map((attrs) => text(member(attrs, "coordinates")) ?? "");
  const named = [...new Set(written.join(" ").split(/\s+/).filter(Boolean))].slice(0, 32);
  // The names that xarray uses when the attribute is lost.
  const wanted =
    named.length > 0
      ? named
      : around.parent?.consolidated
        ? ["lat", "lon", "latitude", "longitude", "nav_lat", "nav_lon"]
        : [];
  const found: { x?: ZarrArray; y?: ZarrArray } = {};
  for (const one of await Promise.all(wanted.map((name) => around.array(name)))) {
    // Leading axes of length 1 are ignored, like the time of a grid that never moves.
    const before = (one?.shape.length ?? 0) - 2;
    if (!one || before < 0 || one.shape.slice(0, before).some((length) => length !== 1)) continue;
    if (plane.some((d, i) => array.shape[d] !== one.shape[before + i])) continue;
    const own = one.dimensionNames?.slice(before);
    if (own && plane.some((d, i) => names[d] !== null && own[i] !== null && names[d] !== own[i])) continue;
    const name = one.path.split("/").at(-1) as string;
    const role = degreesOf(one.attrs, name.replace(/^nav_/, ""));
    if (role) found[role] ??= one;
  }
  if (!found.x || !found.y) return null;
  const [longitude, latitude] = await Promise.all([cornersOf(found.x, around), cornersOf(found.y, around)]);
  const bounds = longitude && latitude ? { longitude, latitude } : null;
  return { longitude: found.x, latitude: found.y, bounds };
}

/** The four corners of each cell: the array that the attribute `bounds` names (CF 7.1). */
async function cornersOf(coordinate: ZarrArray, around: Surroundings): Promise<ZarrArray | undefined> {
  const name = text(member(coordinate.attrs, "bounds"))?.trim();
  const found = name ? await around.array(name) : undefined;
  return found && [...coordinate.shape, 4].join() === found.shape.join() ? found : undefined;
}

/** Reports whether attributes state a place other than by coordinates. */
const isGeo = (attrs: Readonly<Record<string, unknown>>) =>
  Object.keys(attrs).some((key) => /^(spatial|proj):|^(grid_mapping|_CRS|geo)$/.test(key)) ||
  /\bspatial_ref\b/.test(text(member(attrs, "coordinates")) ?? "");

async function georeferenced(
  array: ZarrArray,
  { around, plane, signal, report }: Looked,
): Promise<Pick<Place, "transform" | "crs">> {
  const nothing = { transform: null, crs: "" };
  const { groups } = around;
  const layouts = groups.some(({ attrs }) => member(member(attrs, "multiscales"), "layout") !== undefined);
  if (!isGeo(array.attrs) && !(around.parent && isGeo(around.parent.attrs)) && !layouts) {
    const reference = around.parent?.consolidated ? await around.array("spatial_ref") : undefined;
    if (!reference) return nothing;
  }
  const found = await attempt(
    signal,
    async () => (await loadGeo()).georeference(array, { group: groups.at(-1), signal }),
    (error) => report(messageOf(error)),
  );
  if (!found) return nothing;
  for (const { attribute, message } of found.problems)
    report(attribute === undefined ? message : `${attribute} ${message}`);
  if (isGeo(array.attrs)) {
    const { validate } = await loadGeo();
    for (const { attribute, level, message } of validate(array.attrs, array)) {
      if (level === "error") report(`${attribute} ${message}`);
    }
  }
  const { crs, transform, axes, registration } = found;
  const isOther = axes && (axes.x !== plane.x || axes.y !== plane.y);
  const shifted = transform && registration === "node" ? centred(transform) : transform;
  return {
    transform: shifted && !isOther ? [...shifted] : null,
    crs: crs ? (crs.epsg === undefined ? (crs.code ?? crs.name ?? "") : `EPSG:${crs.epsg}`) : "",
  };
}

/** Converts a transform of element centres to one of element corners, as fields use. */
function centred([a, b, c, d, e, f]: readonly [number, number, number, number, number, number]): number[] {
  return [a, b, c - (a + b) / 2, d, e, f - (d + e) / 2];
}
