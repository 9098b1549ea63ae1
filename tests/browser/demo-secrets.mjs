// The viewer shows, copies and exports nothing that holds a signature, a user name or a password of
// the opened address. Only the page's own location and the box for addresses hold them.
//
//   node --test tests/browser/demo-secrets.mjs
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { random } from "../lib/random.mjs";
import { rounds } from "../lib/rounds.mjs";
import { settled, until, viewer, working } from "./viewerpage.mjs";

const secret = "S3CRET";
const it = viewer({ data: "build/samples" });

/** Every text and attribute of a document with its shadow trees, and what was copied. */
const held = (page) =>
  page.evaluate(() => {
    const all = [document.title, ...window.copied];
    const visit = (root) => {
      for (const node of root.querySelectorAll("*")) {
        for (const { name, value } of node.attributes) all.push(`${node.localName} ${name}="${value}"`);
        for (const child of node.childNodes) if (child.nodeType === 3) all.push(child.data);
        if (node.shadowRoot) visit(node.shadowRoot);
      }
    };
    visit(document);
    return all;
  });

async function nothing(page, what) {
  const all = await held(page);
  assert.ok(all.length > 100, what);
  assert.deepEqual(
    all.filter((text) => text.includes(secret)).map((text) => text.slice(0, 400)),
    [],
    what,
  );
}

/** Keeps what is copied and which pages are opened. */
const watched = (page) =>
  page.addInitScript(() => {
    window.copied = [];
    if (navigator.clipboard) navigator.clipboard.writeText = async (text) => void window.copied.push(text);
    window.open = (url) => void window.copied.push(url);
  });

/** Presses each button that copies and is seen. */
async function copyAll(page) {
  for (const button of await page.getByRole("button", { name: /copy/i }).all()) {
    if (await button.isVisible()) await button.evaluate((one) => one.click());
  }
}

const queries = [`?X-Amz-Signature=${secret}&a=b`, `?sig=${secret}`, `?a=b/c@d&${secret}`];

it.onPage("nothing shown, copied or exported holds the signature of an address", async (page) => {
  await watched(page);
  for (const [store, node, query] of [
    ["earth.zarr", "", queries[0]],
    ["cells.zarr", "", queries[1]],
    ["earth.zarr", "/", queries[2]],
  ]) {
    const what = `${store}${query} ${node}`;
    const state = await it.openUrl(page, `${store}${query}`, node && `&node=${encodeURIComponent(node)}`);
    assert.equal(state, "ready", what);
    await nothing(page, what);
    await page.evaluate(() => {
      for (const name of ["contents", "details"])
        if (document.body.dataset[name] !== "open") document.getElementById(`toggle-${name}`).click();
      for (const details of document.querySelectorAll("details")) details.open = true;
    });
    await page.locator("#traffic").evaluate((one) => one.click());
    await page.locator("#share").evaluate((one) => one.click());
    await until(page, "the link", () => window.copied.length > 0);
    const [link] = await page.evaluate(() => window.copied);
    assert.ok(link.includes(`/${store}`), link);
    assert.ok((await page.evaluate(() => location.href)).includes(secret), "the page's own location has the address");
    await copyAll(page);
    await nothing(page, `${what}: panels`);
    const menu = page.getByRole("button", { name: "Take away" });
    if (node === "/") continue;
    // The open panels leave a low picture, whose controls are folded.
    const opener = page.getByRole("button", { name: "Controls", exact: true });
    if (await opener.isVisible()) await opener.click();
    await menu.click();
    const entries = await page.getByRole("menuitem").allInnerTexts();
    await page.keyboard.press("Escape");
    for (const entry of entries.map((text) => text.split("\n")[0])) {
      if (/WebM/.test(entry)) continue;
      await menu.click();
      const item = page.getByRole("menuitem", { name: entry });
      if ((await item.getAttribute("aria-disabled")) === "true") {
        await page.keyboard.press("Escape");
        continue;
      }
      if (/PNG|SVG|CSV|NPY|GeoTIFF/.test(entry)) {
        const [download] = await Promise.all([page.waitForEvent("download"), item.click()]);
        assert.ok(!download.suggestedFilename().includes(secret), entry);
        assert.ok(!readFileSync(await download.path()).includes(secret), entry);
        continue;
      }
      await item.click();
      const dialog = page.getByRole("dialog");
      if (/Zarr/.test(entry)) {
        const button = dialog.getByRole("button", { name: "Make the file" });
        const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
        assert.ok(!download.suggestedFilename().includes(secret), entry);
        assert.ok(!readFileSync(await download.path()).includes(secret), entry);
        if (await dialog.isVisible()) await page.keyboard.press("Escape");
        await dialog.waitFor({ state: "hidden" });
      }
      if (/Code|Embed|napari/.test(entry)) {
        await dialog.waitFor();
        await copyAll(page);
        await nothing(page, `${what}: ${entry}`);
        await page.keyboard.press("Escape");
      }
      await nothing(page, `${what}: ${entry}`);
    }
  }
});

it.onPage("no error of an address with secrets shows them", async (page) => {
  await watched(page);
  const { of: one } = random(12);
  const { host } = new URL(it.data.url);
  await it.openUrl(page, "earth.zarr");
  for (let i = 0; i < rounds(60); i++) {
    const scheme = one([
      "http://",
      "http://",
      "http://",
      "ftp://",
      "s3a://u@",
      "http:",
      "zip::http://",
      "blob:http://",
      "zarr://http://",
    ]);
    const user = one(["", "", "", `u:${secret}@`, `${secret}:${secret}@`, `u:${secret}@${secret}@`]);
    const tail = one(["", "", "", "|zip:a/b", "|unknown:x", "|icechunk:@branch.main"]);
    const address = `${scheme}${user}${one([host, host, host, "127.0.0.1:1", "[::1", "127.0.0.1:99999", ""])}/${one(["earth.zarr", "none", "a%2fb", "a b", ""])}${one([...queries, `#${secret}`, `?a="${secret}`])}${tail}`;
    const url = encodeURIComponent(address);
    if (scheme.startsWith("s3")) continue; // it leads to another host
    await working(page, () =>
      page.evaluate((hash) => {
        location.hash = hash;
      }, `url=${url}&node=/${i}`),
    );
    await nothing(page, address);
    await page.evaluate(() => {
      for (const details of document.querySelectorAll("details")) details.open = true;
    });
    await copyAll(page);
    await nothing(page, `${address}: details`);
  }
});

it.onPage("the check of a host shows no signature", async (page) => {
  await watched(page);
  await it.openUrl(page, `none.zarr${queries[0]}`);
  await nothing(page, "the error");
  const link = page.locator("#alert").getByRole("link", { name: "Check the host" });
  if ((await link.count()) > 0) {
    await link.click();
    await until(page, "the check", () => /hostcheck/.test(location.pathname) && location.hash.includes("S3CRET"));
  }
  for (const address of [
    `${it.data.url}earth.zarr${queries[0]}`,
    `${it.data.url}${queries[1]}`,
    `http://u:${secret}@h/a${queries[1]}`,
    `http://127.0.0.1:1/a${queries[1]}`,
  ]) {
    await page.goto("about:blank");
    await page.goto(`${it.site.url}hostcheck.html#url=${encodeURIComponent(address)}`);
    await settled(page);
    await copyAll(page);
    const all = await held(page);
    assert.deepEqual(
      all.filter((text) => text.includes(secret)),
      [],
      address,
    );
  }
});
