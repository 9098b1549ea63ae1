/**
 * The parts that few programs need, or need late. This file is loaded at its first use. It takes
 * the error and array classes from the package's main file.
 */
export { assemble } from "./api/assemble.js";
export { ofBlocks } from "./api/blocks.js";
export { chunksIn, copyInto, sharedOut } from "./api/chunks.js";
export { directWrite } from "./api/direct.js";
export { pageRead } from "./api/near.js";
export { points } from "./api/points.js";
export { projections } from "./api/projections.js";
export { treeOf } from "./api/tree.js";
export { decodeColumn } from "./data/decodecolumn.js";
export { Host } from "./engine/host.js";
export { answerForStore } from "./engine/hoststore.js";
export { coalesce } from "./extensions/coalesce.js";
export { consolidatedNodes } from "./extensions/consolidated.js";
export { DirectoryReader } from "./stores/directoryreader.js";
export { sendOnPage } from "./stores/pagefetch.js";
