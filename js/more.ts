/**
 * What few programs need, or need late: a file of its own, that is loaded when
 * it is first used. It takes the error and array classes from the package's main file.
 */
export { assemble } from "./assemble.js";
export { chunksIn, copyInto } from "./chunks.js";
export { coalesce } from "./coalesce.js";
export { listed } from "./consolidated.js";
export { Host } from "./host.js";
export { sendOnPage } from "./page-fetch.js";
export { points } from "./points.js";
export { projections } from "./projections.js";
export { Tree, treeOf } from "./tree.js";
