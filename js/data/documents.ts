/** The names of the metadata documents, as zarr/meta has them. */
export const documentNames = {
  v3: "zarr.json",
  array: ".zarray",
  group: ".zgroup",
  attributes: ".zattrs",
  consolidated: ".zmetadata",
} as const;

/**
 * The documents that a node of a version and kind may have, or of any: those that zarr/meta's Likely names. Without
 * consolidated metadata when they are known not to be there; an array that is bare is not asked for its attributes.
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

/** The name of the document that says what a node of a version and kind is. */
export function mainDocument(format: 1 | 2 | 3, kind: "array" | "group"): string {
  if (format === 1) return "meta";
  return format === 3 ? documentNames.v3 : documentNames[kind];
}
