import { writeUrl } from "#write-url";
import { EngineError } from "../errors.js";
import { writing } from "../platform/build.js";
import type { Readable } from "../stores/readable.js";
import { type Connection, reasonOf, type StoreCall, type Without } from "./connection.js";
import { engine } from "./engine.js";
import type { NodeRef } from "./protocol/answers.js";
import type { WireChange } from "./protocol/writes.js";

type Change<Op extends WireChange["op"]> = Extract<WireChange, { op: Op }>;

/**
 * Any of the operations that change a store without its number, or change a node of it with what stands for its handle. Where a second
 * store is read, that stands for its number: for `copy` it is the store of the node.
 */
export type WritingCall =
  | Without<Change<"create" | "delete" | "move" | "consolidate" | "migrate">, "store">
  | Without<Change<"write" | "resize" | "append" | "attributes">, "node", { node: NodeRef }>
  | Without<Change<"copy">, "node" | "store", { node: NodeRef; from: Readable }>
  | Without<Change<"copyStore">, "store" | "from", { from: Readable }>;

/** What a call that writes may bring along. */
export interface WritingOptions {
  signal?: AbortSignal | undefined;
  /** Chunks; of copies elements of one array, or objects. */
  onProgress?: ((done: number, total: number) => void) | undefined;
  /** Buffers of the values that are handed over, and not copied. */
  transfer?: ArrayBuffer[] | undefined;
}

/** Counts the calls: each is ended by its number. */
let changes = 0;

/**
 * Has zarr-write.wasm change a store, which takes over with the first such call. What is written of an array is not to be changed
 * before the promise settles. When the signal is aborted it rejects with its reason, as soon as nothing more is asked of the store.
 */
export async function callWriting<T>(
  store: Readable,
  operation: WritingCall,
  { signal, ...options }: WritingOptions = {},
): Promise<T> {
  if (signal?.aborted) throw reasonOf(signal);
  const connection = await connect(signal);
  const [of, message] = await numbered(connection, store, operation, signal);
  if (signal?.aborted) throw reasonOf(signal);
  const change = ++changes;
  const stop = () => void connection.call(of, { op: "stop", change }, {}).catch(() => {});
  signal?.addEventListener("abort", stop);
  try {
    return (await connection.call(of, { ...message, change } as StoreCall, options)) as T;
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

/** The operation with the number of its second store, which the engine is told of, and the store that it is called for. */
async function numbered(
  connection: Connection,
  store: Readable,
  operation: WritingCall,
  signal: AbortSignal | undefined,
): Promise<[Readable, StoreCall]> {
  if (!("from" in operation)) return [store, operation];
  const { from, ...message } = operation;
  const [of, second] = message.op === "copy" ? [from, store] : [store, from];
  await connection.call(second, { op: "stats" }, { signal });
  const number = connection.number(second);
  return [of, message.op === "copy" ? { ...message, store: number } : { ...message, from: number }];
}
