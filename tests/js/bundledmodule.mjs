// Bundles modules of js/ for tests in Node.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { top } from "../lib/serve.mjs";

/** Bundles modules of js/ for Node, and imports their exports. */
export async function bundledModule(name, contents) {
  const outfile = join(top, "build", "test", "view-node", `${name}.mjs`);
  await build({
    absWorkingDir: top,
    stdin: { contents, resolveDir: join(top, "js"), loader: "ts" },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: ["es2022"],
    logLevel: "warning",
  });
  return import(pathToFileURL(outfile));
}
