/**
 * The package for Node: all of it, and the name that Node's store of files had before {@link DirectoryStore}.
 *
 * @packageDocumentation
 */
export * from "./index.js";
export { DirectoryStore as FileStore } from "./stores/directorystore.js";
