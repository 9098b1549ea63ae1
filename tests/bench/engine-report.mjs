// Formats the section of docs/reports/benchmarks.md on whole reads by the engine.

const line = (cells) => `| ${cells.join(" | ")} |`;
const ms = (n) => n.toFixed(n < 20 ? 1 : 0);

const setup = [
  "All sides read the same arrays in one page of Chromium, in turn, each time from a newly opened store. 128 MB are 8192x4096 float32 in",
  "chunks of 4 MiB, 16 MB are 2048x2048 float32 in chunks of 512x512. 4,096 and 16,384 chunks are the same array in chunks of 32x32, by",
  "blosc with lz4, and of 16x16, uncompressed. *memory* is a Map in the page, *HTTP* a server on loopback, *shared* a result in shared",
  "memory. Times are medians; a ratio below 1 means that this project is faster. *block* is the longest pause of the page's thread. *CPU*",
  "is the processor time of the whole browser. Rounds with other busy programs are replaced or marked as disturbed.",
  "",
  "*16,384 fetches, no reader* only fetches the chunks, in a worker. The last rows have a goal for *block* of 16 ms, one frame. 10 million",
  "strings are *station 0* to *station 9999999*; this package creates each on access. The struct has 4 million elements of 29 bytes.",
  "*into out* reads into the caller's array. fizarrita is `@fideus-labs/fizarrita` 1.4.1 with a worker per processor; it never finishes",
  "uncompressed arrays.",
];

/** The rows as text; `other` names the browser that is not Chromium. */
export function markdown(rows, machine, browser, other) {
  const out = [
    `## Whole reads by the engine${other ? `, in ${other}` : ""}`,
    "",
    `${machine}, in ${browser}.`,
    "",
    ...(other ? [`As above, in ${other}.`] : setup),
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
  const latencies = rows.filter((r) => r.latency);
  for (const title of new Set(latencies.map((r) => r.title))) {
    const reads = latencies.filter((r) => r.title === title);
    out.push(
      "",
      `Latency of ${reads[0].count} ${title}, in turns of 20 by each side: the median and the 99th percentile.`,
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
      "The additional peak memory of the browser's renderer processes for a read of 128 MB, including the result:",
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
      `After ${mixed.count.toLocaleString("en")} mixed reads, three at a time, ${mixed.cancelled.toLocaleString("en")} of them cancelled, the engine holds ${mb(mixed.late.total)} MB; ` +
        `after the first 500 it held ${mb(mixed.early.total)} MB. The ratio is ${mixed.ratio.toFixed(2)} (goal ${mixed.goal.toFixed(2)}). ${mixed.pending} reads are pending.`,
    );
  }
  return out.join("\n");
}
