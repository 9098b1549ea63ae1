// Groups of variables with common dimensions.
import type { Group, Member } from "../../api/group.js";
import { member, text } from "../../shared/attributes.js";
import type { DataArray, Dataset } from "../../xarray/index.js";
import { cfVersion } from "../array.js";
import { coordinateOf } from "../coordinate.js";
import type { Convention, DatasetDescription, Described, Problem, Variable } from "../description.js";
import { type Fact, guessed } from "../fact.js";
import { loadXarray } from "../load.js";
import { roleNamed, roleStated } from "../roles.js";
import { unitText } from "../text.js";

/** @internal The members of a dataset description apart from the node. */
type Content = Omit<DatasetDescription, keyof Described | "kind" | "node"> &
  Pick<Described, "conventions" | "problems">;

/**
 * @internal Describes a group as a dataset. Undefined if it has no arrays, or none with dimension
 * names.
 */
export async function datasetOf(group: Group, signal: AbortSignal | undefined): Promise<Content | undefined> {
  const { isNczarr, openDataset } = await loadXarray();
  const dataset = await openDataset(group, { signal, decodeCoords: "all" });
  const all = [...dataset.variables];
  const isNamed = ({ array, dims }: DataArray) =>
    dims.some((name, i) => name !== `dim_${i}`) || Object.hasOwn(array.attrs, "_ARRAY_DIMENSIONS");
  // Without dimension names, nothing relates the arrays to each other.
  if (!all.some(([, variable]) => isNamed(variable))) return undefined;
  const coordinates = [...dataset.coords].map(([name, variable]) => lineOf(name, variable));
  const data = [...dataset.dataVars];
  // A message about one variable begins with its name.
  const problems: Problem[] = dataset.problems.map((message) => {
    const [name, variable] = all.find(([name]) => message.startsWith(`${name}: `)) ?? [];
    return name === undefined || !variable
      ? { path: group.path, message }
      : { path: variable.array.path, message: message.slice(name.length + 2) };
  });
  const extent = async (name: string, signal?: AbortSignal) => {
    signal?.throwIfAborted();
    const variable = dataset.coords.get(name) ?? dataset.variables.get(name);
    if (variable?.shape.length !== 1 || variable.shape[0] === 0) return null;
    const length = variable.shape[0] as number;
    const coordinate = await coordinateOf(variable.array, length)(signal);
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
      isNczarr(group),
    ),
    problems,
    extent,
  };
}

/** The most groups searched for variables. */
const mostGroups = 64;

/**
 * @internal Describes a group without variables by the variables of the groups below it, named by
 * path. This needs consolidated metadata. Undefined if there are none, or if the groups are
 * something else, like images.
 */
export async function nestedOf(
  group: Group,
  members: readonly Member[],
  signal: AbortSignal | undefined,
): Promise<Content | undefined> {
  if (!group.consolidated || members.some(({ kind }) => kind === "array")) return undefined;
  const found: [prefix: string, Content][] = [];
  const visit = async (inside: readonly Member[], prefix: string) => {
    for (const { name, node } of inside) {
      if (node?.kind !== "group") continue;
      if (found.length >= mostGroups || isOther(node.attrs)) throw new OtherError();
      const below = await node.members({ signal });
      if (below.some(({ kind }) => kind === "array")) {
        const dataset = await datasetOf(node, signal);
        if (!dataset) throw new OtherError();
        found.push([`${prefix}${name}/`, dataset]);
      }
      await visit(below, `${prefix}${name}/`);
    }
  };
  try {
    await visit(members, "");
  } catch (error) {
    if (error instanceof OtherError) return undefined;
    throw error;
  }
  const [first] = found;
  if (!first) return undefined;
  const all = <T>(of: (content: Content, prefix: string) => readonly T[]) =>
    found.flatMap(([prefix, one]) => of(one, prefix));
  const below = (prefix: string) => (one: Variable) => ({ ...one, name: `${prefix}${one.name}` });
  const firsts = all(({ first }) => (first ? [first] : []));
  return {
    dimensions: all(({ dimensions }, prefix) =>
      dimensions.map(({ name, length }) => ({ name: `${prefix}${name}`, length })),
    ),
    coordinates: all(({ coordinates }, prefix) => coordinates.map(below(prefix))),
    variables: all(({ variables }, prefix) => variables.map(below(prefix))),
    first: firsts.find(({ why }) => why === mapWhy) ?? firsts[0] ?? null,
    conventions: first[1].conventions,
    problems: all(({ problems }) => problems),
    extent: async (name, signal) => {
      const [prefix, content] = found.findLast(([prefix]) => name.startsWith(prefix)) ?? [];
      return content && prefix !== undefined ? content.extent(name.slice(prefix.length), signal) : null;
    },
  };
}

/** Signals a group that is not a dataset. */
class OtherError extends Error {}

/** Reports whether attributes belong to an image, a pyramid or a table. */
const isOther = (attrs: Readonly<Record<string, unknown>>) =>
  ["ome", "multiscales", "plate", "well", "encoding-type", "bioformats2raw.layout"].some((name) =>
    Object.hasOwn(attrs, name),
  );

const mapWhy = "the first map";

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

/**
 * The variable to show first. Maps rank before pictures, pictures before lines, and titled
 * variables before untitled ones.
 */
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
    const why = spatial === 2 ? mapWhy : long >= 2 ? "the first picture" : "the first variable";
    if (!best || score > best.score + 1) best = { path: array.path, score, why };
  }
  if (best) return guessed(best.path, best.why);
  const [any] = data;
  return any ? guessed(any[1].array.path, "the first variable") : null;
}

function conventionsOf(group: Group, variables: readonly DataArray[], nczarr: boolean): Convention[] {
  const found: Convention[] = [];
  const version = cfVersion(group.attrs);
  const says = (name: string) => variables.some(({ array }) => Object.hasOwn(array.attrs, name));
  if (version !== undefined || ["standard_name", "cell_methods", "grid_mapping", "calendar"].some(says))
    found.push({ name: "CF", version: version ?? "" });
  if (nczarr) found.push({ name: "NCZarr", version: "" });
  else found.push({ name: "xarray", version: "" });
  return found;
}
