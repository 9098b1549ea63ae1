/**
 * Reads JSON as Zarr's writers produce it, and internal/json in Go reads it: bare `NaN`, `Infinity`, `+Infinity` and
 * `-Infinity` are numbers, `0.` is `0`, and integers that a number cannot hold are bigints.
 */
export function parseJson(text: string): unknown {
  if (!/NaN|Infinity|\d{16}|\d\.(?!\d)/.test(text)) return JSON.parse(text);
  // What JSON.parse cannot give is put into strings that begin with a mark no other string has.
  const mark = `\u001f${Math.random()}${Math.random()}:`;
  // Strings are passed over piece by piece: as a whole, a long one is more than a regular expression can hold.
  let inString = false;
  const marked = text.replace(token, (found) => {
    if (found === '"') inString = !inString;
    if (inString || /["\\]/.test(found)) return found;
    if (/[Ny]$/.test(found)) return JSON.stringify(mark + found);
    if (!/^-?\d+$/.test(found) || Number.isSafeInteger(Number(found))) return found.replace(/\.(?!\d)/, "");
    return JSON.stringify(mark + found);
  });
  return JSON.parse(marked, (_, value) => {
    if (typeof value !== "string" || !value.startsWith(mark)) return value;
    const found = value.slice(mark.length);
    return /[Ny]$/.test(found) ? Number(found) : BigInt(found);
  });
}

const token = /"|\\.|[-+]?(?:NaN|Infinity)|-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?/g;
