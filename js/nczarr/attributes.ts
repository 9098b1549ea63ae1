// Reads NCZarr's metadata in all forms that netCDF-C has written since 2020. These are attributes
// named _nczarr_…, members of .zgroup and .zarray with these names, also in capitals, and separate
// documents.
import type { ZarrArray } from "../api/array.js";
import type { Group } from "../api/group.js";
import { mainDocument } from "../data/documents.js";
import type { TypeDescription } from "../engine/protocol/wire.js";

/** A node that NCZarr may have written. */
export type NczarrNode = Group | ZarrArray;

/** Returns a node's attributes without those of NCZarr and xarray. */
export function userAttributes(node: NczarrNode): Record<string, unknown> {
  return Object.fromEntries(Object.entries(node.attrs).filter(([name]) => !isOwn(name)));
}

/** Reports whether an attribute belongs to NCZarr or xarray and not to the netCDF file. */
function isOwn(name: string): boolean {
  return /^_nczarr_/i.test(name) || name === "_ARRAY_DIMENSIONS";
}

/** Returns an object unchanged, and undefined for any other value. */
export function objectOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/**
 * Returns NCZarr's metadata of a node under a name: `"group"`, `"array"`, `"attr"` or
 * `"superblock"`.
 */
export function ownOf(node: NczarrNode, name: string): Record<string, unknown> | undefined {
  const [lower, upper] = [`_nczarr_${name}`, `_NCZARR_${name.toUpperCase()}`];
  const attrs = objectOf(node.attrs) ?? {};
  const inAttributes = objectOf(own(attrs, lower)) ?? objectOf(own(attrs, upper));
  if (inAttributes) return inAttributes;
  const document = documentOf(node);
  return document && (objectOf(own(document, lower)) ?? objectOf(own(document, upper)));
}

/** Returns a member that the object itself has, and no inherited one. */
function own(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Returns the node's .zgroup or .zarray if it mentions NCZarr. */
function documentOf(node: NczarrNode): Record<string, unknown> | undefined {
  const name = mainDocument(2, node.kind);
  const bytes = node.documents[name];
  if (!bytes || !/_nczarr_/i.test(new TextDecoder().decode(bytes))) return undefined;
  return objectOf(node.metadata[name]);
}

/** netCDF's types by their names in NCZarr metadata: numpy's in v2, Zarr's in v3. */
const types: Record<string, string> = {
  i1: "byte",
  u1: "ubyte",
  i2: "short",
  u2: "ushort",
  i4: "int",
  u4: "uint",
  i8: "int64",
  u8: "uint64",
  f4: "float",
  f8: "double",
  int8: "byte",
  uint8: "ubyte",
  int16: "short",
  uint16: "ushort",
  int32: "int",
  uint32: "uint",
  int64: "int64",
  uint64: "uint64",
  float32: "float",
  float64: "double",
  char: "char",
  string: "string",
  S1: "char",
  J0: "json",
};

/** Returns the netCDF type for a name in NCZarr metadata, or the name itself if it is unknown. */
function typeNamed(name: string): string {
  const bare = name.replace(/^[<>|=]/, "");
  return (Object.hasOwn(types, bare) && types[bare]) || (/^S\d+$/.test(bare) ? "string" : name);
}

/** Returns the netCDF types of a node's {@link userAttributes}: `{ units: "char", n: "int" }`. */
export function attributeTypes(node: NczarrNode, more?: Record<string, unknown>): Record<string, string> {
  const found: Record<string, string> = {};
  const attrs = objectOf(node.attrs) ?? {};
  const add = (name: unknown, type: unknown) => {
    if (typeof name !== "string" || typeof type !== "string" || isOwn(name) || !Object.hasOwn(attrs, name)) return;
    Object.defineProperty(found, name, { value: typeNamed(type), enumerable: true });
  };
  const byName = objectOf((ownOf(node, "attr") ?? more)?.types);
  for (const [name, type] of Object.entries(byName ?? {})) add(name, type);
  const list = ownOf(node, "attrs")?.attribute_types;
  for (const entry of Array.isArray(list) ? list : []) {
    const { name, configuration } = objectOf(entry) ?? {};
    add(name, objectOf(configuration)?.type);
  }
  return found;
}

/**
 * Returns the netCDF type of an array's elements. Zarr's strings of one byte are `char`, all others
 * `string`.
 */
export function netcdfType(type: TypeDescription): string {
  const { kind, size, name } = type;
  if (kind === "char") return size === 1 ? "char" : "string";
  if (kind === "string" || kind === "unicode") return "string";
  return typeNamed(name);
}
