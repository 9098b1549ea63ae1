/**
 * The whole package in one file, the wasm and the worker's script included: for
 * service workers, and where no other files can be served.
 *
 * @packageDocumentation
 */
export * from "./index.js";
export * from "./write/index.js";
export { create, set } from "./write/index.js";
