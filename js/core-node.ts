/**
 * The main file for Node, with the parts that the package's other files use. node.js exports the
 * public names.
 */
export * from "./internal-exports.js";
export * from "./node.js";
