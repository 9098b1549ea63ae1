// Runs the cookbook's recipes, and the code of the pages on stores and conventions, in Node.
// tests/browser/cookbook.mjs runs those that need a page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import * as zarr from "../../dist/node.js";
import { toldIn } from "../../web/site/live.mjs";
import { anchorOf } from "../../web/site/markdown.mjs";
import { serve, top } from "../lib/serve.mjs";
import { addressesAt, documented, judge, serveGuarded, writeScripts } from "./snippets.mjs";

const dir = `${top}build/cookbook/node`;
const blocks = documented();
const recipes = blocks.filter(({ words, name }) => words[0] === "js" && !words.includes("browser") && !name);

const [server, guarded] = await Promise.all([serve("."), serveGuarded()]);
const addresses = addressesAt(server.url, {
  ...guarded.addresses,
  "data/variants.zarr": `${top}build/fixtures/geno/geno_v3.zarr`,
});
const dist = pathToFileURL(`${top}dist/`).href;
for (const [i, { file }] of writeScripts(recipes, dir, { dist, main: "node.js", addresses }).entries()) {
  recipes[i].url = pathToFileURL(`${dir}/${file}`).href;
}
after(() => {
  server.close();
  guarded.close();
});

test("every recipe states its output", () => {
  assert.ok(recipes.length > 15, `${recipes.length} recipes`);
  for (const block of blocks) {
    const where = `${block.title}, line ${block.line}`;
    assert.equal(block.code.split("// ->").length - 1, toldIn(block), where);
    if (block.words[0] === "js" && !block.name) assert.ok(toldIn(block) > 0, where);
  }
});

test("the list of recipes is that of the sections", () => {
  const text = readFileSync(`${top}docs/guides/cookbook.md`, "utf8");
  const titles = [...text.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
  assert.deepEqual([...text.matchAll(/\]\(#([\w-]+)\)/g)].map(([, name]) => name).sort(), titles.map(anchorOf).sort());
});

test("the recipes of writing in JavaScript have the chapters of those in Go", () => {
  const chapters = (file) =>
    [...readFileSync(`${top}docs/guides/${file}`, "utf8").matchAll(/^## (.*)$/gm)].map(([, one]) => one);
  const here = chapters("writing.md");
  assert.equal(new Set(here).size, here.length);
  const missing = chapters("go.md").filter((one) => !here.includes(one));
  assert.deepEqual(missing, []);
});

for (const recipe of recipes) {
  test(`${recipe.title} (line ${recipe.line})`, async () => {
    try {
      judge(recipe, (await import(recipe.url)).said);
    } finally {
      // The next recipe starts a new engine.
      zarr.terminate();
      zarr.registry.clear();
    }
  });
}
