/**
 * Parses JSON in the form of Zarr's writers, as internal/json in Go does. Bare `NaN`, `Infinity`,
 * `+Infinity` and `-Infinity` are numbers, `0.` is `0`, and integers beyond a number's range are
 * bigints.
 */
export function parseJson(text: string): unknown {
  if (!/NaN|Infinity|\d{16}|\d\.(?!\d)/.test(text)) return JSON.parse(text);
  // Values that JSON.parse cannot return are put into strings with a prefix that no other string
  // has.
  const mark = `~${Math.random().toString(36).slice(2)}:`;
  // Strings are matched in pieces, because a long string exceeds the limits of regular expressions.
  let inString = false;
  const replaced = (found: string) => {
    if (found === '"') inString = !inString;
    if (inString || /["\\]/.test(found)) return found;
    const literal = /[Ny]$/.test(found);
    if (!literal && (!/^-?\d+$/.test(found) || Number.isSafeInteger(Number(found))))
      return found.replace(/\.(?!\d)/, "");
    return `"${mark}${found}"`;
  };
  // The text is processed in parts that end at a comma: the pieces of millions of numbers take
  // hundreds of megabytes.
  let marked = "";
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = text.indexOf(",", from + 65536) + 1 || text.length;
    marked += text.slice(from, to).replace(token, replaced);
  }
  const unmarked = (value: unknown): unknown => {
    if (typeof value === "string") {
      if (!value.startsWith(mark)) return value;
      const found = value.slice(mark.length);
      return /[Ny]$/.test(found) ? Number(found) : BigInt(found);
    }
    if (Array.isArray(value)) for (const [i, inner] of value.entries()) value[i] = unmarked(inner);
    else if (value === Object(value))
      // A member called __proto__ is data.
      for (const [name, inner] of Object.entries(value as object))
        Object.defineProperty(value, name, { value: unmarked(inner) });
    return value;
  };
  return unmarked(JSON.parse(marked));
}

const token = /"|\\.|[-+]?(?:NaN|Infinity)|-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?/g;
