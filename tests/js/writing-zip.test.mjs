// New zip archives: their contents, their readers, and streams that fail.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { crc32 as reference } from "node:zlib";
import { unzip } from "unzipit";
import * as zarr from "../../dist/node.js";
import { ZipWriter } from "../../dist/zip.js";
import { random } from "../lib/random.mjs";
import { bundledModule } from "./bundledmodule.mjs";

const top = mkdtempSync(join(tmpdir(), "zip-"));
after(() => {
  rmSync(top, { recursive: true, force: true });
  zarr.terminate();
});
const text = (value) => new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
const group = text({ zarr_format: 3, node_type: "group", attributes: { title: "made" } });

/** A stream with its recorded output. */
function kept() {
  const parts = [];
  const stream = new WritableStream({ write: (bytes) => void parts.push(bytes.slice()) });
  return { stream, bytes: () => Buffer.concat(parts) };
}

/**
 * The result of Python's zipfile after a test of the archive: members with their sizes and
 * checksums.
 */
function python(bytes) {
  const path = join(top, "read.zip");
  writeFileSync(path, bytes);
  const script = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    assert z.testzip() is None
    print(json.dumps({i.filename: [i.file_size, i.CRC, i.compress_type, list(i.date_time)] for i in z.infolist()}))`;
  return JSON.parse(execFileSync("python3", ["-c", script, path], { encoding: "utf8", maxBuffer: 1 << 26 }));
}

const objects = () => {
  const next = random(19);
  const all = new Map([["a/c/0/1", Uint8Array.from({ length: 100_001 }, () => next(256))]]);
  for (let n = 0; n < 40; n++)
    all.set(
      `sizes/${n}`,
      Uint8Array.from({ length: n }, () => next(256)),
    );
  all.set("grüße/日本/🧊 &#?%20", text("name")).set("zarr.json", group).set("a/.zattrs", text({}));
  return all;
};

for (const [way, make] of Object.entries({
  kept: async (fill) => {
    const zip = new ZipWriter();
    await fill(zip);
    return new Uint8Array(await (await zip.blob()).arrayBuffer());
  },
  streamed: async (fill) => {
    const { stream, bytes } = kept();
    const zip = new ZipWriter(stream);
    await fill(zip);
    await zip.close();
    return new Uint8Array(bytes());
  },
})) {
  test(`an archive that is ${way} is what Python, unzipit and the engine read`, async () => {
    const all = objects();
    const archive = await make(async (zip) => {
      await zip.set("/a/c/0/1", text("overwritten"));
      await zip.set("/gone/0", text("deleted"));
      await zip.set("/folder/gone/0", text("deleted"));
      await Promise.all([...all].map(([key, bytes]) => zip.set(`/${key}`, bytes)));
      await zip.delete("/gone/0");
      await zip.deleteFolder("folder");
    });
    const found = python(archive);
    assert.deepEqual(Object.keys(found).sort(), [...all.keys()].sort());
    for (const [key, bytes] of all)
      assert.deepEqual(found[key], [bytes.length, reference(bytes), 0, [1980, 1, 1, 0, 0, 0]], key);
    const { entries } = await unzip(archive);
    const store = new zarr.ZipStore(new Blob([archive]));
    for (const [key, bytes] of all) {
      assert.deepEqual(new Uint8Array(await entries[key].arrayBuffer()), bytes, key);
      assert.deepEqual(await store.get(`/${key}`), bytes, key);
    }
    assert.equal(await store.get("/gone/0"), undefined);
    assert.equal((await zarr.open(store, { kind: "group" })).attrs.title, "made");
    assert.deepEqual(
      await make((zip) => zip.set("/a", text("same"))),
      await make((zip) => zip.set("/a", text("same"))),
    );
    assert.deepEqual(python(await make(async () => {})), {});
  });
}

test("an archive in memory can be returned repeatedly, with its current members", async () => {
  const zip = new ZipWriter();
  await zip.set("/c/0", text("chunk"));
  const first = await zip.blob();
  await zip.set("/zarr.json", group);
  await zip.close(); // without a stream to close
  await zip.set("/c/0", text("another"));
  assert.deepEqual(Object.keys(python(new Uint8Array(await first.arrayBuffer()))), ["c/0"]);
  assert.deepEqual(Object.keys(python(new Uint8Array(await (await zip.blob()).arrayBuffer()))), ["zarr.json", "c/0"]);
  assert.equal(first.type, "application/zip");
});

test("more members than 65535 are in zip64", async () => {
  const { stream, bytes } = kept();
  const zip = new ZipWriter(stream);
  const count = 65_600;
  for (let i = 0; i < count; i++) await zip.set(`/${i}`, Uint8Array.of(i));
  await zip.close();
  const store = new zarr.ZipStore(new Blob([bytes()]));
  assert.deepEqual(await store.get("/65599"), Uint8Array.of(65_599 & 255));
  writeFileSync(join(top, "many.zip"), bytes());
  const script = "import sys, zipfile; print(len(zipfile.ZipFile(sys.argv[1]).namelist()))";
  assert.equal(Number(execFileSync("python3", ["-c", script, join(top, "many.zip")], { encoding: "utf8" })), count);
});

test("a member of more than 4 GiB, and one after it, use zip64", async () => {
  const { localHeader, directoryOf } = await bundledModule("ziplayout", 'export * from "./zip/layout.js"');
  // the disk stores none of it
  const hole = { name: text("hole"), offset: 0, size: 2 ** 32 + 5, crc: 0 };
  const document = { name: text("zarr.json"), size: group.length, crc: reference(group) };
  const path = join(top, "large.zip");
  const file = openSync(path, "w");
  const first = localHeader(hole);
  writeSync(file, first, 0, first.length, 0);
  let at = first.length + hole.size;
  document.offset = at;
  for (const part of [
    localHeader(document),
    group,
    ...directoryOf([hole, document], at + localHeader(document).length + group.length),
  ]) {
    writeSync(file, part, 0, part.length, at);
    at += part.length;
  }
  closeSync(file);
  const store = new zarr.ZipStore(new zarr.DirectoryStore(top), { key: "large.zip" });
  assert.equal((await zarr.open(store, { kind: "group" })).attrs.title, "made");
  assert.deepEqual(await store.getRange("/hole", { offset: 2 ** 32, length: 5 }), new Uint8Array(5));
  const script =
    "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.read('zarr.json').decode(), z.getinfo('hole').file_size)";
  const said = execFileSync("python3", ["-c", script, path], { encoding: "utf8" }).trim();
  assert.equal(said, `${new TextDecoder().decode(group)} ${2 ** 32 + 5}`);
});

test("chunks written to a stream cannot be read again; documents can, and are written last", async () => {
  const { stream, bytes } = kept();
  const zip = new ZipWriter(stream);
  await zip.set("/zarr.json", text("{}"));
  await zip.set("/c/0", text("chunk"));
  await assert.rejects(zip.get("/c/0"), (error) => zarr.isZarrError(error, "UnsupportedError") && error.key === "c/0");
  await assert.rejects(zip.blob(), (error) => zarr.isZarrError(error, "UnsupportedError"));
  assert.deepEqual(await zip.get("/zarr.json"), text("{}"));
  assert.deepEqual(await zip.listFolder(""), ["c/", "zarr.json"]);
  await zip.set("/zarr.json", group);
  await zip.set("/c/0", text("chunk again"));
  await zip.close();
  const store = new zarr.ZipStore(new Blob([bytes()]));
  assert.equal(new TextDecoder().decode(await store.get("/c/0")), "chunk again");
  assert.equal((await zarr.open(store)).attrs.title, "made");
  for (const write of [zip.set("/a", group), zip.close()]) {
    await assert.rejects(write, (error) => zarr.isZarrError(error, "StoreError") && /closed/.test(error.message));
  }
});

test("a stream that fails at any write ends the archive with a named error, and is aborted", async () => {
  const program = async (stream) => {
    const zip = new ZipWriter(stream);
    const told = [];
    for (const act of [() => zip.set("/0", text("a")), () => zip.set("/1", text("b")), () => zip.close()]) {
      told.push(
        await act().then(
          () => "done",
          (error) => `${error.name}: ${error.cause?.message}`,
        ),
      );
    }
    return told;
  };
  const writes = 6; // two headers, two members, and the directory in two
  for (let fails = 0; fails < writes; fails++) {
    let n = 0;
    let given;
    const told = await program(
      new WritableStream({
        write: () => {
          if (n++ === fails) throw new Error("no space");
        },
        abort: (reason) => {
          given = reason;
        },
      }),
    );
    const done = fails < 2 ? 0 : fails < 4 ? 1 : 2;
    assert.deepEqual(told.slice(0, done), Array(done).fill("done"));
    assert.deepEqual(told.slice(done), Array(3 - done).fill("StoreError: no space"), `write ${fails}`);
    assert.ok(given === undefined || given.message === "no space");
  }
  assert.throws(() => new ZipWriter({}), TypeError);
});

test("the checksum of bytes of every length and alignment is Node's", () => {
  // It is seen in the header of a member.
  const next = random(3);
  const all = Uint8Array.from({ length: 300 }, () => next(256));
  const checks = [];
  for (let from = 0; from < 5; from++) {
    for (let length = 0; length < 70; length++) checks.push(all.subarray(from, from + length));
  }
  return Promise.all(
    checks.map(async (bytes) => {
      const zip = new ZipWriter();
      await zip.set("/a", bytes);
      const view = new DataView(await (await zip.blob()).arrayBuffer());
      assert.equal(view.getUint32(14, true), reference(bytes));
    }),
  );
});
