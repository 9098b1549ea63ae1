/**
 * The modules that most entries import. They form one file instead of many small ones. Node's
 * entries import the same file, because errors and arrays must have one class each. js/build.mjs
 * reads the list.
 */
export * from "./data/arrays.js";
export * from "./data/documents.js";
export * from "./data/json.js";
export * from "./data/minifloat.js";
export * from "./data/numberarrays.js";
export * from "./data/shape.js";
export * from "./data/signal.js";
export * from "./errors.js";
export * from "./platform/macrotask.js";
export * from "./platform/pageworker.js";
export * from "./platform/url.js";
export * from "./shared/arguments.js";
export * from "./shared/attributes.js";
export * from "./shared/opener.js";
export * from "./shared/openfrom.js";
export * from "./shared/printed.js";
