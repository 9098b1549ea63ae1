/**
 * The engine in place, for hosts without workers. It is a file of its own, which pages with a
 * worker never load.
 */

export { compileFromUrl } from "../platform/compile.js";
export { startGo } from "./goinstance.js";
