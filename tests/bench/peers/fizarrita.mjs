// Exports fizarrita by zarrita's names: zarrita's stores and metadata, and a pool of decoding
// workers.
import { getWorker } from "@fideus-labs/fizarrita";
import { WorkerPool } from "@fideus-labs/worker-pool";

export { FetchStore, open, slice } from "zarrita";

let pool;

/** Reads of an array; with `useSharedArrayBuffer` into shared memory. */
export function get(array, selection, options = {}) {
  pool ??= new WorkerPool(navigator.hardwareConcurrency);
  return getWorker(array, selection ?? null, { pool, ...options });
}
