// Runs the cases of conventions/expected.json, in Node and in Chromium.
//
// Each suite is a module whose default export yields tests:
//
//   export default function* (expected) { yield { id, run: async (t) => { … } } }
//
// A test passes when it returns, and fails when it throws. The argument t has the package (t.zarr),
// its subpaths (t.xarray, t.ome, …) and t.skip(reason). It also has t.open(store, path) for a node
// of the fixtures, and t.text and t.bytes for a file beside expected.json.
import * as anndata from "./anndata.mjs";
import * as cf from "./cf.mjs";
import * as geo from "./geo.mjs";
import * as model from "./model.mjs";
import * as nczarr from "./nczarr.mjs";
import * as ome from "./ome.mjs";
import * as print from "./print.mjs";
import * as xarray from "./xarray.mjs";

const suites = { cf, xarray, nczarr, ome, geo, anndata, model, print };

class Skipped extends Error {}

/**
 * Runs the suites.
 * @param packages the package as zarr, and each subpath by its name
 * @param base the address of the fixtures' folder
 * @param only a regular expression of ids, or undefined
 * @param thirds the thirds to run of the cases, by number
 */
export async function run({ packages, base, only, thirds = [0, 1, 2], onProgress }) {
  const root = new URL("conventions/", base).href;
  const fetched = async (file) => {
    const answer = await fetch(new URL(file, root));
    if (!answer.ok) throw new Error(`${file}: ${answer.status}`);
    return answer;
  };
  const expected = await (await fetched("expected.json")).json();
  const t = {
    ...packages,
    root,
    expected,
    /** Opens a node: store as expected.json names it, and a path below it. */
    open: (store, path = "", options = {}) => {
      const at = new URL(path ? `${store}/${path}` : store, root).href;
      return packages.zarr.open(at, options);
    },
    text: async (file) => (await fetched(file)).text(),
    bytes: async (file) => new Uint8Array(await (await fetched(file)).arrayBuffer()),
    skip: (reason) => {
      throw new Skipped(reason);
    },
  };
  const work = [];
  const seen = new Set();
  for (const [name, suite] of Object.entries(suites)) {
    for (const one of suite.default(expected)) {
      if (seen.has(one.id)) throw new Error(`${name}: two tests have the id ${one.id}`);
      seen.add(one.id);
      if (thirds.includes(seen.size % 3) && (!only || only.test(one.id))) work.push(one);
    }
  }
  const messages = [];
  let [passed, failed, skipped, done] = [0, 0, 0, 0];
  const next = work.values();
  const worker = async () => {
    for (const { id, run } of next) {
      try {
        await run(t);
        passed++;
      } catch (error) {
        if (error instanceof Skipped) {
          skipped++;
          messages.push(`skip ${id}: ${error.message}`);
        } else {
          failed++;
          messages.push(`not ok ${id}: ${error?.stack ?? error}`);
        }
      }
      onProgress?.(++done, work.length);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return { passed, failed, skipped, messages };
}
