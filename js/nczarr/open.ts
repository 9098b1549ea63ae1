// A hierarchy as netCDF sees it.
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
  /** Its dimensions by their paths, `"/g1/time"`; `null` for one without a name. */
  dims: (string | null)[];
  /** The last parts of these. */
  names: (string | null)[];
  /** Elements along each dimension: of a scalar none, also where v2 stores it as one element. */
  shape: number[];
  /** The type that netCDF has for the elements: `"short"`, `"char"`. */
  type: string;
  /** The attributes without NCZarr's own. */
  attributes: Record<string, unknown>;
  /** netCDF's types of them, where they are told. */
  attributeTypes: Record<string, string>;
}

/** A hierarchy as netCDF sees it. */
export interface NczarrHierarchy {
  /** The groups by their paths below the one that was opened, `""` first. */
  groups: string[];
  /** The dimensions by their paths. */
  dimensions: Map<string, { size: number; unlimited: boolean }>;
  /** The arrays by their paths below the group that was opened. */
  variables: Map<string, NczarrVariable>;
  /** What is wrong with it, each a sentence. What a sentence is about has no names. */
  problems: string[];
}

/** Settings of {@link openNczarr}. */
export interface NczarrOptions {
  /** Ends the call early: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /**
   * Asks also for the documents `.nczgroup`, `.nczarray` and `.nczattr` that netCDF-C wrote before 2021: a request
   * or two for each v2 node that has nothing newer.
   */
  files?: boolean | undefined;
  /** Gives dimensions without a name the one that netCDF-C invents, `_Anonymous_Dimension_4` after the length. */
  anonymous?: boolean | undefined;
}

/** How many groups a hierarchy may have, and how deep they may lie. */
const [mostGroups, mostDepth] = [10_000, 64];

/** One document of the oldest form, or nothing. What is no object is taken for absent. */
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
 * Opens a hierarchy that netCDF-C wrote (NCZarr, v2 and v3): its groups, the dimensions that they declare and the arrays
 * that refer to them. The members of a group are those that NCZarr names, which no server has to list; of a group
 * without such a list, what {@link Group.members} tells. More than 10,000 groups, or groups more than 64 deep, are a
 * {@link LimitError}. The root of the hierarchy has to be the group that is
 * opened for references to be found.
 */
export async function openNczarr(group: Group, options: NczarrOptions = {}): Promise<NczarrHierarchy> {
  if (group?.kind !== "group") refuse("openNczarr", group, "a group, as await open(url) gives it,");
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
      problems.push(`${group.path} names the ${kind} ${JSON.stringify(name)}, which is not there`);
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
 * Joins netCDF's characters to texts along the last dimension; what follows the first NUL is padding.
 *
 * @param data the characters in C order, `""` or NUL where there is none
 * @param shape the shape of the array, of at least one dimension
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
