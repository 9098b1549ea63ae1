// Bundles the readers that this project is compared with, as a page would load them: zarrita and
// fizarrita. The latter is zarrita with a pool of decoding workers. Its version 1.4.1 was made for
// zarrita 0.6. Shims provide the functions that the codecs of 0.7 need.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const top = join(here, "../../..");
const peers = {
  zarrita: { from: top, entryPoints: { index: "zarrita" } },
  fizarrita: {
    from: here,
    entryPoints: { index: "./fizarrita.mjs", "codec-worker": "@fideus-labs/fizarrita/codec-worker" },
  },
};

/** Writes NAME/index.js of each into a directory, with its lazily loaded files. */
export async function buildPeers(dir) {
  for (const [name, { from, entryPoints }] of Object.entries(peers)) {
    await build({
      absWorkingDir: from,
      entryPoints,
      bundle: true,
      minify: true,
      format: "esm",
      splitting: true,
      outdir: join(dir, name),
      chunkNames: "[name]-[hash]",
      logLevel: "warning",
    });
  }
}
