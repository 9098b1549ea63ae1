import { product } from "../data/shape.js";
import type { WireColumnBlock } from "../engine/protocol/columns.js";
import type { WireArray, WireBlock, WireNode } from "../engine/protocol/wire.js";
import type { Readable } from "../stores/readable.js";
import type { Axis, Read } from "./axes.js";
import { chunksOf, isPlainMap, leaveToEngine, readableSource } from "./direct.js";
import { call } from "./node.js";
import { answerOf, blockOf } from "./place.js";

// A read of small chunks of a Map sends them to the worker, and the engine only decodes them. In a
// read of its own, the engine would ask for them, and the steps of each chunk would take longer
// than decoding it.

/** The maximum bytes of the chunks of one message, stored or decoded. */
const mostBytes = 256 << 10;
/** The largest decoded chunk, in bytes, of a read that takes several messages. */
const smallChunk = 16 << 10;
/** Codecs that decode slowly: a read of several chunks gains more by the engine's helpers. */
const slow = /gzip|zlib|bz2|lzma/;
/** The messages under way while this thread copies elements. */
const ahead = 2;
/** The least part of the elements. For smaller parts, the engine keeps the decoded chunk. */
const leastPart = 1 / 4;

type Chunks = readonly (Uint8Array | null)[];

/** A message that was sent, and the buffer of its elements once they have arrived. */
interface Sent {
  part: Promise<Chunks | undefined>;
  elements?: ArrayBuffer | undefined;
}

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
  const several = size <= smallChunk && !array.codecs.some(({ name }) => slow.test(name));
  if ((room > mostBytes && !several) || bytes === 0 || bytes < room * leastPart) return;
  const chunks = await chunksOf(store, array, source, axes, signal);
  const messages = chunks && messagesOf(chunks, size);
  if (!messages) return;
  const whole = axes.every(({ step, count }, d) => step === 1 && count === array.chunks[d]);
  if (whole && chunks.length === 1 && chunks[0] && !operation.shared) {
    const elements = await decoded(chunks);
    return elements && answerOf(ref, operation, axes, elements);
  }
  return blockOf(node, operation, axes, parts(messages), source.fill, signal);

  /**
   * Yields the decoded chunks of each message, and sends the next ones meanwhile. The elements of a
   * part are valid until the next one.
   */
  function* parts(messages: readonly Chunks[]): Generator<Promise<Chunks | undefined>> {
    const sent: Sent[] = [];
    let spare: ArrayBuffer | undefined;
    for (const chunks of messages) {
      const next = send(chunks, spare);
      next.part.catch(() => {}); // An earlier part may fail first.
      if (sent.push(next) <= ahead) continue;
      const first = sent.shift() as Sent;
      yield first.part;
      spare = first.elements;
    }
    for (const { part } of sent) yield part;
  }

  function send(chunks: Chunks, spare: ArrayBuffer | undefined): Sent {
    const elementsOf = async () => {
      if (chunks.every((chunk) => chunk === null)) return chunks;
      const elements = await decoded(chunks, spare);
      sent.elements = elements;
      let at = 0;
      return elements && chunks.map((chunk) => chunk && new Uint8Array(elements, size * at++, size));
    };
    const sent: Sent = { part: elementsOf() };
    return sent;
  }

  /** Decodes the chunks that are not null. Sends them in the spare buffer if they fit exactly. */
  async function decoded(chunks: Chunks, spare?: ArrayBuffer): Promise<ArrayBuffer | undefined> {
    const stored = chunks.filter((chunk) => chunk !== null);
    const lengths = stored.map(({ length }) => length);
    const total = lengths.reduce((sum, length) => sum + length, 0);
    // The elements return in the buffer of the chunks. Allocating another one takes longer.
    const most = Math.max(total, size * lengths.length);
    const bytes = new Uint8Array(spare?.byteLength === most ? spare : new ArrayBuffer(most), 0, total);
    let at = 0;
    for (const chunk of stored) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    const options = { signal, transfer: [bytes.buffer] };
    const elements = await call(store, { op: "unpack", node: ref, bytes, lengths }, options);
    if (elements?.byteLength === size * stored.length) return elements;
    leaveToEngine(node);
    return undefined;
  }
}

/** Divides chunks into messages. Returns undefined if a stored chunk is too long for one. */
function messagesOf(chunks: Chunks, size: number): Chunks[] | undefined {
  const messages: Chunks[] = [];
  const most = Math.floor(mostBytes / size);
  let [from, total] = [0, 0];
  for (let i = 0; i < chunks.length; i++) {
    const length = chunks[i]?.length ?? 0;
    if (length > mostBytes) return undefined;
    if (i - from === most || total + length > mostBytes) {
      messages.push(chunks.slice(from, i));
      [from, total] = [i, 0];
    }
    total += length;
  }
  messages.push(chunks.slice(from));
  return messages;
}
