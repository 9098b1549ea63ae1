/**
 * The modules that the main file and the subpaths share, such as the classes of errors and arrays.
 * Pages and Node use the same file. js/build.mjs reads the list.
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
