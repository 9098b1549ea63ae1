// `npx zarr-wasm view`, as npm installs it from the packed tarball, in Chromium: the page that it opens shows the data.
import assert from "node:assert/strict";
import { copyFileSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { installed, ran, start } from "../js/command.mjs";
import { serve, top } from "../js/serve.mjs";
import { launch } from "./browser.mjs";

let dir;
let command;
let browser;
before(async () => {
  dir = mkdtempSync(join(tmpdir(), "zarr-command-"));
  [command, browser] = await Promise.all([installed(dir), launch({ webgl: true })]);
  cpSync(join(top, "build/samples/earth.zarr"), join(dir, "one year.zarr"), { recursive: true });
});
after(async () => {
  await browser?.close();
  rmSync(dir, { recursive: true });
});

/** Opens what the command says and waits for the viewer to have read it. */
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

test("the viewer that is written into a folder works there, and has no samples to offer", async () => {
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
