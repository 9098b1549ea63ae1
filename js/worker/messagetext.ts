/** The operations whose messages are of values that JSON has, as a rule. */
const plain = new Set(["open", "members", "read", "chunk", "project", "cancel", "stats", "about"]);

/** Makes a message to Go JSON, which Go reads in less time than an object; an object that JSON cannot say stays one. */
export function encode(message: { op: string }): unknown {
  if (!plain.has(message.op)) return message;
  let exact = true;
  const text = JSON.stringify(message, (_, value: unknown) => {
    if (ArrayBuffer.isView(value) || (typeof value === "number" && !Number.isFinite(value))) exact = false;
    return exact ? value : undefined;
  });
  return exact ? text : message;
}

/** Reads a message of Go's, as wire.Encode writes it: [message, path of the first value, ...]. */
export function decode(text: string, values: unknown[] = []): unknown {
  const [message, ...paths] = JSON.parse(text) as [unknown, ...(string | number)[][]];
  for (const [i, path] of paths.entries()) {
    const name = path.pop() as string | number;
    let place = message as Record<string | number, unknown>;
    for (const step of path) place = place[step] as typeof place;
    place[name] = values[i];
  }
  return message;
}
