import type { ZarrArray } from "../api/array.js";
import { member, text } from "../shared/attributes.js";
import { coordinateOf } from "./coordinate.js";
import type { Convention, Problem } from "./description.js";
import { type Fact, guessed, stated } from "./fact.js";
import type { Axis, Coordinate, Field, Plane, Role } from "./field.js";
import { attempt, loadXarray } from "./load.js";
import { followsCf, type Meaning, meaningOf } from "./meaning.js";
import type { Surroundings } from "./parents.js";
import { earthPlace, placedCoordinate } from "./place.js";
import { colourAxisOf, planeOf } from "./plane.js";
import { degreesOf, roleNamed, roleStated } from "./roles.js";
import { unitText } from "./text.js";

/** @internal A field, with its conventions and problems. */
export interface Found {
  readonly field: Field;
  readonly conventions: readonly Convention[];
  readonly problems: readonly Problem[];
}

/** @internal The last part of a path; `/` for the root. */
export const nameOf = (path: string): string => path.split("/").at(-1) || "/";

/** @internal The names of an array's dimensions, and the reason if written names are ignored. */
async function namesOf(
  array: ZarrArray,
  signal: AbortSignal | undefined,
): Promise<{ names: (string | null)[]; problem?: string | undefined }> {
  const { dimensionNames, shape, attrs } = array;
  if (dimensionNames) return { names: dimensionNames };
  const keys = [attrs, ...Object.values(array.metadata)].flatMap((one) => Object.keys(Object(one)));
  const written = keys.some((key) => /^_nczarr_/i.test(key) || key === "_ARRAY_DIMENSIONS");
  const found = written && (await attempt(signal, async () => (await loadXarray()).dimensionsOf(array)));
  const names = found && found.names.length === shape.length ? found.names : shape.map(() => null);
  return { names, problem: found ? found.problem : undefined };
}

/** @internal The field of one array, from its attributes and the coordinates next to it. */
export async function fieldOf(array: ZarrArray, around: Surroundings, signal: AbortSignal | undefined): Promise<Found> {
  const { attrs, path, shape } = array;
  const problems: Problem[] = [];
  const report = (message: string | undefined) => message !== undefined && problems.push({ path, message });
  const [{ names, problem }, meaning] = await Promise.all([namesOf(array, signal), meaningOf(array, signal)]);
  report(problem);
  for (const one of meaning.problems) report(one);
  const name = nameOf(path);
  const own = await Promise.all(names.map((one) => coordinateArray(array, one, around)));
  const coordinates = await withAuxiliary(array, names, own, around);
  const known = names.map((one, d) => {
    const isCoordinate = shape.length === 1 && one === name;
    const attributes = own[d]?.attrs ?? (isCoordinate ? attrs : undefined);
    return (attributes && roleStated(attributes)) ?? roleNamed(one);
  });
  const roles = unambiguous(known);
  const colour = colourAxisOf(shape, names, array.dtype, roles);
  if (colour) roles[colour.value] = { ...colour, value: "colour" };
  const plane = planeOf(shape.map((length, d) => ({ length, role: roles[d] })));
  const { x, y } = plane.value;
  const axes = shape.map((length, d): Axis => {
    const coordinate = coordinates[d];
    const title = text(member(coordinate?.attrs, "long_name")) ?? names[d] ?? `dim_${d}`;
    const drawn: Role = d === x ? "x" : d === y ? "y" : "other";
    const degrees = coordinate && degreesOf(coordinate.attrs, names[d] ?? null);
    const units = coordinate && unitsOf(coordinate, degrees === undefined ? "" : degrees === "x" ? "°E" : "°N");
    return {
      name: names[d] || `dim_${d}`,
      title,
      role:
        roles[d] ??
        guessed(
          roles.some((one) => one?.value === drawn) ? "other" : drawn,
          d === x || d === y ? plane.why : "not stated",
        ),
      length,
      units: units ?? "",
      coordinate: coordinate ? coordinateOf(coordinate, length, units) : async () => null,
    };
  });
  const [left, upwards, place] = await Promise.all([
    isBackwards(x, false, axes, coordinates, signal),
    isBackwards(y, true, axes, coordinates, signal),
    earthPlace(array, { axes, coordinates, names, plane: plane.value, around, signal, report }),
  ]);
  const drawn: Plane = { x, y, left, up: upwards };
  // An axis without a coordinate takes its positions from the transform.
  const told = (d: number | null) => (d !== null && !coordinates[d] ? place?.transform : undefined);
  const [across, down] = [told(x), told(y)];
  const up = down ? (down[4] as number) > 0 : drawn.up;
  const placed = axes.map((axis, d): Axis => {
    const made =
      place && !coordinates[d] && (d === x || d === y)
        ? placedCoordinate(place, d === x ? "x" : "y", axis.length)
        : null;
    return made ? { ...axis, units: made.units, coordinate: async () => made } : axis;
  });
  const field = assemble(array, meaning, {
    axes: placed,
    plane: { ...plane, value: { ...drawn, up, left: across ? (across[0] as number) < 0 : drawn.left } },
    colourAxis: colour?.value ?? null,
    place,
  });
  return { field, problems, conventions: conventionsOf(array, around, names, place !== null && place.crs !== "") };
}

/** @internal Builds the field of one array. */
export function assemble(
  array: ZarrArray,
  meaning: Meaning,
  more: Pick<Field, "axes" | "plane" | "colourAxis" | "place"> & Partial<Field>,
): Field {
  const { path, shape } = array;
  const { problems: _, ...means } = meaning;
  return {
    path,
    name: nameOf(path),
    title: titleOf(array),
    ...means,
    levels: [{ array, factor: shape.map(() => 1), start: shape.map(() => 0) }],
    indices: shape.map((length, d) => firstIndex(length, more.axes[d]?.role.value, d, more.plane.value)),
    channels: null,
    labels: false,
    ...more,
  };
}

/**
 * The initial index of an axis: the middle of a volume that is drawn slice by slice, otherwise 0.
 */
function firstIndex(length: number, role: Role | undefined, d: number, { x, y }: Plane): number {
  return role === "z" && d !== x && d !== y ? Math.floor(Math.max(0, length - 1) / 2) : 0;
}

/** A title for display. */
function titleOf({ attrs, path }: ZarrArray): Fact<string> {
  for (const name of ["long_name", "title", "standard_name"]) {
    const written = text(member(attrs, name))?.trim();
    if (written)
      return stated(name === "standard_name" ? written.replaceAll("_", " ") : written, `the attribute ${name}`);
  }
  return guessed(nameOf(path), "the array's path");
}

/**
 * The coordinate of a dimension: the one-dimensional array with the dimension's name (CF 5, NUG).
 */
async function coordinateArray(
  array: ZarrArray,
  name: string | null,
  around: Surroundings,
): Promise<ZarrArray | undefined> {
  if (!name || (array.shape.length === 1 && nameOf(array.path) === name)) return undefined;
  const found = await around.array(name);
  return found?.shape.length === 1 || found?.type.kind === "char" ? found : undefined;
}

/**
 * The coordinates of all dimensions. A dimension without its own takes an auxiliary one (CF 5). The
 * candidates are listed in the attribute `coordinates` and run along that dimension alone. Times
 * are preferred to names, and names to numbers.
 */
async function withAuxiliary(
  array: ZarrArray,
  names: readonly (string | null)[],
  own: readonly (ZarrArray | undefined)[],
  around: Surroundings,
): Promise<(ZarrArray | undefined)[]> {
  const named = (text(member(array.attrs, "coordinates")) ?? "").split(/\s+/).filter(Boolean).slice(0, 32);
  const open = named.length > 0 && names.some((name, d) => name !== null && !own[d] && nameOf(array.path) !== name);
  const found = open ? await Promise.all(named.map((name) => around.array(name))) : [];
  const rank = ({ attrs, type }: ZarrArray) =>
    roleStated(attrs)?.value === "time" || type.kind === "datetime"
      ? 0
      : /^(string|unicode|char)$/.test(type.kind)
        ? 1
        : 2;
  return names.map((name, d) => {
    if (own[d] || name === null) return own[d];
    const along = found.flatMap((one) => {
      return one?.shape[0] === array.shape[d] && one?.dimensionNames?.join() === name ? [one] : [];
    });
    return along.sort((a, b) => rank(a) - rank(b))[0];
  });
}

/**
 * Units of an axis, or the given default if none are written. A time's units are part of its
 * positions.
 */
function unitsOf(coordinate: ZarrArray, otherwise: string): string {
  const units = text(member(coordinate.attrs, "units"));
  if (units === undefined) return otherwise;
  return /\ssince\s/i.test(units) ? "" : unitText(units);
}

/** Gives each role to one axis: the axis that states it, otherwise the last one. */
function unambiguous(roles: readonly (Fact<Role> | undefined)[]): (Fact<Role> | undefined)[] {
  return roles.map((fact, d) => {
    if (!fact || fact.value === "other" || fact.value === "time" || fact.value === "channel") return fact;
    const rivals = roles.flatMap((one, i) => (one?.value === fact.value ? [i] : []));
    const best = rivals.findLast((i) => roles[i]?.by === "stated") ?? rivals.at(-1);
    return best === d ? fact : guessed("other", `another axis is ${fact.value}`);
  });
}

/** Reports whether the numbers of an axis grow downwards. */
const isDown = (attrs: Readonly<Record<string, unknown>>) =>
  text(member(attrs, "positive"))?.toLowerCase() === "down" ||
  /^(air_pressure|depth)$/.test(text(member(attrs, "standard_name")) ?? "") ||
  /^(h?pa|mb|mbar|dbar|millibars?)$/i.test(text(member(attrs, "units")) ?? "");

/**
 * Reports whether the first element of an axis lies at the end where readers expect the last. Along
 * y the lowest value belongs at the bottom. Depths and pressures grow downwards, so theirs belongs
 * at the top. Along x the lowest value belongs at the left.
 */
async function isBackwards(
  d: number | null,
  isVertical: boolean,
  axes: readonly Axis[],
  arrays: readonly (ZarrArray | undefined)[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const [axis, array] = [axes[d ?? -1], arrays[d ?? -1]];
  const role = axis?.role.value;
  if (!axis || !array || (role !== "x" && role !== "y" && role !== "z") || axis.length < 2) return false;
  const coordinate: Coordinate | null = await axis.coordinate(signal);
  if (coordinate?.kind !== "number") return false;
  const grows = coordinate.number(axis.length - 1) - coordinate.number(0);
  return isVertical && !isDown(array.attrs) ? grows > 0 : grows < 0;
}

/** The conventions that an array and the groups around it follow. */
function conventionsOf(
  array: ZarrArray,
  around: Surroundings,
  names: readonly (string | null)[],
  isPlaced: boolean,
): Convention[] {
  const found: Convention[] = [];
  const { attrs } = array;
  const keys = Object.keys(attrs);
  if (keys.some((key) => /^(spatial|proj):/.test(key))) found.push({ name: "GeoZarr", version: "" });
  const written = [attrs, ...around.groups.map((group) => group.attrs)]
    .map((one) => cfVersion(one))
    .find((one) => one !== undefined);
  const isCf =
    followsCf(array) ||
    ["standard_name", "grid_mapping", "axis", "coordinates", "bounds", "cell_methods"].some((key) =>
      Object.hasOwn(attrs, key),
    );
  if (written !== undefined || isCf) found.push({ name: "CF", version: written ?? "" });
  if (Object.hasOwn(attrs, "_ARRAY_DIMENSIONS")) found.push({ name: "xarray", version: "" });
  else if (names.some((name) => name !== null) && array.dimensionNames === undefined)
    found.push({ name: "NCZarr", version: "" });
  if (isPlaced && found.length === 0) found.push({ name: "GeoZarr", version: "" });
  return found;
}

/** @internal The CF version that attributes state. */
export function cfVersion(attrs: Readonly<Record<string, unknown>>): string | undefined {
  const [, version] = /\bCF-?(\d[\d.]*)?/.exec(text(member(attrs, "Conventions")) ?? "") ?? [];
  return /\bCF\b/.test(text(member(attrs, "Conventions")) ?? "") ? (version ?? "") : undefined;
}
