import type { ZarrArray } from "../api/array.js";
import type { Group, Member } from "../api/group.js";
import type { Complex } from "../data/arrays.js";
import type { AnyData } from "../data/types.js";
import { NotFoundError, UnsupportedError } from "../errors.js";
import { isNamed } from "../named.js";
import { Printed } from "../printed.js";
import { checked } from "../refuse.js";
import { type Categorical, type Column, type ColumnElement, type Nullable, openColumn } from "./columns.js";
import { checkGroup, checkVector, encodingOf, invalid, knownEncoding, type Node, openMember } from "./encoding.js";
import { type DataFrame, openFrame, type Table } from "./frame.js";
import { listed } from "./printing.js";
import { type ReadSettings, sharing } from "./settings.js";
import { openSparse, type SparseBlock, type SparseMatrix } from "./sparse.js";

/**
 * Anything that AnnData's file format has, by its encoding: an array (also of texts, of structs, or of no dimensions, which is a
 * scalar), a sparse matrix, a data frame, a categorical or nullable column, a mapping, a ragged array, or nothing.
 */
export type Element = ZarrArray | SparseMatrix | DataFrame | Categorical | Nullable | Mapping | AwkwardArray | null;

/** A matrix: dense, or sparse. Both have `shape`, `dtype` and `get(selection)`. */
export type Matrix = ZarrArray | SparseMatrix;

/** Options of what opens things. */
export interface OpenSettings {
  /** Ends the call early: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Lengths that the first dimensions of a mapping's elements have to have. */
type Lengths = readonly number[];

/** A mapping from names to elements: AnnData's file format, section "Mappings". */
export class Mapping extends Printed {
  /** What it is. */
  readonly kind = "dict";
  /** Its path. */
  readonly path: string;
  /** Its group; undefined for the mapping of a section that the store does not have, which is empty. */
  readonly group: Group | undefined;
  /**
   * The names of its elements, `null` where nothing tells them: without consolidated metadata a server has to list.
   * An element whose name is known otherwise can be opened all the same.
   */
  readonly names: readonly string[] | null;
  readonly #members: Members;
  readonly #lengths: Lengths;

  /** @internal */
  constructor(path: string, group: Group | undefined, members: Members, lengths: Lengths = []) {
    super();
    this.path = path;
    this.group = group;
    this.names = members.names && [...members.names].sort((a, b) => (a < b ? -1 : 1));
    this.#members = members;
    this.#lengths = lengths;
  }

  override toString(): string {
    return `<Mapping ${this.path}: ${this.names ? listed(this.names) : "names are not known"}>`;
  }

  /**
   * Opens an element. Of a dense array, and of any other but a sparse matrix or a data frame, nothing is read; of these, what
   * their metadata say. Rejects with `NotFoundError` where there is none of that name; with `InvalidMetadataError` where its
   * first dimensions are not those that its place asks for; and with {@link UnsupportedError} for an unknown encoding.
   */
  async open(name: string, options: OpenSettings = {}): Promise<Element> {
    const { signal } = checked("open", options);
    const element = await openElement(await this.#members.node(name, signal), { signal });
    checkLengths(element, this.#lengths);
    return element;
  }
}

/** @internal Refuses an element whose first dimensions are not those that its place asks for. */
export function checkLengths(element: Element, lengths: Lengths): void {
  if (element === null || lengths.length === 0) return;
  const shape = "shape" in element ? element.shape : "length" in element ? [element.length] : [];
  if (lengths.some((length, d) => shape[d] !== length)) {
    throw invalid(element.path, `its shape is (${shape.join(", ")}) where (${lengths.join(", ")}) is needed`);
  }
}

/** A ragged array of the Awkward library: AnnData's file format, section "AwkwardArrays". It is not put together here; its buffers can be read. */
export class AwkwardArray extends Printed {
  /** What it is. */
  readonly kind = "awkward-array";
  /** Its group, which has its buffers. */
  readonly group: Group;
  /** How the buffers make the array: a form of the Awkward library, as JSON. */
  readonly form: unknown;
  /** How many elements it has. */
  readonly length: number;
  readonly #buffers: Mapping;

  /** @internal */
  constructor(group: Group, form: unknown, length: number, buffers: Mapping) {
    super();
    this.group = group;
    this.form = form;
    this.length = length;
    this.#buffers = buffers;
  }

  /** The path of its group. */
  get path(): string {
    return this.group.path;
  }

  /** The names of its buffers, as `"node1-offsets"`, `null` where nothing tells them. */
  get names(): readonly string[] | null {
    return this.#buffers.names;
  }

  override toString(): string {
    return `<AwkwardArray ${this.path} length=${this.length}>`;
  }

  /** Opens a buffer. */
  async open(name: string, options: OpenSettings = {}): Promise<ZarrArray> {
    const { signal } = checked("open", options);
    return checkVector(await openMember(this.group, name, signal));
  }
}

/**
 * Opens what a node is by its `encoding-type`; without one, as anndata before 0.8 wrote it: a group is a mapping or, with
 * `h5sparse_format`, a sparse matrix. Rejects with `InvalidMetadataError` where its parts contradict each other, and with
 * {@link UnsupportedError} for an encoding that is not known, and for whole AnnData, which have functions of their own.
 */
export async function openElement(node: Node, options: OpenSettings = {}): Promise<Element> {
  const { signal } = checked("openElement", options);
  const { type } = knownEncoding(node);
  if (node.kind === "array") return type === "null" ? null : node;
  checkGroup("openElement", node);
  switch (type) {
    case "dict":
      return openMapping(node, [], signal);
    case "csr_matrix":
    case "csc_matrix":
      return openSparse(node, signal);
    case "dataframe":
      return openFrame(node, signal);
    case "categorical":
    case "nullable-integer":
    case "nullable-boolean":
    case "nullable-string-array":
      return openColumn(node, undefined, signal) as Promise<Categorical | Nullable>;
    case "awkward-array":
      return openAwkward(node, signal);
    case "":
      if (node.attrs.h5sparse_format !== undefined) return openSparse(node, signal);
      return openMapping(node, [], signal);
  }
  const feature = `${type} as an element of another`;
  throw new UnsupportedError(`${node.path}: ${feature} is not supported: it has a function of its own`, {
    path: node.path,
    feature,
  });
}

/** @internal Opens a mapping whose elements' first dimensions have to have these lengths. */
export async function openMapping(group: Group, lengths: Lengths, signal: AbortSignal | undefined): Promise<Mapping> {
  const { type } = encodingOf(group);
  if (type !== "" && type !== "dict")
    throw invalid(group.path, `encoding-type is ${JSON.stringify(type)} where a dict is needed`);
  return new Mapping(group.path, group, await membersOf(group, [], signal), lengths);
}

/** @internal The mapping of a section that is not there. */
export function emptyMapping(path: string): Mapping {
  const node = (name: string) => Promise.reject(new NotFoundError(`${path} has no ${JSON.stringify(name)}`, { path }));
  return new Mapping(path, undefined, { names: [], node });
}

async function openAwkward(group: Group, signal: AbortSignal | undefined): Promise<AwkwardArray> {
  const { path, attrs } = group;
  const { length } = attrs;
  if (!Number.isSafeInteger(length) || (length as number) < 0) throw invalid(path, "length is no length");
  let { form } = attrs;
  if (typeof form === "string") {
    try {
      form = JSON.parse(form);
    } catch {
      throw invalid(path, "form is no JSON");
    }
  }
  if (form === null || typeof form !== "object") throw invalid(path, "form is no object");
  return new AwkwardArray(group, form, length as number, new Mapping(path, group, await membersOf(group, [], signal)));
}

/** @internal What a group has: names, where they are known, and nodes by name. */
export interface Members {
  readonly names: readonly string[] | null;
  node(name: string, signal: AbortSignal | undefined): Promise<Node>;
}

/**
 * @internal What a group has, from its metadata or its store's list. Where there is neither, those of the wanted names that
 * are there; where none are wanted, nothing is known.
 */
export async function membersOf(
  group: Group,
  wanted: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Members> {
  const open = (name: string, signal: AbortSignal | undefined) => openMember(group, name, signal);
  const probe = async (names: readonly string[]) => {
    const found = await Promise.all(names.map((name) => open(name, signal).catch(absent)));
    return names.flatMap((name, i): [string, Node][] => (found[i] ? [[name, found[i]]] : []));
  };
  let members: Member[] | undefined;
  try {
    members = await group.members({ signal });
  } catch (error) {
    if (!isNamed(error, "UnsupportedError")) throw error;
  }
  const complete = members?.every(({ how }) => how === "consolidated" || how === "listed") ?? false;
  // Where the package has looked for the members that such a group has as a rule, the others are not there.
  const looked = complete || members?.some(({ how }) => how === "probed");
  const nodes = members?.filter(({ kind }) => kind !== "implicit") ?? [];
  const byName = new Map(nodes.map((member) => [member.name, member]));
  const more = new Map(looked ? [] : await probe(wanted.filter((name) => !byName.has(name))));
  const node = async (name: string, signal: AbortSignal | undefined) => {
    const member = byName.get(name);
    if (member?.error) throw member.error;
    return member?.node ?? more.get(name) ?? open(name, signal);
  };
  return { names: complete || wanted.length > 0 ? [...byName.keys(), ...more.keys()] : null, node };
}

/** @internal The answer to an error that says that something is not there. */
function absent(error: unknown): undefined {
  if (!isNamed(error, "NotFoundError")) throw error;
}

/** What {@link readElement} gives. */
export type ElementValue =
  | { data: AnyData; shape: number[]; stride: number[] }
  | SparseBlock
  | Table
  | Column
  | { [name: string]: ElementValue }
  | number
  | bigint
  | boolean
  | string
  | Complex
  | null;

/**
 * Reads all of an element: of a scalar its value, of an array `{ data, shape, stride }`, of a sparse matrix a {@link SparseBlock}, of a
 * data frame a {@link Table}, of a column a {@link Column}, of a mapping an object of what its elements are. Rejects as their
 * reads do, and with {@link UnsupportedError} for a mapping whose names are not known and for ragged arrays.
 *
 * @example
 * const { title, neighbors } = await readElement(adata.uns);
 */
export function readElement(element: Mapping, options?: ReadSettings): Promise<{ [name: string]: ElementValue }>;
export function readElement(element: Element, options?: ReadSettings): Promise<ElementValue>;
export async function readElement(element: Element, options: ReadSettings = {}): Promise<ElementValue> {
  const each = sharing("readElement", options);
  if (element === null) return null;
  switch (element.kind) {
    case "array":
      return element.get(null, each()) as Promise<ElementValue>;
    case "csr_matrix":
    case "csc_matrix":
      return element.sparse(null, each());
    case "dataframe":
      return element.read(null, each());
    case "dict": {
      const { names, path } = element;
      if (!names) {
        const feature = "listing the elements of a group without consolidated metadata in a store that cannot list";
        throw new UnsupportedError(`${path}: ${feature}`, { path, feature });
      }
      const read = async (name: string) => readElement(await element.open(name, { signal: options.signal }), each());
      return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await read(name)] as const)));
    }
    case "awkward-array": {
      const feature = "putting together awkward arrays";
      throw new UnsupportedError(`${element.path}: ${feature} is not supported: read its buffers`, {
        path: element.path,
        feature,
      });
    }
  }
  return (element as ColumnElement).get(null, each());
}
