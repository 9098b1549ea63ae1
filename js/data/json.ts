/**
 * Reads JSON as Zarr's writers produce it, and internal/json in Go reads it: bare `NaN`, `Infinity`, `+Infinity` and
 * `-Infinity` are numbers, `0.` is `0`, and integers that a number cannot hold are bigints.
 */
export function parseJson(text: string): unknown {
  if (!/NaN|Infinity|\d{16}|\d\.(?!\d)/.test(text)) return JSON.parse(text);
  // What JSON.parse cannot give is put into strings that begin with a mark no other string has.
  const mark = `~${Math.random().toString(36).slice(2)}:`;
  // Strings are passed over piece by piece: as a whole, a long one is more than a regular expression can hold.
  let inString = false;
  const replaced = (found: string) => {
    if (found === '"') inString = !inString;
    if (inString || /["\\]/.test(found)) return found;
    const literal = /[Ny]$/.test(found);
    if (!literal && (!/^-?\d+$/.test(found) || Number.isSafeInteger(Number(found))))
      return found.replace(/\.(?!\d)/, "");
    return `"${mark}${found}"`;
  };
  // In parts that end at a comma: the pieces of millions of numbers take hundreds of megabytes.
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
