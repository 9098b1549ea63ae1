// Runs the cookbook's recipes, and the code of the pages on stores and conventions, in Chromium
// with the HTML of their sections. It checks the pictures and operates the controls.
//
//   node --test tests/browser/cookbook.mjs
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, test } from "node:test";
import { addressesAt, documented, judge, serveGuarded, writeScripts } from "../js/snippets.mjs";
import { launch } from "../lib/browsers.mjs";
import { serve, top } from "../lib/serve.mjs";

const dir = "build/cookbook/browser";
const blocks = documented();
const scripts = blocks.filter(({ words }) => words[0] === "js" && !words.includes("node"));
const recipes = scripts.filter(({ name }) => !name);

const [browser, server, guarded] = await Promise.all([launch(), serve(".", "-isolate"), serveGuarded()]);
const addresses = addressesAt(server.url, guarded.addresses);
for (const [i, { file }] of writeScripts(scripts, top + dir, {
  dist: "/dist/",
  main: "index.js",
  addresses,
}).entries()) {
  scripts[i].file = file;
}
after(async () => {
  await browser.close();
  server.close();
  guarded.close();
});

const pixel = (page, selector, x, y) =>
  page.evaluate(
    ([selector, x, y]) => [...document.querySelector(selector).getContext("2d").getImageData(x, y, 1, 1).data],
    [selector, x, y],
  );

/** A person's actions and the expected results. */
const used = {
  "A first picture": async (page) => {
    // 686, divided by 20.
    assert.deepEqual(await pixel(page, "#picture", 0, 0), [34, 64, 221, 255]);
  },
  "A mask saved beside its image": async (page) => {
    const [name, ...bytes] = await page.evaluate(async () => {
      const link = document.querySelector("#save");
      return [link.download, ...new Uint8Array(await (await fetch(link.href)).arrayBuffer()).subarray(0, 4)];
    });
    assert.equal(name, "bright.zarr.zip");
    assert.deepEqual(bytes, [0x50, 0x4b, 3, 4]);
  },
  "An OME-Zarr image on a canvas": async (page) => {
    // 3599 of 5000.
    assert.deepEqual(await pixel(page, "#plane", 0, 0), [184, 184, 184, 255]);
  },
  "A slider through time": async (page) => {
    const north = await page.evaluate(async () => {
      const { open } = await import("/dist/index.js");
      const t2m = await open("/build/fixtures/xarray/climate_v3.zarr/t2m", { kind: "array" });
      return [await t2m.get([0, 18, 0]), await t2m.get([17, 18, 0])];
    });
    const red = north.map((value) => Math.min(255, Math.max(0, Math.round(value / 20))));
    assert.notEqual(red[0], red[1]);
    assert.equal((await pixel(page, "#map", 0, 0))[0], red[0]);
    await page.locator("#time").fill("17");
    await page.waitForFunction(
      (red) => document.querySelector("#map").getContext("2d").getImageData(0, 0, 1, 1).data[0] === red,
      red[1],
    );
  },
};

for (const recipe of recipes) {
  test(`${recipe.title} (line ${recipe.line})`, { timeout: 120_000 }, async () => {
    const html = blocks.find(({ title, words }) => title === recipe.title && words[0] === "html")?.code ?? "";
    writeFileSync(
      `${top}${dir}/index.html`,
      `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">${html}`,
    );
    const page = await browser.newPage();
    try {
      await page.goto(`${server.url}${dir}/`);
      judge(
        recipe,
        await page.evaluate(async (file) => (await import(new URL(file, location.href))).said, recipe.file),
      );
      await used[recipe.title]?.(page);
    } finally {
      await page.close();
    }
  });
}
