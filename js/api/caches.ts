import { wantedBudgets } from "../engine/budgets.js";
import { engine } from "../engine/engine.js";
import type { CacheBudgets, CacheReport } from "../engine/protocol/wire.js";
import { checked } from "../shared/arguments.js";
import { noStore } from "./node.js";

/**
 * Reports the engine's caches for all stores: opened nodes, indexes of shards, encoded bytes, and
 * decoded chunks. The caches evict the least recently used entries first.
 *
 * Sets the given budgets, at once and permanently. A budget of 0 or less disables the cache:
 * `caches({ decoded: 0 })` frees its memory.
 */
export async function caches(budgets: CacheBudgets = {}): Promise<CacheReport> {
  return engine.call(noStore, {
    op: "caches",
    caches: Object.assign(wantedBudgets, checked("caches", budgets)),
  });
}
