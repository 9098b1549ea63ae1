import type { ByteRange } from "./stores.js";

/** A part of bytes, as far as they have it. */
export function cut(bytes: Uint8Array, range: ByteRange): Uint8Array {
  if ("suffixLength" in range) return bytes.subarray(Math.max(0, bytes.length - range.suffixLength));
  return bytes.subarray(range.offset, range.offset + range.length);
}
