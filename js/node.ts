/**
 * The package for Node: all of it, and a store of files.
 *
 * @packageDocumentation
 */
export * from "./index.js";
export { FileStore } from "./stores/filestore.js";
