import { writeUrl } from "#write-url";
import { EngineError } from "../errors.js";
import { writing } from "../platform/build.js";
import type { Readable } from "../stores/readable.js";
import { type Connection, reasonOf, type StoreCall, type Without } from "./connection.js";
import { engine } from "./engine.js";
import type { AnswerValues, NodeRef, WireOperation } from "./protocol/wire.js";

type Change<Op extends WireOperation["op"]> = Without<Extract<WireOperation, { op: Op }>, "change">;

/**
 * An operation that changes a store without its number, or a node with its reference in place of
 * its handle. A second store that is read stands for its number. For `copy` it is the store of the
 * node.
 */
export type WritingCall =
  | Without<Change<"create" | "delete" | "move" | "consolidate" | "migrate">, "store">
  | Without<Change<"write" | "resize" | "append" | "attributes">, "node", { node: NodeRef }>
  | Without<Change<"copy">, "node" | "store", { node: NodeRef; from: Readable }>
  | Without<Change<"copyStore">, "store" | "from", { from: Readable }>;

/** Options of a call that writes. */
export interface WritingOptions {
  signal?: AbortSignal | undefined;
  /** Counts chunks. For copies, counts the elements of an array, or objects. */
  onProgress?: ((done: number, total: number) => void) | undefined;
  /** Buffers of the values that are transferred and not copied. */
  transfer?: ArrayBuffer[] | undefined;
}

/** The number of changes that the engine makes or waits to make. */
let running = 0;
/** The changes that this thread makes. */
const direct = new Set<Promise<unknown>>();

/**
 * Runs a change that this thread makes, unless the engine changes something: one chunk has one
 * writer at a time. Resolves with false if the engine has to make the change.
 */
export async function changeDirectly(run: () => Promise<boolean>): Promise<boolean> {
  if (running > 0) return false;
  const change = run();
  direct.add(change);
  try {
    return await change;
  } finally {
    direct.delete(change);
  }
}

/** Counts the calls. Each is ended by its number. */
let changes = 0;

/**
 * Changes a store by zarr-write.wasm, which takes over at the first such call. The caller must not
 * change the values before the promise settles. An aborted call rejects with the signal's reason,
 * after its last request to the store.
 */
export async function callWriting<Op extends WritingCall["op"]>(
  store: Readable,
  operation: WritingCall & { op: Op },
  { signal, ...options }: WritingOptions = {},
): Promise<AnswerValues[Op]> {
  if (signal?.aborted) throw reasonOf(signal);
  running++;
  try {
    await Promise.allSettled(direct);
    return await changeByEngine<Op>(store, operation, options, signal);
  } finally {
    running--;
  }
}

async function changeByEngine<Op extends WritingCall["op"]>(
  store: Readable,
  operation: WritingCall & { op: Op },
  options: WritingOptions,
  signal: AbortSignal | undefined,
): Promise<AnswerValues[Op]> {
  const connection = await connect(signal);
  const [of, message] = await numbered(connection, store, operation, signal);
  if (signal?.aborted) throw reasonOf(signal);
  const change = ++changes;
  const stop = () => void connection.call(of, { op: "stop", change }, {}).catch(() => {});
  signal?.addEventListener("abort", stop);
  try {
    const value: unknown = await connection.call(of, { ...message, change } as StoreCall, options);
    return value as AnswerValues[Op];
  } catch (error) {
    throw signal?.aborted && !(error instanceof EngineError) ? reasonOf(signal) : error;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

async function connect(signal: AbortSignal | undefined): Promise<Connection> {
  try {
    return await engine.takeOver(writing, writeUrl());
  } catch (cause) {
    if (signal?.aborted) throw reasonOf(signal);
    if (!(cause instanceof EngineError) || cause.code === "TERMINATED") throw cause;
    const hint = "copy zarr-write.wasm beside the script, or say where it is: init({ writeUrl })";
    throw new EngineError("zarr-write.wasm, which writes, could not be started", { hint, cause });
  }
}

/**
 * Returns the operation with the number of its second store, and the store of the call. Describes
 * the second store to the engine.
 */
async function numbered(
  connection: Connection,
  store: Readable,
  operation: WritingCall,
  signal: AbortSignal | undefined,
): Promise<[Readable, Without<StoreCall, "change">]> {
  if (!("from" in operation)) return [store, operation];
  const { from, ...message } = operation;
  const [of, second] = message.op === "copy" ? [from, store] : [store, from];
  await connection.call(second, { op: "stats" }, { signal });
  const number = connection.number(second);
  return [of, message.op === "copy" ? { ...message, store: number } : { ...message, from: number }];
}
