// Measures the memory of processes, as Linux reports it.
import { readdirSync, readFileSync } from "node:fs";

const read = (path) => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
};

const count = (path) => {
  try {
    return readdirSync(path).length;
  } catch {
    return 0;
  }
};

/** A process and its descendants. */
function family(pid) {
  const parents = new Map();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    // The text in parentheses is the program's name, which may contain anything.
    const [, parent] = read(`/proc/${name}/stat`)
      .replace(/^.*\) /s, "")
      .split(" ");
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const found = [pid];
  for (const one of found) for (const [child, parent] of parents) if (parent === one) found.push(child);
  return found;
}

/**
 * The resources of a process and its descendants: memory in MiB, with its share of shared memory,
 * threads, and open files.
 */
export function heldBy(pid) {
  const all = { memory: 0, threads: 0, files: 0 };
  for (const one of family(pid)) {
    all.memory += Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${one}/smaps_rollup`))?.[1] ?? 0) / 1024;
    all.threads += count(`/proc/${one}/task`);
    all.files += count(`/proc/${one}/fd`);
  }
  return all;
}
