// Writes a .br and a .gz beside each compressible file of a folder. zarr serve and nginx with
// gzip_static serve these files.
//
//   node web/demo/compress.mjs DIR
//
// zarr-full.wasm and zarr-write.wasm, which few pages load, have quality 9 of Brotli instead of 11:
// they would take half a minute.
//
// Skips samples: their chunks are compressed already, and a range must not refer to a compressed
// file. Results are cached in build/compressed by content, because zarr.wasm takes seconds.
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const dir = resolve(process.argv[2] ?? ".");
const kept = resolve(import.meta.dirname, "../../build/compressed");
mkdirSync(kept, { recursive: true });

const ways = {
  br: (bytes, name) =>
    brotliCompressSync(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: /^zarr-/.test(name) ? 9 : 11,
        [constants.BROTLI_PARAM_LGWIN]: 24,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gz: (bytes) => gzipSync(bytes, { level: 9 }),
};

let [plain, small] = [0, 0];
for (const name of readdirSync(dir)) {
  if (!/\.(html|css|js|wasm|svg)$/.test(name)) continue;
  const bytes = readFileSync(join(dir, name));
  const hash = createHash("sha256").update(bytes).digest("hex");
  for (const [suffix, compress] of Object.entries(ways)) {
    const file = join(kept, `${hash}.${suffix}`);
    if (!existsSync(file)) writeFileSync(file, compress(bytes, name));
    copyFileSync(file, join(dir, `${name}.${suffix}`));
    if (suffix === "br") small += readFileSync(file).length;
  }
  plain += bytes.length;
}
console.log(`${(plain / 1e6).toFixed(1)} MB are ${(small / 1e6).toFixed(1)} MB with brotli`);
