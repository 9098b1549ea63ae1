import { LimitError } from "../errors.js";

/**
 * A JSON value. Integers that a number cannot hold are bigints. `NaN` and `Infinity` are allowed as
 * numbers, as in attributes.
 */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  /** The value of a member. */
  readonly [name: string]: Json | undefined;
}

/** The deepest nesting of values. */
const maxDepth = 500;

/** Throws for nesting deeper than any metadata, such as an object that contains itself. */
export function checkDepth(depth: number): void {
  if (depth > maxDepth) {
    throw new LimitError(`values nest deeper than ${maxDepth} levels`, { limit: "depth", max: maxDepth });
  }
}

/** Reports whether a value is a JSON object. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reports whether a value is a JSON list. */
function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** The value of an object's own member. */
export function member(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** An object's own members, without undefined ones. */
export function membersOf(object: JsonObject): [string, Json][] {
  return Object.entries(object).filter((one): one is [string, Json] => one[1] !== undefined);
}

/**
 * Returns the same string for values that are equal as JSON. The order of members and the notation
 * of numbers do not count.
 */
export function canonical(value: Json, depth = 0): string {
  checkDepth(depth);
  if (isList(value)) return `[${value.map((one) => canonical(one, depth + 1)).join()}]`;
  if (isObject(value)) {
    const members = membersOf(value).sort(byName);
    return `{${members.map(([name, one]) => `${JSON.stringify(name)}:${canonical(one, depth + 1)}`).join()}}`;
  }
  if (typeof value === "string") return JSON.stringify(value);
  return String(Number.isInteger(value) ? BigInt(value as number) : value);
}

/** Compares names by code point, which is also the order of UTF-8. */
export function byName([a]: readonly [string, ...unknown[]], [b]: readonly [string, ...unknown[]]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x !== y) return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1;
  }
  return a.length - b.length;
}

const isSurrogate = (unit: number) => unit >= 0xd800 && unit < 0xe000;

/**
 * Returns the JSON text of a value, like `JSON.stringify`, with two differences. Bigints are
 * written as integers with all digits. `NaN` and `Infinity` are written bare, as Python and Zarr
 * writers do.
 *
 * @param indent spaces per level; without them the text is one line
 */
export function stringify(value: Json, indent = 0): string {
  return textOf(value, indent, "\n", 0);
}

function textOf(value: Json, indent: number, line: string, depth: number): string {
  checkDepth(depth);
  const inner = line + " ".repeat(indent);
  const all = ([open, close]: string, texts: string[]) => {
    if (texts.length === 0 || indent === 0) return `${open}${texts.join()}${close}`;
    return `${open}${inner}${texts.join(`,${inner}`)}${line}${close}`;
  };
  const text = (one: Json) => textOf(one, indent, inner, depth + 1);
  if (isList(value)) return all("[]", value.map(text));
  if (isObject(value)) {
    const colon = indent > 0 ? ": " : ":";
    return all(
      "{}",
      membersOf(value).map(([name, one]) => `${JSON.stringify(name)}${colon}${text(one)}`),
    );
  }
  return typeof value === "string" ? JSON.stringify(value) : Object.is(value, -0) ? "-0" : String(value);
}
