// Attributes are what somebody wrote: what is read of them is checked here.

/** @internal The members of an object; of anything else none. */
export function object(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

/** @internal True for what is an object in JSON. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @internal A member of an object's own, and not one of every object's. */
export function member(of: unknown, name: string): unknown {
  return isObject(of) && Object.hasOwn(of, name) ? of[name] : undefined;
}

/** @internal The items of a list; of anything else none. */
export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** @internal A text. */
export function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** @internal A finite number. */
export function number(value: unknown): number | undefined {
  const n = typeof value === "bigint" ? Number(value) : value;
  return typeof n === "number" && Number.isFinite(n) ? n : undefined;
}

/** @internal A list of finite numbers: of so many, where that is said. */
export function numbers(value: unknown, n?: number): number[] | undefined {
  if (!Array.isArray(value) || (n !== undefined && value.length !== n)) return undefined;
  const all = value.map(number);
  return all.includes(undefined) ? undefined : (all as number[]);
}

/** @internal A height and a width: two integers, at least 1. */
export function sizes(value: unknown): [height: number, width: number] | undefined {
  const two = numbers(value, 2);
  return two?.every((n) => Number.isSafeInteger(n) && n >= 1) ? (two as [number, number]) : undefined;
}

/** @internal What a message says of a value. */
export function shown(value: unknown): string {
  const json = jsonOf(value);
  return json.length > 80 ? `${json.slice(0, 77)}…` : json;
}

/** JSON as it is read: with bigints, and bare NaN and Infinity. */
function jsonOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonOf).join()}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}:${jsonOf(one)}`);
    return `{${members.join()}}`;
  }
  if (typeof value === "string") return JSON.stringify(value);
  return value === undefined ? "nothing" : Object.is(value, -0) ? "-0" : String(value);
}
