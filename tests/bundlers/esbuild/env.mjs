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

export default [
  {
    title: "esbuild 0.28",
    needs: "three files beside the output: `cp node_modules/zarr-wasm/dist/{worker.js,zarr.wasm,zarr-full.wasm} out/`",
    async build(dir, files) {
      await build(options(dir));
      for (const name of ["worker.js", "zarr.wasm", "zarr-full.wasm"])
        copyFileSync(`${files}/dist/${name}`, `${dir}/out/${name}`);
    },
  },
  {
    title: "esbuild 0.28, one file",
    needs: 'nothing, with `from "zarr-wasm/inline"`',
    async build(dir) {
      await build({ ...options(dir), alias: { "zarr-wasm": "zarr-wasm/inline" } });
    },
  },
];
