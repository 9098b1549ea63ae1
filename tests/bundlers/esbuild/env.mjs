import { copyFileSync } from "node:fs";
import { build } from "esbuild";

const options = (dir) => ({
  absWorkingDir: dir,
  entryPoints: ["main.js"],
  bundle: true,
  format: "esm",
  outdir: "out",
  logLevel: "warning",
});

/** The output of a program that imports from "zarr-wasm/inline". */
const inline = {
  name: "inline",
  setup: (build) => {
    build.onResolve({ filter: /^zarr-wasm$/ }, ({ resolveDir, kind }) =>
      build.resolve("zarr-wasm/inline", { resolveDir, kind }),
    );
  },
};

export default [
  {
    title: "esbuild 0.28",
    needs:
      "files beside the output: `cp node_modules/zarr-wasm/dist/{worker.js,zarr.wasm,zarr-full.wasm} out/`, `zarr-write.wasm` for programs that write, and `decode-worker.js` for `zarr-wasm/xarray`",
    async build(dir, files) {
      await build(options(dir));
      for (const name of ["worker.js", "decode-worker.js", "zarr.wasm", "zarr-full.wasm"])
        copyFileSync(`${files}/dist/${name}`, `${dir}/out/${name}`);
    },
  },
  {
    title: "esbuild 0.28, one file",
    needs:
      'nothing, with `from "zarr-wasm/inline"`; `zarr-wasm/xarray` decodes on the page\'s thread without `decode-worker.js` beside the output',
    async build(dir) {
      await build({ ...options(dir), plugins: [inline] });
    },
  },
];
