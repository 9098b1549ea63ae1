/** What a message says of a value. */
export function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "function") return "a function";
  return value === Object(value) ? `an object (${value?.constructor?.name})` : String(value);
}

/** Throws for an argument that is no such thing. */
export function refuse(what: string, value: unknown, expected: string): never {
  throw new TypeError(`${what}: ${expected} expected, not ${show(value)}`);
}

/** What is an array, or else an error. */
export function checkArray<A extends { kind: string }>(what: string, array: A): A {
  if (array?.kind !== "array") refuse(what, array, "an array, as await group.open(path) gives it,");
  return array;
}

/** What settings of these names are, wherever they are taken. */
const settings: [names: string, is: (value: never) => boolean, expected: string][] = [
  ["onProgress onChunk onFlush keyFor fetch onRequest", (value) => typeof value === "function", "a function"],
  ["signal", (value: AbortSignal) => typeof value.addEventListener === "function", "an AbortSignal"],
  ["ahead maxDepth coalesceSize workers", (value) => typeof value === "number" && value >= 0, "a number, at least 0,"],
  [
    "priority decoded encoded indexes metadata",
    (value) => !Number.isNaN(value) && typeof value === "number",
    "a number",
  ],
  ["view metadataKey", (value) => typeof value === "string", "a text"],
  ["out", ArrayBuffer.isView, "a typed array"],
  ["as", (value) => value === "bytes", '"bytes"'],
  ["kind", (value) => value === "array" || value === "group", '"array" or "group"'],
  ["format", (value) => [value].flat().every((one) => one === "v2" || one === "v3"), '"v2" or "v3"'],
];

/** The settings that a function was given, if they are any. */
export function checked<T extends object>(what: string, options: T): T {
  if (options === null || typeof options !== "object") refuse(`${what}: options`, options, "an object");
  for (const [name, value] of Object.entries(options)) {
    const [, is, expected] = settings.find(([names]) => names.split(" ").includes(name)) ?? [];
    if (is && (value ?? undefined) !== undefined && !is(value as never)) {
      refuse(`${what}: ${name}`, value, expected as string);
    }
  }
  return options;
}
