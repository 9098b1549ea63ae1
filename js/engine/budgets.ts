import type { CacheBudgets } from "./protocol/wire.js";

/**
 * @internal The requested budgets. They are sent with each store, because another engine may start.
 */
export const wantedBudgets: CacheBudgets = {};
