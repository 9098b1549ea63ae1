import { engine } from "./engine.js";
import { EngineError } from "./errors.js";
import type { CacheBudgets, CacheReport } from "./protocol.js";

/** What engines that start later are told too. */
let wanted: CacheBudgets = {};

/** Stands for no store: the engine is asked about all of them. */
const none = /* @__PURE__ */ new Map<string, Uint8Array>();

/**
 * Tells what the engine keeps of all stores: opened nodes, indexes of shards, bytes as they came, and decoded chunks. What was
 * not used for the longest makes room first.
 *
 * With budgets it changes those that are given, at once and for good; 0 keeps nothing, so that
 * `caches({ decoded: 0 })` frees what was kept. Rejects with {@link EngineError} for budgets that are no numbers of bytes.
 */
export async function caches(budgets: CacheBudgets = {}): Promise<CacheReport> {
  for (const [name, bytes] of Object.entries(budgets)) {
    if (!["metadata", "indexes", "encoded", "decoded"].includes(name) || (bytes !== undefined && !(bytes >= 0))) {
      throw new EngineError(`caches: ${name} ${bytes}: metadata, indexes, encoded and decoded are bytes, at least 0`);
    }
    if (bytes !== undefined) wanted = { ...wanted, [name]: bytes };
  }
  return engine.call<CacheReport>(none, { op: "caches", caches: wanted });
}

/** @internal What the engine is told with each store: budgets that were asked for. */
export function wantedBudgets(): { caches?: CacheBudgets } {
  return Object.keys(wanted).length > 0 ? { caches: wanted } : {};
}
