import type { ZarrArray } from "../api/array.js";
import type { Group } from "../api/group.js";
import { CodecPipelineError, InvalidMetadataError, isNamed, NotFoundError, UnsupportedError } from "../errors.js";
import { refuse } from "../shared/arguments.js";

/** An array or a group of the package. */
export type Node = ZarrArray | Group;

/** The encoding of a node (file format, "Element Specification"). */
export interface Encoding {
  /** `encoding-type`; empty if the node has none, as before anndata 0.8. */
  readonly type: string;
  /** `encoding-version`; empty if the node has none. */
  readonly version: string;
}

/** The supported encodings with their node kind and versions. */
const known: Readonly<Record<string, readonly [kind: "array" | "group", ...versions: string[]]>> = {
  array: ["array", "0.2.0"],
  "string-array": ["array", "0.2.0"],
  "rec-array": ["array", "0.2.0"],
  "numeric-scalar": ["array", "0.2.0"],
  string: ["array", "0.2.0"],
  bytes: ["array", "0.2.0"],
  null: ["array", "0.1.0"],
  anndata: ["group", "0.1.0"],
  raw: ["group", "0.1.0"],
  dict: ["group", "0.1.0"],
  csr_matrix: ["group", "0.1.0"],
  csc_matrix: ["group", "0.1.0"],
  dataframe: ["group", "0.1.0", "0.2.0"],
  categorical: ["group", "0.2.0"],
  "nullable-integer": ["group", "0.1.0"],
  "nullable-boolean": ["group", "0.1.0"],
  "nullable-string-array": ["group", "0.1.0"],
  "awkward-array": ["group", "0.1.0"],
};

/**
 * Returns the encoding of a node. Throws {@link InvalidMetadataError} if its attributes are no
 * strings.
 */
export function encodingOf(node: Node): Encoding {
  const text = (name: string) => {
    const value = node.attrs[name] ?? "";
    if (typeof value !== "string") throw invalid(node.path, `${name} is not a string`);
    return value;
  };
  return { type: text("encoding-type"), version: text("encoding-version") };
}

/**
 * @internal Returns the encoding of a node. Throws if the type or version is unsupported, because
 * another version would be misread.
 */
export function knownEncoding(node: Node): Encoding {
  const encoding = encodingOf(node);
  const { type, version } = encoding;
  if (type === "") return encoding;
  const [kind, ...versions] = (Object.hasOwn(known, type) && known[type]) || [];
  if (kind === undefined || (version !== "" && !versions.includes(version))) {
    const feature = `encoding-type ${JSON.stringify(type)} of version ${JSON.stringify(version)}`;
    throw new UnsupportedError(`${node.path}: ${feature} is not known`, { path: node.path, feature });
  }
  if (node.kind !== kind)
    throw invalid(node.path, `encoding-type ${type} of ${node.kind === "group" ? "a group" : "an array"}`);
  return encoding;
}

/** @internal The error for contradictory metadata. */
export function invalid(path: string, what: string): InvalidMetadataError {
  return new InvalidMetadataError(`invalid metadata of ${path}: ${what}`, { path });
}

/** @internal The error for array elements that violate a convention. */
export function damaged(array: ZarrArray, codec: string, what: string): CodecPipelineError {
  const { path } = array;
  return new CodecPipelineError(`${path}: ${codec}: ${what}`, { path, key: path.slice(1), codec });
}

/** @internal The error for a node of another kind than requested. */
export function notFound(path: string, wanted: string, found: string): NotFoundError {
  return new NotFoundError(`found ${found}, but ${wanted} was requested: ${path}`, { path, found });
}

/** Reports whether a string names a node below a group. */
function isName(name: string): boolean {
  return (
    typeof name === "string" &&
    name !== "" &&
    !name.split("/").some((segment) => segment === "" || segment === "." || segment === "..")
  );
}

/** @internal The path of a member named in attributes. It never leaves the group. */
export function memberPath(group: Group, name: unknown, what: string): string {
  if (typeof name !== "string") throw invalid(group.path, `${what} is not a string`);
  if (!isName(name)) throw invalid(group.path, `${what}: ${JSON.stringify(name)} names no member`);
  return name;
}

/** @internal Opens a member by a name from the caller. */
export async function openMember(group: Group, name: string, signal: AbortSignal | undefined): Promise<Node> {
  if (isName(name)) return group.open(name, { signal });
  throw new NotFoundError(`${JSON.stringify(name)} names no member of ${group.path}`, { path: group.path });
}

/** @internal Opens a required member of a group. */
export async function member(
  group: Group,
  name: unknown,
  what: string,
  signal: AbortSignal | undefined,
): Promise<Node> {
  const path = memberPath(group, name, what);
  try {
    return await group.open(path, { signal });
  } catch (error) {
    if (!isNamed(error, "NotFoundError")) throw error;
    const details = { path: group.path, cause: error };
    throw new InvalidMetadataError(
      `invalid metadata of ${group.path}: there is no ${what} ${JSON.stringify(path)}`,
      details,
    );
  }
}

/** @internal Opens a required member that must be a one-dimensional array. */
export async function vector(
  group: Group,
  name: string,
  what: string,
  signal: AbortSignal | undefined,
): Promise<ZarrArray> {
  return checkVector(await member(group, name, what, signal));
}

/** @internal Returns a node that must be a one-dimensional array. */
export function checkVector(node: Node): ZarrArray {
  if (node.kind !== "array") throw invalid(node.path, "it is a group, but must be an array");
  if (node.shape.length !== 1) throw invalid(node.path, `it has ${node.shape.length} dimensions, not 1`);
  return node;
}

/** @internal Returns a value that must be a group. */
export function checkGroup<G extends Group>(what: string, group: G): G {
  if (group?.kind !== "group") refuse(what, group, 'a group, as await open(url, { kind: "group" }) returns it,');
  return group;
}

/** @internal Reads a list of lengths from attributes. */
export function lengths(path: string, value: unknown, name: string, count: number): number[] {
  if (!Array.isArray(value) || value.length !== count || !value.every((n) => Number.isSafeInteger(n) && n >= 0)) {
    throw invalid(path, `${name} is not a list of ${count} lengths`);
  }
  return [...value] as number[];
}

/** @internal Reads a list of distinct strings from attributes. */
export function names(path: string, value: unknown, name: string): string[] {
  if (!Array.isArray(value) || !value.every((one) => typeof one === "string"))
    throw invalid(path, `${name} is not a list of strings`);
  if (new Set(value).size < value.length) throw invalid(path, `${name} contains a name twice`);
  return [...value] as string[];
}
