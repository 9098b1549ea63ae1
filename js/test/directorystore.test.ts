import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { open as openFile, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { versionOf } from "../engine/objectversion.js";
import { StoreError } from "../errors.js";
import { DirectoryStore } from "../stores/directorystore.js";
import type { ByteRange } from "../stores/readable.js";

const top = mkdtempSync(join(tmpdir(), "filestore-"));
const dir = join(top, "a b#%.zarr");
const bytes = Uint8Array.from({ length: 1000 }, (_, i) => (i * 7) & 255);
mkdirSync(join(dir, "c"), { recursive: true });
writeFileSync(join(dir, "c", "0"), bytes);
writeFileSync(join(dir, "empty"), "");
writeFileSync(join(top, "secret"), "x");
symlinkSync("round", join(dir, "round"));
symlinkSync("c", join(dir, "link"));
execFileSync("mkfifo", [join(dir, "pipe")]);
after(() => rmSync(top, { recursive: true }));

const store = new DirectoryStore(dir);

test("a directory is given by a path, absolute or relative, or a URL", async () => {
  for (const at of [dir, `${dir}/`, relative(process.cwd(), dir), pathToFileURL(dir), `${pathToFileURL(dir)}/`]) {
    const made = new DirectoryStore(at);
    assert.equal(made.path, dir);
    assert.deepEqual(await made.get("/c/0"), bytes);
  }
  assert.equal(String(store), `<DirectoryStore ${dir}>`);
  assert.deepEqual(await new DirectoryStore("/").get(`${dir}/c/0` as `/${string}`), bytes);
});

test("a target that names no file is rejected", () => {
  for (const at of ["file://host/x", "file:///a%2Fb", new URL("https://example.org/x")]) {
    assert.throws(
      () => new DirectoryStore(at),
      (error) => error instanceof StoreError && error.cause instanceof Error,
    );
  }
  for (const at of [1, null, undefined, {}]) {
    assert.throws(
      () => new DirectoryStore(at as never),
      /^TypeError: DirectoryStore: directory: expected a path, a URL, or a directory's handle, entry or files/,
    );
  }
});

test("reads all bytes of a file, and undefined for anything else", async () => {
  assert.deepEqual(await store.get("/c/0"), bytes);
  assert.deepEqual(await store.get("/link/0"), bytes);
  assert.deepEqual(await store.get("/empty"), new Uint8Array(0));
  for (const key of ["/none", "/c/1", "/c", "/c/0/1", "/none/0", "/pipe"] as const) {
    assert.equal(await store.get(key), undefined, key);
    assert.equal(await store.getRange(key, { offset: 0, length: 1 }), undefined, key);
  }
});

test("ranges, as far as the file has them", async () => {
  const part = (range: ByteRange) => store.getRange("/c/0", range);
  for (const [offset, length] of [
    [0, 0],
    [0, 1],
    [100, 50],
    [0, 1000],
    [990, 20],
    [1000, 1],
    [5000, 10],
    [0, Number.MAX_SAFE_INTEGER],
  ] as const) {
    assert.deepEqual(await part({ offset, length }), bytes.slice(offset, offset + length), `${offset}+${length}`);
  }
  for (const suffixLength of [0, 1, 50, 1000, 1001, Number.MAX_SAFE_INTEGER]) {
    assert.deepEqual(await part({ suffixLength }), bytes.slice(Math.max(0, 1000 - suffixLength)), `${suffixLength}`);
  }
  for (const range of [undefined, null, {}, { offset: -1, length: 1 }, { offset: 0 }, { suffixLength: 0.5 }]) {
    await assert.rejects(part(range as never), /^TypeError: getRange: range/);
  }
});

test("no key leaves the directory", async () => {
  for (const key of ["/../secret", "/c/../../secret", "/..", "/.", "/", "", "c/0", "//c/0", "/c//0", "/c/", "/c/./0"]) {
    const refused = (error: unknown) => error instanceof StoreError && /is not a key/.test(error.message);
    await assert.rejects(store.get(key as "/"), refused, key);
    await assert.rejects(store.getRange(key as "/", { suffixLength: 1 }), refused, key);
  }
  await assert.rejects(store.get(1 as never), /^TypeError: get: key/);
});

test("an unreadable file is a StoreError with its cause", async () => {
  for (const [key, code] of [
    ["/round", "ELOOP"],
    ["/c\0", "ERR_INVALID_ARG_VALUE"],
  ] as const) {
    for (const read of [store.get(key), store.getRange(key, { offset: 0, length: 1 })]) {
      await assert.rejects(read, (error) => {
        assert.ok(error instanceof StoreError && error.cause instanceof Error);
        assert.equal((error.cause as NodeJS.ErrnoException).code, code);
        assert.equal(error.key, key.slice(1));
        return true;
      });
    }
  }
  assert.deepEqual(await store.get("/c/0"), bytes);
});

test("a read that is aborted rejects with the reason, and the next one reads", async () => {
  const reason = new Error("enough");
  await assert.rejects(store.get("/c/0", { signal: AbortSignal.abort(reason) }), reason);
  const controller = new AbortController();
  const reads = Array.from({ length: 200 }, () => store.get("/c/0", { signal: controller.signal }));
  controller.abort(reason);
  for (const read of await Promise.allSettled(reads)) {
    assert.equal(read.status === "rejected" && read.reason, reason);
  }
  assert.deepEqual(await store.get("/c/0"), bytes);
});

test("any number of reads at once opens few files, and closes them", { skip: noProc() }, async () => {
  const open = async () => (await readdir("/proc/self/fd")).length;
  const before = await open();
  let most = 0;
  const keys = ["/c/0", "/none", "/round"] as const;
  const reads = Array.from({ length: 3000 }, (_, i) => store.get(keys[i % 3] as "/c/0"));
  let done = false;
  const all = Promise.allSettled(reads).finally(() => {
    done = true;
  });
  while (!done) most = Math.max(most, await open());
  const results = await all;
  assert.equal(results.filter(({ status }) => status === "rejected").length, 1000);
  assert.ok(most - before <= 70, `${most - before} files were open`);
  assert.ok((await open()) <= before, "files stayed open");
});

test("bytes tell the version of their file, and it changes with the file", async () => {
  const path = join(dir, "versioned");
  const version = async (range?: ByteRange) => {
    const found = await (range ? store.getRange("/versioned", range) : store.get("/versioned"));
    return versionOf(found as Uint8Array);
  };
  const seen = new Set<string>();
  for (const [i, text] of ["abcd", "efgh", "abcd", "abc"].entries()) {
    writeFileSync(path, text);
    utimesSync(path, 1e9 + i, 1e9 + i + 0.5);
    const all = await version();
    assert.deepEqual(all, { size: text.length, modified: (1e9 + i) * 1000 + 500 });
    assert.deepEqual(await version({ offset: 1, length: 2 }), all);
    assert.deepEqual(await version({ suffixLength: 0 }), all);
    seen.add(JSON.stringify(all));
  }
  assert.equal(seen.size, 4);
  rmSync(path);
});

test("concurrent reads of a file return one version", async () => {
  const path = join(dir, "restless");
  const size = 1 << 20;
  writeFileSync(path, new Uint8Array(size));
  let writes = true;
  const writer = (async () => {
    for (let i = 1; writes; i++) {
      const file = await openFile(path, "r+");
      // Writes slowly, so that a read may see half of it.
      for (let at = 0; at < size; at += size / 16)
        await file.write(new Uint8Array(size / 16).fill(i), 0, size / 16, at);
      await file.close();
      await new Promise((done) => setTimeout(done, 5));
    }
  })();
  const told = { whole: 0, failed: 0 };
  for (let i = 0; i < 60; i++) {
    try {
      assert.equal((await store.get("/restless"))?.length, size);
      told.whole++;
    } catch (error) {
      assert.ok(error instanceof StoreError && /changes while it is read/.test(error.message), String(error));
      told.failed++;
    }
  }
  writes = false;
  await writer;
  assert.equal(told.whole + told.failed, 60);
  assert.equal((await store.get("/restless"))?.length, size);
  rmSync(path);
});

test("a folder's names, those of folders with a slash, links as what they lead to", async () => {
  symlinkSync("nowhere", join(dir, "lost"));
  assert.deepEqual(await store.listFolder(""), ["c/", "empty", "link/"]);
  assert.deepEqual(await store.listFolder("c"), ["0"]);
  assert.deepEqual(await store.listFolder("link"), ["0"]);
  for (const path of ["none", "c/0", "none/none", "pipe", "lost"])
    assert.deepEqual(await store.listFolder(path), [], path);
  for (const path of ["..", "c/..", "/", "c/", "."]) await assert.rejects(store.listFolder(path), StoreError, path);
  await assert.rejects(
    store.listFolder("round"),
    (error) => error instanceof StoreError && error.cause instanceof Error,
  );
  await assert.rejects(store.listFolder(1 as never), TypeError);
  const reason = new Error("enough");
  await assert.rejects(store.listFolder("", { signal: AbortSignal.abort(reason) }), reason);
});

/** Returns the reason to skip a test. Only Linux lists a process's handles as files. */
function noProc(): string | false {
  return process.platform === "linux" ? false : "there is no /proc";
}
