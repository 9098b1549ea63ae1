/** The operations whose messages usually contain only JSON values and bytes. */
const plain = new Set([
  "open",
  "known",
  "members",
  "read",
  "chunk",
  "points",
  "project",
  "unpack",
  "cancel",
  "stats",
  "about",
]);

/**
 * Encodes a message to Go as JSON, which Go reads faster than an object. Bytes are `{"bytes": n}`
 * in it. For messages that JSON cannot represent, returns the names of their members and the
 * values.
 */
export function encode(message: { op: string }): [string, unknown[]] {
  if (!plain.has(message.op)) return flat(message);
  let exact = true;
  const all: Uint8Array[] = [];
  const text = JSON.stringify(message, (_, value: unknown) => {
    if (value instanceof Uint8Array) return { bytes: all.push(value) - 1 };
    if (ArrayBuffer.isView(value) || (typeof value === "number" && !Number.isFinite(value))) exact = false;
    return exact ? value : undefined;
  });
  return exact ? [text, all] : flat(message);
}

/** One text of all names, because Go would fetch each name of an object by a call of its own. */
const flat = (message: object): [string, unknown[]] => [Object.keys(message).join(), Object.values(message)];

/** Decodes a message of Go in the form of wire.Encode: [message, path of the first value, ...]. */
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
