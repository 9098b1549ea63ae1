// The suite of writable stores in Chromium, or in the browser that ENGINE names: in a page, and in
// a worker.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hosting } from "../lib/hosting.mjs";

const host = hosting();
const page = await host.tab("tests/browser/directories.html");

/** Runs the suite on a folder of the origin's private file system. */
const run = async (seed) => {
  const zarr = await import("/dist/index.js");
  const { runWriting } = await import("/tests/js/writesuite.mjs");
  let number = 0;
  const make = async () => {
    let folder = await navigator.storage.getDirectory();
    for (const name of ["writing", `${seed}-${++number}`])
      folder = await folder.getDirectoryHandle(name, { create: true });
    // Without a rename, a new file is empty until it is complete.
    const bare = !("move" in FileSystemFileHandle.prototype);
    return { store: new zarr.DirectoryStore(folder), other: new zarr.DirectoryStore(folder), bare };
  };
  return runWriting(zarr, make, seed);
};

/** Runs the suite on a new archive, and reads it by the engine. */
const runZip = async () => {
  const zarr = await import("/dist/index.js");
  const { ZipWriter } = await import("/dist/zip.js");
  const { runWriting } = await import("/tests/js/writesuite.mjs");
  const results = await runWriting(zarr, () => {
    const store = new ZipWriter();
    return { store, other: store };
  });
  // To a file of the private file system, and back.
  const file = await (await navigator.storage.getDirectory()).getFileHandle("made.zip", { create: true });
  const zip = new ZipWriter(await file.createWritable());
  const document = { zarr_format: 3, node_type: "group", attributes: { title: "made" } };
  await zip.set("/zarr.json", new TextEncoder().encode(JSON.stringify(document)));
  await zip.set("/a/0", new Uint8Array(100_000).fill(3));
  const before = (await file.getFile()).size;
  await zip.close();
  const store = new zarr.ZipStore(await file.getFile());
  const { attrs } = await zarr.open(store, { kind: "group" });
  const chunk = await store.get("/a/0");
  return { results, before, title: attrs.title, chunk: [chunk.length, chunk[99_999]] };
};

test("a new zip archive, kept and written to a file, in a page", { timeout: 60_000 }, async (t) => {
  const lack = await lacks();
  if (lack) return t.skip(lack);
  const { results, ...found } = await page.evaluate(runZip);
  assert.deepEqual(
    results.filter(({ error }) => error).map(({ name, error }) => `${name}: ${error}`),
    [],
  );
  assert.deepEqual(found, { before: 0, title: "made", chunk: [100_000, 3] });
});

/** The missing feature of a browser that cannot write files, or cannot replace them atomically. */
const lacks = () =>
  page.evaluate(() => {
    if (navigator.storage?.getDirectory === undefined) return "this browser has no private file system";
    return typeof FileSystemFileHandle.prototype.createWritable !== "function" && "this browser has no createWritable";
  });

for (const [where, start] of Object.entries({
  "a page": (seed) => page.evaluate(run, seed),
  "a worker": (seed) =>
    page.evaluate(
      async (run, seed) => {
        const script = `(${run})(${seed}).then((results) => postMessage(results))`;
        const url = URL.createObjectURL(
          new Blob([script.replaceAll('import("/', `import("${location.origin}/`)], { type: "text/javascript" }),
        );
        const worker = new Worker(url, { type: "module" });
        try {
          return await new Promise((done, fail) => {
            worker.onmessage = ({ data }) => done(data);
            worker.onerror = (event) => fail(new Error(event.message));
          });
        } finally {
          worker.terminate();
        }
      },
      String(run),
      seed,
    ),
})) {
  test(`the origin's private file system, in ${where}`, { timeout: 360_000 }, async (t) => {
    const lack = await lacks();
    if (lack) return t.skip(lack);
    const results = await start(where.length);
    assert.ok(results.length > 5);
    assert.deepEqual(
      results.filter(({ error }) => error).map(({ name, error }) => `${name}: ${error}`),
      [],
    );
  });
}

test("without atomic writes, a write is a named error", async () => {
  const found = await page.evaluate(async () => {
    const bare = {
      kind: "directory",
      name: "bare",
      getDirectoryHandle: () => bare,
      getFileHandle: () => ({ getFile: () => new File([], "x") }),
    };
    const file = () => Promise.resolve(new File([], "x"));
    const told = [];
    const input = [new File(["x"], "x")];
    for (const directory of [bare, { isDirectory: true, name: "dropped", createReader: file }, input]) {
      const error = await new globalThis.zarr.DirectoryStore(directory).set("/x", new Uint8Array(1)).catch((e) => e);
      told.push([error.name, error.feature]);
    }
    return told;
  });
  assert.deepEqual(found, [
    ["UnsupportedError", "createWritable"],
    ["UnsupportedError", "writing"],
    ["UnsupportedError", "writing"],
  ]);
});

test("random arrays read back as written, through every entry, in a page", { timeout: 300_000 }, async () => {
  const failed = await page.evaluate(async () => {
    const zarr = await import("/dist/index.js");
    const write = await import("/dist/write.js");
    const { writeProgram } = await import("/tests/js/write-program.mjs");
    const failed = [];
    for (let seed = 1001; seed <= 1012; seed++) {
      await writeProgram({ zarr, write }, seed).catch((error) => failed.push(`seed ${seed}: ${error.stack}`));
    }
    return failed;
  });
  assert.deepEqual(failed, []);
});
