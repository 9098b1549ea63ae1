// Collects the viewer's files for a static host: its pages, and the package's files that they need.
// Names contain a hash of the contents.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const named = /"\.\/([\w-]+\.(?:js|css|wasm))"/g;

const hashOf = (parts) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex").slice(0, 8).toUpperCase();
};

/**
 * Returns the bytes of each file by name. `viewer` is the folder of the viewer's own files, and
 * `dist` that of the package.
 */
export function viewerFiles({ viewer, dist }) {
  const own = readdirSync(viewer).filter((name) => !name.endsWith(".map"));
  const files = new Map(own.map((name) => [name, readFileSync(join(viewer, name))]));
  for (const [name, bytes] of files) {
    if (name.endsWith(".wasm")) continue;
    for (const [, other] of String(bytes).matchAll(named)) {
      const file = join(dist, other);
      if (!files.has(other) && existsSync(file)) files.set(other, readFileSync(file));
    }
  }
  const served = new Map();
  const rename = (bytes) => {
    const text = String(bytes);
    return text.replace(named, (whole, name) => (served.has(name) ? `"./${served.get(name)}"` : whole));
  };
  const isScript = (name) => name.endsWith(".js");
  const isPage = (name) => name.endsWith(".html");
  const serve = (name, hash) => served.set(name, name.replace(/(?=\.\w+$)/, `.${hash}`));
  for (const [name, bytes] of files) if (!isScript(name) && !isPage(name)) serve(name, hashOf([bytes]));
  // Scripts import each other in circles, so all of their names contain one common hash.
  const hash = hashOf([...files].filter(([name]) => isScript(name)).flatMap(([name, bytes]) => [name, rename(bytes)]));
  for (const name of files.keys()) if (isScript(name)) serve(name, hash);
  return new Map(
    [...files].map(([name, bytes]) => [
      served.get(name) ?? name,
      isScript(name) || isPage(name) ? Buffer.from(rename(bytes)) : bytes,
    ]),
  );
}
