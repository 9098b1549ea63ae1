// The results as text.

const sizes = { 4096: "4 KiB", 1048576: "1 MiB", 4194304: "4 MiB" };

/** A row of the table. */
export function table(r) {
  const rate = (n) => n.toFixed(0).padStart(6);
  const range = ([a, b]) => `${a.toFixed(0)}-${b.toFixed(0)}`;
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

/** Groups of rows over the data sets: geometric mean and worst of the ratios. */
export function groups(rows) {
  const by = new Map();
  for (const r of rows) {
    const key = [r.environment, r.case, r.chunkBytes, r.against].join("\n");
    by.set(key, [...(by.get(key) ?? []), r]);
  }
  return [...by.values()].map((list) => {
    const mean = Math.exp(list.reduce((sum, r) => sum + Math.log(r.ratio), 0) / list.length);
    const worst = list.reduce((a, b) => (b.ratio < a.ratio ? b : a));
    return { ...list[0], chunk: sizes[list[0].chunkBytes], mean, worst: worst.ratio, worstData: worst.data };
  });
}

/** A line a group. */
export function summary(rows) {
  let environment = "";
  const lines = [];
  for (const g of groups(rows)) {
    if (g.environment !== environment) lines.push(`${g.environment}: geometric mean and worst over the data sets`);
    environment = g.environment;
    const against = g.against === "zarrita" ? "" : `  against ${g.against}`;
    const [mean, worst, best] = [g.mean, g.worst, g.undisturbed].map((n) => n.toFixed(2).padStart(6));
    const name = `  ${g.case.padEnd(34)} ${g.chunk}`;
    lines.push(`${name}  ${mean} ${worst} (${g.worstData})`.padEnd(70) + best + against);
  }
  return lines.join("\n");
}
