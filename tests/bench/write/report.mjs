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
    "Both sides write a smooth float32 field in interleaved rounds. Rates are MB/s of elements, medians; a ratio above 1 means that this",
    "project is faster. *encode* encodes one chunk of 4 MiB on one thread. *memory* and *directory* write 64 MiB in",
    "chunks of 1 MiB. *stored* is the stored share of the bytes. *Map* is `set` of 16 MiB in chunks of 1 MiB, compared with zarrita.",
    "",
    line(["", "", "codec", "ratio", "MB/s", "its MB/s", "stored", "its"]),
    "|---|---|---|--:|--:|--:|--:|--:|",
    ...rows.map((r) =>
      line([r.where, r.kind, r.codec, ratio(r), rate(r.ours), rate(r.peer), percent(r.share[0]), percent(r.share[1])]),
    ),
    "",
    "`zarr copy` of 1 GiB between two directories, with its peak memory:",
    "",
    line(["from", "to version", "options", "seconds", "MB"]),
    "|---|---|---|--:|--:|",
    ...copies.map((c) => line([c.from, c.to, `\`${c.options}\``, c.seconds.toFixed(1), (c.peak / 1e6).toFixed(0)])),
    "",
    "All arrays are 256 × 1024 × 1024: *slices* of version 2 with chunks of 1 × 1024 × 1024, *cubes* of version 3 with chunks of 64 × 128 ×",
    "128, and *shards* of 64 × 256 × 256 with chunks of 32 × 64 × 64.",
  ].join("\n");
}
