// Differences compared with a model: random arrays with random axes, types, packings and missing
// values, read in random parts.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as zarr from "zarr-wasm";
import { subtracted } from "../../dist/view-difference.js";
import { random } from "../lib/random.mjs";
import { bundledModule } from "./bundledmodule.mjs";
import { lengths, made, opened, shuffled } from "./viewoperands.mjs";

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
    for (let i = 0; i < 4; i++) {
      const items = names.map((name) => {
        if (roll(3) === 0) return roll(lengths[name]);
        const start = roll(lengths[name]);
        return { start, stop: start + 1 + roll(lengths[name] - start), step: 1 };
      });
      const got = await array.get(items);
      const kept = items.flatMap((item, d) => (typeof item === "number" ? [] : [d]));
      const values = kept.length === 0 ? [got] : [...got.data];
      const model = [];
      const walk = (d, at) => {
        if (d === names.length) return model.push(expected(at));
        const item = items[d];
        if (typeof item === "number") return walk(d + 1, { ...at, [names[d]]: item });
        for (let k = item.start; k < item.stop; k++) walk(d + 1, { ...at, [names[d]]: k });
      };
      walk(0, {});
      assert.deepEqual(values, model, `${what} ${JSON.stringify(items)}`);
    }
    const points = Array.from({ length: 9 }, () => names.map((name) => roll(lengths[name])));
    const { data } = await array.vindex(names.map((_, d) => points.map((point) => point[d])));
    const model = points.map((point) => expected(Object.fromEntries(names.map((name, d) => [name, point[d]]))));
    assert.deepEqual([...data], model, what);
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
  const { document, chunk } = made(roll, ["lat", "lon"]);
  const other = { ...document, shape: [5, 8], attributes: {} };
  other.chunk_grid = { name: "regular", configuration: { chunk_shape: [5, 8] } };
  const wide = { document: other, chunk, key: "c/0/0" };
  const beside = await opened({ a: made(roll, ["lat", "lon"]), b: wide });
  await assert.rejects(subtracted(beside, { node: "/b" }, workers, signal), /lon has 8 elements in \/b, but 7 in \/a/);
  const unlike = (units) => {
    const it = made(roll, ["lat", "lon"]);
    return { ...it, document: { ...it.document, attributes: { ...it.document.attributes, units } } };
  };
  const mixed = await opened({ a: unlike("K"), b: unlike("m") });
  await assert.rejects(subtracted(mixed, { node: "/b" }, workers, signal), { name: "UnsupportedError" });
  // Afterwards it works as before.
  const { field } = await subtracted(description, { node: "/b" }, workers, signal);
  assert.throws(() => field.levels[0].array.getChunk([0, 0]), { name: "UnsupportedError" });
});
