// Measures what typical imports of the package add to a page's scripts, bundled and minified by
// Rolldown, as Vite 8 does it.
//
//   node tests/tools/imports.mjs           prints the table
//   node tests/tools/imports.mjs --write   writes it into docs/reports/imports.md
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";

const top = fileURLToPath(new URL("../../", import.meta.url));
export const page = `${top}docs/reports/imports.md`;

/** Scripts of pages. Each uses what it imports, or a bundler leaves it out. */
const scripts = [
  'import { slice } from "zarr-wasm"; use(slice);',
  'import { open } from "zarr-wasm"; use(open);',
  'import { get, open, root, slice } from "zarr-wasm"; use(get, open, root, slice);',
  'import * as zarr from "zarr-wasm"; use(zarr);',
  'import { create, set } from "zarr-wasm/write"; use(create, set);',
  'import { open } from "zarr-wasm"; import { openDataset } from "zarr-wasm/xarray"; use(open, openDataset);',
  'import { open } from "zarr-wasm"; import * as ome from "zarr-wasm/ome"; use(open, ome);',
  'import { open } from "zarr-wasm"; import * as geo from "zarr-wasm/geo"; use(open, geo);',
  'import { open } from "zarr-wasm"; import * as anndata from "zarr-wasm/anndata"; use(open, anndata);',
  'import { describe } from "zarr-wasm/describe"; use(describe);',
  'import "zarr-wasm/view";',
];

/**
 * The bytes, compressed by gzip, of what a script loads at once, and of the scripts that it may
 * load later.
 */
async function measure(script) {
  const dir = mkdtempSync(join(tmpdir(), "zarr-wasm-imports-"));
  try {
    writeFileSync(join(dir, "package.json"), '{"type":"module"}');
    symlinkSync(join(top, "node_modules"), join(dir, "node_modules"));
    writeFileSync(join(dir, "page.js"), `const use = globalThis.use;\n${script}\n`);
    const alias = exportsOf();
    const bundle = await rolldown({
      cwd: dir,
      input: "page.js",
      platform: "browser",
      resolve: { alias },
      logLevel: "silent",
    });
    const { output } = await bundle.generate({ minify: true, format: "esm" });
    await bundle.close();
    const chunks = new Map(output.filter(({ type }) => type === "chunk").map((chunk) => [chunk.fileName, chunk]));
    const first = new Set();
    const visit = (name) => {
      if (first.has(name)) return;
      first.add(name);
      chunks.get(name)?.imports.forEach(visit);
    };
    visit(output.find(({ isEntry }) => isEntry).fileName);
    const sum = (names) =>
      names.reduce((all, name) => all + gzipSync(chunks.get(name)?.code ?? "", { level: 9 }).length, 0);
    return [sum([...first]), sum([...chunks.keys()].filter((name) => !first.has(name)))];
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** The package's own files for its subpaths in browsers. */
function exportsOf() {
  const { exports } = JSON.parse(readFileSync(`${top}package.json`, "utf8"));
  const entries = Object.entries(exports).filter(([entry]) => !/\.(wasm|json)$/.test(entry));
  // A name is an alias of what begins with it, so the longer ones come first.
  return Object.fromEntries(
    entries.map(([entry, target]) => [entry.replace(".", "zarr-wasm"), join(top, target.default)]).reverse(),
  );
}

/** Each script with its two sizes. */
export const measured = () => Promise.all(scripts.map(async (script) => [script, ...(await measure(script))]));

/** The rows of the page: each script with its two sizes in KB. */
export function written() {
  const rows = readFileSync(page, "utf8").matchAll(/^\| `(.*)` \| ([\d.]+) \| ([\d.]+) \|$/gm);
  return [...rows].map(([, script, first, later]) => [script, Number(first), Number(later)]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const kb = (bytes) => (bytes / 1000).toFixed(1);
  const short = (script) => script.replace(/ use\(.*/, "");
  const rows = (await measured()).map(
    ([script, ...sizes]) => `| \`${short(script)}\` | ${sizes.map(kb).join(" | ")} |`,
  );
  const table = ["| import | at once | later |", "|---|--:|--:|", ...rows].join("\n");
  console.log(table);
  if (process.argv.includes("--write"))
    writeFileSync(
      page,
      `# Sizes of imports

What an import adds to the scripts of a page, in KB (1000 bytes) with gzip, bundled and minified by Rolldown, the bundler of Vite 8. Scripts that are loaded later are loaded when a call needs them.
The worker's script and the wasm come beside them. \`node tests/tools/imports.mjs --write\` writes this page, and a test compares it with the package.

${table}
`,
    );
}
