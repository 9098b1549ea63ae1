import type { ZarrArray } from "../api/array.js";
import type { Group, Member } from "../api/group.js";
import { decoderSettings } from "../cf/decoder.js";
import type { DecoderOptions } from "../cf/index.js";
import { InvalidSelectionError, isNamed, NotFoundError, UnsupportedError } from "../errors.js";
import { memberNames, nczarrGroup, userAttributes } from "../nczarr/index.js";
import { checked, refuse, someNames } from "../shared/arguments.js";
import { Printed } from "../shared/printed.js";
import { coordinatesOf, type DecodeCoords, namesIn } from "./coordinates.js";
import {
  DataArray,
  entriesOf,
  findLabels,
  type IndexSelector,
  type LabelSelector,
  lookups,
  type SelOptions,
} from "./dataarray.js";
import type { Positions } from "./labels.js";
import { among, located, positionCount, whole } from "./positions.js";
import { datasetHtml, datasetText } from "./text.js";
import { type GetOptions, Variable, Variables } from "./variable.js";

/**
 * Options of {@link openDataset}: the attributes to apply, with xarray's names, and how to read the
 * group.
 */
export interface DatasetOptions extends DecoderOptions {
  /**
   * The coordinates other than those of dimensions: the names in the attribute `coordinates`
   * (`true`, the default), or none (`false`). `"all"` adds bounds, grid mappings and all other
   * references.
   */
  decodeCoords?: DecodeCoords | undefined;
  /**
   * Opens only these variables, and the coordinates that they refer to. Useful for groups with many
   * arrays and for servers that do not list.
   */
  variables?: readonly string[] | undefined;
  /** Aborts the call. The promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** The parts of a dataset. */
interface Parts {
  group: Group;
  variables: Variables;
  attrs: Record<string, unknown>;
  encoding: Record<string, unknown>;
  groups: readonly string[];
  problems: readonly string[];
  complete: boolean;
  options: DatasetOptions;
}

/**
 * The variables of a group with dimensions, coordinates and attributes, like xarray's Dataset.
 * Elements are read on request.
 */
export class Dataset extends Printed {
  static {
    Printed.tag(Dataset.prototype, "Dataset");
  }

  readonly #parts: Parts;
  /** The selected positions of dimensions. */
  readonly #selected: ReadonlyMap<string, Positions>;

  /** @internal */
  constructor(parts: Parts, selected: ReadonlyMap<string, Positions> = new Map()) {
    super();
    this.#parts = parts;
    this.#selected = selected;
  }

  /** The group. */
  get group(): Group {
    return this.#parts.group;
  }

  /** The path of the group in its store. */
  get path(): string {
    return this.#parts.group.path;
  }

  /** The lengths by dimension name, in the order in which variables have the dimensions. */
  get sizes(): { [dimension: string]: number } {
    const sizes = [...this.#parts.variables.sizes].flatMap(([name, size]) => {
      const count = positionCount(this.#selected.get(name) ?? whole(size));
      return count === undefined ? [] : [[name, count] as const];
    });
    return Object.fromEntries(sizes);
  }

  /** The names of the dimensions. */
  get dims(): string[] {
    return Object.keys(this.sizes);
  }

  /** The coordinates by name: those of dimensions, and those that attributes refer to. */
  get coords(): Map<string, DataArray> {
    return this.#some((name) => this.#parts.variables.coordinates.has(name));
  }

  /** The other variables by name. */
  get dataVars(): Map<string, DataArray> {
    return this.#some((name) => !this.#parts.variables.coordinates.has(name));
  }

  /** All variables by name. */
  get variables(): Map<string, DataArray> {
    return this.#some(() => true);
  }

  #some(is: (name: string) => boolean): Map<string, DataArray> {
    const names = [...this.#parts.variables.all.keys()].filter(is);
    return new Map(names.map((name) => [name, this.var(name)]));
  }

  /** The attributes of the group that were not applied. */
  get attrs(): Record<string, unknown> {
    return { ...this.#parts.attrs };
  }

  /** The attributes of the group that were applied. */
  get encoding(): Record<string, unknown> {
    return { ...this.#parts.encoding };
  }

  /** The names of the groups below this one; see {@link openDataTree}. */
  get groups(): string[] {
    return [...this.#parts.groups];
  }

  /** The problems of the dataset, one sentence each. Data with a problem are left as stored. */
  get problems(): string[] {
    const own = [...this.#parts.variables.all.values()].flatMap(({ name, problems }) =>
      problems.map((problem) => `${name}: ${problem}`),
    );
    return [...this.#parts.problems, ...own];
  }

  /** False if the server does not list and some variables may be unknown. */
  get complete(): boolean {
    return this.#parts.complete;
  }

  /** Returns a variable or coordinate. Throws {@link NotFoundError} for an unknown name. */
  var(name: string): DataArray {
    const variable = this.#parts.variables.all.get(name);
    if (!variable) {
      const known = [...this.#parts.variables.all.keys()].map((one) => JSON.stringify(one)).join(", ") || "none";
      throw new NotFoundError(`no variable ${JSON.stringify(name)} in ${this.path}; variables: ${known}`, {
        path: this.path,
      });
    }
    return new DataArray(
      variable,
      this.#parts.variables,
      variable.dims.map((dim, i) => this.#at(variable, dim, i)),
    );
  }

  /** The selected positions along a dimension of a variable. */
  #at({ named, shape }: Variable, dimension: string, i: number): Positions {
    const length = shape[i] as number;
    const selected = named.includes(dimension) ? this.#selected.get(dimension) : undefined;
    return selected !== undefined && this.#parts.variables.sizes.get(dimension) === length ? selected : whole(length);
  }

  /**
   * Returns the variables that an attribute of a variable refers to: its `bounds`, `grid_mapping`,
   * `ancillary_variables`, … Omits missing ones.
   */
  related(name: string, attribute: string): DataArray[] {
    const { attrs, encoding } = this.var(name);
    const names = namesIn(attribute, attrs[attribute] ?? encoding[attribute]);
    return names.filter((one) => this.#parts.variables.all.has(one)).map((one) => this.var(one));
  }

  /** Returns the bounds of a coordinate's cells (CF 7.1). */
  bounds(name: string): DataArray | undefined {
    return this.related(name, "bounds")[0] ?? this.related(name, "climatology")[0];
  }

  /**
   * Returns the variable whose attributes state a variable's coordinate reference system (CF 5.6).
   */
  gridMapping(name: string): DataArray | undefined {
    return this.related(name, "grid_mapping")[0];
  }

  /** Returns the variables that describe a variable, such as its quality or error (CF 3.4). */
  ancillary(name: string): DataArray[] {
    return this.related(name, "ancillary_variables");
  }

  /** The selected positions of a dimension, and their number. */
  #left(what: string, name: string): [Positions, number] {
    const size = this.#parts.variables.sizes.get(name);
    const positions = this.#selected.get(name) ?? (size === undefined ? undefined : whole(size));
    const count = positions === undefined ? undefined : positionCount(positions);
    if (positions === undefined || count === undefined) {
      const known = this.dims.map((one) => JSON.stringify(one)).join(", ") || "none";
      throw new InvalidSelectionError(`${what}: there is no dimension ${JSON.stringify(name)}; dimensions: ${known}`);
    }
    return [positions, count];
  }

  /** Selects by positions from all variables; see {@link DataArray.isel}. */
  isel(selection: { readonly [dimension: string]: IndexSelector }): Dataset {
    const selected = new Map(this.#selected);
    for (const [name, one] of entriesOf("isel", selection)) {
      const [positions, count] = this.#left("isel", name);
      selected.set(name, among(positions, located(name, one, count)));
    }
    return new Dataset(this.#parts, selected);
  }

  /**
   * Selects by labels from all variables. Looks the labels up at once; see {@link DataArray.sel}.
   */
  async sel(
    selection: { readonly [dimension: string]: LabelSelector },
    options: SelOptions & GetOptions = {},
  ): Promise<Dataset> {
    const { method, tolerance, period, ...read } = checked("sel", options);
    const lookup = lookups({ method, tolerance, period });
    const entries = entriesOf("sel", selection);
    const found = await Promise.all(
      entries.map(async ([name, labels]) => {
        const [positions] = this.#left("sel", name);
        return [name, await findLabels(this.#parts.variables, name, positions, labels, lookup(name), read)] as const;
      }),
    );
    return new Dataset(this.#parts, new Map([...this.#selected, ...found]));
  }

  /**
   * Formats the dataset like xarray: dimensions, coordinates (`*` marks those with an index),
   * variables and attributes.
   */
  override toString(): string {
    return datasetText(this);
  }

  /**
   * Formats the dataset as HTML for a page, without scripts or external resources. Escapes all
   * texts of the data.
   */
  toHTML(): string {
    return datasetHtml(this);
  }

  /** @internal Used for the groups below. */
  get parts(): Parts {
    return this.#parts;
  }
}

/** A group with its dataset and the groups below it. */
export interface DataTree {
  /** The name of the group; `"/"` for the root. */
  name: string;
  /** The path of the group in its store. */
  path: string;
  /**
   * The group's dataset. It inherits dimensions and coordinates from the groups above, unless it
   * has its own of that name.
   */
  dataset: Dataset;
  /** The groups below. */
  children: Map<string, DataTree>;
}

function checkGroup(what: string, group: Group): void {
  if (group?.kind !== "group") refuse(what, group, "a group, as await open(url) returns it");
}

/** Checks the options of a function. */
const checkedOptions = <T extends object>(what: string, options: T): T =>
  checked(what, options, {
    ...decoderSettings,
    variables: [someNames],
    decodeCoords: [[(value: unknown) => typeof value === "boolean" || value === "all", 'true, false or "all"']],
  });

/** The members of a group. */
interface Found {
  arrays: Map<string, ZarrArray>;
  groups: Map<string, Group | undefined>;
  problems: string[];
  complete: boolean;
}

/** Opens arrays by name. Omits missing ones. */
async function opened(
  group: Group,
  names: Iterable<string>,
  signal: AbortSignal | undefined,
): Promise<Map<string, ZarrArray>> {
  const open = async (name: string): Promise<[string, ZarrArray][]> => {
    try {
      return [[name, await group.open(name, { kind: "array", signal })]];
    } catch (error) {
      if (isNamed(error, "NotFoundError")) return [];
      throw error;
    }
  };
  return new Map((await Promise.all([...names].map(open))).flat());
}

/** Opens the requested variables, and repeatedly the coordinates that they refer to. */
async function chosen(
  group: Group,
  wanted: readonly string[],
  { signal, decodeCoords }: DatasetOptions,
): Promise<Found> {
  const arrays = new Map<string, ZarrArray>();
  const asked = new Set<string>();
  let names = new Set(wanted);
  while (names.size > 0) {
    for (const name of names) asked.add(name);
    const found = await opened(group, names, signal);
    for (const name of wanted) {
      if (names.has(name) && !found.has(name)) {
        throw new NotFoundError(`no variable ${JSON.stringify(name)} in ${group.path}`, { path: group.path });
      }
    }
    names = new Set();
    for (const [name, array] of found) {
      arrays.set(name, array);
      const { attrs } = array;
      const variable = new Variable(name, array, {});
      const attributes = ["coordinates", "bounds", "climatology", "grid_mapping"];
      const follow = decodeCoords === false ? [] : attributes;
      const refers = [...variable.named, ...follow.flatMap((attribute) => namesIn(attribute, attrs[attribute]))];
      for (const one of memberNames(refers)) if (!asked.has(one)) names.add(one);
    }
  }
  return { arrays, groups: new Map(), problems: [], complete: false };
}

/**
 * Returns the contents of a group, from its members, or from NCZarr metadata if the server does not
 * list.
 */
async function contentsOf(group: Group, options: DatasetOptions): Promise<Found> {
  const { signal } = options;
  let members: Member[];
  try {
    members = await group.members({ signal });
  } catch (error) {
    const said = nczarrGroup(group);
    if (!isNamed(error, "UnsupportedError")) throw error;
    if (!said?.arrays) {
      const hint = "openDataset(group, { variables: […] }) opens arrays by their names";
      throw new UnsupportedError(`${error.message}: ${hint}`, { path: group.path, hint, cause: error });
    }
    const arrays = await opened(group, memberNames(said.arrays), signal);
    return {
      arrays,
      groups: new Map(memberNames(said.groups).map((name) => [name, undefined])),
      problems: [],
      complete: true,
    };
  }
  const problems: string[] = [];
  const arrays = new Map<string, ZarrArray>();
  const open = async (member: Member): Promise<[string, ZarrArray][]> => {
    try {
      if (member.error) throw member.error;
      return [[member.name, (member.node as ZarrArray) ?? (await group.open(member.name, { kind: "array", signal }))]];
    } catch (error) {
      signal?.throwIfAborted();
      problems.push(`${member.name} cannot be opened: ${(error as Error)?.message ?? error}`);
      return [];
    }
  };
  const all = await Promise.all(members.filter(({ kind }) => kind === "array").map(open));
  for (const [name, array] of all.flat()) arrays.set(name, array);
  const groups = members.filter(({ kind }) => kind !== "array").map(({ name, node }) => [name, node as Group] as const);
  const complete = members.every(({ how }) => how === "consolidated" || how === "listed");
  return { arrays, groups: new Map(groups), problems, complete };
}

/**
 * The attributes that bounds inherit from their variable (CF 7.1): the units and calendar of times.
 */
function inheritedBy(arrays: ReadonlyMap<string, ZarrArray>): Map<string, Record<string, unknown>> {
  const inherited = new Map<string, Record<string, unknown>>();
  for (const { attrs } of arrays.values()) {
    const { units, calendar, bounds, climatology } = attrs;
    if (typeof units !== "string" || !/\ssince\s/i.test(units)) continue;
    for (const name of [...namesIn("bounds", bounds), ...namesIn("climatology", climatology)]) {
      inherited.set(name, { units, ...(calendar !== undefined && { calendar }) });
    }
  }
  return inherited;
}

function datasetOf(group: Group, found: Found, options: DatasetOptions, parent?: Dataset): Dataset {
  const { decodeCoords = true, signal: _, variables: __, ...decode } = options;
  const inherited = inheritedBy(found.arrays);
  const all = new Map<string, Variable>();
  for (const [name, array] of found.arrays) all.set(name, new Variable(name, array, decode, inherited.get(name)));
  const encoding: Record<string, unknown> = {};
  const attrs = userAttributes(group);
  const written = attrs.coordinates;
  const { coordinates, problems } = coordinatesOf(all, attrs, decodeCoords);
  if (attrs.coordinates !== written) encoding.coordinates = written;
  for (const name of coordinates) if (!all.has(name)) coordinates.delete(name);
  const sizes = new Map<string, number>();
  const conflicts: string[] = [];
  // The length of a dimension is that of its coordinate, or else that of its first variable.
  const ordered = [...all.values()].sort((a, b) => Number(isOwn(b)) - Number(isOwn(a)));
  for (const { name, dims, named, shape } of ordered) {
    for (const [i, dim] of dims.entries()) {
      if (!named.includes(dim)) continue;
      const [size, known] = [shape[i] as number, sizes.get(dim)];
      if (known === undefined) sizes.set(dim, size);
      else if (known !== size)
        conflicts.push(`the dimension ${dim} of ${name} has length ${size}, but ${known} in other variables`);
    }
  }
  for (const [name, variable] of parent?.parts.variables.all ?? []) {
    const [dim] = variable.named;
    if (parent?.parts.variables.dimension(name) !== variable || dim === undefined || all.has(name)) continue;
    if (sizes.get(dim) !== variable.shape[0]) continue;
    all.set(name, variable);
    coordinates.add(name);
  }
  for (const variable of all.values()) if (isOwn(variable)) coordinates.add(variable.name);
  const variables = new Variables(all, coordinates, inOrder(sizes, all));
  return new Dataset({
    group,
    variables,
    attrs,
    encoding,
    groups: [...found.groups.keys()],
    problems: [...found.problems, ...problems, ...conflicts],
    complete: found.complete,
    options,
  });
}

const isOwn = ({ name, dims, named }: Variable) => dims.length === 1 && named[0] === name;

/** Orders the sizes as the variables have the dimensions. */
function inOrder(sizes: Map<string, number>, all: ReadonlyMap<string, Variable>): Map<string, number> {
  const names = new Set([...all.values()].flatMap(({ named }) => named));
  return new Map([...names].map((name) => [name, sizes.get(name) as number]));
}

/**
 * Opens a group like xarray's `open_zarr`. Its arrays are variables. A variable named like its only
 * dimension is a coordinate, and so is one that attributes refer to (CF 5, 7). Reads only metadata,
 * which needs no request if they are consolidated.
 *
 * @throws The errors of `Group.members`. Problems with a variable's attributes do not affect
 * the others: see {@link Dataset.problems}.
 *
 * @example
 * const ds = await openDataset(await open(url));
 * const { data, dims, coords, units } = await ds.var("t2m").sel({ time: "2020-07" }).get();
 */
export async function openDataset(group: Group, options: DatasetOptions = {}): Promise<Dataset> {
  checkGroup("openDataset", group);
  const { variables } = checkedOptions("openDataset", options);
  const found = await (variables ? chosen(group, variables, options) : contentsOf(group, options));
  return datasetOf(group, found, options);
}

/**
 * Opens a group and all groups below it with {@link openDataset}, to a depth of `maxDepth`, 16 by
 * default.
 */
export async function openDataTree(
  group: Group,
  options: Omit<DatasetOptions, "variables"> & { maxDepth?: number | undefined } = {},
): Promise<DataTree> {
  checkGroup("openDataTree", group);
  const { maxDepth = 16, ...others } = checkedOptions("openDataTree", options);
  const visit = async (group: Group, name: string, depth: number, parent: Dataset | undefined): Promise<DataTree> => {
    const found = await contentsOf(group, others);
    const dataset = datasetOf(group, found, others, parent);
    const below = depth < maxDepth ? [...found.groups] : [];
    const children = await Promise.all(
      below.map(async ([name, node]): Promise<[string, DataTree][]> => {
        try {
          const child = node ?? (await group.open(name, { kind: "group", signal: others.signal }));
          return [[name, await visit(child, name, depth + 1, dataset)]];
        } catch (error) {
          // A prefix without metadata is not a group.
          if (isNamed(error, "NotFoundError")) return [];
          throw error;
        }
      }),
    );
    return { name, path: group.path, dataset, children: new Map(children.flat()) };
  };
  return visit(group, "/", 0, undefined);
}
