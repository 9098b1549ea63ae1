/**
 * The engine in place, for where there are no workers: a file of its own, that
 * pages with a worker never load.
 */

export { compileFromUrl } from "../platform/compile.js";
export { startGo } from "./goinstance.js";
