// Directories in the forms that users pass, and the interfaces for reading and writing them.

/** A directory's handle: the members of a `FileSystemDirectoryHandle` that are used. */
export interface DirectoryHandle {
  /** The kind of handle. */
  readonly kind: "directory";
  /** The directory's name. */
  readonly name: string;
  /** A file in it. */
  getFileHandle(name: string): Promise<{ getFile(): Promise<File> }>;
  /** A directory in it. */
  getDirectoryHandle(name: string): Promise<DirectoryHandle>;
}

/** A directory dropped on a page: the members of a `FileSystemDirectoryEntry` that are used. */
export interface DirectoryEntry {
  /** True for a directory. */
  readonly isDirectory: boolean;
  /** The directory's name. */
  readonly name: string;
  /** Lists it. */
  createReader(): unknown;
}

/**
 * A directory of a page: a handle, a dropped entry, or the files of an `<input webkitdirectory>`.
 */
export type Directory = DirectoryHandle | DirectoryEntry | Iterable<File>;

/** Returns the wanted range of a file of some size. */
export type FileRange = (size: number) => [from: number, to: number];

/** Bytes of a file, with its size and the time of its last change. */
export interface FileBytes {
  bytes: Uint8Array;
  size: number;
  modified: number;
}

/** Reads a directory. A path is the list of names from the root to a file or folder. */
export interface Folder {
  /** The directory's place in the file system, if known. */
  readonly path?: string;
  /** Reports whether no file can have a name. */
  refuses?(name: string): boolean;
  /** Reads a range of a file. */
  read(path: string[], part: FileRange, signal: AbortSignal | undefined): Promise<FileBytes>;
  /** Lists a folder's names; those of folders end with a slash. */
  names(path: string[]): Promise<string[]>;
  /** Returns the writer of the directory. */
  writing?(): WritableFolder;
}

/** Writes a directory. Every operation is applied completely or not at all. */
export interface WritableFolder {
  /** Writes or replaces a file, and makes the folders above it. */
  write(path: string[], bytes: Uint8Array, signal: AbortSignal | undefined): Promise<void>;
  /**
   * Deletes a file, and the folders above it that become empty. Does not delete a folder of that
   * name.
   */
  remove(path: string[]): Promise<void>;
  /** Deletes a folder with all its content. Does not delete a file of that name. */
  removeFolder(path: string[]): Promise<void>;
  /** Calls a function while it holds the directory's lock of a name. */
  lock(name: string, run: () => Promise<void>, signal: AbortSignal | undefined): Promise<void>;
}

/** The prefix of temporary files and folders of writes. They are not objects. */
export const reserved = ".zarr-wasm-";

/** The codes and names of errors for a missing file or folder. */
const absent = new Set(["ENOENT", "ENOTDIR", "EISDIR", "NotFoundError", "TypeMismatchError"]);

/** Reports whether an error means that there is no such file or folder. */
export function isAbsent(error: unknown): boolean {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  return absent.has(String(code)) || absent.has(String(name));
}
