// Runs the unit tests in this folder, *.test.ts, after compiling them with esbuild: node --test
// web/demo/unit.test.mjs
import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "../../build/demo-test");
const dist = join(here, "../../dist");
rmSync(out, { recursive: true, force: true });
await build({
  entryPoints: readdirSync(here)
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join(here, name)),
  outdir: out,
  // The package's build for Node.
  alias: {
    "zarr-wasm": join(dist, "node.js"),
    "zarr-wasm/describe": join(dist, "describe.js"),
    "zarr-wasm/view": join(dist, "view-node.js"),
  },
  outExtension: { ".js": ".mjs" },
  bundle: true,
  format: "esm",
  platform: "node",
  target: ["es2022"],
  sourcemap: "inline",
  logLevel: "warning",
});
await Promise.all(readdirSync(out).map((name) => import(pathToFileURL(join(out, name)).href)));
