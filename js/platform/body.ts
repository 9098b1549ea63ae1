/** Returns the content encoding of a body in lower case, and "" for none. */
export function encodingOf(headers: Headers): string {
  const encoding = (headers.get("content-encoding") ?? "").toLowerCase();
  return encoding === "identity" ? "" : encoding;
}

/**
 * Returns the absolute URL that a response redirects to, or null. Returns the header's text if it
 * is not a valid address.
 */
export function locationOf(headers: Headers, url: string): string | null {
  const location = headers.get("location");
  try {
    return location && new URL(location, url).href;
  } catch {
    return location;
  }
}

/** The bytes of a body that must arrive within one `timeout`. */
export const perTimeout = 256 << 10;

/**
 * Returns the length of a body from its header; undefined if the header does not give it, or gives
 * the length before decoding. Encodings of other origins can be hidden.
 */
export function lengthOf(headers: Headers): number | undefined {
  const length = headers.get("content-length") ?? "";
  return /^\d+$/.test(length) && encodingOf(headers) === "" ? Number(length) : undefined;
}

/**
 * Reads a body of at most `limit` bytes. For a larger body, stops reading and returns its length,
 * or -1 if it is unknown. Calls `came` after every 256 KiB of a body of unknown length.
 */
export async function bodyOf(
  response: Response,
  limit: number,
  came?: () => void,
): Promise<Uint8Array<ArrayBuffer> | number> {
  const { body, headers } = response;
  const length = lengthOf(headers);
  if (length !== undefined && length > limit) {
    void body?.cancel().catch(() => {});
    return length;
  }
  // The encoding is hidden from pages of another origin. The length is then that of the encoded
  // bytes.
  if (!body || (length !== undefined && response.type === "basic")) {
    const bytes = new Uint8Array(await response.arrayBuffer());
    return bytes.length > limit ? bytes.length : bytes;
  }
  // The body is read in pieces, so that it cannot fill the memory.
  const pieces: Uint8Array[] = [];
  let size = 0;
  let told = 0;
  for (const reader = body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    size += value.length;
    if (size > limit) {
      void reader.cancel().catch(() => {});
      return -1;
    }
    if (size - told >= perTimeout) {
      told = size;
      came?.();
    }
  }
  const whole = new Uint8Array(size);
  for (let at = 0, i = 0; i < pieces.length; i++) {
    const piece = pieces[i] as Uint8Array;
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
