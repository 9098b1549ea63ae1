// Finds the hierarchies of a folder, as internal/static does in Go.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The documents that say that a folder is a hierarchy. */
const roots = ["zarr.json", ".zgroup", ".zarray", ".zmetadata"];
/** Files and folders that are looked at, and hierarchies that are listed. */
const mostEntries = 100_000;
const mostHierarchies = 1000;

/**
 * Returns the paths, as lists of names, of the folders and archives that are hierarchies and lie in no
 * other; the folder itself where it finds none. It visits folders breadth-first, so that a large folder
 * hides none beside it. `complete` says whether it has seen all.
 */
export function hierarchies(folder) {
  const found = [];
  const folders = [[]];
  let seen = 0;
  let complete = true;
  for (const parts of folders) {
    if (seen > mostEntries || found.length >= mostHierarchies) {
      complete = false;
      break;
    }
    const dir = join(folder, ...parts);
    if (roots.some((name) => existsSync(join(dir, name)))) {
      found.push(parts);
      continue;
    }
    const all = entries(dir);
    seen += all.length;
    for (const entry of all) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      if (entry.isDirectory()) folders.push([...parts, entry.name]);
      else if (/\.(zip|ozx)$/i.test(entry.name)) found.push([...parts, entry.name]);
    }
  }
  const paths = found.map((parts) => parts.join("/"));
  const order = [...found.keys()].sort((a, b) => (paths[a] < paths[b] ? -1 : 1));
  return { found: found.length > 0 ? order.map((i) => found[i]) : [[]], complete };
}

/** Returns what is in a folder; nothing of one that cannot be read. */
function entries(dir) {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch {
    return [];
  }
}
