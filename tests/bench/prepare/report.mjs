// Formats the results of the prepare benchmark: for the terminal, and for
// docs/reports/benchmarks.md.

const megabytes = (bytes) => (bytes / 1e6).toFixed(0);
const rate = ({ gigabytes, seconds }) => ((gigabytes * 2 ** 30) / 1e6 / seconds).toFixed(0);

/** A row for the terminal. */
export const told = (r) =>
  `${r.what.padEnd(8)} ${r.where.padEnd(8)} ${r.gigabytes} GiB: ${r.seconds.toFixed(1)} s, ${rate(r)} MB/s, ${megabytes(r.peak)} MB of memory`;

const line = (cells) => `| ${cells.join(" | ")} |`;

/** The section of docs/reports/benchmarks.md. */
export function section({ rows, kills, copy, peer, leftOut }, machine) {
  const ours =
    peer && rows.find((r) => r.what === "rechunk" && r.where === "command" && r.gigabytes === peer.gigabytes);
  const others = [
    { what: "copy", where: "command", gigabytes: copy.gigabytes, seconds: copy.zarr },
    { what: "copy", where: "`cp -r`", gigabytes: copy.gigabytes, seconds: copy.cp },
    ...(ours ? [{ what: "rechunk", where: "zarr-python 2, rechunker's plan", ...peer }] : []),
  ];
  return [
    "## Preparing data",
    "",
    `${machine}.`,
    "",
    "The source has 256 slices of 1024 × 1024 float32 for each GiB, in chunks of one slice by blosc. *pyramid* writes a copy and four levels.",
    "*rechunk* writes chunks of all times and 32 × 32 points, in two passes. The memory is bounded by `--memory`, 1 GiB. *prism* is Beam's",
    "runner in one process. MB/s are those of the source's elements, and *memory* is the peak of the process.",
    "",
    line(["", "where", "GiB", "seconds", "MB/s", "processor, s", "memory, MB"]),
    "|---|---|--:|--:|--:|--:|--:|",
    ...[...rows, ...others].map((r) =>
      line([
        r.what,
        r.where,
        r.gigabytes,
        r.seconds.toFixed(1),
        rate(r),
        r.processor?.toFixed(1) ?? "",
        r.peak ? megabytes(r.peak) : "",
      ]),
    ),
    "",
    ...Object.entries(kills).map(
      ([name, n]) =>
        `*${name}* of ${rows[0].gigabytes} GiB, killed at ${n} random moments and repeated, wrote the same objects.`,
    ),
    `The rate of \`zarr copy\` without changes is ${(copy.cp / copy.zarr).toFixed(2)} of \`cp -r\`'s.`,
    ...(ours
      ? [
          `zarr-python 2 with the plan of rechunker had the same memory and as many threads. The ratio of our time to its is ${(ours.seconds / peer.seconds).toFixed(2)}.`,
        ]
      : []),
    ...leftOut.map((text) => `Not measured: ${text}.`),
  ].join("\n");
}
