import { product } from "../data/shape.js";
import type { WireColumnBlock } from "../engine/protocol/columns.js";
import type { WireArray, WireBlock, WireNode } from "../engine/protocol/wire.js";
import type { Readable } from "../stores/readable.js";
import type { Axis, Read } from "./axes.js";
import { chunksOf, isPlainMap, leaveToEngine, readableSource } from "./direct.js";
import { call } from "./node.js";
import { answerOf, blockOf } from "./place.js";

// A small read of a Map takes one trip to the worker. This thread sends the stored chunks, and the
// engine only decodes them. As a read of its own, the engine would ask for them.

/** The maximum bytes of a read's chunks, stored or decoded. The engine divides larger reads. */
const mostBytes = 256 << 10;
/** The least part of the elements. For smaller parts, the engine keeps the decoded chunk. */
const leastPart = 1 / 4;

/**
 * @internal Reads compressed chunks of a Map, which the engine decodes. Resolves with undefined if
 * the engine has to read.
 */
export async function unpackedRead(
  store: Readable,
  node: WireNode & { array: WireArray },
  operation: Read,
  axes: readonly Axis[],
  signal: AbortSignal | undefined,
): Promise<WireBlock | WireColumnBlock | undefined> {
  const { array, ref } = node;
  const size = product(array.chunks) * array.type.size;
  if (!isPlainMap(store) || size > mostBytes) return;
  const source = readableSource(store, node, operation, signal);
  if (!source?.packed) return;
  const room = size * product(axes.map(({ pieces }) => pieces.length));
  const bytes = array.type.size * product(axes.map(({ count }) => count));
  if (room > mostBytes || bytes === 0 || bytes < room * leastPart) return;
  const chunks = await chunksOf(store, array, source, axes, signal);
  const stored = chunks?.filter((chunk) => chunk !== null);
  if (!chunks || !stored) return;
  const lengths = stored.map(({ length }) => length);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  if (total > mostBytes) return;
  const elements = stored.length === 0 ? new ArrayBuffer(0) : await decoded();
  if (elements?.byteLength !== size * stored.length) {
    leaveToEngine(node);
    return;
  }
  const whole = axes.every(({ step, count }, d) => step === 1 && count === array.chunks[d]);
  if (whole && stored.length === 1 && !operation.shared) return answerOf(ref, operation, axes, elements);
  let at = 0;
  const all = chunks.map((chunk) => chunk && new Uint8Array(elements, size * at++, size));
  return blockOf(node, operation, axes, all, source.fill, signal);

  function decoded(): Promise<ArrayBuffer | null> {
    // The elements return in the buffer of the chunks. Allocating another one takes longer.
    const bytes = new Uint8Array(Math.max(total, size * lengths.length)).subarray(0, total);
    let at = 0;
    for (const chunk of stored as Uint8Array[]) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    return call(store, { op: "unpack", node: ref, bytes, lengths }, { signal, transfer: [bytes.buffer] });
  }
}
