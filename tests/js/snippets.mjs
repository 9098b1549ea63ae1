// Runs the JavaScript blocks of the documentation unchanged, except that the package and the
// addresses are local ones. A line's comment states its output,
//
//     console.log(array.shape); // -> [31, 19, 36]
//
// which is compared with the actual one. A block that begins with a file's name in a comment is
// that file, which others can load.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { linked, recording, relocated, takeDown, toldIn } from "../../web/site/live.mjs";
import { serve, top } from "../lib/serve.mjs";

/**
 * The blocks of a document, each with its section's title, the words after its fence, and its line.
 */
export function blocksOf(file) {
  const blocks = [];
  let title = "";
  let open;
  for (const [i, line] of readFileSync(`${top}${file}`, "utf8").split("\n").entries()) {
    if (open && line === "```") open = undefined;
    else if (open) open.code += `${line}\n`;
    else if (line.startsWith("#")) title = line.replace(/^#+ /, "");
    else if (line.startsWith("```")) {
      open = { title, words: line.slice(3).split(" "), line: i + 2, code: "" };
      blocks.push(open);
    }
  }
  for (const block of blocks) block.name = /^\/\/ ([\w-]+\.js)\n/.exec(block.code)?.[1];
  return blocks;
}

/** The subpaths of the package. */
export const subpaths = ["xarray", "ome", "geo", "anndata", "model", "print", "zip", "describe", "view", "write"];

const guides = readdirSync(`${top}docs/guides`).filter((name) => name.endsWith(".md"));

/** The blocks of all documents whose code runs. */
export const documented = () =>
  ["docs/start/install.md", ...guides.map((name) => `docs/guides/${name}`)].flatMap(blocksOf);

/**
 * Writes the blocks into a directory, each as a module that exports `said`: for each output the
 * line, the value, and the comment. Returns the blocks with their `file`.
 */
export function writeScripts(blocks, dir, { dist, main, addresses }) {
  mkdirSync(dir, { recursive: true });
  // These have files of their own for Node.
  const kind = (name) => (main === "node.js" && ["write", "view"].includes(name) ? "-node" : "");
  const others = subpaths.map((name) => [`zarr-wasm/${name}`, `${dist}${name}${kind(name)}.js`]);
  const texts = {
    "zarr-wasm": `${dist}${main}`,
    "zarr-wasm/inline": `${dist}inline.js`,
    ...Object.fromEntries(others),
  };
  return blocks.map((block, i) => {
    let code = linked(relocated(block.code, addresses), texts);
    if (!block.name) code = `export const said = [];\n${takeDown}\n${recording(code)}`;
    const file = block.name ?? `${i}.mjs`;
    writeFileSync(join(dir, file), code);
    return { ...block, file };
  });
}

/** Fails unless every line printed its stated output. */
export function judge(block, said) {
  for (const { is, told } of said) assert.equal(is, told);
  assert.equal(new Set(said.map(({ line }) => line)).size, toldIn(block), "lines that printed something");
}

/** Public data in the documents, with the fixture that replaces each: tests use no network. */
export const published = {
  "https://uk1s3.embassy.ebi.ac.uk/idr/zarr/v0.4/idr0062A/6001240.zarr": "ome/image_v04.zarr",
};

/** The local equivalents of the documentation's addresses: placeholders and public data. */
export const addressesAt = (url, others = {}) => ({
  ...Object.fromEntries(Object.entries(published).map(([from, to]) => [from, `${url}build/fixtures/${to}`])),
  "https://example.org/climate.zarr": `${url}build/fixtures/xarray/climate_v3.zarr`,
  "https://example.org/image.zarr": `${url}build/fixtures/ome/image_v05.zarr`,
  "https://example.org/variants.zarr": `${url}build/fixtures/geno/geno_v3.zarr`,
  "https://example.org/simulation.icechunk": `${url}build/fixtures/public/earth-mover+icechunk/icechunk-python/tests/data/test-repo-v2`,
  "https://example.org/types.zarr": `${url}build/fixtures/v3/dtype.zarr`,
  "https://example.org/data.n5": `${url}build/fixtures/public/saalfeldlab+n5/src/test/resources/backward/data-3.1.3.n5`,
  "https://example.org/conventions/": `${url}build/fixtures/conventions/`,
  "https://example.org/": `${url}build/fixtures/`,
  ...others,
});

/** Two servers of the climate: one requires a token, one signed addresses. */
export async function serveGuarded() {
  const guards = {
    "https://private.example.org/": { status: 401, without: { Authorization: "Bearer secret" } },
    "https://bucket.example.org/": { status: 403, withoutQuery: "Signature=a%2Bb" },
  };
  const servers = await Promise.all(Object.values(guards).map(() => serve("build/fixtures/xarray", "-faults")));
  await Promise.all(
    Object.values(guards).map(async (fault, i) => {
      const body = JSON.stringify({ key: "*", faults: [fault] });
      const answer = await fetch(`${servers[i].url}-/faults`, { method: "POST", body });
      assert.ok(answer.ok, await answer.text());
    }),
  );
  const addresses = Object.fromEntries(
    Object.keys(guards).map((from, i) => [`${from}climate.zarr`, `${servers[i].url}climate_v3.zarr`]),
  );
  return { addresses, close: () => servers.map((server) => server.close()) };
}
