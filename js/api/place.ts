import { product, strides } from "../data/shape.js";
import type { WireColumnBlock } from "../engine/protocol/columns.js";
import type { TypeDescription, WireArray, WireBlock, WireNode } from "../engine/protocol/wire.js";
import { Turns } from "../platform/macrotask.js";
import { type Axis, combinations, type Read } from "./axes.js";

/** The bytes of the largest result. The engine makes larger ones. */
const mostBytes = 1 << 30;
/** The bytes that are copied before the time is checked. */
const stretch = 256 << 10;
/** The cost of one run of elements, as bytes of a long run. */
const runCost = 32;
/** Shorter runs, in bytes, are copied by a loop. */
const shortRun = 48;

/** The bytes that were copied since the time was checked. */
let copied = 0;
/** @internal All reads share the turns, so that many of them do not occupy the thread either. */
export const turns = /* @__PURE__ */ new Turns(3);

/** Elements at equal distances, in bytes. */
interface Loop {
  count: number;
  from: number;
  to: number;
}

type Part = readonly (Uint8Array | null)[];

/**
 * @internal Returns the answer to a read from its decoded chunks, which are in C order, in parts.
 * The fill value's bytes replace a chunk that is null. Resolves with undefined if the engine has to
 * read: the result is too large, a part is missing, or a chunk has lost its bytes.
 */
export async function blockOf(
  { array, ref }: WireNode & { array: WireArray },
  operation: Read,
  axes: readonly Axis[],
  parts: Iterable<Part | Promise<Part | undefined>>,
  fill: Uint8Array | undefined,
  signal: AbortSignal | undefined,
): Promise<WireBlock | WireColumnBlock | undefined> {
  const { size } = array.type;
  const counts = axes.map(({ count }) => count);
  const bytes = product(counts) * size;
  if (bytes > mostBytes) return;
  let out: Uint8Array;
  try {
    out = new Uint8Array(operation.shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes));
  } catch {
    return; // no memory, or no shared memory
  }
  // New memory is zero.
  const zero = fill?.every((byte) => byte === 0);
  const rows = strides(counts);
  const inner = strides(array.chunks);
  const all = combinations(axes.map((axis) => axis.pieces));
  for (const part of parts) {
    const chunks = await part;
    if (!chunks) return;
    for (const chunk of chunks) {
      const { value: pieces = [] } = all.next();
      if (!chunk && zero) continue;
      const loops: Loop[] = [];
      let from = 0;
      let to = 0;
      pieces.forEach((piece, d) => {
        const [a, b] = [(inner[d] as number) * size, (rows[d] as number) * size];
        from += piece.from * a;
        to += piece.to * b;
        loops.push({ count: piece.count, from: chunk ? a * (axes[d] as Axis).step : 0, to: b });
      });
      if (chunk && chunk.length !== product(array.chunks) * size) return;
      await copy(out, chunk ?? (fill as Uint8Array), chunk ? from : 0, to, size, loops, signal);
    }
  }
  return answerOf(ref, operation, axes, out.buffer as ArrayBuffer);
}

/** @internal Returns the answer to a read with these elements. */
export function answerOf(
  ref: WireNode["ref"],
  operation: Read,
  axes: readonly Axis[],
  buffer: ArrayBuffer,
): WireBlock | WireColumnBlock {
  const shape = axes.flatMap(({ count, drop }) => (drop ? [] : [count]));
  const answer = { shape, type: ref.type as string };
  return operation.columns ? { ...answer, column: buffer } : { ...answer, buffer };
}

/** @internal Reports whether the elements of a type have the bytes of their typed array. */
export function isNative({ kind, size, bits, elem }: TypeDescription): boolean {
  switch (kind) {
    case "int":
    case "uint":
      return bits === undefined;
    case "float":
      return size > 2 || typeof Float16Array === "function";
    case "complex":
      return elem?.kind === "float" && elem.size > 2;
    case "datetime":
    case "timedelta":
      return true;
    case "raw":
      return size > 0;
  }
  return false;
}

/**
 * @internal Copies elements in several loops, the innermost last. Rests when the thread's turn is
 * over.
 */
export async function copy(
  out: Uint8Array,
  chunk: Uint8Array,
  from: number,
  to: number,
  size: number,
  all: readonly Loop[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const loops = all.filter(({ count }) => count !== 1);
  let run = size;
  for (let last = loops.at(-1); last?.from === run && last.to === run; last = loops.at(-1)) {
    run *= last.count;
    loops.pop();
  }
  const inner = loops.pop() ?? { count: 1, from: 0, to: 0 };
  const copyRuns = run > shortRun ? longRuns(out, chunk) : shortRuns(out, chunk, run, from, to, [...loops, inner]);
  const most = Math.max(1, Math.floor(stretch / (run + runCost)));
  const index = loops.map(() => 0);
  for (let d = 0; d >= 0; ) {
    for (let i = 0; i < inner.count; i += most) {
      const count = Math.min(most, inner.count - i);
      for (let k = 0; k < run; k += stretch) {
        const part = Math.min(stretch, run - k);
        copied += count * (part + runCost);
        if (copied >= stretch) {
          copied = 0;
          while (turns.due) await turns.next(signal);
        }
        copyRuns(from + i * inner.from + k, to + i * inner.to + k, part, count, inner);
      }
    }
    for (d = loops.length - 1; d >= 0; d--) {
      const loop = loops[d] as Loop;
      from += loop.from;
      to += loop.to;
      if (++(index[d] as number) < loop.count) break;
      from -= loop.count * loop.from;
      to -= loop.count * loop.to;
      index[d] = 0;
    }
  }
}

/** Copies `count` runs of bytes, the first at `from`. */
type CopyRuns = (from: number, to: number, run: number, count: number, loop: Loop) => void;

const longRuns =
  (out: Uint8Array, chunk: Uint8Array): CopyRuns =>
  (from, to, run, count, loop) => {
    for (let i = 0; i < count; i++, from += loop.from, to += loop.to) out.set(chunk.subarray(from, from + run), to);
  };

/** Copies in the largest units that the alignment of all parts allows. */
function shortRuns(
  out: Uint8Array,
  chunk: Uint8Array,
  run: number,
  from: number,
  to: number,
  loops: readonly Loop[],
): CopyRuns {
  const odd = loops.reduce((all, loop) => all | loop.from | loop.to, chunk.byteOffset | from | to | run);
  const Unit = odd % 4 === 0 ? Uint32Array : odd % 2 === 0 ? Uint16Array : Uint8Array;
  const unit = Unit.BYTES_PER_ELEMENT;
  const source = new Unit(chunk.buffer as ArrayBuffer, chunk.byteOffset, Math.floor(chunk.length / unit));
  const target = new Unit(out.buffer as ArrayBuffer, 0, Math.floor(out.length / unit));
  const units = run / unit;
  return (from, to, _, count, loop) => {
    const [stepFrom, stepTo] = [loop.from / unit, loop.to / unit];
    let [a, b] = [from / unit, to / unit];
    if (units === 1) {
      for (let i = 0; i < count; i++, a += stepFrom, b += stepTo) target[b] = source[a] as number;
      return;
    }
    for (let i = 0; i < count; i++, a += stepFrom, b += stepTo)
      for (let k = 0; k < units; k++) target[b + k] = source[a + k] as number;
  };
}
