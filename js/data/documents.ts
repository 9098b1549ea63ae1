/** The names of the documents that describe a node, in versions 2 and 3. */
export const documentNames = {
  /** The only document of version 3. */
  v3: "zarr.json",
  /** The document of an array of version 2. */
  array: ".zarray",
  /** The document of a version 2 group. */
  group: ".zgroup",
  /** The attributes of a node of version 2. */
  attributes: ".zattrs",
  /** The consolidated metadata of a group of version 2. */
  consolidated: ".zmetadata",
} as const;

/** @internal The document of an array of version 1. */
export const documentV1 = "meta";

/** @internal The attributes of an array of version 1. */
export const attributesV1 = "attrs";

/** @internal Reports whether a key or the path of a URL is that of a metadata document. */
export const isDocument = (path: string): boolean =>
  (Object.values(documentNames) as string[]).includes(path.slice(path.lastIndexOf("/") + 1));

/**
 * @internal Removes the name of a metadata document from a URL's path. The URL of a document stands
 * for its node.
 */
export function nodeUrl(url: URL): URL {
  const path = url.pathname.replace(/\/$/, "");
  const node = new URL(url);
  if (isDocument(path)) node.pathname = path.slice(0, path.lastIndexOf("/") + 1);
  return node;
}

/**
 * Returns the documents that a node of a version and kind may have, as zarr/meta's Likely does.
 * Leaves out consolidated metadata if they are known to be absent, and the attributes of a `bare`
 * array.
 */
export function likelyDocuments(
  format: 1 | 2 | 3 | undefined,
  kind: "array" | "group" | undefined,
  consolidated: boolean,
  sparing = false,
  bare = false,
): string[] {
  const { v3, ...v2 } = documentNames;
  const unlikely: string[] = consolidated ? [] : [v2.consolidated];
  if (kind === "group") unlikely.push(v2.array);
  if (kind === "array") unlikely.push(v2.group, v2.consolidated, ...(bare ? [v2.attributes] : []));
  else if (sparing) unlikely.push(v2.array, v2.attributes);
  const names = [...(format === 2 ? [] : [v3]), ...(format === 3 ? [] : Object.values(v2))];
  return format === 1 ? [] : names.filter((name) => !unlikely.includes(name));
}

/** Returns the name of the document that describes a node of a version and kind. */
export function mainDocument(format: 1 | 2 | 3, kind: "array" | "group"): string {
  if (format === 1) return documentV1;
  return format === 3 ? documentNames.v3 : documentNames[kind];
}
