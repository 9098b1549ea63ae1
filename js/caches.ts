import { engine } from "./engine.js";
import { EngineError } from "./errors.js";
import type { CacheBudgets, CacheReport } from "./protocol.js";

/** @internal Budgets that were asked for: what the engine is told with each store, because another one may start. */
export const wantedBudgets: CacheBudgets = {};

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
    if (bytes === undefined) continue;
    if (!(bytes >= 0)) throw new EngineError(`caches: ${name}: ${bytes} is no number of bytes`);
    wantedBudgets[name as keyof CacheBudgets] = bytes;
  }
  return engine.call<CacheReport>(none, { op: "caches", caches: wantedBudgets });
}
