/** The operations whose messages are of values that JSON has, as a rule, and of bytes. */
const plain = new Set(["open", "members", "read", "chunk", "points", "project", "cancel", "stats", "about"]);

/**
 * Makes a message to Go JSON, which Go reads in less time than an object, and the bytes in it, which are `{"bytes": n}` there; an object
 * that JSON cannot say stays one.
 */
export function encode(message: { op: string }): [unknown, Uint8Array[]] {
  if (!plain.has(message.op)) return [message, []];
  let exact = true;
  const all: Uint8Array[] = [];
  const text = JSON.stringify(message, (_, value: unknown) => {
    if (value instanceof Uint8Array) return { bytes: all.push(value) - 1 };
    if (ArrayBuffer.isView(value) || (typeof value === "number" && !Number.isFinite(value))) exact = false;
    return exact ? value : undefined;
  });
  return exact ? [text, all] : [message, []];
}

/** Reads a message of Go's, as wire.Encode writes it: [message, path of the first value, ...]. */
export function decode(text: string, values: unknown[] = []): unknown {
  const [message, ...paths] = JSON.parse(text) as [unknown, ...(string | number)[][]];
  let next = 0;
  for (const path of paths) {
    const packed = typeof path[0] === "number" ? (path.splice(0, 2) as number[]) : undefined;
    const name = path.pop() as string | number;
    let place = message as Record<string | number, unknown>;
    for (const step of path) place = place[step] as typeof place;
    place[name] = packed ? (values.at(-1) as Uint8Array).subarray(...packed) : values[next++];
  }
  return message;
}
