// Local folders and files, picked or dropped.

import type { Composition, Directory } from "zarr-wasm";

/** A local store. Links to it work on this machine only. */
export interface LocalSource {
  readonly name: string;
  readonly target: Directory | Composition;
}

/** Detects a container by its file name; null for other files. */
function fileSource(file: File): LocalSource | null {
  if (/\.(zip|ozx)$/i.test(file.name)) return { name: file.name, target: { zip: file } };
  if (/\.json$/i.test(file.name)) return { name: file.name, target: { reference: file } };
  return null;
}

/** Returns the source picked by an input: one container, or the files of a folder. */
export function pickedSource(files: FileList | null): LocalSource | null {
  const list = [...(files ?? [])];
  const [first] = list;
  if (!first) return null;
  const folder = first.webkitRelativePath.split("/")[0];
  if (folder) return { name: folder, target: list };
  return list.length === 1 ? fileSource(first) : null;
}

interface PickingWindow {
  showDirectoryPicker?(options: { mode: "read" }): Promise<Extract<Directory, { kind: "directory" }>>;
}

/**
 * Opens a folder picker. Its handle reads the current files. Returns undefined if the browser has
 * no such picker.
 */
export async function pickFolder(): Promise<LocalSource | null | undefined> {
  const pick = (window as PickingWindow).showDirectoryPicker;
  if (!pick) return undefined;
  try {
    const handle = await pick.call(window, { mode: "read" });
    return { name: handle.name, target: handle };
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return null;
    throw error;
  }
}

interface HandleItem {
  getAsFileSystemHandle?(): Promise<{ kind: string; name: string } | null>;
}

/** Returns the dropped source. Call it before the event's handler first awaits. */
export async function droppedSource(data: DataTransfer): Promise<LocalSource | null> {
  const item = [...data.items].find(({ kind }) => kind === "file");
  if (!item) return null;
  const handle = (item as HandleItem).getAsFileSystemHandle?.();
  const entry = item.webkitGetAsEntry?.();
  const file = item.getAsFile();
  const dropped = await handle?.catch(() => null);
  if (dropped?.kind === "directory")
    return { name: dropped.name, target: dropped as Extract<Directory, { kind: "directory" }> };
  if (entry?.isDirectory) return { name: entry.name, target: entry as FileSystemDirectoryEntry };
  return file ? fileSource(file) : null;
}

/** Reports whether dragged data contains files. */
export function hasFiles(data: DataTransfer | null): boolean {
  return data?.types.includes("Files") ?? false;
}
