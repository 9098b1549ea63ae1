// Pyramids of maps: GeoZarr's multiscales, ndpyramid's, and those of earlier GeoZarr.
import type { ZarrArray } from "../../api/array.js";
import type { Group } from "../../api/group.js";
import type { Level } from "../../geo/index.js";
import { member } from "../../shared/attributes.js";
import { fieldOf } from "../array.js";
import type { GroupDescription, ImageDescription, Problem } from "../description.js";
import type { Field, FieldLevel, Place } from "../field.js";
import { attempt, loadGeo, messageOf } from "../load.js";
import { Surroundings } from "../parents.js";
import { factorOf, mostLevels } from "./levels.js";
import { groupTitle } from "./title.js";

/** @internal Reports whether attributes may state a pyramid. */
export const isPyramid = (attrs: Readonly<Record<string, unknown>>): boolean =>
  member(attrs, "multiscales") !== undefined || member(member(attrs, "geo"), "multiscales") !== undefined;

/**
 * @internal Describes the pyramid of a group: its first or the named variable. If the variables are
 * unknown, describes its levels.
 */
export async function pyramidOf(
  group: Group,
  variable: string | undefined,
  signal: AbortSignal | undefined,
): Promise<ImageDescription | GroupDescription | undefined> {
  const geo = await loadGeo();
  const problems: Problem[] = [];
  const report = (message: string) => problems.push({ path: group.path, message });
  const pyramid = await geo.openPyramid(group, { signal });
  for (const { path, attribute, message } of pyramid.problems) {
    problems.push({ path, message: attribute === undefined ? message : `${attribute} ${message}` });
  }
  for (const { attribute, level, message } of geo.validate(group.attrs, group)) {
    if (level === "error") report(`${attribute} ${message}`);
  }
  const levels = finestFirst(pyramid.levels).slice(0, mostLevels);
  if (pyramid.levels.length > mostLevels) report(`${pyramid.levels.length} levels: the first ${mostLevels} are shown`);
  const nodes = await Promise.all(
    levels.map(async (level) => {
      const node = await attempt(
        signal,
        () => group.open(level.path, { signal }),
        (error) => report(`the level ${level.path} cannot be opened: ${messageOf(error)}`),
      );
      return node ? [{ level, node: node as ZarrArray | Group }] : [];
    }),
  );
  const [finest, ...others] = nodes.flat();
  if (!finest) return undefined;
  const variables =
    finest.node.kind === "group" ? await variablesOf(finest.node, signal) : new Map<string, ZarrArray>();
  const names = [...variables.keys()];
  const name = variable !== undefined && variables.has(variable) ? variable : names[0];
  const array = finest.node.kind === "array" ? finest.node : variables.get(name ?? "");
  const convention = { name: pyramid.kind === "ndpyramid" ? "ndpyramid" : "GeoZarr", version: "" };
  if (!array) {
    report(`the arrays of the level ${finest.level.path} are unknown`);
    const members = nodes.flat().map(({ node }) => ({ path: node.path, kind: node.kind as "array" | "group" }));
    const title = groupTitle(group);
    return { path: group.path, title, node: group, kind: "group", conventions: [convention], problems, members };
  }
  const above = finest.node.kind === "group" ? [finest.node, group] : [group];
  const found = await fieldOf(array, new Surroundings(above, signal), signal);
  const rest = await Promise.all(
    others.map(async ({ level, node }): Promise<FieldLevel[]> => {
      const own =
        node.kind === "array"
          ? node
          : await attempt(
              signal,
              () => node.open(name as string, { kind: "array", signal }),
              (error) => report(`the level ${level.path} has no ${name}: ${messageOf(error)}`),
            );
      if (!own) return [];
      if (own.shape.length === array.shape.length) return [overFinest(own, level, array, finest.level, found.field)];
      report(`the level ${level.path} has ${own.shape.length} dimensions, but the finest has ${array.shape.length}`);
      return [];
    }),
  );
  const field: Field = {
    ...found.field,
    levels: [...found.field.levels, ...rest.flat()],
    place: pyramidPlace(found.field.place, finest.level, pyramid.crs),
  };
  return {
    path: group.path,
    title: found.field.title.by === "stated" ? found.field.title : groupTitle(group),
    node: group,
    kind: "image",
    conventions: [convention, ...found.conventions.filter((one) => one.name !== "GeoZarr")],
    problems: [...problems, ...found.problems],
    field,
    labels: [],
    images: names.length > 1 ? names : [],
  };
}

/** The arrays of a level to draw: those with at least two dimensions. */
async function variablesOf(group: Group, signal: AbortSignal | undefined): Promise<Map<string, ZarrArray>> {
  const arrays = await attempt(signal, () => group.arrays({ signal }));
  return new Map([...(arrays ?? [])].filter(([, { shape }]) => shape.length >= 2));
}

/** The levels with the most elements first; in stored order if the sizes are unknown. */
function finestFirst(levels: readonly Level[]): readonly Level[] {
  const sizes = levels.map(({ shape }) => shape && shape[0] * shape[1]);
  if (sizes.includes(undefined)) return levels;
  return [...levels].sort(
    (a, b) => (b.shape as number[]).reduce((x, y) => x * y) - (a.shape as number[]).reduce((x, y) => x * y),
  );
}

/**
 * The position of a level over the finest, from the transforms along x and y, or from the lengths.
 */
function overFinest(array: ZarrArray, level: Level, finest: ZarrArray, first: Level, { plane }: Field): FieldLevel {
  const { x, y } = plane.value;
  const places = array.shape.map((length, d) => {
    const full = finest.shape[d] as number;
    const step = d === x ? 0 : d === y ? 4 : undefined;
    const [own, base] = [level.transform, first.transform];
    if (step === undefined || !own || !base) return { factor: factorOf(full, length, undefined), start: 0 };
    const edge = (of: readonly number[], registration: string) =>
      (of[step + (step === 0 ? 2 : 1)] as number) - (registration === "node" ? (of[step] as number) / 2 : 0);
    const factor = factorOf(full, length, Math.abs((own[step] as number) / (base[step] as number)));
    const start = (edge(own, level.registration) - edge(base, first.registration)) / (base[step] as number);
    return { factor, start: Math.abs(start) < 1e-6 * factor || !(Math.abs(start) <= full) ? 0 : start };
  });
  return { array, factor: places.map(({ factor }) => factor), start: places.map(({ start }) => start) };
}

/** The place of a field, completed from the layout. */
function pyramidPlace(
  place: Place | null,
  { transform, registration }: Level,
  crs: { code?: string; epsg?: number; name?: string } | undefined,
): Place | null {
  const named = crs ? (crs.epsg === undefined ? (crs.code ?? crs.name ?? "") : `EPSG:${crs.epsg}`) : "";
  const own = transform && registration !== "node" ? [...transform] : null;
  if (!place && !own && named === "") return null;
  const known = place ?? { lonLat: false, curvilinear: null, transform: null, crs: "" };
  return { ...known, transform: known.transform ?? own, crs: known.crs || named };
}
