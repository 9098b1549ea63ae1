// Reads selections through faults, by dist/, in Node and in browsers.
//
//   node tests/faults/run.mjs [COUNT [SEED]]       COUNT selections; default 2000, seed 1
//   node tests/faults/run.mjs --only NUMBER SEED   one case, in words
//
// --engine NAME selects a browser. --minutes N starts no new case after N minutes. --record writes
// the outcome into docs/reports/robustness.md.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import * as zarr from "../../dist/node.js";
import { serve, top } from "../lib/serve.mjs";
import { record } from "../robustness/page.mjs";
import { inPage } from "./inpage.mjs";
import { Sequences } from "./sequence.mjs";

/** Requests to one origin wait for each other, so there are several. */
const origins = 6;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    engine: { type: "string", default: "node" },
    only: { type: "string" },
    minutes: { type: "string" },
    record: { type: "boolean" },
  },
});
const only = options.only === undefined ? undefined : Number(options.only);
const seed = Number(positionals[only === undefined ? 1 : 0] ?? 1);
const count = Number(positionals[0] ?? 2000);
const minutes = options.minutes === undefined ? undefined : Number(options.minutes);
const inNode = options.engine === "node";

const read = (path) => JSON.parse(readFileSync(`${top}build/fixtures/${path}`, "utf8"));
const servers = await Promise.all(Array.from({ length: origins }, () => serve(".", "-faults", "-dotfiles")));
const end = () => {
  for (const server of servers) server.close();
  zarr.terminate();
};
const addresses = servers.map(({ url }) => url);

if (only !== undefined) {
  const sequences = new Sequences({
    zarr,
    servers: addresses,
    manifest: read("manifest.json"),
    containers: read("public/containers.json"),
    seed,
  });
  const { summary, session } = inNode
    ? await sequences.one(only, console.log)
    : await inPage(options.engine, { servers: addresses, seed, only }, console.log);
  for (const wrong of summary.log) console.log(JSON.stringify(wrong));
  console.log(JSON.stringify({ ...summary, log: undefined }));
  for (const { kind, text } of session.problems) console.log(`${kind}: ${text}`);
  process.exitCode = session.problems.length > 0 ? 1 : 0;
} else {
  const began = performance.now();
  const { found, failures } = inNode
    ? await inNodeAlone()
    : await inPage(options.engine, { servers: addresses, seed, count, minutes }, console.log);
  for (const { number, about, problems } of failures)
    console.log(`FAIL --only ${number} ${seed}: ${about}\n    ${problems.join("\n    ").slice(0, 3000)}`);
  const { errors, kinds, ...numbers } = found;
  const list = (counts) =>
    Object.entries(counts)
      .sort(([, a], [, b]) => b - a)
      .map(([name, n]) => `${name} ${n}`)
      .join(", ");
  console.log(`errors: ${list(errors)}`);
  console.log(`faults: ${list(kinds)}`);
  console.log(list(numbers));
  console.log(`${Math.round((performance.now() - began) / 1000)} s`);
  console.log(`${found.selections} passed, ${failures.length} failed`);
  process.exitCode = failures.length > 0 ? 1 : 0;
  if (options.record) {
    const engine = inNode ? "" : ` --engine ${options.engine}`;
    const what = { node: "Node", chromium: "Chromium", firefox: "Firefox", webkit: "WebKit" }[options.engine];
    record("faults", {
      section: "faults",
      rows: [
        {
          what,
          command: `node tests/faults/run.mjs ${Math.min(count, found.selections)} ${seed}${engine}`,
          values: valuesOf(found),
        },
      ],
    });
  }
}
end();

async function inNodeAlone() {
  const sequences = new Sequences({
    zarr,
    servers: addresses,
    manifest: read("manifest.json"),
    containers: read("public/containers.json"),
    seed,
  });
  await sequences.many(count, { minutes });
  return sequences;
}

/** The page's text about a run. */
function valuesOf(found) {
  return {
    selections: found.selections,
    requests: found.requests,
    faults: found.faults,
    "errors with a name": Object.values(found.errors).reduce((sum, n) => sum + n, 0),
    "read again": found.again,
    "wrong values": found["wrong values"],
    hangs: found.hangs,
    crashes: found.crashes,
    "clean re-reads failed": found["clean re-reads failed"],
    "untold faults": found.untold,
    "due to these": found.apart,
    "most ms": found.most,
  };
}
