/**
 * A result in comparable form: typed arrays with the name of their class, zarrita's arrays by their
 * elements.
 */
export function plain(value) {
  if (value === null || typeof value !== "object") return value;
  if (typeof value.get === "function" && "length" in value) {
    return Array.from({ length: value.length }, (_, i) => value.get(i));
  }
  if (ArrayBuffer.isView(value)) return { [Object.prototype.toString.call(value)]: [...value] };
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, plain(of)]));
}

/** A call's result, or the class of its error. */
export const tried = (call) => call.then(plain, (error) => ({ error: error.name }));
