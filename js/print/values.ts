/** Returns a JSON value on one line, with at most `limit` characters. An ellipsis marks a cut. */
export function valueText(value: unknown, limit: number): string {
  let text = "";
  const add = (part: string) => {
    text += part;
    return text.length <= limit;
  };
  const all = <T>(open: string, items: Iterable<T>, each: (item: T) => boolean, close: string): boolean => {
    if (!add(open)) return false;
    let first = true;
    for (const item of items) {
      if (!first && !add(", ")) return false;
      first = false;
      if (!each(item)) return false;
    }
    return add(close);
  };
  const write = (one: unknown): boolean => {
    if (typeof one === "string") return add(JSON.stringify(one.slice(0, limit + 1)));
    if (Array.isArray(one) || ArrayBuffer.isView(one)) return all("[", one as Iterable<unknown>, write, "]");
    if (typeof one === "object" && one !== null) {
      const names = Object.keys(one);
      const member = (name: string) =>
        add(`${JSON.stringify(name.slice(0, limit + 1))}: `) && write((one as Record<string, unknown>)[name]);
      return all("{", names, member, "}");
    }
    return add(Object.is(one, -0) ? "-0" : String(one));
  };
  // A text alone needs no quotes.
  if (typeof value === "string") add(value);
  else write(value);
  return lineText(text.length > limit ? `${text.slice(0, limit)}…` : text);
}

/** Returns a text on one line. Line ends and control characters become spaces. */
export function lineText(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
}

/** Returns a size in bytes in the style of zarr-python, with a unit from 1024 bytes on. */
export function bytesText(bytes: number): string {
  let [size, unit] = [bytes, ""];
  for (const next of ["K", "M", "G", "T", "P"]) {
    if (size < 1024) break;
    [size, unit] = [size / 1024, next];
  }
  return unit ? `${bytes} (${size.toFixed(1)}${unit})` : String(bytes);
}

/** Returns a shape in the form of Python's tuples. */
export function tupleText(items: readonly unknown[]): string {
  return `(${items.join(", ")}${items.length === 1 ? "," : ""})`;
}
