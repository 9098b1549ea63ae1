/** Describes a value for an error message. */
export function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "function") return "a function";
  return value === Object(value) ? `an object (${value?.constructor?.name})` : String(value);
}

/** Throws a TypeError for an argument of a wrong kind. */
export function refuse(what: string, value: unknown, expected: string): never {
  throw new TypeError(`${what}: expected ${expected}, not ${show(value)}`);
}

/** Returns an array. Throws a TypeError for any other value. */
export function checkArray<A extends { kind: string }>(what: string, array: A): A {
  if (array?.kind !== "array") refuse(what, array, "an array, as await group.open(path) returns it");
  return array;
}

/** A check of a setting: a predicate, and its description for error messages. */
export type Check = readonly [is: (value: never) => boolean, expected: string];

/** Checks by the names of settings. The table's owner defines the entries after a check. */
export type Settings = Readonly<Record<string, readonly [check?: Check | undefined, ...others: unknown[]]>>;

export const aFunction: Check = [(value: unknown) => typeof value === "function", "a function"];
export const aSignal: Check = [(value: AbortSignal) => typeof value.addEventListener === "function", "an AbortSignal"];
export const aNumber: Check = [(value: unknown) => typeof value === "number" && !Number.isNaN(value), "a number"];
export const aText: Check = [(value: unknown) => typeof value === "string", "a string"];
export const aBoolean: Check = [(value: unknown) => typeof value === "boolean", "true or false"];
export const someNames: Check = [
  (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === "string"),
  "a list of names",
];
const aCount: Check = [(value: number) => typeof value === "number" && value >= 0, "a number, at least 0"];

/** Checks of the settings that have one meaning in all functions. */
const settings: Settings = {
  signal: [aSignal],
  onFlush: [aFunction],
  keyFor: [aFunction],
  fetch: [[(value) => value === false || typeof value === "function", "a function or false"]],
  onRequest: [aFunction],
  ahead: [aCount],
  maxDepth: [aCount],
  coalesceSize: [aCount],
  workers: [aCount],
  metadata: [aNumber],
  indexes: [aNumber],
  encoded: [aNumber],
  decoded: [aNumber],
  metadataKey: [aText],
  kind: [[(value) => value === "array" || value === "group", '"array" or "group"']],
  format: [[(value) => [value].flat().every((one) => one === "v2" || one === "v3"), '"v2" or "v3"']],
};

/** Throws a TypeError for a name that is none of the options, and lists them. */
export function refuseOption(what: string, name: string, names: Iterable<string>): never {
  throw new TypeError(`${what}: there is no option ${JSON.stringify(name)}. The options are ${[...names].join(", ")}`);
}

/**
 * Returns a function's settings after checking them. `own` has the checks of that function alone.
 */
export function checked<T extends object>(what: string, options: T, own: Settings = {}): T {
  if (options === null || typeof options !== "object") refuse(`${what}: options`, options, "an object");
  for (const [name, value] of Object.entries(options)) {
    const [is, expected] = (own[name] ?? settings[name])?.[0] ?? [];
    if (is && (value ?? undefined) !== undefined && !is(value as never)) {
      refuse(`${what}: ${name}`, value, expected as string);
    }
  }
  return options;
}
