// Groups of variables with common dimensions.
import type { Group } from "../../api/group.js";
import { member, text } from "../../attributes/read.js";
import type { DataArray, Dataset } from "../../xarray/index.js";
import { cfVersion } from "../array.js";
import { readCoordinate } from "../coordinate.js";
import type { Convention, DatasetDescription, Described, Problem, Variable } from "../description.js";
import { type Fact, guessed } from "../fact.js";
import { loadXarray } from "../load.js";
import { roleNamed, roleStated } from "../roles.js";
import { unitText } from "../text.js";

/** @internal Describes a group as a dataset; undefined where its arrays have no dimensions in common, or there are none. */
export async function datasetOf(
  group: Group,
  signal: AbortSignal | undefined,
): Promise<
  | (Omit<DatasetDescription, keyof Described | "kind" | "node"> & Pick<Described, "conventions" | "problems">)
  | undefined
> {
  const { openDataset } = await loadXarray();
  const dataset = await openDataset(group, { signal, decodeCoords: "all" });
  const all = [...dataset.variables];
  if (!all.some(([, { array, dims }]) => dims.some((name, i) => name !== `dim_${i}`) || array.shape.length === 0))
    return undefined;
  const coordinates = [...dataset.coords].map(([name, variable]) => lineOf(name, variable));
  const data = [...dataset.dataVars];
  const problems: Problem[] = dataset.problems.map((message) => ({ path: group.path, message }));
  const extent = async (name: string, signal?: AbortSignal) => {
    signal?.throwIfAborted();
    const variable = dataset.coords.get(name) ?? dataset.variables.get(name);
    if (variable?.shape.length !== 1 || variable.shape[0] === 0) return null;
    const length = variable.shape[0] as number;
    const coordinate = await readCoordinate(variable.array, length, signal);
    return coordinate && { first: coordinate.text(0), last: coordinate.text(length - 1) };
  };
  return {
    dimensions: Object.entries(dataset.sizes).map(([name, length]) => ({ name, length })),
    coordinates,
    variables: data.map(([name, variable]) => lineOf(name, variable)),
    first: firstOf(data, dataset),
    conventions: conventionsOf(
      group,
      all.map(([, variable]) => variable),
    ),
    problems,
    extent,
  };
}

function lineOf(name: string, variable: DataArray): Variable {
  const { array, dims, shape, dtype, attrs } = variable;
  const title = text(member(attrs, "long_name")) ?? text(member(attrs, "standard_name"))?.replaceAll("_", " ") ?? "";
  const units = variable.units ?? "";
  return {
    name,
    path: array.path,
    dimensions: dims,
    shape,
    chunks: array.chunks.slice(0, shape.length),
    dtype,
    title,
    units: /\ssince\s/i.test(units) ? "" : unitText(units),
    bytes: array.nbytes,
  };
}

/** The variable to look at first: a map before a picture before a line, one that has a title before one without. */
function firstOf(data: readonly (readonly [string, DataArray])[], dataset: Dataset): Fact<string> | null {
  let best: { path: string; score: number; why: string } | undefined;
  for (const [, variable] of data) {
    const { array, dims, shape, attrs } = variable;
    if (!/^(u?int|float|bool|complex|minifloat)$/.test(array.type.kind)) continue;
    const long = shape.filter((length) => length > 1).length;
    const spatial = dims.filter((name) => {
      const coordinate = dataset.coords.get(name);
      const role = (coordinate && roleStated({ ...coordinate.attrs, ...coordinate.encoding })) ?? roleNamed(name);
      return role?.value === "x" || role?.value === "y";
    }).length;
    const titled = member(attrs, "long_name") !== undefined || member(attrs, "standard_name") !== undefined;
    const isBounds = /(_bnds|_bounds)$/.test(array.path) || /^(bnds|bounds|nv|nbnd)$/.test(dims.at(-1) ?? "");
    const score =
      (spatial === 2 ? 100 : 0) +
      Math.min(long, 4) * 10 +
      (titled ? 5 : 0) -
      (isBounds ? 200 : 0) +
      Math.log10(1 + array.size) / 10;
    const why = spatial === 2 ? "the first map" : long >= 2 ? "the first picture" : "the first variable";
    if (!best || score > best.score + 1) best = { path: array.path, score, why };
  }
  return best ? guessed(best.path, best.why) : null;
}

function conventionsOf(group: Group, variables: readonly DataArray[]): Convention[] {
  const found: Convention[] = [];
  const version = cfVersion(group.attrs);
  const says = (name: string) => variables.some(({ array }) => Object.hasOwn(array.attrs, name));
  if (version !== undefined || ["standard_name", "cell_methods", "grid_mapping", "calendar"].some(says))
    found.push({ name: "CF", version: version ?? "" });
  if (Object.keys(group.attrs).some((key) => /^_nczarr_/i.test(key))) found.push({ name: "NCZarr", version: "" });
  else found.push({ name: "xarray", version: "" });
  return found;
}
