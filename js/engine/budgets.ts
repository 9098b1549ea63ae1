import type { CacheBudgets } from "./protocol/requests.js";

/** @internal Budgets that were asked for: what the engine is told with each store, because another one may start. */
export const wantedBudgets: CacheBudgets = {};
