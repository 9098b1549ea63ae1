import { buffersOf, makeColumn } from "../data/columns.js";
import type { WireColumnBlock } from "../engine/protocol/columns.js";
import type {
  FromEngine,
  FromPoolUser,
  ToEngine,
  ToPoolUser,
  TypeDescription,
  WireAnswer,
  WireArray,
  WireBlock,
  WireColumnOptions,
  WireMember,
  WireNode,
} from "../engine/protocol/wire.js";
import type { ToGoHelper } from "../engine/protocol/worker.js";
import { errorToWire } from "../errors.js";

type ToGo = ToEngine | ToGoHelper | ToPoolUser;
type FromGo = FromEngine | FromPoolUser;

/** Converts Go's elements to the columns that a page asks for. Go does not handle columns. */
export class Columns {
  /** The column options by the number of the request. */
  readonly #asked = new Map<number, WireColumnOptions>();

  /** The buffers of requests' bytes, for their answers. */
  readonly #rooms = new Map<number, ArrayBufferLike>();

  /** Returns `n` bytes for an answer: the buffer of the request's bytes, if that has `n` bytes. */
  room(id: number, n: number): Uint8Array {
    const buffer = this.#rooms.get(id);
    this.#rooms.delete(id);
    return buffer?.byteLength === n ? new Uint8Array(buffer) : new Uint8Array(n);
  }

  /** Removes the column options from a message to Go, and keeps them. */
  take(message: ToGo): ToGo {
    if (message.op === "cancel") for (const id of message.targets) this.#asked.delete(id);
    if (message.op === "unpack") this.#rooms.set(message.id, message.bytes.buffer);
    // A helper's order to decode has an `into` with another meaning.
    if (message.op === "decode" || !("columns" in message || "into" in message)) return message;
    const { columns, into, ...read } = message as Extract<ToEngine, WireColumnOptions>;
    this.#asked.set(read.id, { columns, into });
    return read;
  }

  /** Converts a message from Go. Returns it with its transferable buffers. */
  make(message: FromGo, transfer: ArrayBuffer[]): { message: FromGo; transfer: ArrayBuffer[] } {
    if (!("id" in message)) return { message, transfer };
    try {
      if ("partial" in message) {
        const columns = this.#asked.get(message.id)?.columns;
        if (!columns) return { message, transfer };
        const partial = columnBlock(columns, message.partial as WireBlock);
        return { message: { ...message, partial }, transfer: buffersOf(partial.column) };
      }
      return "ok" in message ? this.#answer(message, transfer) : { message, transfer };
    } catch (error) {
      return { message: { id: message.id, ok: false, error: errorToWire(error) }, transfer: [] };
    }
  }

  #answer(message: WireAnswer, transfer: ArrayBuffer[]): { message: FromGo; transfer: ArrayBuffer[] } {
    const { columns, into } = this.#asked.get(message.id) ?? {};
    this.#asked.delete(message.id);
    this.#rooms.delete(message.id);
    if (!message.ok) return { message, transfer };
    addFillColumns(message.value);
    if (!columns && !into) return { message, transfer };
    const block = message.value as WireBlock;
    const { shape, type, chunks } = block;
    let value: WireBlock | WireColumnBlock = columns ? columnBlock(columns, block) : block;
    if (chunks) value.chunks = chunks;
    const elements = "buffer" in value ? value.buffer : (value.column as ArrayBuffer);
    if (into && elements.byteLength === into.length) {
      into.set(new Uint8Array(elements));
      value = { shape, type };
    }
    return { message: { ...message, value }, transfer: buffersOf(value) };
  }
}

function columnBlock(columns: TypeDescription, { buffer, offsets, missing, shape, type }: WireBlock): WireColumnBlock {
  const column = makeColumn(columns, {
    bytes: new Uint8Array(buffer),
    count: shape.reduce((count, size) => count * size, 1),
    offsets: offsets && new Uint32Array(offsets),
    missing: missing && new Uint8Array(missing),
  });
  return { column, shape, type };
}

/** Adds the columns of fill values to opened arrays. */
function addFillColumns(value: unknown): void {
  for (const opened of [value].flat() as (Partial<WireMember & WireNode> | null)[]) {
    const array = opened?.array ?? opened?.node?.array;
    if (array?.fill) array.fillColumn = fillColumn(array.type, array.fill);
  }
}

function fillColumn(type: TypeDescription, fill: Uint8Array): WireArray["fillColumn"] {
  const bytes = new Uint8Array(fill);
  try {
    return makeColumn(type, { bytes, count: 1, offsets: Uint32Array.of(0, bytes.length) });
  } catch (error) {
    // The error is thrown when the value is read.
    return { error: errorToWire(error) };
  }
}
