/**
 * The main file for pages, with the parts that the package's other files use. index.js exports the
 * public names.
 */
export * from "./index.js";
export * from "./internal-exports.js";
