// The command `zarr-wasm`, as npm installs it from the packed tarball: its pages, its refusals, and
// its end.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { FetchStore, open } from "../../dist/node.js";
import { top } from "../lib/serve.mjs";
import { installed, ran, start } from "./command.mjs";

const long = JSON.stringify({ zarr_format: 3, node_type: "group", attributes: { text: "long ".repeat(1000) } });
const dir = mkdtempSync(join(tmpdir(), "zarr-command-"));
const command = await installed(dir);
const data = join(dir, "my data.zarr");
const files = {
  "zarr.json": long,
  "c/0/0": "0123456789".repeat(300),
};
for (const [name, body] of Object.entries(files)) {
  mkdirSync(join(data, name, ".."), { recursive: true });
  writeFileSync(join(data, name), body);
}
writeFileSync(join(dir, "outside"), "secret");
mkdirSync(join(dir, "my data.zarr-other"));
writeFileSync(join(dir, "my data.zarr-other", "x"), "secret");
symlinkSync(join(dir, "outside"), join(data, "out"));
symlinkSync(join(dir, "my data.zarr-other"), join(data, "sibling"));
symlinkSync(join(data, "c"), join(data, "inside"));
after(() => rmSync(dir, { recursive: true }));

/** Sends a request with its path unchanged; fetch would normalise it. */
function ask(address, path, { method = "GET", ...headers } = {}) {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers }, (response) => {
      const parts = [];
      response.on("data", (part) => parts.push(part));
      response.on("end", () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) }),
      );
    });
    sent.on("error", reject);
    sent.end();
  });
}

test("view serves a folder, with compression, and the viewer beside it", async () => {
  const served = await start(command, ["view", join(dir, "my data.zarr"), "--no-open", "--port", "0"]);
  try {
    const { address, pages } = served;
    assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/$/);
    assert.deepEqual(pages, [`${address}index.html#url=data/my%2520data.zarr`]);
    const base = "/data/my%20data.zarr/";
    // tests/servers/requests.json holds the answers that both servers share. This one also follows
    // absolute links that stay inside.
    const inside = await ask(address, `${base}inside/0/0`, { range: "bytes=0-0" });
    assert.deepEqual([inside.status, String(inside.body)], [206, "0"]);
    for (const path of ["out", "sibling/x"]) assert.equal((await ask(address, base + path)).status, 404, path);

    for (const [coding, decode] of [
      ["br", brotliDecompressSync],
      ["gzip", gunzipSync],
    ]) {
      const got = await ask(address, `${base}zarr.json`, { "accept-encoding": coding });
      assert.equal(got.headers["content-encoding"], coding);
      assert.equal(String(decode(got.body)), long);
      assert.ok(got.body.length < 200, `${got.body.length} bytes`);
      const again = await ask(address, `${base}zarr.json`, {
        "accept-encoding": coding,
        "if-none-match": got.headers.etag,
      });
      assert.equal(again.status, 304);
    }
    const part = await ask(address, `${base}zarr.json`, { "accept-encoding": "br", range: "bytes=0-9" });
    assert.deepEqual(
      [part.status, part.headers["content-encoding"], String(part.body)],
      [206, undefined, long.slice(0, 10)],
    );
    assert.equal(
      (await ask(address, `${base}c/0/0`, { "accept-encoding": "br" })).headers["content-encoding"],
      undefined,
    );
    assert.equal(
      (await ask(address, `${base}zarr.json`, { "accept-encoding": "br;q=0" })).headers["content-encoding"],
      undefined,
    );

    const page = await ask(address, "/index.html");
    assert.match(String(page.body), /<title>Zarr viewer<\/title>/);
    const names = [...String(page.body).matchAll(/"\.\/([\w.-]+)"/g)].map(([, name]) => name);
    assert.ok(
      names.some((name) => name.endsWith(".wasm")),
      String(names),
    );
    for (const name of names) {
      const file = await ask(address, `/${name}`, { "accept-encoding": "br" });
      const coding = file.headers["content-encoding"];
      assert.ok(file.status === 200 && (coding === "br" || (!coding && file.body.length < 1024)), `${name}: ${coding}`);
    }
  } finally {
    assert.equal(await served.end("SIGINT"), 0);
  }
});

test("the package lists and reads the folder that view serves", async () => {
  const served = await start(command, ["view", join(top, "build/fixtures/v3"), "--no-open", "--port", "0"]);
  try {
    assert.ok(served.pages.length > 10, `${served.pages.length} hierarchies`);
    const front = await ask(served.address, "/");
    assert.deepEqual([front.status, front.headers.location], [302, "./folder.html"]);
    const { name, complete, hierarchies } = JSON.parse((await ask(served.address, "/hierarchies.json")).body);
    assert.deepEqual([name, complete], ["v3", true]);
    assert.deepEqual(
      hierarchies.map(({ page }) => served.address + page),
      served.pages,
    );
    const list = await ask(served.address, "/data/v3/");
    assert.match(String(list.body), /<a href="\.\/[\w.]+\/">/);
  } finally {
    assert.equal(await served.end("SIGTERM"), 0);
  }
  const table = await start(command, ["view", join(top, "build/samples"), "--no-open", "--port", "0"]);
  try {
    assert.equal(table.pages.length, 3);
    const root = await open(new FetchStore(`${table.address}data/samples/earth.zarr`), { kind: "group" });
    const members = await root.members();
    assert.equal(members.length, 7);
  } finally {
    await table.end("SIGINT");
  }
});

test("view serves one archive by its ranges, and opens an address of another host", async () => {
  const file = join(dir, "a b.zip");
  writeFileSync(file, "PK0123456789");
  const one = await start(command, ["view", file, "--no-open", "--port", "0"]);
  try {
    assert.deepEqual(one.pages, [`${one.address}index.html#url=data/a%2520b.zip`]);
    const got = await ask(one.address, "/data/a%20b.zip", { range: "bytes=2-4" });
    assert.deepEqual([got.status, String(got.body)], [206, "012"]);
    for (const path of ["/data/", "/data/a%20b.zip/", "/data/outside", "/data/a%20b.zip/../outside"])
      assert.equal((await ask(one.address, path)).status, 404, path);
  } finally {
    await one.end("SIGINT");
  }
  const url = "https://example.org/data.zarr?sig=a%2Fb&x";
  const far = await start(command, ["view", url, "--no-open", "--port", "0", "--no-cors"]);
  try {
    assert.deepEqual(far.pages, [`${far.address}index.html#url=https%3A//example.org/data.zarr%3Fsig%3Da%252Fb%26x`]);
    assert.equal((await ask(far.address, "/data/x")).status, 404);
  } finally {
    await far.end("SIGINT");
  }
});

test("without --port a used port is skipped, and with it the command fails", async () => {
  const other = createServer().listen(8080, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve).once("error", resolve));
  try {
    const served = await start(command, ["view", dir, "--no-open"]);
    assert.doesNotMatch(served.address, /:8080\//);
    await served.end("SIGINT");
    const { code, stderr } = await ran(command, ["view", dir, "--no-open", "--port", "8080"]);
    assert.equal(code, 2);
    assert.match(stderr, /EADDRINUSE/);
  } finally {
    other.close();
  }
});

test("a wrong command line prints the error and the usage", async () => {
  for (const [args, says] of [
    [[], /a command is missing[\s\S]*usage/],
    [["look"], /no command "look"/],
    [["view", "a", "b"], /"b": one folder/],
    [["view", join(dir, "nowhere")], /nowhere: there is no such file or folder/],
    [["view", dir, "--port", "x"], /--port x is not a port/],
    [["view", dir, "--port", "70000"], /not a port/],
    [["view", dir, "--nonsense"], /nonsense/],
    [["viewer"], /a folder is missing/],
    [["viewer", dir], /is not empty/],
  ]) {
    const { code, stdout, stderr } = await ran(command, args);
    assert.deepEqual([code, stdout], [2, ""], String(args));
    assert.match(stderr, says);
    assert.doesNotMatch(stderr, /^ +at /m, "a trace");
  }
  assert.match((await ran(command, ["--help"])).stdout, /zarr-wasm view/);
});

test("the version is that of the package, with the commit that it was built of", async () => {
  const { version } = JSON.parse(readFileSync(join(top, "package.json"), "utf8"));
  const { stdout } = await ran(command, ["--version"]);
  const [, number, commit] = /^(\S+)(?: \(([0-9a-f]{12})(?:\+changes)?\))?\n$/.exec(stdout) ?? [];
  assert.equal(number, version);
  if (existsSync(join(top, ".git"))) execFileSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: top });
});

test("viewer writes a folder with all that its page names", async () => {
  const out = join(dir, "hosted");
  const { code } = await ran(command, ["viewer", out]);
  assert.equal(code, 0);
  const served = await start(command, ["view", out, "--no-open", "--port", "0"]);
  try {
    const page = String((await ask(served.address, "/data/hosted/index.html")).body);
    const named = [...page.matchAll(/"\.\/([\w.-]+\.(?:js|css|wasm))"/g)].map(([, name]) => name);
    assert.ok(named.length >= 4, String(named));
    for (const name of named) {
      const { status, body } = await ask(served.address, `/data/hosted/${name}`);
      assert.ok(status === 200 && body.length > 0, name);
      if (!name.endsWith(".js")) continue;
      for (const [, part] of String(body).matchAll(/"\.\/([\w-]+\.[0-9A-Z]{8}\.(?:js|wasm))"/g))
        assert.equal((await ask(served.address, `/data/hosted/${part}`)).status, 200, `${name} names ${part}`);
    }
  } finally {
    await served.end("SIGINT");
  }
});
