// A dry run of the release: its files install into empty projects, and the README's code runs
// there.
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { registry } from "../lib/registry.mjs";
import { fullRun } from "../lib/rounds.mjs";
import { listen, send, serve, top } from "../lib/serve.mjs";
import { absolute } from "../tools/pack.mjs";
import { refusals } from "../tools/release.mjs";
import { addressesAt, blocksOf } from "./snippets.mjs";

const run = promisify(execFile);
const manifest = JSON.parse(readFileSync(`${top}package.json`, "utf8"));
const { version } = manifest;
const library = "github.com/zarr-wasm/zarr-wasm";
const readme = blocksOf("README.md");

/**
 * The command of a release, with npm's environment for a registry. Without a registry it publishes
 * nothing.
 */
const release = ({ url, env }) =>
  run(process.execPath, [`${top}tests/tools/release.mjs`, "--dry-run", "--registry", url, made], {
    env: { ...process.env, ...env },
  });

let work;
let made;
let npm;
let said;
before(async () => {
  work = mkdtempSync(join(tmpdir(), "zarr-wasm-release-"));
  made = join(work, "made");
  npm = await registry();
  said = (await release(npm)).stdout;
});
after(() => {
  npm?.close();
  rmSync(work, { recursive: true, force: true });
});

/** An empty folder. */
function empty(name) {
  const dir = join(work, name);
  mkdirSync(dir);
  return dir;
}

test("the folder has the package, all modules, the bill of materials, notes, and a checksum of each file", () => {
  const files = readdirSync(made, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(made.length + 1));
  const modules = [library, `${library}/cmd/zarr`, `${library}/beam`].flatMap((module) =>
    ["list", ...["info", "mod", "zip"].map((kind) => `v${version}.${kind}`)].map((file) => `go/${module}/@v/${file}`),
  );
  const own = ["-maps.tgz", ".cdx.json", ".tgz"].map((end) => `zarr-wasm-${version}${end}`);
  const others = ["NOTES.md", "SHA256SUMS", ...own];
  assert.deepEqual(files.sort(), [...others, ...modules].sort());
  const sums = readFileSync(join(made, "SHA256SUMS"), "utf8").trim().split("\n");
  assert.deepEqual(sums.map((line) => line.slice(66)).sort(), files.filter((file) => file !== "SHA256SUMS").sort());
  for (const line of sums) {
    const sum = createHash("sha256").update(readFileSync(join(made, line.slice(66))));
    assert.equal(sum.digest("hex"), line.slice(0, 64), line);
  }
});

test("the versions of this tree agree: a release lacks the tag, the entry of the CHANGELOG and a clean tree at most", () => {
  const other = refusals().filter((reason) => !/^(the tag|CHANGELOG\.md|the tree is not clean)/.test(reason));
  assert.deepEqual(other, []);
});

test("a release publishes the package to a registry, and a second one keeps it", async () => {
  assert.match(said, new RegExp(`^published zarr-wasm@${version.replaceAll(".", "\\.")}$`, "m"));
  const published = JSON.stringify(npm.packages.get("zarr-wasm"));
  const { "dist-tags": tags, versions } = JSON.parse(published);
  assert.deepEqual([tags, Object.keys(versions)], [{ latest: version }, [version]]);
  assert.deepEqual(versions[version].exports, manifest.exports);
  assert.match((await release(npm)).stdout, /^zarr-wasm@.* was published before$/m);
  assert.equal(JSON.stringify(npm.packages.get("zarr-wasm")), published);
  // Only a rehearsal names a registry, and only one of this machine.
  for (const args of [
    ["--registry", npm.url],
    ["--dry-run", "--registry", "https://registry.example.org/"],
  ])
    await assert.rejects(run(process.execPath, [`${top}tests/tools/release.mjs`, ...args, made]), /on this machine/);
});

test("a registry refuses a version twice, other bytes than the manifest's, and a stranger", async () => {
  const tarball = join(made, `zarr-wasm-${version}.tgz`);
  const publish = (env) => run("npm", ["publish", tarball], { cwd: work, env: { ...process.env, ...env } });
  await assert.rejects(publish(npm.env), /is published|previously published/);
  const other = await registry();
  try {
    const strange = Object.fromEntries(Object.entries(other.env).filter(([name]) => !name.endsWith("_authToken")));
    await assert.rejects(publish(strange), /ENEEDAUTH|E401/);
    const document = structuredClone(npm.packages.get("zarr-wasm"));
    document._attachments = { "zarr-wasm.tgz": { data: Buffer.from("other").toString("base64") } };
    const [, token] = Object.entries(other.env).find(([name]) => name.endsWith("_authToken"));
    const headers = { Authorization: `Bearer ${token}` };
    const { status } = await fetch(`${other.url}zarr-wasm`, { method: "PUT", headers, body: JSON.stringify(document) });
    assert.deepEqual([status, other.packages.size], [400, 0]);
  } finally {
    other.close();
  }
});

test("the maps are of the package's scripts, and lead to the lines of the sources", () => {
  const names = (tarball) => execFileSync("tar", ["-tzf", tarball], { encoding: "utf8" }).trim().split("\n");
  const published = names(join(made, `zarr-wasm-${version}.tgz`)).map((path) => path.replace("package/", ""));
  const maps = join(made, `zarr-wasm-${version}-maps.tgz`);
  assert.deepEqual(
    published.filter((path) => path.endsWith(".map")),
    [],
  );
  const scripts = published.filter((path) => /^dist\/.*\.(js|css)$/.test(path));
  assert.deepEqual(names(maps).sort(), scripts.map((path) => `${path}.map`).sort());
  // Texts of the scripts, and the sources that have them.
  const texts = {
    "js/errors.ts": '"METADATA_CHANGED"',
    "js/worker/goinstance.ts": '"the engine crashed"',
    "js/view/take/npy.ts": '"numpy has no missing text"',
  };
  const dir = empty("maps");
  execFileSync("tar", ["-xzf", maps, "-C", dir]);
  const found = new Set();
  for (const script of scripts) {
    const text = readFileSync(join(dir, `${script}.map`), "utf8");
    assert.ok(!text.includes(top), `${script}.map names a path of this machine`);
    const map = JSON.parse(text);
    for (const [i, source] of map.sources.entries()) {
      assert.ok(!/^([a-z]+:|\/)/i.test(source), `${script}: ${source} is not a file of the repository`);
      assert.ok(map.sourcesContent[i].length > 0, source);
    }
    if (script === "dist/inline.js") continue; // has the worker's script as a text, too
    const code = readFileSync(join(top, script), "utf8").split("\n");
    for (const [source, mark] of Object.entries(texts)) {
      const line = code.findIndex((one) => one.includes(mark));
      if (line < 0) continue;
      const entry = new SourceMap(map).findEntry(line, code[line].indexOf(mark));
      const at = map.sources.indexOf(entry.originalSource);
      assert.ok(entry.originalSource.endsWith(source), `${script}: ${entry.originalSource}`);
      assert.ok(map.sourcesContent[at].split("\n")[entry.originalLine].includes(mark), `${script}: ${mark}`);
      found.add(source);
    }
  }
  assert.deepEqual([...found].sort(), Object.keys(texts).sort());
});

test("npm installs the package from the registry into an empty project, and the README's code runs there", async () => {
  const dir = empty("npm");
  writeFileSync(join(dir, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }));
  await run("npm", ["install", "zarr-wasm"], { cwd: dir, env: { ...process.env, ...npm.env } });
  const lock = JSON.parse(readFileSync(join(dir, "package-lock.json"), "utf8")).packages["node_modules/zarr-wasm"];
  const { integrity } = npm.packages.get("zarr-wasm").versions[version].dist;
  assert.deepEqual([lock.version, lock.integrity], [version, integrity]);
  const page = readFileSync(join(dir, "node_modules", "zarr-wasm", "README.md"), "utf8");
  assert.equal(page, absolute(readFileSync(`${top}README.md`, "utf8"), manifest));
  const { stdout } = await run(join(dir, "node_modules", ".bin", "zarr-wasm"), ["--version"]);
  assert.ok(stdout.startsWith(version), stdout);

  const server = await serve(".");
  try {
    const blocks = readme.filter(({ words }) => words[0] === "js").map(({ code }) => code);
    const scripts = [
      [blocks[0], "[data.constructor.name, shape]", ["Uint16Array", [160]]],
      [blocks.slice(1).join("\n"), "[week.shape, south.shape, points.shape]", [[8, 36], [19, 36], [3]]],
    ];
    for (const [i, [code, values, expected]] of scripts.entries()) {
      let text = code.replaceAll("console.log(", "void (");
      for (const [from, to] of Object.entries(addressesAt(server.url))) text = text.replaceAll(from, to);
      const file = join(dir, `${i}.js`);
      writeFileSync(file, `${text}\nprocess.stdout.write(JSON.stringify(${values}), () => process.exit());\n`);
      const said = await run(process.execPath, [file], { cwd: dir });
      assert.deepEqual([JSON.parse(said.stdout), said.stderr], [expected, ""], code);
    }
  } finally {
    server.close();
  }
});

/** A module proxy with the release's modules. */
let proxy;
before(async () => {
  proxy = await listen((request, response) => {
    const file = join(made, "go", new URL(request.url, "http://x").pathname);
    send(request, response, existsSync(file) ? readFileSync(file) : undefined);
  });
});
after(() => proxy?.close());

/**
 * The go command outside of the repository, with the release's modules and those of others on this
 * machine.
 */
async function golang(dir, ...args) {
  const others = join(execFileSync("go", ["env", "GOMODCACHE"], { encoding: "utf8" }).trim(), "cache", "download");
  const env = {
    ...process.env,
    GOBIN: join(work, "bin"),
    GOFLAGS: "-mod=mod -modcacherw",
    GOMODCACHE: join(work, "modules"),
    GOPROXY: [proxy.origin, pathToFileURL(others).href].join(),
    GOSUMDB: "off",
    GOWORK: "off",
  };
  return (await run("go", args, { cwd: dir, env })).stdout;
}

/** An array of two rows of three bytes. */
function data(name) {
  const dir = empty(name);
  const metadata = { zarr_format: 3, node_type: "array", shape: [2, 3], data_type: "uint8", fill_value: 0 };
  const chunks = { name: "regular", configuration: { chunk_shape: [2, 3] } };
  const rest = { chunk_grid: chunks, chunk_key_encoding: { name: "default" }, codecs: [{ name: "bytes" }] };
  mkdirSync(join(dir, "t2m", "c", "0"), { recursive: true });
  writeFileSync(join(dir, "t2m", "zarr.json"), JSON.stringify({ ...metadata, ...rest }));
  writeFileSync(join(dir, "t2m", "c", "0", "0"), Uint8Array.of(1, 2, 3, 4, 5, 6));
  return dir;
}

test("the modules install from a module proxy into an empty project, and the README's code runs", async () => {
  const dir = empty("go");
  const at = data("data");
  const [{ code }] = readme.filter(({ words }) => words[0] === "go");
  const packages = ["store/filestore", "zarr", "zarr/codecs", "zarr/grid"].map((name) => `\t"${library}/${name}"`);
  const program = `package main

import (
	"context"
	"fmt"
	"os"

${packages.join("\n")}
)

func main() {
	ctx := context.Background()
	st := filestore.New(os.DirFS(os.Args[1]))
${code}
	fmt.Println(res.Shape, res.Data, err)
}
`;
  await golang(dir, "mod", "init", "example.org/empty");
  writeFileSync(join(dir, "main.go"), program);
  await golang(dir, "get", `${library}@latest`);
  assert.ok(readFileSync(join(dir, "go.mod"), "utf8").includes(`${library} v${version}`));
  assert.equal(await golang(dir, "run", ".", at), "[3] [1 2 3] <nil>\n");
  await golang(dir, "mod", "download", `${library}/cmd/zarr@latest`);
  await golang(dir, "mod", "download", `${library}/beam@latest`);
});

// The compiler takes two minutes for the libraries of the clouds, anew for each module cache.
const nightly = fullRun ? false : "takes minutes: each night, and in each release";

test("the command installs from a module proxy, and runs", { skip: nightly }, async () => {
  const dir = empty("command");
  const at = data("commanddata");
  await golang(dir, "install", `${library}/cmd/zarr@latest`);
  const zarr = join(work, "bin", "zarr");
  assert.equal((await run(zarr, ["version"])).stdout, `${version}\n`);
  assert.deepEqual((await run(zarr, ["cat", at, "t2m", "--at", "1"])).stdout.trim().split(/\s+/), ["4", "5", "6"]);
});

test("the library's zip has at most 5 MB, because every user downloads it: no archive of fixtures", () => {
  const { size } = statSync(join(made, "go", library, "@v", `v${version}.zip`));
  assert.ok(size <= 5_000_000, `${size} bytes`);
});

test("each module has its own files and a licence", async () => {
  const cache = join(work, "modules", ...library.split("/"));
  const command = readdirSync(join(cache, "cmd"));
  assert.deepEqual(command, [`zarr@v${version}`]);
  const files = (dir) => readdirSync(dir, { recursive: true });
  const own = files(`${cache}@v${version}`);
  assert.ok(own.includes("LICENSE") && own.includes("go.mod") && !own.some((file) => /^(cmd\/zarr|beam)/.test(file)));
  const theirs = files(join(cache, "cmd", command[0]));
  assert.ok(theirs.includes("LICENSE") && theirs.includes("go.mod") && theirs.includes("main.go"));
  const cluster = files(join(cache, `beam@v${version}`));
  assert.ok(cluster.includes("LICENSE") && cluster.includes("go.mod") && cluster.includes("pipeline/pipeline.go"));
});
