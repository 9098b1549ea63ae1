/** The main file for pages, and what the package's other files use of it. index.js exports what is public. */
export * from "./index.js";
export * from "./internal-exports.js";
