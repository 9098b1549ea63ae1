// Builds the documentation site into build/site: static files that work below any path.
//
//   node web/site/build.mjs [--keep-api]   --keep-api leaves out TypeDoc if its pages exist
//
// It needs dist/, build/demo and build/fixtures, and the packages of web/site/package.json.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { build } from "vitepress";
import { actualBase, base } from "./base.mjs";
import { notices } from "./notices.mjs";
import { sampleAddresses, source, top, writePages } from "./pages.mjs";

const here = import.meta.dirname;
const out = join(top, "build/site");
const kept = join(top, "build/site-api");

writeApi();
const samples = writePages();
cpSync(kept, join(source, "api"), { recursive: true });
writeFileSync(
  join(source, "api/index.md"),
  readFileSync(join(kept, "index.md"), "utf8").replace(/^# .*/, "# API of the npm package"),
);
cpSync(join(top, "docs/guides/demo.png"), join(source, "public/demo.png"));
await build(here);
const pages = makeRelative();
copyPackage();
copySamples();
writeRunner();
writeFileSync(join(out, "notices.txt"), notices());
console.error(`the site is in ${out}: ${pages.length} pages`);

/** The pages of the API, by TypeDoc. A warning fails the build. */
function writeApi() {
  if (process.argv.includes("--keep-api") && existsSync(kept)) return;
  rmSync(kept, { recursive: true, force: true });
  const typedoc = join(here, "node_modules/.bin/typedoc");
  execFileSync(typedoc, ["--options", join(here, "typedoc.json")], { stdio: ["ignore", "inherit", "inherit"] });
}

/** Makes the site independent of its path. Returns its pages. */
function makeRelative() {
  const rewrite = (name, change) => writeFileSync(join(out, name), change(readFileSync(join(out, name), "utf8"), name));
  const names = readdirSync(out, { recursive: true });
  const pages = names.filter((name) => name.endsWith(".html"));
  for (const page of pages) rewrite(page, relocatable);
  const [data] = names.filter((name) => /chunks\/metadata\.\w+\.js$/.test(name));
  rewrite(data, (code) => code.replaceAll(base, `"+${actualBase}+"`));
  // A server shows this page at any path, so that it can name no other file.
  cpSync(join(here, "404.html"), join(out, "404.html"));
  checkBase(names);
  return pages;
}

/** A page whose addresses are relative, and which states the site's path to its scripts. */
function relocatable(html, page) {
  const up = posix.relative(posix.dirname(page), ".") || ".";
  const script = `<script>globalThis.zarrSiteBase=new URL("${up}/",location.href).pathname</script>`;
  return html
    .replace("<head>", () => `<head>\n    ${script}`)
    .replace(new RegExp(`(\\b(?:href|src|content)=\\\\?")${base}`, "g"), (_, before) => `${before}${up}/`);
}

/** Fails if a file still contains the path for which VitePress built the site. */
function checkBase(names) {
  const left = names.filter(
    (name) =>
      /\.(html|js|css)$/.test(name) &&
      !name.includes("@localSearchIndex") && // replaces it when it is loaded
      readFileSync(join(out, name), "utf8").includes(base),
  );
  if (left.length > 0) throw new Error(`these contain ${base}: ${left.join(", ")}`);
}

/** The package, for the live examples, and the viewer. */
function copyPackage() {
  cpSync(join(top, "dist"), join(out, "zarr-wasm"), {
    recursive: true,
    filter: (file) => !/\.d\.ts$|\.map$|-node\.js$|\/(node|worker-node)\.js$|\/viewer$/.test(file),
  });
  cpSync(join(top, "build/demo"), join(out, "viewer"), {
    recursive: true,
    filter: (file) => !/\.(br|gz)$/.test(file),
  });
}

function copySamples() {
  for (const path of samples)
    cpSync(join(top, "build/fixtures", path), join(out, "samples", path), { recursive: true });
}

/** The page in which the examples run. */
function writeRunner() {
  const run = join(out, "run");
  mkdirSync(run, { recursive: true });
  const { exports } = JSON.parse(readFileSync(join(top, "package.json"), "utf8"));
  const entries = Object.fromEntries(
    Object.entries(exports)
      .filter(([name, files]) => /^\.(\/\w+)?$/.test(name) && files.default)
      .map(([name, files]) => [name.replace(".", "zarr-wasm"), files.default.replace("./dist", "../zarr-wasm")]),
  );
  const html = readFileSync(join(here, "run/run.html"), "utf8");
  writeFileSync(
    join(run, "run.html"),
    html.replace('"importmap">', () => `"importmap">${JSON.stringify({ imports: entries })}`),
  );
  writeFileSync(join(run, "run.json"), JSON.stringify({ entries, samples: sampleAddresses() }));
  cpSync(join(here, "run/run.js"), join(run, "run.js"));
  cpSync(join(here, "live.mjs"), join(run, "live.js"));
}
