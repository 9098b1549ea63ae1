/**
 * What the main file and the subpaths both use, and what is one for all of them: the classes of errors and of arrays. It is the same
 * for pages and for Node. js/build.mjs reads the list.
 */
export * from "./data/arrays.js";
export * from "./data/documents.js";
export * from "./data/shape.js";
export * from "./errors.js";
export * from "./named.js";
export * from "./opener.js";
export * from "./openfrom.js";
export * from "./platform/macrotask.js";
export * from "./platform/pageworker.js";
export * from "./platform/url.js";
export * from "./printed.js";
export * from "./refuse.js";
