/**
 * The whole package for Node. It also exports the earlier name of Node's store of files, now
 * {@link DirectoryStore}.
 *
 * @packageDocumentation
 */
export * from "./index.js";
export { DirectoryStore as FileStore } from "./stores/directorystore.js";
