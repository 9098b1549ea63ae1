// Formats the results of the request benchmark as a section of docs/reports/benchmarks.md.

const line = (cells) => `| ${cells.join(" | ")} |`;

const said = {
  "open v3": "open an array of version 3 by its URL",
  "open v2": "open an array of version 2 by its URL",
  "group v3": "open a consolidated group of version 3 and its 50 arrays",
  "group v2": "the same of version 2",
  "open.v2": "open an array of which it is known that it is of version 2",
  "open.v3": "the same of version 3",
  "OME 0.4": "open an OME-Zarr 0.4 group and its 3 arrays",
  "OME 0.5": "the same of OME-Zarr 0.5",
  "OME 0.4, told": "open an OME-Zarr 0.4 group, known to be of version 2 and not consolidated, and its 3 arrays",
  "OME 0.5, told": "the same of OME-Zarr 0.5",
  "absent chunks": "read 100 chunks that are absent",
  "one shard": "open, and read 16 inner chunks of one shard",
  "four shards, together": "open, and read 4 inner chunks of each of 4 shards, side by side in the file",
  "four shards, apart": "the same, not side by side",
  "zip, 16 chunks": "open an array in a zip archive, and read 16 chunks that lie together",
  "zip, again": "the same slice of it again",
  again: "the same slice again",
  neighbour: "the slice beside it in the same shard",
  "three callers": "3 callers read overlapping slices at once",
  scrub: "64 steps through a dimension inside one chunk",
  icechunk: "open the branch main of an Icechunk repository, and read 2 chunks",
  "icechunk, split": "the same, 16 chunks of as many manifests",
  tiles: "100 tiles asked for, 90 of them cancelled after 10 ms",
  references: "open references at hand, and read 100 chunks that lie side by side in one file",
};

const intro = (latency, rounds, floor) =>
  `In Chromium, from a local server over HTTP/1.1 that holds every answer back for ${latency} and counts the requests; every round with a URL that no cache
knows; medians of ${rounds} interleaved rounds. *requests* and *trips* are ours beside the fewest of zarrita's, as it is (\`FetchStore\`) and with its extensions for merged ranges and
consolidated metadata, with and without \`useSuffixRequest\`; a trip is a request that had to wait for the end of another. *ms* is ours, zarrita's best, and zarrita's as its
manual shows it first. Metadata documents count as requests: ours are asked for all at once, because the version is not known, and cost one trip; where it is told, only those of that version. Preflights (OPTIONS) and HEAD
are zarrita's; ours sends neither. Values are compared in every round.

Not among *its best* is zarrita that is told the version of each array and keeps every byte for ever (\`withByteCaching\`), which a page has to know and want; the program prints
it as *told*. It opens arrays and groups about as fast as ours or faster (one trip), and reads a shard or steps through a chunk in fewer requests than here, still slower than ours.

A case that takes one round trip cannot take less than ${floor} ms: there *of best* is near 1 where zarrita needs one trip too, and *of default* near 0.5 where it needs two. In
*tiles*, Chromium has six connections to a server, so that ten tiles take two trips for anyone, after the 10 ms.`;

const share = (a, b) => (b > 0 ? (a / b).toFixed(2) : "");

/** The section. `found` holds each reader's results for each origin and case. */
export function section(found, machine, { latency, rounds, isPeer }) {
  const out = ["## Requests", "", `${machine}.`, "", intro(latency, rounds, Number.parseInt(latency, 10))];
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
