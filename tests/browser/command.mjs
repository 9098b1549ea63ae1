// Runs `npx zarr-wasm view`, as npm installs it from the packed tarball, in Chromium: the page that
// it opens shows the data.
import assert from "node:assert/strict";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { installed, ran, start, started } from "../js/command.mjs";
import { launch } from "../lib/browsers.mjs";
import { serve, top } from "../lib/serve.mjs";

const dir = mkdtempSync(join(tmpdir(), "zarr-command-"));
const [command, browser] = await Promise.all([installed(dir), launch()]);
cpSync(join(top, "build/samples/earth.zarr"), join(dir, "one year.zarr"), { recursive: true });
after(async () => {
  await browser.close();
  rmSync(dir, { recursive: true });
});

/** Opens the address that the command prints, and waits until the viewer has read it. */
async function opened(args) {
  const served = await start(command, ["view", "--no-open", "--port", "0", ...args]);
  const page = await browser.newPage();
  const wrong = [];
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  await page.goto(served.address);
  await page.waitForFunction(() => ["ready", "error"].includes(document.body.dataset.state));
  return { served, page, wrong };
}

test("the page shows a folder's data, and leaving it ends nothing", async () => {
  const { served, page, wrong } = await opened([join(dir, "one year.zarr")]);
  try {
    const tree = page.getByRole("tree");
    for (const name of ["t2m", "sst", "rain", "cover"]) await tree.getByText(name, { exact: true }).waitFor();
    assert.equal(await page.evaluate(() => document.body.dataset.state), "ready");
    assert.deepEqual(wrong, []);
  } finally {
    await page.close();
    assert.equal(await served.end("SIGINT"), 0, "Ctrl-C ends it");
  }
});

test("the page shows a zip by its ranges", async () => {
  const file = join(dir, "data.zarr.zip");
  copyFileSync(join(top, "build/fixtures/zip/v3_stored.zip"), file);
  const { served, page, wrong } = await opened([file]);
  try {
    assert.equal(await page.getByRole("alert").allInnerTexts().then(String), "");
    assert.equal(await page.evaluate(() => document.body.dataset.state), "ready");
    await page.getByRole("treeitem").first().waitFor();
    assert.deepEqual(wrong, []);
  } finally {
    await page.close();
    await served.end("SIGINT");
  }
});

/** Waits until the viewer has read its address, and returns the path of the node. */
async function shown(page, node) {
  await page.waitForFunction(
    (node) => document.body.dataset.state === "ready" && document.getElementById("path")?.value === node,
    node,
  );
}

for (const many of [false, true]) {
  for (const by of ["npx zarr-wasm view", "zarr serve"]) {
    test(`links of ${many ? "several hierarchies" : "one hierarchy"} by ${by} survive reload, copy, back and forward`, async () => {
      const data = join(dir, `${many}-${by}`, "data");
      mkdirSync(data, { recursive: true });
      cpSync(join(top, "build/samples/earth.zarr"), many ? join(data, "a/b/c/d/earth.zarr") : data, {
        recursive: true,
      });
      if (many) {
        copyFileSync(join(top, "build/fixtures/zip/v3_stored.zip"), join(data, "array.zarr.zip"));
        cpSync(join(top, "build/fixtures/ome/image_v05.zarr"), join(data, "image.zarr"), { recursive: true });
      }
      const served = await (by === "zarr serve"
        ? started(join(top, "build/zarr"), "serve", "--addr", "127.0.0.1:0", "--viewer", join(top, "build/demo"), data)
        : start(command, ["view", "--no-open", "--port", "0", data]));
      const page = await browser.newPage();
      try {
        assert.equal(served.pages.length, many ? 3 : 1);
        await page.goto(served.address);
        if (many) await page.getByRole("link", { name: "a/b/c/d/earth.zarr" }).click();
        await page.waitForFunction(() => document.body.dataset.state === "ready");
        await page.getByRole("tree").getByText("sst", { exact: true }).click();
        await shown(page, "/sst");
        await page.getByRole("tree").getByText("rain", { exact: true }).click();
        await shown(page, "/rain");
        await page.reload();
        await shown(page, "/rain");
        const copy = await browser.newPage();
        await copy.goto(page.url());
        await shown(copy, "/rain");
        await copy.close();
        await page.goBack();
        await shown(page, "/sst");
        await page.reload();
        await shown(page, "/sst");
        await page.goForward();
        await shown(page, "/rain");
        // The printed address is the same page.
        await page.goto("about:blank");
        await page.goto(served.pages[0]);
        await page.getByRole("tree").getByText("rain", { exact: true }).waitFor();
        if (many) {
          await page.goto(served.address);
          const cards = page.getByRole("list", { name: "Datasets" }).getByRole("listitem");
          await cards.first().waitFor();
          assert.equal(await cards.count(), 3);
          // Each card says what the hierarchy is, with its picture.
          await cards
            .filter({ hasText: "earth.zarr" })
            .getByText(/^Dataset · \d+ variables · [\d.]+ MiB$/)
            .waitFor();
          await cards.filter({ hasText: "array.zarr.zip" }).getByText("Group · 2 members").waitFor();
          // The coarsest level of the image has four chunks of each of its two channels.
          const drawn = (names) =>
            names.every((name) => {
              const card = [...document.querySelectorAll("#list li")].find((item) => item.textContent.includes(name));
              const canvas = card?.querySelector("canvas");
              const data = canvas?.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
              return data !== undefined && new Set(new Uint32Array(data.buffer)).size > 1;
            });
          await page.waitForFunction(drawn, ["earth.zarr", "image.zarr"]);
          await page.getByRole("searchbox", { name: "Find by name" }).fill("ARRAY");
          await page.getByText("1 of 3 datasets").waitFor();
          assert.equal(await page.getByRole("link", { name: "earth.zarr" }).isVisible(), false);
          await page.getByRole("link", { name: "array.zarr.zip" }).click();
          await page.waitForFunction(() => document.body.dataset.state === "ready");
        }
      } finally {
        await page.close();
        await served.end("SIGINT");
      }
    });
  }
}

test("the viewer works in the written folder, without samples", async () => {
  const out = join(dir, "hosted");
  assert.equal((await ran(command, ["viewer", out])).code, 0);
  const { url, close } = await serve(out);
  try {
    const page = await browser.newPage();
    const wrong = [];
    page.on("pageerror", (error) => wrong.push(error.message));
    page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
    await page.goto(url);
    await page.getByRole("heading", { name: "Nothing is open" }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.id), "url");
    await page.getByRole("button", { name: "More…" }).click();
    await page.getByRole("heading", { name: "From this machine" }).waitFor();
    assert.equal(await page.getByRole("heading", { name: "Samples" }).count(), 0);
    await page.keyboard.press("Escape");
    const data = await serve("build/samples");
    try {
      await page.getByRole("textbox", { name: "Address of a Zarr store" }).fill(`${data.url}table.zarr`);
      await page.keyboard.press("Enter");
      await page.getByRole("tree").getByText("obsm", { exact: true }).waitFor();
    } finally {
      data.close();
    }
    assert.deepEqual(wrong, []);
    await page.close();
  } finally {
    close();
  }
});
