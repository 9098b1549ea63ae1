/** The main file for Node, and what the package's other files use of it. node.js exports what is public. */
export * from "./internal-exports.js";
export * from "./node.js";
