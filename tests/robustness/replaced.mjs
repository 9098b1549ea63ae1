// Reads while the server replaces objects, by each kind of validator, in Node, Chromium and other
// engines:
//
//   node tests/robustness/replaced.mjs COUNT SEED [--record] [--in node|ENGINE]
//     [--kind KIND] [--only ARRAY]
//
// COUNT is the number of reads for each kind. With kind "none" versions are indistinguishable; all
// other kinds must return no mixed read.
import { parseArgs } from "node:util";
import { engines, openEngine } from "../lib/browsers.mjs";
import { serve, top } from "../lib/serve.mjs";
import { record } from "./page.mjs";
import { replacedReads } from "./replacedreads.mjs";
import { serveReplaced } from "./replacedserver.mjs";

const told = {
  strong: "a strong `ETag`",
  weak: "a weak `ETag`",
  modified: "`Last-Modified` only",
  size: "another size, and nothing else",
  hidden: "`ETag` and `Content-Range` hidden, `Last-Modified` not",
  none: "nothing: it cannot be detected",
};

const environments = ["node", ...engines];
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    record: { type: "boolean" },
    in: { type: "string", multiple: true, default: ["node", "chromium"] },
    kind: { type: "string", multiple: true, default: Object.keys(told) },
    only: { type: "string" },
  },
});
for (const name of options.in)
  if (!environments.includes(name)) throw new Error(`--in ${name}: one of ${environments}`);
const [count = 3000, seed = 1] = positionals.map(Number);

/** The reader in an environment: `read(settings)` returns the result of {@link replacedReads}. */
async function open(name) {
  if (name === "node") {
    const zarr = await import("../../dist/node.js");
    return { read: (settings) => replacedReads({ zarr, ...settings }), close: () => zarr.terminate() };
  }
  const site = await serve(top);
  const engine = await openEngine(name);
  const tab = await engine.newTab(`${site.url}package.json`); // any document of that origin
  const inPage = async (settings) => {
    const [zarr, { replacedReads }] = await Promise.all([
      import("/dist/index.js"),
      import("/tests/robustness/replacedreads.mjs"),
    ]);
    return replacedReads({ zarr, ...settings });
  };
  const read = async ({ count, seed, ...settings }) => {
    if (name === "chromium") return tab.evaluate(inPage, { count, seed, ...settings });
    // A driver's scripts have a time limit.
    let all;
    for (let part = 0; (all?.reads ?? 0) < count; part++) {
      const found = await tab.evaluate(inPage, { count: 96, seed: seed + 1000 * part, ...settings });
      for (const [key, value] of Object.entries(all ?? {}))
        found[key] = Array.isArray(value) ? [...value, ...found[key]] : value + found[key];
      all = found;
    }
    return all;
  };
  const close = async () => {
    await engine.close();
    site.close();
  };
  return { read, close };
}

const rows = [];
const server = await serveReplaced(seed);
try {
  for (const name of options.in) {
    const where = name[0].toUpperCase() + name.slice(1);
    const { read, close } = await open(name);
    try {
      for (const kind of options.kind) {
        const { messages, ...found } = await read({ url: server.url, kind, count, seed, only: options.only });
        for (const message of messages) console.log(message);
        console.log(`${where}, ${kind}: ${JSON.stringify(found)}`);
        const { reads, right, errors, mixed, wrong, again, failed } = found;
        if (wrong + failed > 0 || (mixed > 0 && kind !== "none")) process.exitCode = 1;
        rows.push({
          what: `${where}: ${told[kind]}`,
          command: `node tests/robustness/replaced.mjs ${count} ${seed} --in ${name} --kind ${kind}`,
          values: {
            reads,
            right,
            "errors with a name": errors,
            mixed,
            wrong,
            "reads afterwards": again,
            "of these failed": failed,
          },
        });
      }
    } finally {
      await close();
    }
  }
} finally {
  server.close();
}
if (options.record) record("replaced", { section: "versions", rows });
