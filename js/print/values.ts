/** A value of JSON on one line, of at most so many characters; what is cut ends with an ellipsis. */
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
  // A text that is all there is needs no quotes.
  if (typeof value === "string") add(value);
  else write(value);
  return lineText(text.length > limit ? `${text.slice(0, limit)}…` : text);
}

/** A text on one line: what would end the line, or has no sign, is a space. */
export function lineText(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
}

/** A size in bytes, as zarr-python has it: with its unit where it is a thousand or more. */
export function bytesText(bytes: number): string {
  let [size, unit] = [bytes, ""];
  for (const next of ["K", "M", "G", "T", "P"]) {
    if (size < 1024) break;
    [size, unit] = [size / 1024, next];
  }
  return unit ? `${bytes} (${size.toFixed(1)}${unit})` : String(bytes);
}

/** A shape, as Python writes tuples. */
export function tupleText(items: readonly unknown[]): string {
  return `(${items.join(", ")}${items.length === 1 ? "," : ""})`;
}
