import { show } from "../shared/arguments.js";
import { InvalidValueError } from "./errors.js";

/** Matches halves of surrogate pairs, which no document can contain. */
const halves = /\p{Surrogate}/u;

/** Reports whether a text is valid Unicode. */
export const isText = (text: string): boolean => !halves.test(text);

/**
 * Returns JSON in the extended form of documents: bigints are integers, and NaN and infinities are
 * written by their names. Typed arrays are lists. Throws {@link InvalidValueError} for values that
 * JSON cannot represent.
 */
export function writeJson(value: unknown, what: string): string {
  const seen = new Set<unknown>();
  const write = (v: unknown, at: string): string => {
    switch (typeof v) {
      case "string":
        if (!isText(v)) throw new InvalidValueError(`${at}: a string that is not valid Unicode`);
        return JSON.stringify(v);
      case "number":
        return Object.is(v, -0) ? "-0.0" : String(v);
      case "boolean":
      case "bigint":
        return String(v);
    }
    if (v === null) return "null";
    const { toJSON } = Object(v) as { toJSON?: unknown };
    if (typeof toJSON === "function") return write(toJSON.call(v), at);
    const list = Array.isArray(v) || (ArrayBuffer.isView(v) && !(v instanceof DataView));
    const proto = Object.getPrototypeOf(Object(v));
    if (typeof v !== "object" || (!list && proto !== null && Object.getPrototypeOf(proto) !== null)) {
      throw new InvalidValueError(`${at}: ${show(v)} has no JSON form`);
    }
    if (seen.has(v)) throw new InvalidValueError(`${at}: a value contains itself`);
    seen.add(v);
    const text = list
      ? `[${Array.from(v as ArrayLike<unknown>, (one, i) => write(one, `${at}[${i}]`)).join()}]`
      : `{${Object.entries(v)
          .filter(([, one]) => one !== undefined)
          .map(([name, one]) => `${write(name, at)}:${write(one, `${at}.${name}`)}`)
          .join()}}`;
    seen.delete(v);
    return text;
  };
  return write(value, what);
}
