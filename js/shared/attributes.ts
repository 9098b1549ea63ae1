// Users write attributes by hand: these functions check every value.

/** @internal Returns an object, and an empty object for any other value. */
export function object(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

/** @internal Reports whether a value is an object in JSON. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @internal Returns a member that the object itself has, and no inherited one. */
export function member(of: unknown, name: string): unknown {
  return isObject(of) ? own(of, name) : undefined;
}

/** @internal Returns a value that the table itself has, and no inherited one. */
export function own<T>(table: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return table && Object.hasOwn(table, name) ? table[name] : undefined;
}

/** @internal Returns a list, and an empty list for any other value. */
export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** @internal Returns a text, and undefined for any other value. */
export function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** @internal Returns a finite number, and undefined for any other value. */
export function number(value: unknown): number | undefined {
  const n = typeof value === "bigint" ? Number(value) : value;
  return typeof n === "number" && Number.isFinite(n) ? n : undefined;
}

/**
 * @internal Returns a list of finite numbers, and undefined for any other value. With `n`, the list
 * must have that length.
 */
export function numbers(value: unknown, n?: number): number[] | undefined {
  if (!Array.isArray(value) || (n !== undefined && value.length !== n)) return undefined;
  const all = value.map(number);
  return all.includes(undefined) ? undefined : (all as number[]);
}

/** @internal Returns a height and a width: two integers, at least 1. */
export function sizes(value: unknown): [height: number, width: number] | undefined {
  const two = numbers(value, 2);
  return two?.every((n) => Number.isSafeInteger(n) && n >= 1) ? (two as [number, number]) : undefined;
}

/** @internal Describes a value for an error message. */
export function shown(value: unknown): string {
  const json = jsonOf(value);
  return json.length > 80 ? `${json.slice(0, 77)}…` : json;
}

/** Returns JSON in the extended form of documents: with bigints, and bare NaN and Infinity. */
function jsonOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonOf).join()}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}:${jsonOf(one)}`);
    return `{${members.join()}}`;
  }
  if (typeof value === "string") return JSON.stringify(value);
  return value === undefined ? "nothing" : Object.is(value, -0) ? "-0" : String(value);
}
