import { product } from "../data/shape.js";
import { engine } from "../engine/engine.js";
import { NearChunks } from "../engine/nearchunks.js";
import type { WireColumnBlock } from "../engine/protocol/columns.js";
import type { WireArray, WireBlock, WireNode } from "../engine/protocol/wire.js";
import type { Readable } from "../stores/readable.js";
import { type Axis, axesOf, combinations, type Read } from "./axes.js";
import { directRead } from "./direct.js";
import { blockOf, isNative } from "./place.js";
import { unpackedRead } from "./unpacked.js";

// The page answers reads of chunks that it has near. The engine sends such a chunk with its answer
// to a read, once several reads have touched the chunk.

/** The maximum number of chunks of a read near the page. */
const mostChunks = 64;

type Array = WireNode & { array: WireArray };
type Block = WireBlock | WireColumnBlock;

/** @internal Reads on this thread if it has the elements, otherwise by the engine. */
export async function pageRead(
  store: Readable,
  node: Array,
  operation: Read,
  signal: AbortSignal | undefined,
  ask: () => Promise<Block>,
): Promise<Block> {
  return (await directRead(store, node, operation, signal)) ?? nearRead(store, node, operation, signal, ask);
}

async function nearRead(
  store: Readable,
  node: Array,
  operation: Read,
  signal: AbortSignal | undefined,
  ask: () => Promise<Block>,
): Promise<Block> {
  const { array, ref } = node;
  const axes = isSimple(array, operation, signal) ? axesOf(array, operation) : undefined;
  const coords = axes && coordsOf(axes);
  const connection = coords && engine.connected;
  const handle = connection?.handleOf(ref);
  // Its answer brings no chunks near.
  const readOnce = async () => (axes && (await unpackedRead(store, node, operation, axes, signal))) ?? ask();
  const near = handle === undefined ? undefined : connection?.near(() => new NearChunks());
  const size = product(array.chunks) * array.type.size;
  if (!near || !axes || !coords || handle === undefined || 2 * size * coords.length > near.most) return readOnce();
  const chunks = near.find(handle, coords);
  if (chunks) return (await blockOf(node, operation, axes, [chunks], undefined, signal)) ?? ask();
  if (operation.op === "read" && near.pay(handle, coords, size)) operation.chunks = size * coords.length;
  const block = await ("chunks" in operation && operation.chunks ? ask() : readOnce());
  for (const { coords, buffer } of block.chunks ?? []) near.keep(handle, String(coords), new Uint8Array(buffer));
  return block;
}

/** Reports whether an answer from chunks near the page would be the engine's. */
function isSimple({ grid, edges, type }: WireArray, operation: Read, signal: AbortSignal | undefined): boolean {
  if (engine.options.limits || signal?.aborted || grid !== "regular" || edges) return false;
  if (operation.progress || operation.partial || operation.into) return false;
  return (isNative(type) || type.kind === "bool") && !("marked" in operation);
}

/** Returns the touched chunks' coordinates as texts; undefined if these are none or too many. */
function coordsOf(axes: readonly Axis[]): string[] | undefined {
  const all: string[] = [];
  for (const pieces of combinations(axes.map((axis) => axis.pieces))) {
    if (all.push(String(pieces.map(({ chunk }) => chunk))) > mostChunks) return undefined;
  }
  return all.length > 0 ? all : undefined;
}
