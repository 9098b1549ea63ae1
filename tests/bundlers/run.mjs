// Builds a small page with each bundler and runs it in Chromium, and runs the same
// lines in each runtime: all environments that docs/start/install.md lists.
//
//   node tests/bundlers/run.mjs [PATTERN]   a regular expression of titles
//   node tests/bundlers/run.mjs --write     also writes the table
import { execFile, execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { launch } from "../lib/browsers.mjs";
import { listen, serve, top } from "../lib/serve.mjs";
import { pack } from "../tools/pack.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const files = join(here, "node_modules", "zarr-wasm");
const work = join(here, ".work");
const pattern = new RegExp(process.argv.slice(2).find((arg) => !arg.startsWith("--")) ?? "");
// zarrita's elements of the two arrays.
const wanted = {
  dtype: "int16",
  shape: [19, 36],
  sum: 424543,
  chunks: 2,
  rare: 1789524762,
  // By xarray.
  decoded: 6002117,
  masked: 1067,
};

// Texts that no page's or server's console may contain.
const unwanted = /zarr-wasm:|⚠|\bwarn|\berrors?\b(?!\.)|deprecat/i;

/** The package as npm would install it. */
function install() {
  const { tarball } = pack(join(top, "build"));
  rmSync(files, { recursive: true, force: true });
  mkdirSync(files, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", files, "--strip-components=1"]);
}

const types = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".css": "text/css",
  ".wasm": "application/wasm",
};

/** A static server for pages. */
async function pages(dir, { headers = {}, types: others = {} } = {}) {
  return listen(({ url }, response) => {
    const path = join(dir, normalize(decodeURIComponent(new URL(url, "http://x").pathname)));
    const file = existsSync(path) && statSync(path).isDirectory() ? join(path, "index.html") : path;
    if (!existsSync(file)) return response.writeHead(404).end();
    const type = others[extname(file)] ?? types[extname(file)] ?? "application/octet-stream";
    response.writeHead(200, { "Content-Type": type, ...headers }).end(readFileSync(file));
  });
}

/** Makes the folder of one environment. */
function prepare(folder, i, env) {
  const dir = join(work, `${folder}${i}`);
  if (env.project) cpSync(join(here, folder, "project"), dir, { recursive: true });
  else mkdirSync(join(dir, "out"), { recursive: true });
  cpSync(join(top, "tests", "js", "engine-cases.mjs"), join(dir, "engine-cases.mjs"));
  for (const file of env.project ? ["app.js"] : ["app.js", "main.js", "index.html"])
    cpSync(join(here, file), join(dir, file));
  for (const [file, text] of Object.entries(env.files ?? {})) writeFileSync(join(dir, file), text);
  return dir;
}

/** Fails unless a result is what it should be. */
function judge(result) {
  for (const [name, value] of Object.entries(wanted)) {
    if (JSON.stringify(result[name]) !== JSON.stringify(value)) {
      throw new Error(`${name} is ${JSON.stringify(result[name])}, not ${JSON.stringify(value)}`);
    }
  }
}

/** Checks the pages that a framework renders on its server, and the answers of its routes. */
async function onServer(url, query) {
  const response = await fetch(`${url}sum${query}`);
  if (!response.ok) throw new Error(`the route answered ${response.status}: ${await response.text()}`);
  const result = await response.json();
  judge(result);
  if (result.workers === 0) throw new Error("no worker was started on the server");
  const html = await (await fetch(url + query)).text();
  if (!html.includes(`<p>${wanted.sum}</p>`)) throw new Error(`the page was rendered without its data: ${html}`);
}

async function inBrowser(browser, env, dir, data, other) {
  let served;
  if (env.serve) served = await env.serve(dir);
  else {
    await env.build(dir, files, other);
    if (!existsSync(join(dir, "out", "index.html"))) cpSync(join(dir, "index.html"), join(dir, "out", "index.html"));
    served = await pages(join(dir, "out"), { headers: env.headers?.(data), types: env.types });
  }
  const context = await browser.newContext();
  const query = `?data=${encodeURIComponent(data)}`;
  try {
    if (env.server) await onServer(served.url, query);
    const page = await context.newPage();
    const said = [];
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => said.push(error.message));
    await page.goto(served.url + query);
    await page
      .waitForFunction(() => globalThis.result !== undefined, undefined, { timeout: 60_000 })
      .catch((error) => {
        throw new Error(`${error.message}\n${said.join("\n")}`);
      });
    const result = await page.evaluate(() => globalThis.result);
    if (result.error) throw new Error(`${result.error}\n${said.join("\n")}`);
    judge(result);
    if (env.workers !== false) {
      // The engine's, and the one that decodes.
      const started = await page.evaluate(() => globalThis.pageWorkers);
      if (!(started >= 2)) throw new Error(`the page started ${started} workers\n${said.join("\n")}`);
      if (page.workers().length === 0) throw new Error(`no worker was started\n${said.join("\n")}`);
      const helpers = await page.evaluate(() => globalThis.helpers());
      if (!(helpers > 0)) throw new Error(`no helper was started: ${helpers.error}\n${said.join("\n")}`);
      if (page.workers().length < 1 + helpers) throw new Error("the helpers are not among the page's workers");
      const warnings = `${said.join("\n")}\n${served.said?.() ?? ""}`.split("\n").filter((line) => unwanted.test(line));
      if (warnings.length > 0) throw new Error(`it warns:\n${warnings.join("\n")}`);
    }
  } catch (error) {
    if (served.said) error.message += `\nthe server said:\n${served.said()}`;
    throw error;
  } finally {
    await context.close();
    await served.close();
  }
}

async function inRuntime(env, dir, data) {
  const [command, ...args] = env.command(dir, data);
  const { stdout } = await promisify(execFile)(command, args, { cwd: dir, timeout: 120_000 });
  const result = JSON.parse(stdout);
  judge(result);
  if (!(result.helpers > 0)) throw new Error("no helper was started");
}

rmSync(work, { recursive: true, force: true });
install();
const fixtures = await serve("build/fixtures");
const cdn = await pages(files, { headers: { "Access-Control-Allow-Origin": "*" } });
const browser = await launch();
const rows = [];
let failed = 0;
try {
  const data = `${fixtures.url}xarray/climate_v3.zarr/t2m`;
  const folders = readdirSync(here).filter((name) => existsSync(join(here, name, "env.mjs")));
  const order = [
    "vite8",
    "vite7",
    "webpack",
    "rspack",
    "rollup",
    "esbuild",
    "parcel",
    "next",
    "sveltekit",
    "plain",
    "runtimes",
  ];
  folders.sort((a, b) => order.indexOf(a) - order.indexOf(b));
  for (const folder of folders) {
    const { default: environments } = await import(join(here, folder, "env.mjs"));
    for (const [i, env] of environments.entries()) {
      if (!pattern.test(env.title)) continue;
      const began = performance.now();
      try {
        const dir = prepare(folder, i, env);
        await (env.command ? inRuntime(env, dir, data) : inBrowser(browser, env, dir, data, cdn.url));
        rows.push(env);
        console.log(`ok ${env.title} (${Math.round(performance.now() - began)} ms)`);
      } catch (error) {
        failed++;
        console.log(`not ok ${env.title}: ${error.stderr || error.stack}`);
      }
    }
  }
} finally {
  await browser.close();
  fixtures.close();
  cdn.close();
}
if (process.argv.includes("--write") && failed === 0) {
  const lines = rows.map(({ title, needs }) => `| ${title} | ${needs} |`);
  const page = readFileSync(join(top, "docs/start/install.md"), "utf8");
  const table = ["| environment | needs |", "|---|---|", ...lines].join("\n");
  writeFileSync(join(top, "docs/start/install.md"), page.replace(/\| environment[\s\S]*?\n(?=\n)/, `${table}\n`));
}
console.log(`${rows.length} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
