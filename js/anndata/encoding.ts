import type { ZarrArray } from "../api/array.js";
import type { Group } from "../api/group.js";
import { CodecPipelineError, InvalidMetadataError, NotFoundError, UnsupportedError } from "../errors.js";
import { isNamed } from "../named.js";
import { refuse } from "../refuse.js";

/** An array or a group of the package. */
export type Node = ZarrArray | Group;

/** What a node says it is: AnnData's file format, section "Element Specification". */
export interface Encoding {
  /** `encoding-type`; empty where the node has none, as those of anndata before 0.8 have. */
  readonly type: string;
  /** `encoding-version`; empty where the node has none. */
  readonly version: string;
}

/** What elements are known, with their versions, and the kind of node that each is. */
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
 * What a node says it is. Attributes that are no texts are an {@link InvalidMetadataError}.
 */
export function encodingOf(node: Node): Encoding {
  const text = (name: string) => {
    const value = node.attrs[name] ?? "";
    if (typeof value !== "string") throw invalid(node.path, `${name} is no text`);
    return value;
  };
  return { type: text("encoding-type"), version: text("encoding-version") };
}

/** @internal The encoding of a node, which is one that is known: a type of another version would be read wrongly. */
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

/** @internal The error for metadata that say what cannot be. */
export function invalid(path: string, what: string): InvalidMetadataError {
  return new InvalidMetadataError(`invalid metadata of ${path}: ${what}`, { path });
}

/** @internal The error for elements of an array that cannot be what its convention says they are. */
export function damaged(array: ZarrArray, codec: string, what: string): CodecPipelineError {
  const { path } = array;
  return new CodecPipelineError(`${path}: ${codec}: ${what}`, { path, key: path.slice(1), codec });
}

/** @internal The error for another thing than the one that was asked for. */
export function notFound(path: string, wanted: string, found: string): NotFoundError {
  return new NotFoundError(`found ${found} where ${wanted} was asked for: ${path}`, { path, found });
}

/** Whether a text names what is below a group. */
function isName(name: string): boolean {
  return (
    typeof name === "string" &&
    name !== "" &&
    !name.split("/").some((segment) => segment === "" || segment === "." || segment === "..")
  );
}

/** @internal The path of a member, which attributes name. It never leaves the group. */
export function memberPath(group: Group, name: unknown, what: string): string {
  if (typeof name !== "string") throw invalid(group.path, `${what} is no text`);
  if (!isName(name)) throw invalid(group.path, `${what}: ${JSON.stringify(name)} names no member`);
  return name;
}

/** @internal Opens a member that a caller names. */
export async function openMember(group: Group, name: string, signal: AbortSignal | undefined): Promise<Node> {
  if (isName(name)) return group.open(name, { signal });
  throw new NotFoundError(`${JSON.stringify(name)} names no member of ${group.path}`, { path: group.path });
}

/** @internal A member of a group that has to be there. */
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

/** @internal {@link member} that has to be an array of one dimension. */
export async function vector(
  group: Group,
  name: string,
  what: string,
  signal: AbortSignal | undefined,
): Promise<ZarrArray> {
  return checkVector(await member(group, name, what, signal));
}

/** @internal A node that has to be an array of one dimension. */
export function checkVector(node: Node): ZarrArray {
  if (node.kind !== "array") throw invalid(node.path, "it is a group where an array is needed");
  if (node.shape.length !== 1) throw invalid(node.path, `it has ${node.shape.length} dimensions, not 1`);
  return node;
}

/** @internal What is a group, or else an error. */
export function checkGroup<G extends Group>(what: string, group: G): G {
  if (group?.kind !== "group") refuse(what, group, 'a group, as await open(url, { kind: "group" }) gives it,');
  return group;
}

/** @internal A length or a shape in attributes. */
export function lengths(path: string, value: unknown, name: string, count: number): number[] {
  if (!Array.isArray(value) || value.length !== count || !value.every((n) => Number.isSafeInteger(n) && n >= 0)) {
    throw invalid(path, `${name} is no list of ${count} lengths`);
  }
  return [...value] as number[];
}

/** @internal Texts in attributes, none of them twice. */
export function names(path: string, value: unknown, name: string): string[] {
  if (!Array.isArray(value) || !value.every((one) => typeof one === "string"))
    throw invalid(path, `${name} is no list of texts`);
  if (new Set(value).size < value.length) throw invalid(path, `${name} names one thing twice`);
  return [...value] as string[];
}
