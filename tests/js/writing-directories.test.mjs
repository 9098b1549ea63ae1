// Tests of directories in Node beyond those of every writable store: links, leftovers of killed
// writers, and locks between processes.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Worker } from "node:worker_threads";
import * as zarr from "../../dist/node.js";

const top = mkdtempSync(join(tmpdir(), "directories-"));
after(() => rmSync(top, { recursive: true, force: true }));
const entry = new URL("../../dist/node.js", import.meta.url).href;
const bytes = Uint8Array.of(1, 2, 3);

/** A new directory for a test. */
function fresh(name) {
  const path = join(top, name);
  mkdirSync(path);
  return path;
}

test("a directory that is absent is made, and one that is empty of objects stays", async () => {
  const path = join(top, "made", "of", "three");
  const store = new zarr.DirectoryStore(path);
  assert.equal(await store.get("/a/b"), undefined);
  await store.delete("/a/b");
  await store.deleteFolder("");
  await store.set("/a/b", bytes);
  assert.deepEqual(await store.get("/a/b"), bytes);
  await store.delete("/a/b");
  assert.deepEqual(readdirSync(path), []);
  await store.set("/a/b/c", bytes);
  await store.deleteFolder("a/b");
  assert.deepEqual(readdirSync(path), []);
  await store.set("/a/b", bytes);
  await store.deleteFolder("");
  assert.deepEqual(readdirSync(path), []);
});

test("no write and no deletion leaves the directory by a symbolic link", async () => {
  const path = fresh("links");
  const outside = fresh("outside");
  writeFileSync(join(outside, "kept"), "kept");
  mkdirSync(join(path, "in"));
  symlinkSync(outside, join(path, "out"));
  symlinkSync(join(outside, "kept"), join(path, "file"));
  symlinkSync(join(outside, "nothing"), join(path, "dangling"));
  symlinkSync("in", join(path, "within"));
  const store = new zarr.DirectoryStore(path);
  for (const write of [
    () => store.set("/out/a", bytes),
    () => store.set("/out/b/c", bytes),
    () => store.set("/dangling/a", bytes),
    () => store.delete("/out/kept"),
    () => store.deleteFolder("out/a"),
    () => store.deleteFolder("out"),
  ]) {
    await assert.rejects(
      write,
      (error) => zarr.isZarrError(error, "StoreError") && error.cause instanceof Error,
      `${write}`,
    );
  }
  await store.set("/file", bytes); // replaces the link
  assert.deepEqual(readdirSync(outside), ["kept"]);
  assert.equal(readFileSync(join(outside, "kept"), "utf8"), "kept");
  assert.deepEqual(await store.get("/file"), bytes);
  await store.set("/within/a", bytes);
  assert.deepEqual(new Uint8Array(readFileSync(join(path, "in", "a"))), bytes);
});

test("a folder in the place of a key is an error unless it is empty", async () => {
  const path = fresh("folders");
  const store = new zarr.DirectoryStore(path);
  await store.set("/a/b", bytes);
  for (let time = 0; time < 2; time++) {
    await assert.rejects(store.set("/a", bytes), (error) => zarr.isZarrError(error, "StoreError") && error.key === "a");
    await assert.rejects(store.set("/a/b/c", bytes), (error) => zarr.isZarrError(error, "StoreError"));
  }
  await store.delete("/a"); // not an object
  await store.deleteFolder("a/b"); // not a folder
  assert.deepEqual(await store.get("/a/b"), bytes);
  mkdirSync(join(path, "empty"));
  await store.set("/empty", bytes);
  assert.deepEqual(await store.get("/empty"), bytes);
  assert.deepEqual(readdirSync(path).sort(), ["a", "empty"]);
});

test("names reserved for writes are neither keys nor objects", async () => {
  const path = fresh("reserved");
  const store = new zarr.DirectoryStore(path);
  mkdirSync(join(path, ".zarr-wasm-locks"));
  writeFileSync(join(path, ".zarr-wasm-locks", "a"), "");
  writeFileSync(join(path, ".zarr-wasm-partial-1"), "half");
  await store.set("/a", bytes);
  assert.deepEqual(await store.listFolder(""), ["a"]);
  assert.deepEqual(await store.listFolder(".zarr-wasm-locks"), []);
  for (const key of ["/.zarr-wasm-partial-1", "/.zarr-wasm-locks/a"]) {
    assert.equal(await store.get(key), undefined);
    for (const write of [store.set(key, bytes), store.delete(key)]) {
      await assert.rejects(write, (error) => zarr.isZarrError(error, "StoreError"));
    }
  }
});

test("a write that the system refuses is a StoreError with its cause, and leaves nothing", {
  skip: noFull(),
}, async () => {
  const path = fresh("refused");
  const store = new zarr.DirectoryStore(path);
  await store.set("/a", bytes);
  const long = "x".repeat(300);
  for (let time = 0; time < 2; time++) {
    await assert.rejects(store.set(`/${long}`, bytes), (error) => {
      assert.ok(zarr.isZarrError(error, "StoreError"));
      assert.equal(error.cause.code, "ENAMETOOLONG");
      return true;
    });
  }
  symlinkSync("/dev/full", join(path, "full"));
  await assert.rejects(new zarr.DirectoryStore("/proc/self").set("/a", bytes), (error) =>
    zarr.isZarrError(error, "StoreError"),
  );
  assert.deepEqual(readdirSync(path).sort(), ["a", "full"]);
  assert.deepEqual(await store.get("/a"), bytes);
});

test("each write of a key gives it another version, however fast they follow each other", async () => {
  const store = new zarr.DirectoryStore(fresh("versions"));
  const seen = new Set();
  for (let i = 0; i < 200; i++) {
    await store.set("/a", bytes);
    seen.add((await store.get("/a"))[Symbol.for("zarr-wasm.version")].modified);
  }
  assert.equal(seen.size, 200);
});

test("after a killed write, the file has the old bytes or the new ones", async () => {
  const path = fresh("killed");
  const script = `
    import { DirectoryStore } from ${JSON.stringify(entry)};
    const store = new DirectoryStore(${JSON.stringify(path)});
    for (let n = 0; ; n++) { await store.set("/a/0", new Uint8Array(3_000_000).fill(n)); if (n === 3) console.log("writing"); }`;
  const store = new zarr.DirectoryStore(path);
  for (let time = 0; time < 6; time++) {
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise((said) => child.stdout.once("data", said));
    await new Promise((next) => setTimeout(next, time * 3));
    const ended = new Promise((end) => child.once("exit", end));
    child.kill("SIGKILL");
    await ended;
    const found = await store.get("/a/0");
    assert.equal(found.length, 3_000_000);
    assert.ok(found.every((byte) => byte === found[0]));
    assert.deepEqual(await store.listFolder("a"), ["0"]);
  }
  await store.deleteFolder("a");
  assert.deepEqual(readdirSync(path), []);
});

const locks = process.platform === "linux" || process.platform === "win32";
const rounds = Number(process.env.ROUNDS ?? 200);

/** A program that adds to a count under its lock, in its own process or thread. */
const adding = (path) => `
  const { DirectoryStore } = await import(${JSON.stringify(entry)});
  const store = new DirectoryStore(${JSON.stringify(path)});
  for (let i = 0; i < ${rounds}; i++) {
    await store.lock("count", async () => {
      const n = Number(new TextDecoder().decode(await store.get("/count")));
      await store.set("/count", new TextEncoder().encode(String(n + 1)));
    });
  }`;

test("two processes and a thread that add to a count under its lock lose nothing", {
  skip: !locks && "there are no locks between processes here",
}, async () => {
  const path = fresh("counted");
  writeFileSync(join(path, "count"), "0");
  const ended = (one) =>
    new Promise((done, fail) =>
      one.once("error", fail).once("exit", (code) => (code ? fail(new Error(`${code}`)) : done())),
    );
  const process_ = () => spawn(process.execPath, ["--input-type=module", "-e", adding(path)], { stdio: "inherit" });
  const thread = new Worker(`(async () => {${adding(path)}})()`, { eval: true });
  await Promise.all([process_(), process_(), thread].map(ended));
  assert.equal(readFileSync(join(path, "count"), "utf8"), String(3 * rounds));
});

test("the lock of a process that is killed is free", {
  skip: !locks && "there are no locks between processes here",
}, async () => {
  const path = fresh("free");
  const script = `
    import { DirectoryStore } from ${JSON.stringify(entry)};
    new DirectoryStore(${JSON.stringify(path)}).lock("a", () => { console.log("held"); return new Promise(() => setInterval(() => {}, 1e6)); });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((said) => child.stdout.once("data", said));
  const store = new zarr.DirectoryStore(path);
  const control = new AbortController();
  const waits = store.lock("a", async () => assert.fail("it is held"), { signal: control.signal });
  const reason = new Error("enough");
  setImmediate(() => control.abort(reason));
  await assert.rejects(waits, reason);
  let ran = false;
  const takes = store.lock("a", async () => {
    ran = true;
  });
  child.kill("SIGKILL");
  await takes;
  assert.ok(ran);
});

/** Only Linux has /proc, which refuses writes. */
function noFull() {
  return process.platform === "linux" ? false : "there is no /proc";
}
