/** How a body is encoded, in lower case, and "" where it is not. */
export function encodingOf(headers: Headers): string {
  const encoding = (headers.get("content-encoding") ?? "").toLowerCase();
  return encoding === "identity" ? "" : encoding;
}

/** Where the answer from a URL redirects to, in full; null where it does not, and the text as it is where that is no address. */
export function locationOf(headers: Headers, url: string): string | null {
  const location = headers.get("location");
  try {
    return location && new URL(location, url).href;
  } catch {
    return location;
  }
}

/** How many bytes of a body have to come within one `timeout`. */
export const perTimeout = 256 << 10;

/** The length of a body, if what comes is as long as the header says; from another origin, as far as can be seen. */
export function lengthOf(headers: Headers): number | undefined {
  const length = headers.get("content-length") ?? "";
  return /^\d+$/.test(length) && encodingOf(headers) === "" ? Number(length) : undefined;
}

/**
 * A body of at most so many bytes; of a larger one, which is not read to its end, its length, or -1 where that is not
 * known. `came` is told whenever another 256 KiB have come of one whose length is not known.
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
  // An encoding is hidden from pages of another origin, and the length is then that of encoded bytes.
  if (!body || (length !== undefined && response.type === "basic")) {
    const bytes = new Uint8Array(await response.arrayBuffer());
    return bytes.length > limit ? bytes.length : bytes;
  }
  // Piece by piece, so that it cannot fill the memory.
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
