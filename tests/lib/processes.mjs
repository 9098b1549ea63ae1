// Measures processes, as Linux reports them. Elsewhere memory is 0 and work unlimited.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const linux = process.platform === "linux";

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

// The text in parentheses is the program's name, which may contain anything.
const statOf = (pid) =>
  read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, "")
    .split(" ");
const kilobytes = (pid, name) =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1024;
const sum = (pids, measure) => (linux ? pids.reduce((all, pid) => all + measure(pid), 0) : 0);

/** A process and its descendants; with a word, only those whose command line contains it. */
export function family(pid, word = "") {
  if (!linux) return [pid];
  const parents = new Map();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const [, parent] = statOf(name);
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const found = [pid];
  for (const one of found) for (const [child, parent] of parents) if (parent === one) found.push(child);
  return word ? found.filter((one) => read(`/proc/${one}/cmdline`).includes(word)) : found;
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

/** Restarts the count of the processes' peaks. `beyond()` returns the growth since, in bytes. */
export function peaks(pids) {
  const before = sum(pids, (pid) => {
    try {
      writeFileSync(`/proc/${pid}/clear_refs`, "5");
    } catch {} // It has ended.
    return kilobytes(pid, "VmRSS");
  });
  return { beyond: () => sum(pids, (pid) => kilobytes(pid, "VmHWM")) - before };
}

/** Milliseconds that processes have worked. */
export function worked(pids) {
  if (pids[0] === process.pid) return (({ user, system }) => (user + system) / 1000)(process.cpuUsage());
  if (!linux) return Number.POSITIVE_INFINITY;
  return sum(pids, (pid) => {
    const fields = statOf(pid);
    return 10 * (Number(fields[11] ?? 0) + Number(fields[12] ?? 0));
  });
}

/**
 * Counts the processor seconds of a process and its descendants until the returned function is
 * called. It looks once per second, because browsers kill processes, for which no parent accounts.
 */
export function sampled(pid) {
  if (!linux) return () => 0;
  const last = new Map(); // milliseconds by process
  const timer = setInterval(() => {
    for (const one of family(pid)) last.set(one, worked([one]));
  }, 1000);
  return () => {
    clearInterval(timer);
    return [...last.values()].reduce((all, ms) => all + ms, 0) / 1000;
  };
}
