import type { ZarrArray } from "../api/array.js";
import type { Group, Member } from "../api/group.js";
import type { Complex } from "../data/arrays.js";
import type { AnyData } from "../data/types.js";
import { isNamed, NotFoundError, UnsupportedError } from "../errors.js";
import { checked } from "../shared/arguments.js";
import { Printed } from "../shared/printed.js";
import { type Categorical, type Column, type ColumnElement, type Nullable, openColumn } from "./columns.js";
import { checkGroup, checkVector, encodingOf, invalid, knownEncoding, type Node, openMember } from "./encoding.js";
import { type DataFrame, openFrame, type Table } from "./frame.js";
import { nameList } from "./printing.js";
import { type ReadSettings, sharing } from "./settings.js";
import { openSparse, type SparseBlock, type SparseMatrix } from "./sparse.js";

/**
 * An element of AnnData's file format. By encoding it is an array, a sparse matrix, a data frame, a
 * categorical or nullable column, a mapping, a ragged array, or nothing. An array may hold strings
 * or structs, or be a scalar without dimensions.
 */
export type Element = ZarrArray | SparseMatrix | DataFrame | Categorical | Nullable | Mapping | AwkwardArray | null;

/** A dense or sparse matrix. Both have `shape`, `dtype` and `get(selection)`. */
export type Matrix = ZarrArray | SparseMatrix;

/** Options of functions that open elements. */
export interface OpenSettings {
  /** Aborts the call. The promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** The required lengths of the first dimensions of a mapping's elements. */
type Lengths = readonly number[];

/** A mapping from names to elements (file format, "Mappings"). */
export class Mapping extends Printed {
  /** The kind. */
  readonly kind = "dict";
  /** The path. */
  readonly path: string;
  /** The group; undefined for the empty mapping of a section that the store lacks. */
  readonly group: Group | undefined;
  /**
   * The names of the elements; `null` if unknown. Without consolidated metadata they are known only
   * if the server lists. An element with an unlisted name can still be opened.
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
    return `<Mapping ${this.path}: ${this.names ? nameList(this.names) : "names are not known"}>`;
  }

  /**
   * Opens an element. Only sparse matrices and data frames cause reads, and these read metadata
   * only.
   *
   * @throws `NotFoundError` for an unknown name.
   * @throws `InvalidMetadataError` if the first dimensions do not fit the section.
   * @throws `UnsupportedError` for an unknown encoding.
   */
  async open(name: string, options: OpenSettings = {}): Promise<Element> {
    const { signal } = checked("open", options);
    const element = await openElement(await this.#members.node(name, signal), { signal });
    checkLengths(element, this.#lengths);
    return element;
  }
}

/** @internal Throws unless the first dimensions of an element have the required lengths. */
export function checkLengths(element: Element, lengths: Lengths): void {
  if (element === null || lengths.length === 0) return;
  const shape = "shape" in element ? element.shape : "length" in element ? [element.length] : [];
  if (lengths.some((length, d) => shape[d] !== length)) {
    throw invalid(element.path, `its shape is (${shape.join(", ")}), but must begin with (${lengths.join(", ")})`);
  }
}

/**
 * A ragged array of the Awkward library (file format, "AwkwardArrays"). This package does not
 * assemble it; its buffers can be read.
 */
export class AwkwardArray extends Printed {
  /** The kind. */
  readonly kind = "awkward-array";
  /** The group with the buffers. */
  readonly group: Group;
  /** The form of the Awkward library that describes the array in terms of its buffers, as JSON. */
  readonly form: unknown;
  /** The number of elements. */
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

  /** The path of the group. */
  get path(): string {
    return this.group.path;
  }

  /** The names of the buffers, like `"node1-offsets"`; `null` if unknown. */
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
 * Opens a node according to its `encoding-type`. Without one, it follows anndata before 0.8: a
 * group is a mapping, or a sparse matrix if it has `h5sparse_format`.
 *
 * @throws `InvalidMetadataError` if its parts contradict each other.
 * @throws `UnsupportedError` for an unknown encoding, and for a whole AnnData object, which
 * `openAnnData` opens.
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

/** @internal Opens a mapping, with the required lengths of its elements' first dimensions. */
export async function openMapping(group: Group, lengths: Lengths, signal: AbortSignal | undefined): Promise<Mapping> {
  const { type } = encodingOf(group);
  if (type !== "" && type !== "dict")
    throw invalid(group.path, `encoding-type is ${JSON.stringify(type)}, but must be a dict`);
  return new Mapping(group.path, group, await membersOf(group, [], signal), lengths);
}

/** @internal The mapping of a missing section. */
export function emptyMapping(path: string): Mapping {
  const node = (name: string) => Promise.reject(new NotFoundError(`${path} has no ${JSON.stringify(name)}`, { path }));
  return new Mapping(path, undefined, { names: [], node });
}

async function openAwkward(group: Group, signal: AbortSignal | undefined): Promise<AwkwardArray> {
  const { path, attrs } = group;
  const { length } = attrs;
  if (!Number.isSafeInteger(length) || (length as number) < 0) throw invalid(path, "length is not a length");
  let { form } = attrs;
  if (typeof form === "string") {
    try {
      form = JSON.parse(form);
    } catch {
      throw invalid(path, "form is not JSON");
    }
  }
  if (form === null || typeof form !== "object") throw invalid(path, "form is not an object");
  return new AwkwardArray(group, form, length as number, new Mapping(path, group, await membersOf(group, [], signal)));
}

/** @internal The members of a group: names, if known, and nodes by name. */
export interface Members {
  readonly names: readonly string[] | null;
  node(name: string, signal: AbortSignal | undefined): Promise<Node>;
}

/**
 * @internal Returns the members of a group, from its metadata or its store's list. Without either,
 * it tries the wanted names. If none are wanted, the names are unknown.
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
  // If the package has probed the usual members of such a group, the others are absent.
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

/** @internal Returns undefined for a `NotFoundError` and rethrows any other error. */
function absent(error: unknown): undefined {
  if (!isNamed(error, "NotFoundError")) throw error;
}

/** The result of {@link readElement}. */
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
 * Reads a whole element. The result depends on the kind:
 *
 * - a scalar gives its value
 * - an array gives `{ data, shape, stride }`
 * - a sparse matrix gives a {@link SparseBlock}
 * - a data frame gives a {@link Table}
 * - a column gives a {@link Column}
 * - a mapping gives an object with the results of its elements
 *
 * @throws The errors of their reads.
 * @throws `UnsupportedError` for a mapping with unknown names and for ragged arrays.
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
      const feature = "assembling awkward arrays";
      throw new UnsupportedError(`${element.path}: ${feature} is not supported: read its buffers`, {
        path: element.path,
        feature,
      });
    }
  }
  return (element as ColumnElement).get(null, each());
}
