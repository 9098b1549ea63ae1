// Differences compared with a model: random arrays with random axes, types, packings and missing
// values, read in random parts.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as zarr from "zarr-wasm";
import { subtracted } from "../../dist/view-difference.js";
import { random } from "../lib/random.mjs";
import { bundledModule } from "./bundledmodule.mjs";
import { changed, compare, lengths, made, opened, shuffled } from "./viewoperands.mjs";

const { ViewWorker } = await bundledModule("viewworker", 'export { ViewWorker } from "./view/worker/viewworker.js";');
after(() => zarr.terminate());

const minus = (a, b) => {
  if (a === null || b === null) return Number.NaN;
  return typeof a === "bigint" && typeof b === "bigint" ? Number(a - b) : Number(a) - Number(b);
};

const workers = () => new ViewWorker();
const { signal } = new AbortController();

test("a difference equals that of the values, and is missing if either is", async () => {
  for (let seed = 1; seed <= 120; seed++) {
    const roll = random(seed);
    const all = ["time", "height", "lat", "lon"].slice(roll(3));
    const names = shuffled(roll, all);
    const others = shuffled(roll, all).slice(roll(2));
    const [a, b] = [made(roll, names), made(roll, others)];
    const description = await opened({ a, b });
    const own = roll(4) === 0;
    const fixed = others.filter(() => roll(3) === 0);
    const index = Object.fromEntries((own ? names.slice(0, 1) : fixed).map((name) => [name, roll(lengths[name])]));
    const wanted = own ? { index } : { node: "/b", index };
    const { field } = await subtracted(description, wanted, workers, signal);
    const other = own ? a : b;
    const [{ array }] = field.levels;
    const expected = (at) => minus(a.value(at), other.value({ ...at, ...index }));
    const what = `seed ${seed}: ${a.type} ${names} less ${other.type} ${own ? names : others} ${JSON.stringify(wanted)}`;
    await compare(roll, array, names, expected, what);
    assert.equal(field.scale.value, "diverging");
  }
});

test("an invalid difference is a named error, and never reads the first array", async () => {
  const roll = random(5);
  const description = await opened({ a: made(roll, ["lat", "lon"]), b: made(roll, ["lat", "lon"]) });
  const refused = (minus, name) =>
    assert.rejects(subtracted(description, minus, workers, signal), { name }, JSON.stringify(minus));
  await refused({ node: "/nothing" }, "NotFoundError");
  await refused({ node: "/" }, "UnsupportedError");
  await refused({ index: { depth: 1 } }, "UnsupportedError");
  const grid = { name: "regular", configuration: { chunk_shape: [5, 8] } };
  const wide = changed(made(roll, ["lat", "lon"]), { shape: [5, 8], chunk_grid: grid });
  const beside = await opened({ a: made(roll, ["lat", "lon"]), b: wide });
  await assert.rejects(subtracted(beside, { node: "/b" }, workers, signal), /lon has 8 elements in \/b, but 7 in \/a/);
  const unlike = (units) => changed(made(roll, ["lat", "lon"]), { attributes: { units } });
  const mixed = await opened({ a: unlike("K"), b: unlike("m") });
  await assert.rejects(subtracted(mixed, { node: "/b" }, workers, signal), { name: "UnsupportedError" });
  // Afterwards it works as before.
  const { field } = await subtracted(description, { node: "/b" }, workers, signal);
  assert.throws(() => field.levels[0].array.getChunk([0, 0]), { name: "UnsupportedError" });
});
