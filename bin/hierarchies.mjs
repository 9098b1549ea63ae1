// Finds the hierarchies of a folder.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The documents that say that a folder is a hierarchy. */
const roots = ["zarr.json", ".zgroup", ".zarray", ".zmetadata"];
const deepest = 3;
const most = 100;

/** The paths, as lists of names, of the folders that are hierarchies and lie in no other; the folder itself where none is found. */
export function hierarchies(folder) {
  const found = [];
  const visit = (parts) => {
    const dir = join(folder, ...parts);
    if (roots.some((name) => existsSync(join(dir, name)))) return void found.push(parts);
    if (parts.length === deepest) return;
    for (const entry of entries(dir)) {
      if (found.length >= most) return;
      if (entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
        visit([...parts, entry.name]);
    }
  };
  visit([]);
  return found.length > 0 ? found : [[]];
}

/** What is in a folder, in order; nothing of one that cannot be read. */
function entries(dir) {
  try {
    return readdirSync(dir, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
