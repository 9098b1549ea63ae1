// Finds the hierarchies in a folder. internal/static does the same in Go.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The documents that make a folder a hierarchy. */
const roots = ["zarr.json", ".zgroup", ".zarray", ".zmetadata"];
/** The maximum numbers of visited files and folders, and of listed hierarchies. */
const mostEntries = 100_000;
const mostHierarchies = 1000;

/**
 * Returns the paths of the outermost hierarchies below a folder, folders and archives, as lists of
 * names. If it finds none, it returns the folder itself. The search is breadth-first, so that one
 * large folder does not use up the limit. `complete` reports whether everything was visited.
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

/** Returns the entries of a folder, and none for an unreadable one. */
function entries(dir) {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch {
    return [];
  }
}
