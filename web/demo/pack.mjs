// Puts the viewer's files into dist/viewer, for `npx zarr-wasm view`: without the samples, the maps, and what dist/ has already under its
// own name. The server of bin/ looks there for what is missing here.
//
//   node web/demo/pack.mjs [build/demo [dist/viewer]]
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const top = resolve(import.meta.dirname, "../..");
const from = resolve(process.argv[2] ?? join(top, "build/demo"));
const to = resolve(process.argv[3] ?? join(top, "dist/viewer"));
rmSync(to, { recursive: true, force: true });
mkdirSync(to, { recursive: true });
for (const name of readdirSync(from)) {
  if (!/\.(html|css|js)$/.test(name)) continue;
  const original = join(top, "dist", name.replace(/\.[0-9A-Z]{8}\./, "."));
  const bytes = readFileSync(join(from, name));
  if (name.includes("worker") && existsSync(original) && bytes.equals(readFileSync(original))) continue;
  if (name.endsWith(".html")) {
    // The page has no samples beside it.
    writeFileSync(join(to, name), String(bytes).replace("<html ", '<html data-samples="none" '));
  } else {
    writeFileSync(
      join(to, name),
      String(bytes)
        .replace(/^\/\/# sourceMappingURL=.*$|\/\*# sourceMappingURL=.*?\*\/$/gm, "")
        .trimEnd(),
    );
  }
}
