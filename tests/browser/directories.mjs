// Directories in Chromium: the origin's private file system, folders picked by an input, and
// dropped folders.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { hosting } from "../lib/hosting.mjs";
import { serve, top } from "../lib/serve.mjs";

const fixtures = join(top, "build/fixtures");
const dir = join(top, "build/test/directories");
/** At least one hierarchy of each version. */
const hierarchies = [
  "v1/blosc_lz4.zarr",
  "v1/missing.zarr",
  "v2/hierarchy.zarr",
  "v2/order.zarr",
  "v3/hierarchy.zarr",
  "v3/sharding.zarr",
];
const slow = { timeout: 120_000 };

const host = hosting({ flags: ["-dotfiles"], playwright: true });
let page;
before(async () => {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  await host.start();
  page = await open();
});

/** A page with the tests' functions. */
async function open(context = host.browser, { url } = host.server) {
  const page = await context.newPage();
  page.on("pageerror", (error) => assert.fail(error));
  await page.goto(`${url}tests/browser/directories.html`);
  await page.waitForFunction(() => window.ready === true, undefined, { timeout: 60_000 });
  return page;
}

/** The files below a folder. */
const filesIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(folder, name)).isFile());

/** Copies a hierarchy into the origin's private file system. */
function copyIn(hierarchy) {
  return page.evaluate(([to, files]) => window.copy(to, files), [hierarchy, filesIn(join(fixtures, hierarchy))]);
}

test("the origin's private file system reads and lists as over HTTP", slow, async () => {
  for (const hierarchy of hierarchies) {
    await copyIn(hierarchy);
    const arrays = await page.evaluate((path) => window.compare(path, () => window.folder(path)), hierarchy);
    assert.ok(arrays > 0, hierarchy);
  }
});

test("a folder that is picked by an input reads as over HTTP", slow, async () => {
  for (const hierarchy of hierarchies) {
    await page.setInputFiles("#input", join(fixtures, hierarchy));
    const found = await page.evaluate(
      (path) => window.compare(path, () => document.querySelector("#input").files),
      hierarchy,
    );
    assert.ok(found > 0, hierarchy);
  }
});

test("a folder that is dropped reads as over HTTP, by its entry and by its handle", slow, async () => {
  for (const hierarchy of hierarchies) {
    for (const way of ["entry", "handle"]) {
      await drop(page, join(fixtures, hierarchy));
      const found = await page.evaluate(
        ([path, way]) => window.compare(path, () => window.dropped[way]),
        [hierarchy, way],
      );
      assert.ok(found > 0, `${hierarchy} ${way}`);
    }
  }
});

/** Drops a file or folder on the page, like the system's file manager. */
async function drop(page, path) {
  const session = await page.context().newCDPSession(page);
  const count = await page.evaluate(() => window.drops);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) {
    await session.send("Input.dispatchDragEvent", { type, x: 50, y: 50, data });
  }
  await page.waitForFunction((count) => window.drops > count, count);
  await session.detach();
}

/** Checks a kind of directory with the files of `sample`. */
function sample(name) {
  const folder = join(dir, name);
  mkdirSync(join(folder, "c/0"), { recursive: true });
  writeFileSync(
    join(folder, "c/0/1"),
    Uint8Array.from({ length: 1000 }, (_, i) => (i * 7) & 255),
  );
  writeFileSync(join(folder, "empty"), "");
  writeFileSync(join(folder, ".hidden"), "x");
  for (let i = 0; i < 250; i++) {
    mkdirSync(join(folder, "many"), { recursive: true });
    writeFileSync(join(folder, "many", `${i}`), "");
  }
  return folder;
}

/** Gives the page a directory, and returns the text of a function that returns it there. */
const given = {
  "the origin's private file system": async (folder) => {
    await page.evaluate(
      async ([to, from, files]) => window.copy(to, files, from),
      ["sample", "build/test/directories/sample", filesIn(folder)],
    );
    return "window.folder('sample')";
  },
  "an input": async (folder) => {
    await page.setInputFiles("#input", folder);
    return "document.querySelector('#input').files";
  },
  "a list of files": async (folder) => {
    await page.setInputFiles("#input", folder);
    return "[...document.querySelector('#input').files]";
  },
  "an entry": async (folder) => {
    await drop(page, folder);
    return "window.dropped.entry";
  },
  "a handle": async (folder) => {
    await drop(page, folder);
    return "window.dropped.handle";
  },
};

for (const [name, give] of Object.entries(given)) {
  test(`keys, ranges and folders of ${name}`, slow, async () => {
    const directory = await give(sample("sample"));
    const wrong = await page.evaluate(`window.check(${directory})`);
    assert.deepEqual(wrong, []);
  });
}

test("a file that is replaced while it is read is read again, or a named error", slow, async () => {
  const found = await page.evaluate(() => window.replaced());
  assert.deepEqual(found, { one: true, data: [2, 2, 2, 2] });
});

test("a file that changed after its folder was picked is a named error; picked again, it reads", slow, async () => {
  const folder = join(dir, "changed");
  cpSync(join(fixtures, "v3/root_array.zarr"), folder, { recursive: true });
  const chunk = filesIn(folder).find((file) => !file.endsWith("zarr.json"));
  const read = () =>
    page.evaluate(() =>
      window.tell(async () =>
        (await window.zarr.open(document.querySelector("#input").files, { kind: "array" })).get(),
      ),
    );
  await page.setInputFiles("#input", folder);
  assert.equal((await read()).error, undefined);
  utimesSync(join(folder, chunk), new Date(1e12), new Date(1e12));
  for (let time = 0; time < 2; time++) {
    const { error, message, cause } = await read();
    assert.deepEqual([error, cause], ["StoreError", "NotReadableError"], message);
    assert.match(message, /pick the directory again/);
  }
  await page.setInputFiles("#input", folder);
  assert.equal((await read()).error, undefined);
});

test("by a handle, a file that changed is read as it is now", slow, async () => {
  const folder = join(dir, "handle");
  cpSync(join(fixtures, "v3/root_array.zarr"), folder, { recursive: true });
  await drop(page, folder);
  for (const time of [1e12, 2e12, 1.5e12]) {
    for (const file of filesIn(folder)) utimesSync(join(folder, file), new Date(time), new Date(time));
    const found = await page.evaluate(() =>
      window.tell(async () => (await window.zarr.open(window.dropped.handle, { kind: "array" })).get()),
    );
    assert.equal(found.error, undefined, found.message);
  }
});

test("a handle without permission is a named error with a hint", slow, async () => {
  // The browser keeps a permission until the origin's last page closes.
  const other = await serve(".");
  const context = await host.browser.newContext();
  try {
    let own = await open(context, other);
    await drop(own, join(fixtures, "v3/root_array.zarr"));
    await own.evaluate(() => window.keep("handle", window.dropped.handle));
    await own.close();
    own = await open(context, other);
    const found = await own.evaluate(async () => {
      const handle = await window.kept("handle");
      const state = await handle.queryPermission({ mode: "read" });
      return {
        state,
        first: await window.tell(() => window.zarr.open(handle)),
        again: await window.tell(() => window.zarr.open(handle)),
      };
    });
    assert.equal(found.state, "prompt");
    for (const { error, message, cause } of [found.first, found.again]) {
      assert.deepEqual([error, cause], ["StoreError", "NotAllowedError"], message);
      assert.match(message, /requestPermission\(\)/);
    }
  } finally {
    await context.close();
    other.close();
  }
});

test("a page sees neither links nor their targets", slow, async () => {
  const folder = join(dir, "links");
  const target = join(dir, "target.zarr");
  cpSync(join(fixtures, "v3/root_array.zarr"), target, { recursive: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "zarr.json"), JSON.stringify({ zarr_format: 3, node_type: "group", attributes: {} }));
  symlinkSync(target, join(folder, "a"));
  symlinkSync("nowhere", join(folder, "b"));
  symlinkSync(".", join(folder, "round"));
  const told = {};
  for (const way of ["entry", "handle"]) {
    await drop(page, folder);
    told[way] = await page.evaluate((way) => window.links(window.dropped[way]), way);
  }
  await page.setInputFiles("#input", folder);
  told.input = await page.evaluate(() => window.links(document.querySelector("#input").files));
  for (const [way, found] of Object.entries(told)) {
    assert.deepEqual(
      found,
      { names: ["zarr.json"], members: 0, a: "NotFoundError", b: "NotFoundError", round: "NotFoundError" },
      way,
    );
  }
});
