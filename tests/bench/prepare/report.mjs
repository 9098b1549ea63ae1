// Formats the results of the prepare benchmark: for the terminal, and for
// docs/reports/benchmarks.md.

const megabytes = (bytes) => (bytes / 1e6).toFixed(0);
const rate = ({ gigabytes, seconds }) => ((gigabytes * 2 ** 30) / 1e6 / seconds).toFixed(0);

/** A row for the terminal. */
export const told = (r) =>
  `${r.what.padEnd(8)} ${r.where.padEnd(8)} ${r.gigabytes} GiB: ${r.seconds.toFixed(1)} s, ${rate(r)} MB/s, ${megabytes(r.peak)} MB of memory`;

const line = (cells) => `| ${cells.join(" | ")} |`;

/** The section of docs/reports/benchmarks.md. */
export function section({ rows, kills, copy, peer }, machine) {
  const ours =
    peer && rows.find((r) => r.what === "rechunk" && r.where === "command" && r.gigabytes === peer.gigabytes);
  return [
    "## Preparing data",
    "",
    `${machine}.`,
    "",
    "The source has 256 slices of 1024 × 1024 float32 for each GiB, in chunks of one slice by blosc. *pyramid* writes a copy and all levels.",
    "*rechunk* writes chunks of all times and 32 × 32 points, in two passes. The memory is bounded by `--memory`, 1 GiB. *prism* is Beam's",
    "runner in one process. MB/s are those of the source's elements, and *memory* is the peak of the process.",
    "",
    line(["", "where", "GiB", "seconds", "MB/s", "processor, s", "memory, MB"]),
    "|---|---|--:|--:|--:|--:|--:|",
    ...rows.map((r) =>
      line([r.what, r.where, r.gigabytes, r.seconds.toFixed(1), rate(r), r.processor.toFixed(1), megabytes(r.peak)]),
    ),
    "",
    ...Object.entries(kills).map(
      ([name, n]) =>
        `*${name}* of ${rows[0].gigabytes} GiB, killed at ${n} random moments and repeated, wrote the same objects.`,
    ),
    `\`zarr copy\` without changes of ${copy.gigabytes} GiB took ${copy.zarr.toFixed(2)} s, and \`cp -r\` ${copy.cp.toFixed(2)} s: the rate is ${(copy.cp / copy.zarr).toFixed(2)} of cp's.`,
    ...(ours
      ? [
          `zarr-python 2 with the plan of rechunker, the same memory and as many threads, took ${peer.seconds.toFixed(1)} s and ${megabytes(peer.peak)} MB for ${peer.gigabytes} GiB. The ratio of times is ${(ours.seconds / peer.seconds).toFixed(2)}.`,
        ]
      : []),
  ].join("\n");
}
