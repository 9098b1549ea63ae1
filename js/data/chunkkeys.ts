/** The prefixes and default separators of the key encodings `default` and `v2`. */
const rules = {
  default: { prefix: "c", separator: "/" },
  v2: { prefix: "", separator: "." },
} as const;

/**
 * Returns the key of a chunk below its array, as zarr/grid's KeyEncoding does. Returns undefined
 * for encodings that only Go supports.
 */
export function chunkKey(name: unknown, separator: unknown, coords: readonly number[]): string | undefined {
  const rule = typeof name === "string" && Object.hasOwn(rules, name) ? rules[name as keyof typeof rules] : undefined;
  if (!rule) return undefined;
  const between = separator === undefined ? rule.separator : separator;
  if (between !== "/" && between !== ".") return undefined;
  const words = rule.prefix ? [rule.prefix, ...coords] : coords;
  return words.length === 0 ? "0" : words.join(between);
}
