// Formats the section of docs/reports/benchmarks.md on whole reads by the engine.

const line = (cells) => `| ${cells.join(" | ")} |`;
const ms = (n) => n.toFixed(n < 20 ? 1 : 0);

/** The rows as text. */
export function markdown(rows, machine) {
  const out = [
    "## Whole reads by the engine",
    "",
    `${machine}.`,
    "",
    "In Chromium, in one page, the same arrays read by all sides in turn, each time by a store that has just been opened: nothing of them is",
    "known. 128 MB are 8192x4096 float32 of a smooth field with noise, in chunks of 4 MiB; 16,384 chunks are 2048x2048 float32 in chunks of 16x16, as they are; 16 MB",
    "are the same in chunks of 512x512. *memory* is a Map in the page, *HTTP* a server on loopback over HTTP/1.1. *shared* is a result in shared memory",
    "(`useSharedArrayBuffer`). Times are medians; a ratio below 1 means that this project is faster. *block* is the longest time in which the page's thread did not come to",
    "anything else. *CPU* is what all processes of the browser computed, the measuring included. Rounds in which other programs kept more than a seventh of a processor busy are",
    "replaced by others; where there were none that are quieter, the row says so. *16,384 fetches, no reader* is what Chromium takes to fetch the same chunks in a worker, past its cache, by nobody who does",
    "anything with them: beside zarrita's reading of them, as every row is. The last rows are of other types and of memory of the caller's; their goal is a *block* below 16 ms, a frame of the screen. 10 million strings are",
    "*station 0* to *station 9999999*, each hundredth not ASCII; here a string is made when it is asked for. The struct has 4 million elements of 29 bytes: int32, two float64, datetime64, bool; zarrita does not read it. *into",
    "out* reads the 128 MB of blosc-lz4 into an array of the caller's that is new, which zarrita cannot. fizarrita is `@fideus-labs/fizarrita` 1.4.1 with as many workers as there are processors; reads of arrays that are",
    "not compressed never end with it.",
    "",
    line([
      "",
      "ms",
      "rounds",
      "zarrita's",
      "its rounds",
      "ratio",
      "goal",
      "fizarrita's",
      "ratio",
      "block",
      "its",
      "fizarrita's",
      "CPU ms",
      "its",
      "disturbed",
    ]),
    "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
  ];
  for (const r of rows.filter((r) => r.block !== undefined)) {
    const [own, its] = r.spread.split(" / ");
    const name = r.data ? `${r.case}, ${r.data}` : r.case;
    const other = (n, digits = 0) => n?.toFixed(digits) ?? "";
    const times = [ms(r.ours), own, r.peer === null ? "" : ms(r.peer), its, other(r.ratio, 2), other(r.goal, 2)];
    const pool = [other(r.pool), other(r.poolRatio, 2)];
    const blocks = [r.block.toFixed(1), other(r.peerBlock), other(r.poolBlock)];
    const rest = [...pool, ...blocks, r.cpu.toFixed(0), other(r.peerCpu)];
    out.push(line([name, ...times, ...rest, r.others > 0.15 ? `${r.others.toFixed(1)} processors` : ""]));
  }
  const reads = rows.filter((r) => r.latency);
  if (reads.length > 0) {
    out.push(
      "",
      `Latency of ${reads[0].count} reads of one chunk of 64 KB each, one after the other, in turns of 20 by each side; those over HTTP keep their connection. The time that half of them did not exceed, and 99 of 100:`,
      "",
    );
    const sides = ["ours", "peer", "pool"];
    const names = ["ours", "zarrita's", "fizarrita's"];
    out.push(line(["", ...names.flatMap((name) => [`${name}, p50, ms`, "p99"])]), "|---|--:|--:|--:|--:|--:|--:|");
    for (const { case: name, latency } of reads) {
      const cells = sides.flatMap((who) => ["p50", "p99"].map((p) => latency[who]?.[p].toFixed(2) ?? ""));
      out.push(line([name, ...cells]));
    }
  }
  const peaks = rows.filter((r) => r.unit === "MB");
  if (peaks.length > 0) {
    out.push(
      "",
      "How much memory the browser's renderer processes take at most for a read of 128 MB, the result in it, beyond what they hold before it:",
      "",
    );
    out.push(line(["", "MB", "zarrita's", "times the result", "goal"]), "|---|--:|--:|--:|--:|");
    for (const r of peaks) {
      const name = r.case.replace("peak memory ", "") + (r.data === "shared" ? ", shared" : "");
      out.push(line([name, r.ours.toFixed(0), r.peer.toFixed(0), r.ratio.toFixed(2), r.goal.toFixed(2)]));
    }
  }
  const mixed = rows.find((r) => r.case === "mixed reads");
  if (mixed) {
    const mb = (n) => (n / 1e6).toFixed(0);
    out.push(
      "",
      `After ${mixed.count.toLocaleString("en")} reads of boxes of five arrays, three at a time, of which ${mixed.cancelled.toLocaleString("en")} were cancelled, the engine holds ${mb(mixed.late.total)} MB, ` +
        `and after the first 500 ${mb(mixed.early.total)} MB: ${mixed.ratio.toFixed(2)} times that (goal ${mixed.goal.toFixed(2)}). ${mixed.pending} reads are pending.`,
    );
  }
  return out.join("\n");
}
