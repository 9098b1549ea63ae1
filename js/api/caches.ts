import { wantedBudgets } from "../engine/budgets.js";
import { engine } from "../engine/engine.js";
import type { CacheReport } from "../engine/protocol/answers.js";
import type { CacheBudgets } from "../engine/protocol/requests.js";
import { checked } from "../refuse.js";
import { noStore } from "./node.js";

/**
 * Tells what the engine keeps of all stores: opened nodes, indexes of shards, bytes as they came, and decoded chunks. What was
 * not used for the longest makes room first.
 *
 * With budgets it changes those that are given, at once and for good; 0 or less keeps nothing, so that
 * `caches({ decoded: 0 })` frees what was kept.
 */
export async function caches(budgets: CacheBudgets = {}): Promise<CacheReport> {
  return engine.call<CacheReport>(noStore, {
    op: "caches",
    caches: Object.assign(wantedBudgets, checked("caches", budgets)),
  });
}
