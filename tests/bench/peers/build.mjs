// The readers that this project is measured beside, as a page would load them: zarrita, and
// fizarrita, which is zarrita with a pool of workers that decode. fizarrita 1.4.1 reads with
// zarrita 0.6, for which it was made: the codecs of 0.7 are given what they do not know.
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

/** Writes NAME/index.js of each into a directory, with what it loads later beside it. */
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
