import { Decompress } from "fzstd";
import { Pace } from "./macrotask.js";

/** The number of compressed bytes that are decompressed at once. */
const step = 16 << 10;

/** Decompresses Zstandard data, in tasks of a few milliseconds. */
export async function unpack(compressed: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const stream = new Decompress((part) => parts.push(part as Uint8Array<ArrayBuffer>));
  const pace = new Pace();
  for (let at = 0; at < compressed.length; at += step) {
    stream.push(compressed.subarray(at, at + step), at + step >= compressed.length);
    if (pace.due) await pace.rest(undefined);
  }
  return new Blob(parts).arrayBuffer();
}
