/**
 * What few programs need, or need late: a file of its own, that is loaded when
 * it is first used. It takes the error and array classes from the package's main file.
 */
export { assemble } from "./assemble.js";
export { consolidated, contentsOf, toJson } from "./consolidated.js";
export { Host } from "./host.js";
export { sendOnPage } from "./page-fetch.js";
export { projections } from "./projections.js";
