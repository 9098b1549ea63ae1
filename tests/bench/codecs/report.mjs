// Formats the results as text: for the terminal, and for docs/reports/benchmarks.md.

const sizes = { 4096: "4 KiB", 1048576: "1 MiB", 4194304: "4 MiB" };
const range = ([a, b]) => `${a.toFixed(0)}-${b.toFixed(0)}`;

/** A row for the terminal. */
export function table(r) {
  const rate = (n) => n.toFixed(0).padStart(6);
  return [
    r.case.padEnd(34),
    r.data.padEnd(8),
    sizes[r.chunkBytes].padEnd(6),
    r.ratio.toFixed(2).padStart(7),
    `${rate(r.ours)} of ${rate(r.peer)} ${r.unit}`,
    `${range(r.spread.ours)} of ${range(r.spread.peer)}`.padEnd(24),
    r.against === "zarrita" ? "" : r.against,
  ].join("  ");
}

const geometricMean = (list) => Math.exp(list.reduce((sum, n) => sum + Math.log(n), 0) / list.length);

/** Groups of rows over the data sets: geometric mean and worst of the ratios. */
function groups(rows) {
  const by = new Map();
  for (const r of rows) {
    const key = [r.environment, r.case, r.chunkBytes, r.against].join("\n");
    by.set(key, [...(by.get(key) ?? []), r]);
  }
  return [...by.values()].map((list) => {
    const worst = list.reduce((a, b) => (b.ratio < a.ratio ? b : a));
    return {
      ...list[0],
      chunk: sizes[list[0].chunkBytes],
      mean: geometricMean(list.map((r) => r.ratio)),
      worst: worst.ratio,
      worstData: worst.data,
      undisturbed: geometricMean(list.map((r) => r.spread.ours[1] / r.spread.peer[1])),
      ours: geometricMean(list.map((r) => r.ours)),
      peer: geometricMean(list.map((r) => r.peer)),
    };
  });
}

/**
 * A line for each group, for the terminal. The last is the mean of the ratios of the fastest
 * rounds, which is more reliable on a busy machine.
 */
export function summary(rows) {
  let environment = "";
  const lines = [];
  for (const g of groups(rows)) {
    if (g.environment !== environment)
      lines.push(`${g.environment}: geometric mean and worst over the data sets, mean of best rounds`);
    environment = g.environment;
    const against = g.against === "zarrita" ? "" : `  against ${g.against}`;
    const [mean, worst, best] = [g.mean, g.worst, g.undisturbed].map((n) => n.toFixed(2).padStart(6));
    const name = `  ${g.case.padEnd(34)} ${g.chunk}`;
    lines.push(`${name}  ${mean} ${worst} (${g.worstData})`.padEnd(70) + best + against);
  }
  return lines.join("\n");
}

const line = (cells) => `| ${cells.join(" | ")} |`;

/** The section of docs/reports/benchmarks.md. */
export function markdown(rows, machine) {
  const out = [
    "## Codecs and whole reads",
    "",
    `${machine}.`,
    "",
    "Both sides decode the same bytes in interleaved rounds, in one page or process, and their values are compared. The data sets are a smooth",
    "float32 field, a noisy uint16 image, an int32 ramp, rounded float64 climate data with NaN, and uint32 labels. Rates are decoded MB/s,",
    "medians of the rounds; a ratio above 1 means that this project is faster. *decode* decodes on one thread into an existing buffer. *read*",
    "reads a whole array from memory by the Go core, 16 MiB in 1 MiB chunks or 2 MiB in 4 KiB chunks. *package* does the same through the npm",
    "package, with a Map as store; fizarrita (`@fideus-labs/fizarrita` 1.4.1) has a worker per processor.",
  ];
  const all = groups(rows);
  for (const environment of new Set(rows.map((r) => r.environment))) {
    out.push("", `### ${environment}`, "", "Mean and worst are over the five data sets.", "");
    out.push(line(["", "chunks", "against", "mean", "worst", "on", "MB/s", "its MB/s"]));
    out.push("|---|---|---|--:|--:|---|--:|--:|");
    for (const g of all.filter((g) => g.environment === environment)) {
      const rates = [g.ours, g.peer].map((n) => n.toFixed(0));
      out.push(line([g.case, g.chunk, g.against, g.mean.toFixed(2), g.worst.toFixed(2), g.worstData, ...rates]));
    }
    out.push("", "<details><summary>Each data set, with the slowest and fastest round</summary>", "");
    out.push(line(["", "data", "chunks", "against", "ratio", "MB/s", "rounds", "its MB/s", "its rounds"]));
    out.push("|---|---|---|---|--:|--:|--:|--:|--:|");
    for (const r of rows.filter((r) => r.environment === environment)) {
      const ours = [r.ours.toFixed(0), range(r.spread.ours)];
      const peer = [r.peer.toFixed(0), range(r.spread.peer)];
      out.push(line([r.case, r.data, sizes[r.chunkBytes], r.against, r.ratio.toFixed(2), ...ours, ...peer]));
    }
    out.push("", "</details>");
  }
  return out.join("\n");
}
