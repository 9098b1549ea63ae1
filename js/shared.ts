/**
 * The modules that the main file and the subpaths share, such as the classes of errors and arrays.
 * Pages and Node use the same file. js/build.mjs reads the list.
 */
export * from "./data/arrays.js";
export * from "./data/documents.js";
export * from "./data/shape.js";
export * from "./errors.js";
export * from "./platform/macrotask.js";
export * from "./platform/pageworker.js";
export * from "./platform/url.js";
export * from "./shared/arguments.js";
export * from "./shared/opener.js";
export * from "./shared/openfrom.js";
export * from "./shared/printed.js";
