// Packs the npm package: the `files` of package.json, and the README with absolute links, since
// npm's page has no repository beside it.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const top = fileURLToPath(new URL("../../", import.meta.url));
const npm = (cwd, ...args) =>
  JSON.parse(execFileSync("npm", ["pack", "--json", "--ignore-scripts", ...args], { cwd, encoding: "utf8" }))[0];

/** Packs into a folder. Returns the tarball's path, the paths in it, and its size in bytes. */
export function pack(folder) {
  const stage = mkdtempSync(join(tmpdir(), "zarr-wasm-pack-"));
  try {
    for (const { path } of npm(top, "--dry-run").files) cpSync(join(top, path), join(stage, path));
    const manifest = JSON.parse(readFileSync(join(top, "package.json"), "utf8"));
    const readme = join(stage, "README.md");
    writeFileSync(readme, absolute(readFileSync(readme, "utf8"), manifest));
    const { filename, files, size } = npm(stage, "--pack-destination", folder);
    return { tarball: join(folder, filename), files: files.map(({ path }) => path).sort(), size };
  } finally {
    rmSync(stage, { recursive: true });
  }
}

/** A Markdown page whose links and pictures lead to the release's files in the repository. */
export function absolute(text, { version, repository }) {
  const home = repository.url.replace(/^git\+|\.git$/g, "");
  const raw = home.replace("https://github.com/", "https://raw.githubusercontent.com/");
  const address = (picture, to) => (picture ? `${raw}/v${version}/${to}` : `${home}/blob/v${version}/${to}`);
  // A label may continue on the next line. Every second part is a block of code.
  return text
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part, i) =>
      i % 2 === 1
        ? part
        : part.replace(/(!?)(\[[^\]]*\]\()([^)#\s]+)/g, (link, mark, label, to) =>
            /^https?:/.test(to) ? link : mark + label + address(mark !== "", to),
          ),
    )
    .join("");
}
