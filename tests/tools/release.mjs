// Makes the files of a release in a folder. They are the npm package, the maps of its scripts, the
// three Go modules in a module proxy's layout, and the bill of materials. The notes of the
// CHANGELOG and SHA-256 checksums complete them. Then it publishes the package and the tags.
//
//   node tests/tools/release.mjs [--dry-run [--registry URL]] [DIR]
//
// DIR is build/release by default. A dry run publishes nothing, or only the npm package to a
// registry on this machine. It uses the tree with its changes, and lists the reasons for which a
// release would be refused.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { pack } from "./pack.mjs";
import { sbom } from "./sbom.mjs";

const top = fileURLToPath(new URL("../../", import.meta.url));
const read = (file) => readFileSync(join(top, file), "utf8");
const run = (command, args, options = {}) =>
  execFileSync(command, args, { cwd: top, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], ...options }).trim();
const git = (...args) => run("git", args);

const library = /^module (.*)$/m.exec(read("go.mod"))[1];
/** The modules by the prefix of their versions' tags. */
const modules = { "": library, "cmd/zarr/": `${library}/cmd/zarr`, "beam/": `${library}/beam` };
const tagsOf = (version) => Object.keys(modules).map((folder) => `${folder}v${version}`);

/** The CHANGELOG's entry of a version, or of the unreleased changes; undefined if there is none. */
function notesOf(title) {
  const [, ...sections] = read("CHANGELOG.md").split(/^## /m);
  return sections
    .find((section) => section.split(/\s/, 1)[0].replace(/^\[|\]$/g, "") === title)
    ?.split("\n")
    .slice(1)
    .join("\n")
    .trim();
}

/** The reasons why this tree cannot be released, one a line. */
export function refusals() {
  const { version } = JSON.parse(read("package.json"));
  const lock = JSON.parse(read("package-lock.json"));
  const reasons = [];
  const check = (fine, reason) => fine || reasons.push(reason);
  check(/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version), `package.json: ${version} is no semantic version`);
  for (const own of [lock.version, lock.packages[""].version])
    check(own === version, `package-lock.json has version ${own}, package.json ${version}`);
  const suffix = Number(version.split(".")[0]) > 1 ? `/v${version.split(".")[0]}` : "";
  check(
    library.endsWith(suffix) && (suffix !== "" || !/\/v\d+$/.test(library)),
    `go.mod: ${library} is not of ${version}`,
  );
  const command = modules["cmd/zarr/"];
  for (const [file, ...others] of [
    ["cmd/zarr/go.mod", library],
    ["go.work", library],
    ["beam/go.mod", library, command],
    ["beam/go.work", library, command],
  ])
    for (const module of others) {
      const named = read(file)
        .split("\n")
        .map((line) => line.trim().replace(/^(require|replace) /, ""))
        .find((line) => line.startsWith(`${module} v`))
        ?.split(" ")[1];
      check(named === `v${version}`, `${file} names ${module} ${named}, package.json ${version}`);
    }
  check(
    !/^replace/m.test(["", "cmd/zarr/", "beam/"].map((folder) => read(`${folder}go.mod`)).join("\n")),
    "a go.mod has replacements",
  );
  for (const file of git("ls-files", "*.md", "examples").split("\n"))
    for (const [named] of read(file).matchAll(/zarr-wasm@\d[\w.-]*(?=\/)/g))
      check(named === `zarr-wasm@${version}`, `${file} names ${named}`);
  check(notesOf(version), `CHANGELOG.md has no entry for ${version}`);
  check(!notesOf("Unreleased"), "CHANGELOG.md has an entry for what is not released");
  const changed = git("status", "--porcelain");
  check(changed === "", `the tree is not clean:\n${changed}`);
  const head = git("rev-parse", "HEAD");
  const [tag, ...others] = tagsOf(version);
  check(commitOf(tag) === head, `the tag ${tag} is not at this commit`);
  for (const other of others)
    check([head, undefined].includes(commitOf(other)), `the tag ${other} is at another commit`);
  return reasons;
}

/** The commit of a tag, or undefined. */
function commitOf(tag) {
  const found = git("for-each-ref", "--format=%(objectname) %(*objectname)", `refs/tags/${tag}`);
  return found === "" ? undefined : found.split(" ").at(-1);
}

/** The tarball of the npm package. */
function makePackage(dir) {
  const { tarball, files, size } = pack(dir);
  const { exports, bin } = JSON.parse(read("package.json"));
  const named = (target) => (typeof target === "string" ? [target] : Object.values(target).flatMap(named));
  const missing = named([exports, bin].map(named)).filter((file) => !files.includes(file.replace("./", "")));
  if (missing.length > 0) throw new Error(`the package lacks ${missing}`);
  const strange = files.filter(
    (file) => !/^(bin|dist)\/[\w./-]+\.(m?js|d\.ts|wasm|json|html|css)$|^[A-Z_]+(\.md)?$|^package\.json$/.test(file),
  );
  if (strange.length > 0) throw new Error(`the package has ${strange}, which no export loads`);
  return `${basename(tarball)}: ${files.length} files, ${size} bytes`;
}

/**
 * The modules in the folders of a module proxy. The go command makes them like the proxy: from a
 * clone with the tags, by the rules of module zip files (golang.org/x/mod/zip).
 */
function makeModules(dir, version) {
  const work = mkdtempSync(join(tmpdir(), "zarr-wasm-release-"));
  const clone = join(work, "clone.git");
  const cache = join(work, "modules");
  try {
    git("clone", "--quiet", "--bare", "--shared", top, clone);
    const inClone = (...args) => git(`--git-dir=${clone}`, `--work-tree=${top}`, ...args);
    inClone("add", "--all");
    const as = ["-c", "user.name=release", "-c", "user.email=release@localhost"];
    if (inClone("status", "--porcelain") !== "") inClone(...as, "commit", "--quiet", "--no-verify", "-m", "a dry run");
    for (const tag of tagsOf(version)) inClone("tag", "--force", tag);
    const env = {
      ...process.env,
      GOMODCACHE: cache,
      GOFLAGS: "-mod=mod -modcacherw",
      GOPROXY: "direct",
      GOSUMDB: "off",
      GOWORK: "off",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: `url.${clone}.insteadOf`,
      GIT_CONFIG_VALUE_0: `https://${library.split("/").slice(0, 3).join("/")}`,
    };
    return Object.values(modules).map((module) => {
      const { Dir, Sum } = JSON.parse(
        run("go", ["mod", "download", "-json", `${module}@v${version}`], { cwd: work, env }),
      );
      const from = join(cache, "cache", "download", module, "@v");
      const to = join(dir, "go", module, "@v");
      mkdirSync(to, { recursive: true });
      for (const kind of ["info", "mod", "zip"])
        cpSync(join(from, `v${version}.${kind}`), join(to, `v${version}.${kind}`));
      writeFileSync(join(to, "list"), `v${version}\n`);
      const files = readdirSync(Dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      return `${module}: ${files.length} files, ${statSync(join(to, `v${version}.zip`)).size} bytes, ${Sum}`;
    });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The checksums of all files of a folder, in the format of `sha256sum --check`. */
function checksums(dir) {
  const sum = (file) =>
    createHash("sha256")
      .update(readFileSync(join(dir, file)))
      .digest("hex");
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .sort();
  return files.map((file) => `${sum(file)}  ${file}\n`).join("");
}

/** Makes everything in an empty folder, and returns a line for each part. */
export function make(dir, version) {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const made = [makePackage(dir), makeMaps(dir, version), ...makeModules(dir, version)];
  writeFileSync(join(dir, `zarr-wasm-${version}.cdx.json`), `${JSON.stringify(sbom(), null, 2)}\n`);
  writeFileSync(join(dir, "NOTES.md"), `${notesOf(version) ?? notesOf("Unreleased") ?? ""}\n`);
  writeFileSync(join(dir, "SHA256SUMS"), checksums(dir));
  return made;
}

/** Packs the source maps of the package's scripts, which the package does not contain. */
function makeMaps(dir, version) {
  const name = `zarr-wasm-${version}-maps.tgz`;
  const maps = readdirSync(join(top, "dist"), { recursive: true }).filter((file) => file.endsWith(".map"));
  const same = ["--format=gnu", "--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"];
  const tar = execFileSync("tar", ["--create", ...same, "--directory", top, ...maps.map((file) => `dist/${file}`)], {
    maxBuffer: 100_000_000,
  });
  const packed = gzipSync(tar, { level: 9 });
  writeFileSync(join(dir, name), packed);
  return `${name}: ${maps.length} files, ${packed.length} bytes`;
}

/** Reports whether the registry has a version of the package. */
function isPublished(version) {
  try {
    return run("npm", ["view", `zarr-wasm@${version}`, "version"], { stdio: "pipe" }) !== "";
  } catch (error) {
    if (!/E404/.test(error.stderr)) throw error;
    return false;
  }
}

/** Publishes the package unless the registry has this version. */
function publishPackage(dir, version) {
  if (isPublished(version)) return `zarr-wasm@${version} was published before`;
  const tag = version.includes("-") ? ["--tag", "next"] : [];
  run("npm", ["publish", join(dir, `zarr-wasm-${version}.tgz`), "--access", "public", ...tag]);
  return `published zarr-wasm@${version}`;
}

/**
 * Publishes the package, the tags of the modules and the release's page. It keeps whatever is
 * published already.
 */
function publish(dir, version) {
  const prerelease = version.includes("-");
  console.log(publishPackage(dir, version));
  for (const tag of tagsOf(version)) {
    if (commitOf(tag) === undefined) git("tag", tag);
    if (git("ls-remote", "origin", `refs/tags/${tag}`) === "") git("push", "origin", `refs/tags/${tag}`);
  }
  const assets = readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "NOTES.md")
    .map(({ name }) => join(dir, name));
  const flags = ["--verify-tag", "--title", `v${version}`, "--notes-file", join(dir, "NOTES.md")];
  if (spawnSync("gh", ["release", "view", `v${version}`], { cwd: top }).status === 0) return;
  run("gh", ["release", "create", `v${version}`, ...flags, ...(prerelease ? ["--prerelease"] : []), ...assets]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    options: { "dry-run": { type: "boolean" }, registry: { type: "string" } },
    allowPositionals: true,
  });
  const { registry, "dry-run": dry = false } = values;
  if (registry !== undefined) {
    const local = ["127.0.0.1", "[::1]", "localhost"].includes(new URL(registry).hostname);
    if (!dry || !local) throw new Error("--registry takes a registry on this machine, for a dry run");
    process.env.npm_config_registry = registry;
  }
  const dir = resolve(positionals[0] ?? join(top, "build", "release"));
  if (existsSync(dir) && readdirSync(dir).length > 0 && !existsSync(join(dir, "SHA256SUMS")))
    throw new Error(`${dir} has other files than a release's`);
  const { version } = JSON.parse(read("package.json"));
  const reasons = refusals();
  for (const reason of reasons) console.log(`${dry ? "a release would be refused" : "refused"}: ${reason}`);
  if (reasons.length > 0 && !dry) process.exit(1);
  for (const line of make(dir, version)) console.log(line);
  if (!dry) publish(dir, version);
  else if (registry !== undefined) console.log(publishPackage(dir, version));
  console.log(`${dry ? "made" : "published"}: ${version}, in ${dir}`);
}
