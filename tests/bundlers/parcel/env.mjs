import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const parcel = fileURLToPath(new URL("../node_modules/.bin/parcel", import.meta.url));

export default [
  {
    title: "Parcel 2",
    needs:
      'nothing; for `zarr-wasm/xarray` and the like `"@parcel/resolver-default": { "packageExports": true }` in package.json',
    async build(dir) {
      const args = [
        "build",
        "index.html",
        "--dist-dir",
        "out",
        "--public-url",
        "./",
        "--no-cache",
        "--log-level",
        "error",
      ];
      await promisify(execFile)(parcel, args, { cwd: dir });
    },
  },
];
