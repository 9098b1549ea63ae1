// The load that other programs put on a machine during a measurement.
import { readdirSync, readFileSync } from "node:fs";

const tick = 10; // ms, of Linux's counters

/** Milliseconds of work: of all processors, and of this process with all its descendants. */
function work() {
  const [user, nice, system, , , irq, softirq] = readFileSync("/proc/stat", "utf8")
    .split("\n")[0]
    .split(/\s+/)
    .slice(1);
  const all = [user, nice, system, irq, softirq].reduce((sum, n) => sum + Number(n), 0);
  const processes = new Map();
  for (const id of readdirSync("/proc")) {
    if (!/^\d+$/.test(id)) continue;
    try {
      const stat = readFileSync(`/proc/${id}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      processes.set(Number(id), { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) });
    } catch {} // it has ended
  }
  let own = 0;
  for (const [id, { ticks }] of processes) {
    let at = id;
    while (at > 1 && at !== process.pid) at = processes.get(at)?.parent ?? 0;
    if (at === process.pid) own += ticks;
  }
  return { all: all * tick, own: own * tick };
}

/**
 * Begins to watch; what it returns tells how many processors others have kept busy since. 0 where
 * that cannot be known.
 */
export function watchOthers() {
  if (process.platform !== "linux") return () => 0;
  const before = work();
  const t = performance.now();
  return () => {
    const after = work();
    const others = after.all - before.all - (after.own - before.own);
    return Math.max(0, others) / (performance.now() - t);
  };
}

/**
 * Waits until the other programs are idle, for at most `atMost` milliseconds. Returns how many of
 * them it took.
 */
export async function untilQuiet(calm, atMost) {
  const t = performance.now();
  for (;;) {
    const others = watchOthers();
    await new Promise((resolve) => setTimeout(resolve, 250));
    const waited = performance.now() - t;
    if (others() <= calm || waited >= atMost) return waited;
  }
}
