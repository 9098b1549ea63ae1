/**
 * The whole package in one file, with the wasm and the worker's script. For service workers, and
 * for pages whose server can serve no other files.
 *
 * @packageDocumentation
 */
export * from "./index.js";
export * from "./write/index.js";
export { create, set } from "./write/index.js";
