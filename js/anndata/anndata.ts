import type { Group } from "../api/group.js";
import { NotFoundError } from "../errors.js";
import { checked } from "../shared/arguments.js";
import { Printed } from "../shared/printed.js";
import { ArrayColumn, type ColumnElement, ScalarColumn } from "./columns.js";
import {
  checkLengths,
  emptyMapping,
  type Mapping,
  type Matrix,
  type Members,
  membersOf,
  type OpenSettings,
  openElement,
  openMapping,
} from "./elements.js";
import { checkGroup, encodingOf, invalid, knownEncoding, type Node, notFound } from "./encoding.js";
import { type DataFrame, openFrame } from "./frame.js";
import { nameList } from "./printing.js";

/** The mappings of an AnnData object. */
const mappings = ["uns", "obsm", "varm", "layers", "obsp", "varp"] as const;

/** The members to try if the store does not list them. */
const sections = ["X", "obs", "var", "raw", ...mappings];

/** The parts of `raw` in the layout before 0.7. */
const rawBefore = ["raw.X", "raw.var", "raw.varm"];

/** The data that {@link AnnData} keeps from before variables were selected. */
export class Raw extends Printed {
  /** The numbers of observations and variables. */
  readonly shape: [observations: number, variables: number];
  /** The matrix; `null` if there is none. */
  readonly X: Matrix | null;
  /** The annotations of variables. */
  readonly var: DataFrame;
  /** Arrays with one row per variable. */
  readonly varm: Mapping;

  /** @internal */
  constructor(shape: [number, number], X: Matrix | null, frame: DataFrame, varm: Mapping) {
    super();
    this.shape = shape;
    this.X = X;
    this.var = frame;
    this.varm = varm;
  }

  override toString(): string {
    return printed(`Raw AnnData with n_obs × n_vars = ${this.shape.join(" × ")}`, [
      ["var", this.var.columns],
      ["varm", this.varm.names],
    ]);
  }
}

/**
 * An AnnData object ("AnnData specification" of the file format). Its structure is known; values
 * are read on request.
 */
export class AnnData extends Printed {
  /** The group. */
  readonly group: Group;
  /** The numbers of observations and variables. */
  readonly shape: [observations: number, variables: number];
  /** The matrix of observations × variables, dense or sparse; `null` if there is none. */
  readonly X: Matrix | null;
  /** The annotations of observations. */
  readonly obs: DataFrame;
  /** The annotations of variables. */
  readonly var: DataFrame;
  /** Unstructured data. */
  readonly uns: Mapping;
  /** Arrays with one row per observation. */
  readonly obsm: Mapping;
  /** Arrays with one row per variable. */
  readonly varm: Mapping;
  /** Matrices of the shape of {@link X}. */
  readonly layers: Mapping;
  /** Matrices of observations × observations. */
  readonly obsp: Mapping;
  /** Matrices of variables × variables. */
  readonly varp: Mapping;
  /** The data kept from before variables were selected; `null` if there is none. */
  readonly raw: Raw | null;

  /** @internal */
  constructor(group: Group, parts: AnnDataParts) {
    super();
    this.group = group;
    this.shape = parts.shape;
    this.X = parts.X;
    this.obs = parts.obs;
    this.var = parts.var;
    this.uns = parts.uns;
    this.obsm = parts.obsm;
    this.varm = parts.varm;
    this.layers = parts.layers;
    this.obsp = parts.obsp;
    this.varp = parts.varp;
    this.raw = parts.raw;
  }

  /** The path of the group. */
  get path(): string {
    return this.group.path;
  }

  /** Returns the text that anndata prints. A question mark replaces unknown names. */
  override toString(): string {
    return printed(`AnnData object with n_obs × n_vars = ${this.shape.join(" × ")}`, namesOf(this));
  }
}

type AnnDataParts = Pick<AnnData, "shape" | "X" | "obs" | "var" | "raw" | (typeof mappings)[number]>;

/** @internal The names in each section. */
export function namesOf(
  data: Pick<AnnData, "obs" | "var" | "uns" | "obsm" | "varm" | "obsp" | "varp"> & { layers?: Mapping },
): Section[] {
  const sections: Section[] = [
    ["obs", data.obs.columns],
    ["var", data.var.columns],
    ["uns", data.uns.names],
    ["obsm", data.obsm.names],
    ["varm", data.varm.names],
  ];
  if (data.layers) sections.push(["layers", data.layers.names]);
  return [...sections, ["obsp", data.obsp.names], ["varp", data.varp.names]];
}

type Section = readonly [name: string, names: readonly string[] | null];

/** @internal A title, and one line per section that is not empty. */
export function printed(title: string, sections: readonly Section[]): string {
  const lines = sections.filter(([, names]) => names?.length !== 0);
  return [title, ...lines.map(([name, names]) => `    ${name}: ${names ? nameList(names) : "?"}`)].join("\n");
}

/**
 * Opens an AnnData object written by any anndata from 0.5 to the present. Reads only metadata,
 * which needs no request if they are consolidated. Otherwise it makes one request per node of its
 * sections. If the server does not list, it makes one per section and per part of `X`, `obs` and
 * `var`.
 *
 * @throws `NotFoundError` if there is no AnnData object.
 * @throws `InvalidMetadataError` if `obs` or `var` is missing or shapes contradict each other.
 * @throws `UnsupportedError` for unknown encodings.
 *
 * @example
 * const adata = await openAnnData(await open(url, { kind: "group" }));
 * console.log(String(adata));
 * const block = await adata.X.get([slice(0, 100), null]);
 */
export async function openAnnData(group: Group, options: OpenSettings = {}): Promise<AnnData> {
  const { signal } = checked("openAnnData", options);
  const { type } = encodingOf(checkGroup("openAnnData", group));
  if (type !== "" && type !== "anndata") throw notFound(group.path, "AnnData", type);
  knownEncoding(group);
  const members = await membersOf(group, type === "" ? [...sections, ...rawBefore] : sections, signal);
  const has = (name: string) => members.names?.includes(name);
  for (const name of ["obs", "var"]) {
    if (has(name)) continue;
    if (type === "") throw new NotFoundError(`no AnnData at ${group.path}: it has no ${name}`, { path: group.path });
    throw invalid(group.path, `it has no ${name}`);
  }
  const node = (name: string) => members.node(name, signal);
  const [obsNode, varNode] = await Promise.all([node("obs"), node("var")]);
  const old = obsNode.kind === "array" || varNode.kind === "array";
  const categoriesOf = old ? await categoriesIn(members, signal) : undefined;
  const [obs, variables] = await Promise.all([
    openFrame(obsNode, signal, categoriesOf),
    openFrame(varNode, signal, categoriesOf),
  ]);
  const [n, m] = [obs.length, variables.length];
  const lengths = { uns: [], obsm: [n], varm: [m], layers: [n, m], obsp: [n, n], varp: [m, m] };
  const mapping = async (name: (typeof mappings)[number]) =>
    mappingAt(members, group.path, name, lengths[name], signal).then((opened) => [name, opened] as const);
  const [X, raw, ...opened] = await Promise.all([
    matrixAt(members, "X", [n, m], signal),
    rawOf(group, members, n, signal),
    ...mappings.map(mapping),
  ]);
  const rest = Object.fromEntries(opened) as Pick<AnnData, (typeof mappings)[number]>;
  return new AnnData(group, { shape: [n, m], X, raw, obs, var: variables, ...rest });
}

/** @internal Opens a mapping among a group's members. Returns an empty one if there is none. */
export async function mappingAt(
  members: Members,
  path: string,
  name: string,
  lengths: readonly number[],
  signal: AbortSignal | undefined,
): Promise<Mapping> {
  const at = `${path === "/" ? "" : path}/${name}`;
  if (!members.names?.includes(name)) return emptyMapping(at);
  const node = await members.node(name, signal);
  if (node.kind === "array") throw invalid(at, "it is an array, but must be a mapping");
  return openMapping(node, lengths, signal);
}

async function matrixAt(
  members: Members,
  name: string,
  shape: readonly [number, number],
  signal: AbortSignal | undefined,
): Promise<Matrix | null> {
  if (!members.names?.includes(name)) return null;
  const node = await members.node(name, signal);
  const matrix = await openElement(node, { signal });
  if (matrix !== null && matrix.kind !== "array" && matrix.kind !== "csr_matrix" && matrix.kind !== "csc_matrix") {
    throw invalid(node.path, `it is a ${matrix.kind} , but must be a matrix`);
  }
  checkLengths(matrix, shape);
  return matrix;
}

async function rawOf(group: Group, members: Members, n: number, signal: AbortSignal | undefined): Promise<Raw | null> {
  const has = (name: string) => members.names?.includes(name);
  let [from, path, prefix] = [members, group.path, "raw."];
  if (has("raw")) {
    const node = await members.node("raw", signal);
    if (node.kind === "array") {
      if (knownEncoding(node).type === "null") return null;
      throw invalid(node.path, "it is an array, but must be a group");
    }
    [from, path, prefix] = [await membersOf(node, ["X", "var", "varm"], signal), node.path, ""];
  } else if (!has("raw.X") && !has("raw.var")) return null;
  if (!from.names?.includes(`${prefix}var`)) throw invalid(path, `it has no ${prefix}var`);
  const frame = await openFrame(await from.node(`${prefix}var`, signal), signal);
  const shape: [number, number] = [n, frame.length];
  const [X, varm] = await Promise.all([
    matrixAt(from, `${prefix}X`, shape, signal),
    mappingAt(from, path, `${prefix}varm`, [frame.length], signal),
  ]);
  return new Raw(shape, X, frame, varm);
}

const suffix = "_categories";

/** Finds categories in `uns` by column name, as stored by anndata before 0.7. */
async function categoriesIn(
  members: Members,
  signal: AbortSignal | undefined,
): Promise<(column: string) => ColumnElement | undefined> {
  const found = new Map<string, ColumnElement>();
  const uns: Node | undefined = members.names?.includes("uns") ? await members.node("uns", signal) : undefined;
  if (uns?.kind === "group") {
    const inside = await membersOf(uns, [], signal);
    const names = inside.names?.filter((name) => name.endsWith(suffix)) ?? [];
    const nodes = await Promise.all(names.map((name) => inside.node(name, signal)));
    for (const [i, node] of nodes.entries()) {
      const column = (names[i] as string).slice(0, -suffix.length);
      if (node.kind === "array" && node.shape.length === 1) found.set(column, new ArrayColumn(node));
      else if (node.kind === "array" && node.shape.length === 0) found.set(column, new ScalarColumn(node));
    }
  }
  return (column) => found.get(column);
}
