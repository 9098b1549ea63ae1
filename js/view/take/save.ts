import { el } from "../dom.js";

/** Returns a file name. Replaces characters that file systems reject. */
export function fileName(parts: readonly string[], ending: string): string {
  const name = parts
    .map((part) => part.replace(/[^\p{L}\p{N}._+-]+/gu, "-").replace(/^[-.]+|-+$/g, ""))
    .filter(Boolean)
    .join("_")
    .slice(0, 120);
  return `${name || "zarr"}.${ending}`;
}

/** Makes the browser save bytes as a file. */
export function save(content: BlobPart, type: string, name: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = el("a", { href: url, download: name });
  link.click();
  // The download begins with the click, and its address must last until it is read.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
