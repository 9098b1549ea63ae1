// Opens a hierarchy in netCDF's model.
import type { ZarrArray } from "../api/array.js";
import type { Group } from "../api/group.js";
import { isNamed, LimitError } from "../errors.js";
import { checked, refuse } from "../shared/arguments.js";
import { attributeTypes, netcdfType, objectOf, userAttributes } from "./attributes.js";
import { memberNames, type NczarrArray, type NczarrGroup, nameOf, nczarrArray, nczarrGroup } from "./dimensions.js";

/** A variable of {@link openNczarr}. */
export interface NczarrVariable {
  /** The array. */
  array: ZarrArray;
  /** The dimensions' paths, like `"/g1/time"`; `null` for a dimension without a name. */
  dims: (string | null)[];
  /** The last segments of these paths. */
  names: (string | null)[];
  /** Elements along each dimension; empty for a scalar, even if v2 stores it as one element. */
  shape: number[];
  /** The netCDF type of the elements, like `"short"` or `"char"`. */
  type: string;
  /** The attributes without those of NCZarr and xarray. */
  attributes: Record<string, unknown>;
  /** The stated netCDF types of those attributes. */
  attributeTypes: Record<string, string>;
}

/** A hierarchy in netCDF's model. */
export interface NczarrHierarchy {
  /** The paths of the groups relative to the opened one, `""` first. */
  groups: string[];
  /** The dimensions by path. */
  dimensions: Map<string, { size: number; unlimited: boolean }>;
  /** The arrays by their paths relative to the opened group. */
  variables: Map<string, NczarrVariable>;
  /** A sentence for each invalid statement. The affected arrays have no dimension names. */
  problems: string[];
}

/** Settings of {@link openNczarr}. */
export interface NczarrOptions {
  /** Aborts the call: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /**
   * Also reads the documents `.nczgroup`, `.nczarray` and `.nczattr` that netCDF-C wrote before
   * 2021. This takes one or two requests for each v2 node without newer metadata.
   */
  files?: boolean | undefined;
  /** Names unnamed dimensions as netCDF-C does: `_Anonymous_Dimension_4` for the length 4. */
  anonymous?: boolean | undefined;
}

/** The maximum number of groups in a hierarchy, and their maximum depth. */
const [mostGroups, mostDepth] = [10_000, 64];

/** Reads a document of the oldest form; undefined if it is absent or not an object. */
async function fileOf(node: Group | ZarrArray, name: string, options: NczarrOptions) {
  if (!options.files || node.format !== 2) return undefined;
  const at = node.path === "/" ? "" : node.path;
  const key = `${at}/${name}` as `/${string}`;
  const bytes = await node.store.get(key, options.signal ? { signal: options.signal } : {});
  if (!bytes) return undefined;
  try {
    return objectOf(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

/**
 * Opens a hierarchy that netCDF-C wrote (NCZarr, v2 and v3): its groups, their dimensions, and the
 * arrays that reference these. The group must be the root of the hierarchy, or references are not
 * found. NCZarr metadata list a group's members; `group.members()` lists a group without them.
 *
 * @throws `LimitError` for more than 10,000 groups or 64 levels.
 */
export async function openNczarr(group: Group, options: NczarrOptions = {}): Promise<NczarrHierarchy> {
  if (group?.kind !== "group") refuse("openNczarr", group, "a group, as await open(url) returns it");
  checked("openNczarr", options);
  const found: NczarrHierarchy = { groups: [], dimensions: new Map(), variables: new Map(), problems: [] };
  const arrays: { path: string; array: ZarrArray; said: ReturnType<typeof nczarrArray>; types: unknown }[] = [];
  let groups = 0;
  const visit = async (node: Group, path: string, depth: number): Promise<void> => {
    // A server may answer every path with a group that names others.
    for (const [limit, value, max] of [
      ["groups", ++groups, mostGroups] as const,
      ["depth", depth, mostDepth] as const,
    ]) {
      if (value > max) throw new LimitError(`${limit} of NCZarr: more than ${max}`, { limit, max, path: node.path });
    }
    let said: NczarrGroup | undefined = nczarrGroup(node);
    if (!said) said = nczarrGroup(node, await fileOf(node, ".nczgroup", options));
    found.problems.push(...(said?.problems ?? []));
    for (const { name, size, unlimited } of said?.dimensions ?? []) {
      found.dimensions.set(`/${path ? `${path}/` : ""}${name}`, { size, unlimited });
    }
    const children = await childrenOf(node, said, found.problems, options);
    await Promise.all(
      children.map(async (child) => {
        const name = child.path.slice(node.path === "/" ? 1 : node.path.length + 1);
        const at = path ? `${path}/${name}` : name;
        if (child.kind === "group") return visit(child, at, depth + 1);
        let said = nczarrArray(child);
        if (!said) said = nczarrArray(child, await fileOf(child, ".nczarray", options));
        const typed = Object.keys(attributeTypes(child)).length > 0;
        const types = typed ? undefined : await fileOf(child, ".nczattr", options);
        arrays.push({ path: at, array: child, said, types });
      }),
    );
    found.groups.push(path);
  };
  await visit(group, "", 0);
  found.groups.sort();
  arrays.sort((a, b) => (a.path < b.path ? -1 : 1));
  for (const { path, array, said, types } of arrays) {
    found.variables.set(path, variableOf(found, array, said, objectOf(types), options.anonymous));
  }
  return found;
}

async function childrenOf(
  group: Group,
  said: NczarrGroup | undefined,
  problems: string[],
  options: NczarrOptions,
): Promise<(Group | ZarrArray)[]> {
  const { signal } = options;
  if (!said?.arrays && !said?.groups) {
    const [arrays, groups] = await Promise.all([group.arrays({ signal }), group.groups({ signal })]);
    return [...arrays.values(), ...groups.values()];
  }
  const open = async (name: string, kind: "array" | "group") => {
    try {
      return [await group.open(name, { kind, signal } as { kind: "array" })];
    } catch (error) {
      if (!isNamed(error, "NotFoundError")) throw error;
      problems.push(`${group.path} names the ${kind} ${JSON.stringify(name)}, which does not exist`);
      return [];
    }
  };
  const all = [
    ...memberNames(said.arrays).map((name) => open(name, "array")),
    ...memberNames(said.groups).map((name) => open(name, "group")),
  ];
  return (await Promise.all(all)).flat();
}

function variableOf(
  { dimensions, problems }: NczarrHierarchy,
  array: ZarrArray,
  said: NczarrArray | { problem: string } | undefined,
  files: Record<string, unknown> | undefined,
  anonymous = false,
): NczarrVariable {
  const { shape } = array;
  const variable: NczarrVariable = {
    array,
    dims: shape.map(() => null),
    names: array.dimensionNames ?? shape.map(() => null),
    shape,
    type: netcdfType(array.type),
    attributes: userAttributes(array),
    attributeTypes: attributeTypes(array, files),
  };
  if (said && "problem" in said) problems.push(said.problem);
  else if (said) {
    const wrong = said.references.find((path, i) => {
      const declared = dimensions.get(path);
      const size = shape[i] as number;
      return !declared || (declared.unlimited ? size > declared.size : size !== declared.size);
    });
    if (wrong !== undefined) {
      const declared = dimensions.get(wrong);
      const length = declared ? `of length ${declared.size}` : "not declared";
      problems.push(`${array.path} refers to the dimension ${wrong}, which is ${length}`);
    } else {
      variable.dims = said.references;
      variable.names = said.references.map(nameOf);
      if (said.scalar) variable.shape = [];
    }
  } else if (anonymous) {
    variable.names = variable.names.map((name, i) => name ?? `_Anonymous_Dimension_${shape[i]}`);
    for (const [i, name] of variable.names.entries()) {
      const size = shape[i] as number;
      const path = `/${name}`;
      const declared = dimensions.get(path);
      if (declared && declared.size !== size) continue;
      variable.dims[i] = path;
      dimensions.set(path, declared ?? { size, unlimited: false });
    }
  }
  return variable;
}

/**
 * Joins netCDF characters to strings along the last dimension. The first NUL ends a string.
 *
 * @param data the characters in C order; `""` and NUL are padding
 * @param shape the shape of the array, with at least one dimension
 */
export function joinChars(data: ArrayLike<string>, shape: readonly number[]): string[] {
  const width = shape.at(-1) ?? 1;
  const count = shape.slice(0, -1).reduce((n, length) => n * length, 1);
  return Array.from({ length: count }, (_, i) => {
    let text = "";
    for (let j = 0; j < width; j++) {
      const char = data[i * width + j] ?? "";
      if (char === "" || char === "\0") break;
      text += char;
    }
    return text;
  });
}
