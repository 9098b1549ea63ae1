// Formats the results of the write benchmark as text: for the terminal, and for
// docs/reports/benchmarks.md.

const rate = (n) => (n === undefined ? "" : n.toFixed(0));
const ratio = (r) => (r.peer === undefined ? "" : (r.ours / r.peer).toFixed(2));
const percent = (share) => (share ? `${(100 * share).toFixed(0)} %` : "");

/** A row for the terminal. */
export const told = (r) =>
  [
    r.where.padEnd(16),
    r.kind.padEnd(10),
    r.codec.padEnd(12),
    ratio(r).padStart(6),
    `${rate(r.ours).padStart(6)} of ${rate(r.peer).padStart(6)} MB/s`,
    r.share.map(percent).join(", "),
  ].join("  ");

/** A copy for the terminal. */
export const copied = (c) =>
  `1 GiB, ${c.from} to ${c.to}: ${c.seconds.toFixed(1)} s, ${(c.peak / 1e6).toFixed(0)} MB of memory`;

const line = (cells) => `| ${cells.join(" | ")} |`;

/** The section of docs/reports/benchmarks.md. */
export function section({ versions, rows, copies }, machine) {
  const peer = versions
    ? `zarr-python ${versions.zarr} with numcodecs ${versions.numcodecs}, in one process of Python ${versions.python}`
    : "without zarr-python, which was not installed";
  return [
    "## Writing",
    "",
    `${machine}; ${peer}.`,
    "",
    "Both sides write a smooth float32 field with noise in interleaved rounds; a ratio is of medians of rates, in MB/s of elements: above 1 this",
    "project is faster. *encode* is one chunk of 4 MiB on one thread (Blosc of numcodecs takes as many as it likes), *memory* and *directory* a whole",
    "array of 64 MiB in chunks of 1 MiB, which Go encodes several at once. Stored is the share of the bytes that is left, here and there. *Map* is",
    "`set` of a whole array of 16 MiB in chunks of 1 MiB into a Map, beside zarrita's, whose codecs are numcodecs'.",
    "",
    line(["", "", "codec", "ratio", "MB/s", "its MB/s", "stored", "its"]),
    "|---|---|---|--:|--:|--:|--:|--:|",
    ...rows.map((r) =>
      line([r.where, r.kind, r.codec, ratio(r), rate(r.ours), rate(r.peer), percent(r.share[0]), percent(r.share[1])]),
    ),
    "",
    "`zarr copy` of 1 GiB from a directory to another one, and the most memory that the process had:",
    "",
    line(["from", "to version", "options", "seconds", "MB"]),
    "|---|---|---|--:|--:|",
    ...copies.map((c) => line([c.from, c.to, `\`${c.options}\``, c.seconds.toFixed(1), (c.peak / 1e6).toFixed(0)])),
    "",
    "*slices* are an array of version 2 in chunks of 1 × 1024 × 1024, *cubes* one of version 3 in chunks of 64 × 128 × 128, *shards* one in shards of",
    "64 × 256 × 256 of chunks of 32 × 64 × 64; all of 256 × 1024 × 1024.",
  ].join("\n");
}
