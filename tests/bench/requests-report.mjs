// Formats the results of the request benchmark as a section of docs/reports/benchmarks.md.

const line = (cells) => `| ${cells.join(" | ")} |`;

const said = {
  "open v3": "open an array of version 3 by its URL",
  "open v2": "open an array of version 2 by its URL",
  "group v3": "open a consolidated group of version 3 and its 50 arrays",
  "group v2": "the same of version 2",
  "open.v2": "open an array, with version 2 stated",
  "open.v3": "the same of version 3",
  "OME 0.4": "open an OME-Zarr 0.4 group and its 3 arrays",
  "OME 0.5": "the same of OME-Zarr 0.5",
  "OME 0.4, told":
    "open an OME-Zarr 0.4 group and its 3 arrays, with version 2 stated and without consolidated metadata",
  "OME 0.5, told": "the same of OME-Zarr 0.5",
  "absent chunks": "read 100 absent chunks",
  "one shard": "open, and read 16 inner chunks of one shard",
  "four shards, together": "open, and read 4 adjacent inner chunks of each of 4 shards",
  "four shards, apart": "the same, not adjacent",
  "zip, 16 chunks": "open an array in a zip archive, and read 16 adjacent chunks",
  "zip, again": "the same slice of it again",
  again: "the same slice again",
  neighbour: "the slice beside it in the same shard",
  "three callers": "3 callers read overlapping slices at once",
  scrub: "64 steps through a dimension inside one chunk",
  icechunk: "open the branch main of an Icechunk repository, and read 2 chunks",
  "icechunk, split": "the same, 16 chunks of as many manifests",
  tiles: "100 requested tiles, 90 of them cancelled after 10 ms",
  references: "open references in memory, and read 100 adjacent chunks of one file",
};

const intro = (latency, rounds) =>
  `In Chromium, from a local HTTP/1.1 server that delays every answer by ${latency}. Medians of ${rounds} interleaved rounds, each with a fresh URL;
every round compares the values. *requests* counts documents too, and *trips* counts requests that wait for another to end. Both are
compared with zarrita's lowest, over its options and its extensions for merged ranges and consolidated metadata. *ms* is this package,
zarrita's best, and zarrita as its manual begins. Only zarrita sends preflights and HEAD.

*its best* excludes zarrita with known versions and unlimited caching (\`withByteCaching\`), which the program prints as *told*. In
*tiles*, Chromium's six connections to a server make ten tiles two trips for both.`;

const share = (a, b) => (b > 0 ? (a / b).toFixed(2) : "");

/** The section. `found` holds each reader's results for each origin and case. */
export function section(found, machine, { latency, rounds, isPeer }) {
  const out = ["## Requests", "", `${machine}.`, "", intro(latency, rounds)];
  for (const [origin, cases] of Object.entries(found)) {
    out.push("", `### ${origin === "cross-origin" ? "From another origin" : "From the page's own origin"}`, "");
    out.push(
      line([
        "",
        "requests",
        "its",
        "trips",
        "its",
        "KB",
        "its",
        "ms",
        "its best",
        "its default",
        "of best",
        "of default",
      ]),
    );
    out.push("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (const [name, readers] of Object.entries(cases)) {
      const own = readers.ours;
      const peers = Object.entries(readers)
        .filter(isPeer)
        .map(([, f]) => f);
      const least = (key) => (peers.length > 0 ? Math.min(...peers.map((f) => f[key])) : Number.NaN);
      const [best, plain] = [least("ms"), readers.zarrita.ms];
      const told = (n, digits = 0) => (Number.isNaN(n) ? "" : n.toFixed(digits));
      const numbers = ["total", "trips", "kb"].flatMap((key) => [own[key], told(least(key))]);
      const times = [own.ms, best, plain].map((n) => told(n, n < 10 ? 1 : 0));
      out.push(line([said[name] ?? name, ...numbers, ...times, share(own.ms, best), share(own.ms, plain)]));
    }
  }
  return out.join("\n");
}
